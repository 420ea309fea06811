"""How far the sampler's log-probabilities are from the learner's: of which tokens it is measured, and of how many."""

from dataclasses import replace

import pytest

from rlenvs_trainers.batch import Sample
from rlenvs_trainers.records import Group
from rlenvs_trainers.synthetic import completion, trajectory

from .learning import learner, packed


def test_the_mismatch_leaves_out_what_another_policy_wrote():
    def by(policy, number):
        written = replace(completion((5, 6), logprobs=(-0.5, -0.5)), policy=policy)
        return trajectory([((1, 2), written)], float(number % 2), attempt=number)

    def mismatch(*policies):
        ones = tuple(by(policy, number) for number, policy in enumerate(policies))
        metrics = learner().update(packed([Group(trajectories=ones)]))
        return {name: value for name, value in metrics.items() if name.startswith("mismatch/")}

    assert mismatch("demonstrator", "demonstrator") == {}
    assert mismatch("policy", "policy") == pytest.approx(mismatch("policy", "policy", "demonstrator", "demonstrator"))


def test_the_mismatch_with_the_sampler_is_measured(on_policy):
    shifted = replace(on_policy, sampler_N=on_policy.sampler_N - 0.5)
    metrics = learner().update(shifted)
    assert metrics["mismatch/mean"] == pytest.approx(-0.5, abs=1e-5)
    assert metrics["mismatch/max"] == pytest.approx(0.5, abs=1e-4)
    assert metrics["mismatch/ess"] == pytest.approx(1.0, abs=1e-4)


def silent(attempts, policy="policy"):
    """Attempts that earned the same, at whose tokens the sampler was half a nat too sure."""
    said = learner().logprobs([Sample.of((1, 2), (3 + number, 4, 5)) for number in range(attempts)])
    turns = [completion((3 + n, 4, 5), logprobs=tuple(logprobs + 0.5)) for n, logprobs in enumerate(said)]
    turns = [((1, 2), replace(turn, policy=policy)) for turn in turns]
    ones = [trajectory([turn], 1.0, task="easy", attempt=number) for number, turn in enumerate(turns)]
    return Group(trajectories=tuple(ones))


@pytest.mark.parametrize(("budget", "tokens"), [(100, 6 * 3), (10, 2 * 3), (1, 3)])
def test_a_step_without_a_signal_has_mismatch_and_entropy_of_one_micro_batch(budget, tokens):
    ours, batch = learner(tokens_per_microbatch=budget), packed([silent(6)])
    entropy_N = ours.passes.signals(ours.policy, batch)["entropy"]
    metrics = ours.update(batch)
    assert "tokens/computed" not in metrics, "nothing went through the model to learn from"
    assert metrics["mismatch/tokens"] == tokens
    assert metrics["mismatch/mean"] == pytest.approx(0.5, abs=1e-5)
    assert metrics["mismatch/ess"] == pytest.approx(1.0, abs=1e-5)
    assert float(entropy_N.min()) <= metrics["policy/entropy"] <= float(entropy_N.max())
    if tokens == len(batch):
        assert metrics["policy/entropy"] == pytest.approx(float(entropy_N.mean()), rel=1e-5)


def test_where_only_a_demonstration_has_a_signal_the_mismatch_is_that_of_the_others():
    shown = [
        trajectory([((1,), replace(completion((6, 7)), policy="demonstrator"))], r, attempt=int(r)) for r in (0.0, 1.0)
    ]
    metrics = learner().update(packed([Group(trajectories=tuple(shown)), silent(2)]))
    assert metrics["mismatch/tokens"] == 6
    assert metrics["mismatch/mean"] == pytest.approx(0.5, abs=1e-5)


def test_the_mismatch_says_of_how_many_tokens_it_is():
    heard = [trajectory([((1,), (6 + i, 7))], float(i), attempt=i) for i in range(2)]
    metrics = learner().update(packed([Group(trajectories=tuple(heard)), silent(6)]))
    assert metrics["mismatch/tokens"] == 4
    assert metrics["tokens/trained"] == 4 + 18
