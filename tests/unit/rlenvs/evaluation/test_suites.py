from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.plugin import register_suites
from rlenvs.evaluation.published import Published
from rlenvs.evaluation.suites import Suite, Target
from rlenvs.evaluation.suites_page import page_of
from rlenvs.policies.base import PolicyCapability, Reply, ReplyRequest
from rlenvs.policies.scripted import Oracle, Random

SUITES: dict[str, Suite] = {}
register_suites(lambda suite: SUITES.update({suite.name: suite}))


@pytest.fixture
def data(data_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLENVS_DATA", data_folder)


class Silent:
    """Says nothing."""

    name = "silent"
    settings: Mapping[str, Any] = {}
    capabilities: frozenset[PolicyCapability] = frozenset({"concurrent"})

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        for place, _ in enumerate(requests):
            yield place, Reply(text="")


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["math", "math-procedural"])
def test_every_reference_of_every_target_is_right_and_silence_is_wrong(name: str) -> None:
    targets = SUITES[name].targets
    for policy, rate in ((Oracle(), 1.0), (Silent(), 0.0)):
        summaries = evaluate(policy, targets, samples=1).summaries
        found = {each.target: (each.pass_at_1 and each.pass_at_1.value, each.num_errors) for each in summaries}
        assert found == {target.title: (rate, 0) for target in targets}, policy.name


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["code", "code-procedural"])
def test_every_target_of_programs_asks_in_its_own_form_and_takes_its_solutions(name: str) -> None:
    targets = SUITES[name].targets
    silent = {each.target: each.pass_at_1 for each in evaluate(Silent(), targets, num_tasks=3, samples=1).summaries}
    assert {title: rate and rate.value for title, rate in silent.items()} == {target.title: 0.0 for target in targets}
    solved = [target for target in targets if target.title != "kattis"]  # whose solutions are nobody's to give
    for summary in evaluate(Oracle(), solved, num_tasks=8, samples=1).summaries:
        assert summary.pass_at_1 is not None
        assert (summary.pass_at_1.value, summary.num_errors) == (1.0, 0), summary.target


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["math", "math-procedural"])
def test_guesses_are_mostly_wrong(name: str) -> None:
    guesses = evaluate(Random(), SUITES[name].targets, num_tasks=10, samples=1)
    assert guesses.mean_pass_at_1 is not None
    assert guesses.mean_pass_at_1.value < 0.3
    assert [error for summary in guesses.summaries for error in summary.errors] == []


@pytest.mark.usefixtures("data")
def test_means_over_few_problems_are_of_many_samples_unless_the_caller_says_how_many() -> None:
    suite = SUITES["math"]
    samples = {target.title: suite.samples_of(target) for target in suite.targets}
    assert samples == {
        **{"gsm8k": 1, "math500": 1, "minerva": 1, "olympiadbench": 1},
        **{"aime24": 32, "aime25": 32, "amc23": 32},
    }
    few = [target for target in suite.targets if target.title in ("gsm8k", "aime24")]
    as_published = evaluate(Oracle(), few, num_tasks=2)
    assert [summary.num_samples for summary in as_published.summaries] == [2, 64]
    assert [tried.samples_per_task for tried in as_published.tried] == [1, 32]
    assert as_published.num_samples == 32
    assert [s.num_samples for s in evaluate(Oracle(), few, num_tasks=2, samples=3).summaries] == [6, 6]


@pytest.mark.parametrize("name", SUITES)
def test_every_target_of_ours_says_how_it_was_published(name: str) -> None:
    for target in SUITES[name].targets:
        assert target.published is not None, target.title


def test_published_conventions_that_say_nothing_of_something_are_refused() -> None:
    with pytest.raises(ValueError, match="sampling, source is empty"):
        Published(prompt="p", sampling=" ", scoring="s", ours="o", source="")


def test_the_page_of_suites_is_that_of_the_code() -> None:
    page = (Path(__file__).parents[4] / "docs/suites.md").read_text()
    assert page == page_of([SUITES[name] for name in sorted(SUITES)]), (
        "stale: `rlenvs suites page code code-procedural math math-procedural > docs/suites.md`"
    )


def test_arithmetic_is_asked_on_its_test_split_and_broken_down_by_family() -> None:
    [target] = SUITES["math-procedural"].targets
    [summary] = evaluate(Oracle(), [target], num_tasks=200).summaries
    shown = {key: {subset.value for subset in summary.breakdown if subset.key == key} for key in ("family", "level")}
    assert len(shown["family"]) >= 10
    assert shown["level"] == {"1", "2", "3", "4"}
    assert target.kwargs["split"] == "test"
    assert target.num_tasks == 1000


def test_targets_without_a_name_of_their_own_are_refused() -> None:
    target = Target(env="rlenvs/Math-v0")
    with pytest.raises(ValueError, match="its own name"):
        Suite(name="s", description="", targets=(target, target))
    with pytest.raises(ValueError, match="target rlenvs/Math-v0: samples is at least 1, got 0"):
        Target(env="rlenvs/Math-v0", samples=0)
    with pytest.raises(ValueError, match="at least one target"):
        Suite(name="s", description="", targets=())


def test_the_options_of_a_target_named_with_its_module_are_those_of_its_id():
    target = Target(env="rlenvs:rlenvs/EchoPair-v0", kwargs={"rounds": 3})
    assert target.options == Target(env="rlenvs/EchoPair-v0", kwargs={"rounds": 3}).options
    assert (target.options["rounds"], target.options["letters"]) == (3, 4)
