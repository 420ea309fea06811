"""What breaks or hangs in an episode is its ending, and never a reward."""

import threading
import time

import pytest

from rlenvs import Response, user
from rlenvs.episode import POLICY_SEAT, Outcome, start
from rlenvs.errors import GraderError
from rlenvs_sandbox import SandboxError

from .guessing import TASK, Guessing


def test_an_outcome_without_a_verdict_is_a_failure_and_only_then():
    with pytest.raises(ValueError, match=r"does not go with"):
        Outcome(ending="completed", verdict=None)


def test_r04_none_from_a_grader_is_the_ending_unscored():
    episode = start(Guessing(grade=lambda task, transcript: None), TASK)
    episode.act(episode.env.drawn)
    assert episode.outcome(POLICY_SEAT) == Outcome(ending="unscored", verdict=None)


def test_r05_a_grader_that_raises_or_gives_nan_is_no_reward():
    for grade in (lambda task, transcript: 1 / 0, lambda task, transcript: float("nan")):
        episode = start(Guessing(grade=grade), TASK)
        episode.act(episode.env.drawn)
        outcome = episode.outcome(POLICY_SEAT)
        assert (outcome.ending, outcome.verdict) == ("grader_error", None)
        assert "task guess/5: reward function 'accuracy'" in outcome.error


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (KeyError("board"), "env_error"),
        (ValueError("no"), "env_error"),
        (SandboxError("lost"), "sandbox_error"),
        (TimeoutError("5 s"), "timeout"),
        (GraderError("guess/5", "accuracy", "is broken"), "grader_error"),
    ],
)
def test_r05_what_the_environment_raises_is_an_ending_with_its_text(error, ending):
    episode = start(Guessing(breaks=error), TASK)
    assert episode.act("1").rewards == ()
    outcome = episode.outcome(POLICY_SEAT)
    assert (outcome.ending, outcome.verdict, episode.seat) == (ending, None, None)
    assert type(error).__name__ in outcome.error.splitlines()[0]
    assert str(error) in outcome.error
    assert "in respond" in outcome.error


def test_r05_an_environment_that_says_itself_that_it_failed_is_a_failure_with_its_words():
    env = Guessing(grade=lambda task, transcript: pytest.fail("judged"))
    env.respond = lambda action: Response(messages=(user("the disk is full"),), ending="sandbox_error")
    episode = start(env, TASK)
    episode.act("1")
    assert episode.outcome(POLICY_SEAT) == Outcome(ending="sandbox_error", verdict=None, error="the disk is full")


def test_r05_an_environment_whose_info_contradicts_itself_is_a_failure_of_the_environment():
    class Contradicting(Guessing):
        def step(self, action):
            *result, info = super().step(action)
            return *result, self.breaking(info)

    for breaking in (lambda info: info | {"verdict": None}, lambda info: info | {"ending": "won"}, lambda info: {}):
        env = Contradicting()
        env.breaking = breaking
        episode = start(env, TASK)
        assert episode.act(episode.env.drawn).consumed == 1
        assert episode.outcome(POLICY_SEAT).ending == "env_error"


def test_r05_an_environment_that_cannot_start_gives_an_episode_that_is_over():
    class Unready(Guessing):
        def begin(self):
            raise FileNotFoundError("no corpus")

    episode = start(Unready(), TASK)
    assert (episode.seat, episode.unread()) == (None, ())
    assert episode.outcome(POLICY_SEAT).ending == "env_error"
    assert "no corpus" in episode.outcome(POLICY_SEAT).error


def test_r05_a_grader_that_sleeps_is_left_behind_and_its_late_word_changes_nothing():
    woken = threading.Event()

    def sleeping(task, transcript):
        woken.wait(30)
        return 1.0

    episode = start(Guessing(grade=sleeping), TASK)
    worker = threading.Thread(target=episode.act, args=(episode.env.drawn,))
    worker.start()
    worker.join(0.05)
    assert worker.is_alive()
    episode.stop("timeout", "no answer within 0.05 s")
    expected = Outcome(ending="timeout", verdict=None, error="no answer within 0.05 s")
    assert episode.outcome(POLICY_SEAT) == expected
    woken.set()
    worker.join(30)
    assert not worker.is_alive()
    assert episode.outcome(POLICY_SEAT) == expected
    assert (episode.last_words(POLICY_SEAT), episode.unread()) == ((), ())


def test_closing_while_a_step_hangs_lets_it_go_and_returns_at_once():
    hangs, gone, closed = threading.Event(), threading.Event(), threading.Event()

    class Hanging(Guessing):
        def respond(self, action):
            hangs.set()
            assert gone.wait(30)
            raise ConnectionError("the session is gone")

        def close(self):
            gone.set()
            closed.wait(10)  # longer than anybody who closes waits

    episode = start(Hanging(), TASK)
    worker = threading.Thread(target=episode.act, args=("1",))
    worker.start()
    assert hangs.wait(30)
    episode.stop("timeout", "no answer")
    began = time.monotonic()
    episode.close()
    assert time.monotonic() - began < 5
    closed.set()
    worker.join(30)
    assert gone.is_set()
    assert not worker.is_alive()
    assert episode.outcome(POLICY_SEAT) == Outcome(ending="timeout", verdict=None, error="no answer")
