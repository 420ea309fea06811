"""Episodes of one seat: from the prompt to an outcome, forks, whole actions, last words, closing."""

from typing import ClassVar

import numpy as np
import pytest

import rlenvs
from rlenvs import EpisodeOverError, Response, user
from rlenvs.episode import POLICY_SEAT, check_task, start
from rlenvs.errors import RlenvsError

from .guessing import TASK, Guessing


def test_an_episode_goes_from_the_prompt_to_an_outcome():
    episode = start(Guessing(), TASK)
    assert (episode.task, episode.seats, episode.seat) == (TASK, (POLICY_SEAT,), POLICY_SEAT)
    assert episode.unread() == (user("Guess."),)
    assert episode.act("none").consumed == 4
    (told,) = episode.unread()
    with pytest.raises(ValueError, match=r"not over yet"):
        episode.outcome(POLICY_SEAT)
    assert episode.answer_message() == "42"
    assert episode.demonstrate(np.random.default_rng(0)) == told.content
    episode.act(told.content)
    assert episode.seat is None
    outcome = episode.outcome(POLICY_SEAT)
    assert (outcome.ending, outcome.verdict.correct, outcome.error) == ("completed", 1.0, "")
    with pytest.raises(EpisodeOverError, match=r"guess/5 is over \(completed\)"):
        episode.act("again")
    with pytest.raises(ValueError, match=r"no seat 'speaker'"):
        episode.outcome("speaker")


def test_the_turn_limit_is_an_ending_with_a_verdict():
    episode = start(Guessing(), TASK)
    for _ in range(3):
        episode.act("none")
    assert episode.outcome(POLICY_SEAT).ending == "max_turns"
    assert episode.outcome(POLICY_SEAT).verdict.correct == 0.0


def test_the_environment_that_is_given_stays_as_it_is():
    env = Guessing()
    first, second = start(env, TASK), start(env, TASK)
    first.act("none")
    assert env.task is None
    assert second.unread() == (user("Guess."),)


def test_r27_attempts_at_one_task_meet_one_world_in_any_order():
    env = Guessing()
    worlds = {}
    for index in (3, 1, 3, 2, 1, 3, 2):
        episode = start(env, env.task_at(index))
        worlds.setdefault(episode.task.fingerprint, set()).add(episode.env.drawn)
    assert len(worlds) == 3
    assert all(len(drawn) == 1 for drawn in worlds.values())
    assert len({start(env, TASK, seed=seed).env.drawn for seed in range(30)}) > 5, (
        "an explicit seed draws another world"
    )


def test_r27_an_episode_knows_the_task_that_was_started_not_the_one_that_was_asked_for():
    class Stubborn(Guessing):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed)

    class Vacant(Guessing):
        def reset(self, *, seed=None, options=None):
            result = super().reset(seed=seed)
            self.task = None
            return result

    episode = start(Stubborn(), TASK)
    assert episode.task == episode.env.task != TASK
    with pytest.raises(RlenvsError, match=r"given task guess/5 and started guess/\d+.*respect options\['task'\]"):
        check_task(episode, TASK)
    check_task(start(Guessing(), TASK), TASK)
    vacant = start(Vacant(), TASK)
    assert (vacant.seat, vacant.task, vacant.outcome(POLICY_SEAT).ending) == (None, TASK, "env_error")
    assert "reset() left no task" in vacant.outcome(POLICY_SEAT).error


def test_a_seat_that_is_not_there_is_refused():
    assert start(Guessing(), TASK, seats=[POLICY_SEAT]).seats == (POLICY_SEAT,)
    with pytest.raises(ValueError, match=r"Guessing has one seat, 'policy'"):
        start(Guessing(), TASK, seats=["speaker"])
    pair = rlenvs.make("rlenvs/EchoPair-v0")
    with pytest.raises(ValueError, match=r"no seat 'speeker'. Did you mean 'speaker'"):
        start(pair, pair.task_at(0), seats=["speeker"])
    with pytest.raises(ValueError, match=r"at least one"):
        start(pair, pair.task_at(0), seats=[])


def test_stopping_from_outside_judges_what_there_is():
    episode = start(Guessing(), TASK)
    episode.act("none")
    episode.stop("context_overflow")
    outcome = episode.outcome(POLICY_SEAT)
    assert (outcome.ending, outcome.verdict.correct) == ("context_overflow", 0.0)
    with pytest.raises(EpisodeOverError):
        episode.stop("max_tokens")
    broken = start(Guessing(grade=lambda task, transcript: transcript[99]), TASK)
    broken.stop("max_tokens")
    assert broken.outcome(POLICY_SEAT).ending == "grader_error"
    unscored = start(Guessing(grade=lambda task, transcript: None), TASK)
    unscored.stop("max_tokens")
    assert unscored.outcome(POLICY_SEAT).ending == "unscored"


