"""What ends an episode without a verdict, and what an environment may not do."""

import math

import pytest

from rlenvs import EpisodeOverError, GraderError, Response, RewardFunction, Rubric, user
from rlenvs.records import FAILURES
from rlenvs_sandbox import SandboxError

from .doubling import OneShot


def failing_with(error):
    class Failing(OneShot):
        def respond(self, action):
            raise error

    return Failing()


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (KeyError("x"), "env_error"),
        (SandboxError("lost"), "sandbox_error"),
        (TimeoutError(), "timeout"),
        (GraderError("t", "p", "broke"), "grader_error"),
    ],
)
def test_r05_what_respond_raises_ends_the_episode_without_a_verdict(error, ending):
    env = failing_with(error)
    env.reset(options={"index": 1})
    with pytest.raises(type(error)):
        env.step("2")
    assert (env.ending, env.verdict) == (ending, None)
    with pytest.raises(EpisodeOverError, match=ending):
        env.step("2")
    assert env.reset(options={"index": 1})[1]["ending"] is None


def test_r05_a_grader_that_breaks_is_no_reward_of_zero():
    env = OneShot()
    env.rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: 1 / 0),))
    env.reset(options={"index": 1})
    with pytest.raises(GraderError, match="ZeroDivisionError"):
        env.step("2")
    assert (env.ending, env.verdict) == ("grader_error", None)


def test_r04_what_cannot_be_scored_has_nan_for_a_reward_and_no_verdict():
    env = OneShot()
    env.rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: None),))
    env.reset(options={"index": 1})
    _, reward, terminated, truncated, info = env.step("2")
    assert math.isnan(reward)
    assert (terminated, truncated, info["ending"], info["verdict"]) == (True, False, "unscored", None)


@pytest.mark.parametrize("ending", sorted(FAILURES))
def test_r05_an_ending_that_is_a_failure_is_recorded_and_not_judged(ending):
    env = OneShot()
    env.rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: pytest.fail("judged")),))
    env.respond = lambda action: Response(messages=(user("no disk left"),), ending=ending)
    env.reset(options={"index": 1})
    _, reward, terminated, truncated, info = env.step("2")
    assert math.isnan(reward)
    assert (terminated, truncated, info["ending"], info["verdict"]) == (True, False, ending, None)


def test_an_ending_that_is_none_of_ours_is_refused():
    with pytest.raises(ValueError, match=r"an ending is one of completed, max_turns.*: got 'success'"):
        Response(ending="success")


def test_a_world_that_raises_in_begin_leaves_no_episode():
    class Unready(OneShot):
        def begin(self):
            raise OSError("no such corpus")

    env = Unready()
    with pytest.raises(OSError, match="no such corpus"):
        env.reset()
    with pytest.raises(EpisodeOverError):
        env.step("x")


def test_consuming_more_than_was_said_is_the_environments_error():
    class Greedy(OneShot):
        def respond(self, action):
            return Response(ending="completed", consumed=len(action) + 1)

    env = Greedy()
    env.reset(options={"index": 1})
    with pytest.raises(ValueError, match="0 to 3: got 4"):
        env.step("abc")
    assert env.ending == "env_error"
