"""Code that is not ours may raise SystemExit or worse anywhere: it is an ending, and never ours."""

import asyncio
import math

import pytest

from rlenvs import GraderError, RewardFunction, Rubric
from rlenvs.closing import Closing
from rlenvs.deadline import Workers
from rlenvs.episode import POLICY_SEAT, start
from rlenvs.errors import ForeignExitError
from rlenvs.seats import SeatView

from .guessing import TASK, Guessing
from .markets import Auction


class PanicError(BaseException):
    """As extensions written in Rust raise it."""


EXITS = [SystemExit(0), PanicError("index out of bounds")]


def raising(error):
    def function(*args, **kwargs):
        raise error

    return function


def reach(method, episode):
    """Have the environment's method called, where the episode has not ended before."""
    if episode.seat is not None and method == "complete":
        episode.complete("1")
    elif episode.seat is not None and method == "judge":
        episode.stop("max_tokens")
    elif episode.seat is not None:
        episode.act("1")


def ended(method, error):
    """The outcome of an episode whose environment raises `error` in `method`."""
    broken = type("Broken", (Guessing,), {method: raising(error)})
    episode = start(broken(), TASK)
    reach(method, episode)
    return episode.outcome(POLICY_SEAT)


@pytest.mark.parametrize("error", EXITS)
@pytest.mark.parametrize(
    "method", ["clone", "reset", "begin", "opening", "respond", "step", "complete", "judge", "stop"]
)
def test_an_exit_in_an_environment_is_the_ending_of_that_episode(method, error):
    outcome = ended("judge" if method == "stop" else method, error)
    assert (outcome.ending, outcome.verdict) == ("env_error", None)
    assert f"raised {type(error).__name__}: {error}" in outcome.error.splitlines()[0]
    assert "in function" in outcome.error, "where it was raised"


@pytest.mark.parametrize("error", EXITS)
def test_an_exit_in_a_grader_is_a_broken_grader(error):
    episode = start(Guessing(grade=raising(error)), TASK)
    episode.act(episode.env.drawn)
    outcome = episode.outcome(POLICY_SEAT)
    assert (outcome.ending, outcome.verdict) == ("grader_error", None)
    assert f"reward function 'accuracy' raised {type(error).__name__}: {error}" in outcome.error
    with pytest.raises(GraderError):
        Rubric((RewardFunction("accuracy", raising(error)),)).judge(TASK, ())


def test_the_environment_itself_ends_the_episode_and_raises_no_exit():
    env = type("Broken", (Guessing,), {"respond": raising(SystemExit(0))})()
    env.reset(options={"task": TASK})
    with pytest.raises(ForeignExitError, match="raised SystemExit: 0"):
        env.step("1")
    assert env.ending == "env_error"


@pytest.mark.parametrize("method", ["answer_message", "demonstrate", "clone"])
def test_what_an_episode_is_asked_for_besides_is_an_exception_of_ours(method):
    episode = start(Guessing(), TASK)
    setattr(episode.env, method, raising(SystemExit(0)))
    ask = {"answer_message": episode.answer_message, "demonstrate": lambda: episode.demonstrate(None)}
    with pytest.raises(ForeignExitError):
        ask.get(method, episode.fork)()
    assert episode.seat == POLICY_SEAT


@pytest.mark.parametrize("method", ["clone", "reset", "begin", "respond", "complete", "judge"])
def test_an_exit_in_an_environment_with_several_seats_is_an_ending_for_each(method):
    multi = Auction()
    view = SeatView(multi)
    setattr(view if method == "clone" else multi, method, raising(SystemExit(0)))
    episode = start(view, multi.task_at(0))
    reach(method, episode)
    assert {episode.outcome(seat).ending for seat in episode.seats} == {"env_error"}


def test_a_partner_that_exits_is_an_ending_too():
    multi = Auction()
    first, second, *_ = multi.seats
    view = SeatView(multi, second, {first: raising(SystemExit(0))})
    assert start(view, multi.task_at(0)).outcome(second).ending == "env_error"


def test_an_exit_while_closing_is_dropped():
    Closing(raising(SystemExit(0))).close()


@pytest.mark.parametrize("error", [*EXITS, asyncio.CancelledError(), GeneratorExit()])
def test_an_exit_in_a_worker_is_an_exception_of_who_waits(error):
    async def waits():
        with pytest.raises(ForeignExitError, match=type(error).__name__):
            await Workers().call(raising(error), 30)
        return "went on"

    assert asyncio.run(waits()) == "went on"


@pytest.mark.parametrize("weight", [math.nan, math.inf])
def test_a_weight_that_is_no_finite_number_is_refused(weight):
    with pytest.raises(ValueError, match=f"'accuracy': its weight is a finite number: got {weight}"):
        RewardFunction("accuracy", raising(KeyError()), weight)