def test_a_fork_goes_its_own_way():
    episode = start(Guessing(), TASK)
    episode.act("none")
    fork = episode.fork()
    fork.act(fork.demonstrate(np.random.default_rng(0)))
    assert (fork.seat, episode.seat) == (None, POLICY_SEAT)
    assert fork.outcome(POLICY_SEAT).verdict.correct == 1.0
    episode.act("none")
    episode.act("none")
    assert episode.outcome(POLICY_SEAT).ending == "max_turns"
    assert fork.fork().outcome(POLICY_SEAT) == fork.outcome(POLICY_SEAT)


def test_what_the_world_said_last_can_be_read_after_the_end():
    episode = start(Guessing(), TASK)
    episode.act("none")
    with pytest.raises(ValueError, match="not over yet"):
        episode.last_words(POLICY_SEAT)
    episode.act(episode.env.drawn)
    assert episode.last_words(POLICY_SEAT) == (user(episode.env.drawn),)
    assert episode.fork().last_words(POLICY_SEAT) == (user(episode.env.drawn),)
    assert episode.unread() == ()
    with pytest.raises(ValueError, match="no seat 'speaker'"):
        episode.last_words("speaker")


def test_the_last_words_are_none_that_the_policy_had_a_turn_to_answer():
    stopped, broken = start(Guessing(), TASK), start(Guessing(breaks=KeyError("x")), TASK)
    stopped.act("none")
    assert stopped.unread() == (user(stopped.env.drawn),)
    stopped.stop("max_tokens")
    broken.act("none")
    for episode in (stopped, broken):
        assert (episode.last_words(POLICY_SEAT), episode.unread()) == ((), ())


class Tagged(Guessing):
    """An action ends with </say>; the rest is not read."""

    def complete(self, text):
        if text == "crash":
            raise KeyError("tags")
        if text == "far":
            return 99
        end = text.find("</say>")
        return None if end < 0 else end + len("</say>")

    def respond(self, action):
        return Response(ending="completed", consumed=self.complete(action))


def test_an_action_that_is_whole_can_be_used_though_the_policy_wrote_on():
    episode = start(Tagged(), TASK)
    assert episode.complete("<say>1") is None
    assert episode.seat == POLICY_SEAT
    assert episode.complete("<say>1</say> and <say>2</say>") == len("<say>1</say>")
    assert episode.act("<say>1</say>").consumed == len("<say>1</say>")
    with pytest.raises(EpisodeOverError):
        episode.complete("<say>1</say>")
    assert start(Guessing(), TASK).complete("<say>1</say>") is None, "by default an action that is cut off is lost"


@pytest.mark.parametrize(("text", "says"), [("crash", "KeyError: 'tags'"), ("far", "1 to 3, or None: got 99")])
def test_r05_what_complete_raises_is_an_ending(text, says):
    episode = start(Tagged(), TASK)
    assert episode.complete(text) is None
    assert (episode.seat, episode.outcome(POLICY_SEAT).ending) == (None, "env_error")
    assert says in episode.outcome(POLICY_SEAT).error


class Holding(Guessing):
    """Holds something from `begin` to `close`; `open` has the number of what every copy holds."""

    open: ClassVar = {}

    def begin(self):
        super().begin()
        self.open[id(self)] = self.open.get(id(self), 0) + 1
        if self.breaks == "begin":
            raise OSError("half begun")

    def respond(self, action):
        return Response(ending="completed") if action == "end" else Response()

    def close(self):
        self.open[id(self)] -= 1
        raise OSError("closing is never easy")

    def clone(self):
        clone = super().clone()
        if id(self) in self.open:
            self.open[id(clone)] = 1
        return clone


def test_closing_frees_what_the_copy_holds_once_and_raises_nothing(monkeypatch):
    monkeypatch.setattr(Holding, "open", {})
    env = Holding()
    episode = start(env, TASK)
    fork = episode.fork()
    assert sorted(Holding.open.values()) == [1, 1]
    episode.close()
    episode.close()
    assert sorted(Holding.open.values()) == [0, 1]
    fork.act("end")
    assert fork.outcome(POLICY_SEAT).ending == "completed"
    fork.close()
    assert sorted(Holding.open.values()) == [0, 0]
    broken = start(Holding(breaks="begin"), TASK)
    broken.close()
    assert sorted(Holding.open.values()) == [0, 0, 0]


def test_closing_an_episode_whose_environment_could_not_be_copied_leaves_the_original_alone():
    class Uncopied(Guessing):
        def clone(self):
            raise OSError("no copies")

        def close(self):
            pytest.fail("closed the original")

    episode = start(Uncopied(), TASK)
    assert episode.outcome(POLICY_SEAT).ending == "env_error"
    episode.close()
