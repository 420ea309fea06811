"""Demonstrations in tokens: what is imitated, and what is not."""

import numpy as np
import pytest

from rlenvs.errors import NoAnswerError
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.grouping import RolloutResult
from rlenvs_trainers.records import Group
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.scripted import ScriptedSampler
from rlenvs_trainers.sft import Demonstrate, Imitate
from rlenvs_trainers.synthetic import trajectory

from .asking import AskEnv, only, run, scripted

NOW = Progress(step=0, num_steps=1)


class Teacher(AskEnv):
    """Shows "no, not yet" before the right answer."""

    def demonstrate(self, rng: np.random.Generator) -> str:
        return "yes" if len(self.transcript) > 1 else "no, not yet"


def demonstrated(renderer: Renderer, **sampler: int) -> RolloutResult:
    return run(Teacher(), ScriptedSampler(lambda _: "", renderer, **sampler), renderer, explore=Demonstrate())


def imitated(result: RolloutResult) -> int:
    """How many trajectories have credit."""
    return len(Imitate()(result.groups, NOW))


def test_a_demonstration_is_written_in_ids_and_imitated(renderer: Renderer) -> None:
    result = demonstrated(renderer)
    first, second = only(result).turns
    assert (first.completion.token_ids, second.completion.token_ids) == (
        renderer.message_ids("no, not yet"),
        renderer.message_ids("yes"),
    )
    assert only(result).ending == "completed"
    assert imitated(result) == 3


def test_r12_a_demonstration_that_fills_the_context_is_imitated_and_one_token_more_is_not(renderer: Renderer) -> None:
    last = only(demonstrated(renderer)).turns[-1]
    length = len(last.prompt_ids) + len(last.completion.token_ids)
    whole, cut = (demonstrated(renderer, context_length=each) for each in (length, length - 1))
    assert (only(whole).ending, imitated(whole)) == ("completed", 3)
    assert (only(cut).ending, imitated(cut)) == ("context_overflow", 0)
    assert len(only(cut).turns) == 1, "nobody read the one that did not fit"


def test_r12_a_prompt_longer_than_the_context_is_not_imitated_either(renderer: Renderer) -> None:
    result = demonstrated(renderer, context_length=5)
    assert (only(result).ending, only(result).turns, imitated(result)) == ("context_overflow", (), 0)


@pytest.mark.parametrize("ending", ["max_tokens", "context_overflow"])
def test_what_a_token_limit_cut_short_is_no_example(ending: str) -> None:
    turns = [((1,), (2, 3))]
    pair = Group(trajectories=(trajectory(turns, 0.0, ending=ending), trajectory(turns, 0.0, attempt=1)))
    assert set(Imitate()([pair], NOW)) == {(0, 1)}


@pytest.mark.parametrize("error", [KeyError("no such row"), SystemExit(0)])
def test_a_demonstration_that_raises_is_the_failure_of_that_attempt_alone(
    renderer: Renderer, error: BaseException
) -> None:
    class Unsure(AskEnv):
        def demonstrate(self, rng: np.random.Generator) -> str:
            if self.task == self.task_at(0):
                raise error
            return "yes"

    result = run(Unsure(), scripted(renderer), renderer, (0, 1), explore=Demonstrate())
    assert {failure.ending for failure in result.failures} == {"env_error"}
    assert type(error).__name__ in result.failures[0].error
    assert [group.trajectories[0].task_id for group in result.groups] == ["ask/1"]


def test_an_environment_that_demonstrates_nothing_is_a_sentence(renderer: Renderer) -> None:
    with pytest.raises(NoAnswerError, match="AskEnv does not say how its answers look: it needs answer_message"):
        run(AskEnv(), scripted(renderer), renderer, explore=Demonstrate())
