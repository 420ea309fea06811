import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from rlenvs import GraderError, Part, RewardFunction, Rubric, Task, Verdict, assistant, user
from rlenvs.rubric import checked_reward
from rlenvs_sandbox import SandboxError

TASK = Task(id="sum/7", prompt=(user("3+4"),), target=7)


def giving(value):
    return Rubric((RewardFunction("accuracy", lambda task, transcript: value),))


def raising(error):
    def function(task, transcript):
        raise error

    return Rubric((RewardFunction("accuracy", function),))


def test_the_reward_is_the_weighted_sum_and_correct_is_the_named_part():
    rubric = Rubric(
        (
            RewardFunction("format", lambda task, transcript: 1.0, weight=0.25),
            RewardFunction("accuracy", lambda task, transcript: float(transcript[-1].content == str(task.target)), 2.0),
        ),
        correct="accuracy",
    )
    verdict = rubric.judge(TASK, (*TASK.prompt, assistant("7")))
    assert (verdict.reward, verdict.correct) == (2.25, 1.0)
    assert verdict.parts == (Part(name="format", value=1.0, weight=0.25), Part(name="accuracy", value=1.0, weight=2.0))
    verdict = rubric.judge(TASK, (*TASK.prompt, assistant("8")))
    assert (verdict.reward, verdict.correct) == (0.25, 0.0)


def test_correct_is_the_first_part_by_default_and_is_clipped():
    assert giving(3.5).judge(TASK, ()).correct == 1.0
    assert giving(-10.0).judge(TASK, ()) == Verdict(parts=(Part(name="accuracy", value=-10.0),), correct=0.0)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0),
        (0, 0.0),
        (np.float32(0.5), 0.5),
        (np.int64(2), 2.0),
        (np.bool_(True), 1.0),
        (np.array(0.25), 0.25),
        (torch.tensor(0.75), 0.75),
        (Fraction(1, 4), 0.25),
    ],
)
def test_r04_booleans_and_scalars_of_any_library_are_numbers(value, number):
    reward = giving(value).judge(TASK, ()).reward
    assert type(reward) is float
    assert reward == number


@pytest.mark.parametrize(
    "value",
    [
        *(math.nan, math.inf, -math.inf, 10**400, np.float64("nan"), np.float32("inf"), torch.tensor(math.nan)),
        *("1.0", b"1.0", np.str_("1"), np.array("1.0"), Decimal(1), 1j, np.complex64(1)),
        *([1.0], np.ones(1), torch.ones(1), {}),
    ],
)
def test_r04_what_is_no_finite_number_is_an_error_that_names_task_and_reward(value):
    with pytest.raises(GraderError) as caught:
        giving(value).judge(TASK, ())
    assert "sum/7" in str(caught.value)
    assert "'accuracy'" in str(caught.value)
    assert "expected a" in str(caught.value)


def test_r04_none_means_that_there_is_no_verdict():
    assert giving(None).judge(TASK, ()) is None
    scored = RewardFunction("format", lambda task, transcript: 1.0)
    unscored = RewardFunction("accuracy", lambda task, transcript: None)
    assert Rubric((scored, unscored)).judge(TASK, ()) is None


def test_a_grader_that_raises_is_an_error_with_its_cause():
    with pytest.raises(GraderError, match="task sum/7: reward function 'accuracy' raised KeyError: 'x'") as caught:
        raising(KeyError("x")).judge(TASK, ())
    assert isinstance(caught.value.__cause__, KeyError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("error", [SandboxError("gone"), TimeoutError("2 s"), GraderError("t", "p", "is broken")])
def test_a_grader_that_says_itself_what_failed_is_heard(error):
    with pytest.raises(type(error)) as caught:
        raising(error).judge(TASK, ())
    assert caught.value is error


def test_a_rubric_without_functions_or_with_two_of_a_name_is_refused():
    function = RewardFunction("a", lambda task, transcript: 1.0)
    with pytest.raises(ValueError, match="at least one function"):
        Rubric(())
    with pytest.raises(ValueError, match="a name of its own"):
        Rubric((function, function))
    with pytest.raises(ValueError, match="'b'"):
        Rubric((function,), correct="b")


def test_checked_reward_keeps_the_value():
    assert checked_reward(0.1, "t", "r") == 0.1


@pytest.mark.parametrize(("value", "weight"), [(1e308, 1.0), (-1e101, 1.0), (1e101, 1e-9), (1e60, 1e60)])
def test_a_reward_that_sums_could_not_hold_is_an_error_that_names_it(value, weight):
    rubric = Rubric((RewardFunction("huge", lambda task, transcript: value, weight),))
    with pytest.raises(GraderError, match=r"'huge' gave what is no reward: .* at most 1e\+100 in size: got "):
        rubric.judge(TASK, ())
