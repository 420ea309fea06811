"""What an algorithm brings along is computed, learned beside the policy, and told to slots and annotators."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from rlenvs.errors import RlenvsError
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.batch import Sample
from rlenvs_trainers.checks import check_algorithm
from rlenvs_trainers.declared import brought_signals, noted_signals
from rlenvs_trainers.forward import Policy
from rlenvs_trainers.layout import lay_out
from rlenvs_trainers.models import RunModels
from rlenvs_trainers.objective import objections
from rlenvs_trainers.records import Group, Player
from rlenvs_trainers.reference import reference_gradient
from rlenvs_trainers.signals import Critic, LogprobsOf
from rlenvs_trainers.synthetic import completion, trajectory

from .critics import (
    BOTH,
    CRITIC,
    SUPPORT,
    Candidates,
    Scaled,
    Square,
    Support,
    ValueLoss,
    candidates_of,
)
from .learning import VOCABULARY, flat, learner, model
from .noting import annotated, packed


def attempts():
    """Two that begin alike: what comes of the first is worth 1, of the second 0."""
    replies = [((1, 2, 3), 1.0), ((1, 5, 6), 0.0)]
    return [Group(trajectories=tuple(trajectory([((9, 8), ids)], r, attempt=i) for i, (ids, r) in enumerate(replies)))]


def test_a_critic_learns_what_can_be_known_before_each_token():
    ours = learner(CRITIC, lr=1e-9)
    for _ in range(80):
        metrics = ours.update(packed(CRITIC, ours, attempts()))
    [group] = annotated(CRITIC, ours, attempts())
    good, bad = (each.turns[0].token_signals["old_value"].tolist() for each in group.trajectories)
    assert good == pytest.approx([0.5, 0.5, 1.0], abs=0.05)
    assert bad == pytest.approx([0.5, 0.5, 0.0], abs=0.05)
    assert metrics["value_loss/mean"] == pytest.approx(4 * 0.5**2 / 2 / 6, abs=0.01)


def test_the_value_of_a_state_is_not_moved_by_the_token_that_is_written_in_it():
    ours = learner(CRITIC)
    ours.policy.signals["value"].head.weight.data.fill_(0.5)
    one, other = (trajectory([((9, 8), ids)], 1.0) for ids in ((1, 2, 3), (1, 7, 3)))
    [first] = annotated(CRITIC, ours, [Group(trajectories=(one,))])
    [second] = annotated(CRITIC, ours, [Group(trajectories=(other,))])
    before, after = (each.trajectories[0].turns[0].token_signals["old_value"] for each in (first, second))
    np.testing.assert_allclose(after[:2], before[:2], atol=1e-6)
    assert abs(after[2] - before[2]) > 1e-3
    hidden_TD = ours.policy.signals["value"].base(input_ids=torch.tensor([[9, 8, 1, 2, 3]])).last_hidden_state[0]
    np.testing.assert_allclose(before, (0.5 * hidden_TD.sum(-1)).detach()[1:4], atol=1e-5)


def test_a_critic_starts_at_zero_and_learns_nothing_of_the_policy_nor_the_policy_of_it(groups):
    """With a critic that moves, the policy is where it would be with one that hardly does."""
    algorithms = [replace(CRITIC, regularise=(ValueLoss(critic=Critic(lr=lr)),)) for lr in (1e-2, 1e-12)]
    learners = [learner(algorithm, max_grad_norm=0.1) for algorithm in algorithms]
    batch = packed(CRITIC, learners[0], groups)
    assert not np.any([turn.token_signals["old_value"] for turn in _turns(CRITIC, learners[0], attempts())])
    metrics = [ours.update(batch) for ours in learners]
    torch.testing.assert_close(learners[0].weights(), learners[1].weights(), rtol=0, atol=0)
    assert metrics[0]["value/grad_norm"] == metrics[1]["value/grad_norm"] > 0
    heads = [float(ours.policy.signals["value"].head.weight.data.abs().max()) for ours in learners]
    assert heads[0] == pytest.approx(1e-2, rel=0.1)
    assert heads[1] < 1e-10


def _turns(algorithm, ours, groups):
    return [turn for group in annotated(algorithm, ours, groups) for each in group.trajectories for turn in each.turns]


def test_its_rate_follows_the_schedule_from_a_peak_of_its_own():
    ours = learner(CRITIC, schedule="linear", warmup_steps=2, num_steps=4, lr=1.0)
    rates = []
    for _ in range(4):
        ours.optimiser.step()
        rates.append({group["peak"]: group["lr"] for group in ours.optimiser._adamw.param_groups})
    assert [each[1.0] for each in rates] == [0.5, 1.0, 1.0, 0.5]
    assert [each[1e-2] for each in rates] == pytest.approx([0.005, 0.01, 0.01, 0.005])


def test_what_the_policy_gives_to_noted_tokens_is_told_with_nothing_for_forced_ones():
    ours = learner(SUPPORT, temperature=0.7)
    turn = trajectory([((20, 21), completion((40, 41, 42), forced=(1,)))], 0.0).turns[0]
    noted = replace(turn, token_signals={"candidates": candidates_of(turn)})
    models = RunModels(sampler=None, renderer=None, learner=ours, player=Player(policy="policy", version=0))
    plain = trajectory([((20, 21), completion((40, 41, 42), forced=(1,)))], 0.0)
    [[told]] = models.signals([replace(plain, turns=(noted,))])
    with torch.no_grad():
        logits_TV = ours.policy.model(torch.tensor([[20, 21, 40, 41, 42]])).logits[0] / 0.7
    expected_LK = torch.log_softmax(logits_TV, -1)[1:4].gather(1, torch.from_numpy(candidates_of(turn)))
    np.testing.assert_allclose(told["support"][[0, 2]], expected_LK[[0, 2]], atol=1e-5)
    assert np.isnan(told["support"][1]).all()
    assert "support" not in models.signals([plain])[0][0], "without the ids there is nothing to tell"


@pytest.mark.parametrize("algorithm", [CRITIC, SUPPORT, BOTH], ids=lambda each: each.name)
def test_one_pass_and_two_passes_give_the_gradient_of_the_slow_reference(algorithm, groups, monkeypatch):
    start = learner(algorithm, dtype=torch.float64)
    batch = packed(algorithm, start, groups)
    expected = reference_gradient(algorithm, model(torch.float64), batch, temperature=0.8)
    for forced_scope in (None, "batch"):
        if forced_scope:
            monkeypatch.setattr("rlenvs_trainers.passes.scope", lambda _: "batch")
        got = learner(algorithm, dtype=torch.float64, temperature=0.8).gradient(batch)
        assert got.keys() == expected.keys()
        assert float((flat(got) - flat(expected)).norm() / flat(expected).norm()) < 1e-6


def test_the_gradient_of_noted_tokens_is_that_of_whole_logits(groups):
    ours = learner(replace(SUPPORT, surrogate=_Nothing()), dtype=torch.float64, temperature=0.8)
    batch = packed(SUPPORT, ours, groups)
    got = ours.gradient(batch)
    whole, means = model(torch.float64), []
    for index, sample in enumerate(batch.samples):
        logits_NV = whole(torch.from_numpy(sample.ids)[None]).logits[0, sample.positions - 1] / 0.8
        ids_NK = torch.from_numpy(batch.take([index]).constants["candidates"])
        loss_N = -0.5 * torch.log_softmax(logits_NV, -1).gather(1, ids_NK).exp().sum(-1).log()
        means.append((batch.trajectory_N[batch.tokens_of([index])[0]], loss_N))
    per_trajectory = [torch.cat([x for key, x in means if key == one]).mean() for one in dict(means)]
    torch.stack(per_trajectory).mean().backward()
    expected = torch.cat([each.grad.flatten() for each in whole.parameters()])
    assert float((flat(got) - expected).norm() / expected.norm()) < 1e-6


class _Nothing:
    needs, scope, vanishes = (), "token", True

    def __call__(self, view, log_ratio_N):
        return 0.0 * log_ratio_N, {}


@pytest.mark.parametrize("algorithm", [CRITIC, SUPPORT, BOTH], ids=lambda each: each.name)
def test_an_algorithm_that_brings_signals_along_keeps_its_promises(algorithm):
    check_algorithm(algorithm)


def test_a_signal_without_a_rate_learns_nothing_and_one_with_a_rate_does(groups):
    for lr, is_moved in ((None, False), (0.1, True)):
        algorithm = replace(GRPO, regularise=(Square(Scaled(lr)),))
        ours = learner(algorithm, weight_decay=0.1)
        metrics = ours.update(packed(algorithm, ours, groups))
        weight = ours.policy.signals["scaled"].weight.detach()
        assert bool((weight != 1.0).any()) == is_moved
        assert ("scaled/grad_norm" in metrics) == is_moved


def test_in_half_precision_all_tokens_together_have_all_of_the_probability():
    ours = learner(SUPPORT, dtype=torch.float32)
    half = Policy(ours.policy.model, temperature=1.0, dtype=torch.bfloat16)
    half.model.get_output_embeddings().weight.data *= 8
    half.bring([LogprobsOf(ids="all")])
    sample = Sample.of((1, 2, 3), (4, 5, 6, 7))
    every_NV = torch.arange(VOCABULARY).repeat(4, 1)
    with torch.no_grad():
        got = half(lay_out([sample], np.zeros(1, dtype=np.int64)), {"all": every_NV})["logprobs_of"]
    torch.testing.assert_close(got.logsumexp(-1), torch.zeros(4), rtol=0, atol=2e-3)


def test_where_nobody_wrote_anything_there_are_rows_of_no_token():
    ours = learner(BOTH)
    silent = trajectory([((20, 21), ())], 0.0)
    turn = replace(silent.turns[0], token_signals={"candidates": candidates_of(silent.turns[0])})
    models = RunModels(sampler=None, renderer=None, learner=ours, player=Player(policy="policy", version=0))
    [[told]] = models.signals([replace(silent, turns=(turn,))])
    assert {name: values.shape for name, values in told.items()} == {
        "logprob": (0,),
        "entropy": (0,),
        "value": (0,),
        "support": (0, 3),
    }


def test_a_strangers_signal_need_not_be_hashable_and_its_needs_are_not_read_as_letters():
    @dataclass
    class Plain:
        name: ClassVar[str] = "support"
        lr: ClassVar[None] = None
        needs: tuple[str, ...] = ("candidates",)

        def build(self, policy):
            return LogprobsOf(ids="candidates").build(policy)

    algorithm = replace(SUPPORT, regularise=(Support(signal=Plain()), Support(signal=Plain())))
    assert [signal.name for signal in brought_signals(algorithm)] == ["support"]
    with pytest.raises(RlenvsError, match="Plain has needs 'candidates': names come in a tuple"):
        list(objections(replace(SUPPORT, regularise=(Support(signal=Plain(needs="candidates")),))))


def test_equal_signals_of_two_slots_are_one():
    algorithm = replace(SUPPORT, regularise=(Support(), replace(SUPPORT.regularise[0], coefficient=0.1)))
    assert not [each for each in objections(algorithm) if "different signals" in each]
    assert noted_signals(algorithm) == {"candidates"}
    assert LogprobsOf(ids="candidates").needs == Candidates.token_signals
