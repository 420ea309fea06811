import pytest

from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.plugin import register_suites
from rlenvs.evaluation.suites import Suite, Target
from rlenvs.policies.scripted import Oracle, Random

SUITES: dict[str, Suite] = {}
register_suites(lambda suite: SUITES.update({suite.name: suite}))


@pytest.fixture
def data(data_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLENVS_DATA", data_folder)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["math", "math-procedural"])
def test_the_references_of_every_target_are_right_and_guesses_mostly_wrong(name: str) -> None:
    targets = SUITES[name].targets
    oracle = evaluate(Oracle(), targets, num_tasks=10)
    assert [(s.target, s.pass_at_1 and s.pass_at_1.value) for s in oracle.summaries] == [
        (t.title, 1.0) for t in targets
    ]
    guesses = evaluate(Random(), targets, num_tasks=10)
    assert guesses.mean_pass_at_1 is not None
    assert guesses.mean_pass_at_1.value < 0.3
    errors = {(summary.target, error) for summary in guesses.summaries for error in summary.errors}
    assert all(
        target == "minerva" and "np.arcsin" in error for target, error in errors
    )  # a reference that is no answer


def test_arithmetic_is_asked_on_its_test_split_and_broken_down_by_family() -> None:
    [target] = SUITES["math-procedural"].targets
    [summary] = evaluate(Oracle(), [target], num_tasks=200).summaries
    families = {subset.value for subset in summary.breakdown if subset.key == "family"}
    assert len(families) >= 10
    assert target.kwargs["split"] == "test"
    assert target.num_tasks == 1000


def test_targets_without_a_name_of_their_own_are_refused() -> None:
    target = Target(env="rlenvs/Math-v0")
    with pytest.raises(ValueError, match="its own name"):
        Suite(name="s", description="", targets=(target, target))
    with pytest.raises(ValueError, match="at least one target"):
        Suite(name="s", description="", targets=())


def test_the_options_of_a_target_named_with_its_module_are_those_of_its_id():
    target = Target(env="rlenvs:rlenvs/EchoPair-v0", kwargs={"rounds": 3})
    assert target.options == Target(env="rlenvs/EchoPair-v0", kwargs={"rounds": 3}).options
    assert (target.options["rounds"], target.options["letters"]) == (3, 4)
