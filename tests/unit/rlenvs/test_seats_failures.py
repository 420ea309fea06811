"""What breaks in an episode of several seats, for whom it breaks, and the last words of each."""

import pytest

from rlenvs import user
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.episode import Outcome, start
from rlenvs.move import Move
from rlenvs.seats import SeatView

from .tables import Duel, crashing, saying, table


def test_r05_a_world_or_a_partner_that_raises_ends_it_for_all_seats():
    episode = start(SeatView(Duel()), Duel().task_at(0))
    episode.act("crash")
    assert episode.seat is None
    for seat in episode.seats:
        assert (episode.outcome(seat).ending, episode.outcome(seat).verdict) == ("env_error", None)
        assert "OSError: no pistol" in episode.outcome(seat).error
    view = SeatView(EchoPair(), None, {ECHOER: crashing})
    episode = start(view, view.task_at(0), seats=[SPEAKER])
    assert episode.act("hello\nworld").consumed == len("hello"), "the action was heard before the partner failed"
    assert episode.outcome(SPEAKER).ending == "env_error"
    assert "the partner hung up" in episode.outcome(SPEAKER).error
    view = SeatView(EchoPair(), None, {SPEAKER: crashing})
    assert start(view, view.task_at(0), seats=[ECHOER]).outcome(ECHOER).ending == "env_error"


def test_r05_one_seats_broken_grader_is_that_seats_failure_alone():
    view = SeatView(Duel(is_broken=True))
    episode = start(view, view.task_at(0))
    episode.act("shoot")
    assert (episode.outcome("first").ending, episode.outcome("first").error) == ("completed", "")
    assert episode.outcome("first").verdict.reward == 1.0
    assert episode.outcome("second").ending == "grader_error"
    assert "ZeroDivisionError" in episode.outcome("second").error


def test_r05_a_partner_that_fails_leaves_the_word_of_those_who_had_left():
    episode = table(["ann", "bob"], cid=saying("wait", "crash"))
    episode.act("quit")
    episode.act("wait")
    episode.act("wait")
    assert [episode.outcome(seat).ending for seat in ("ann", "bob")] == ["completed", "env_error"]


def test_r05_a_failure_that_a_world_declares_has_its_words():
    class Losing(Duel):
        def respond(self, seat, action):
            return Move(messages={"first": (user("the range is closed"),)}, endings={"first": "sandbox_error"})

    episode = start(SeatView(Losing()), Duel().task_at(0))
    episode.act("wait")
    assert episode.outcome("first") == Outcome(ending="sandbox_error", verdict=None, error="the range is closed")
    assert episode.seat == "second"


def test_r05_an_episode_that_cannot_be_reset_has_nothing_of_the_one_before():
    class Once(Duel):
        def reset(self, seed=None, options=None):
            if self.task is not None:
                raise OSError("used up")
            super().reset(seed=seed, options=options)

    view = SeatView(Once())
    view.multi.reset(seed=0)
    view.multi.step("shoot")
    episode = start(view, Duel().task_at(0))
    assert [episode.outcome(seat).ending for seat in episode.seats] == ["env_error"] * 2


def test_r05_a_view_that_cannot_be_copied_gives_an_episode_that_is_over():
    class Uncopied(Duel):
        def clone(self):
            raise OSError("no copies")

        def __deepcopy__(self, memo):
            raise OSError("no copies")

        def close(self):
            pytest.fail("closed the original")

    episode = start(SeatView(Uncopied()), Duel().task_at(0))
    assert [episode.outcome(seat).ending for seat in episode.seats] == ["env_error"] * 2
    assert (episode.seat, episode.unread()) == (None, ())
    episode.close()


class Reporting(Duel):
    """Everybody hears what everybody says; "leave" leaves, "shoot" ends it."""

    def respond(self, seat, action):
        if action == "crash":
            raise OSError("no pistol")
        messages = {each: (user(f"{seat}: {action}"),) for each in self.seats}
        endings = {seat: "completed"} if action == "leave" else {}
        return Move(messages=messages, ending="completed" if action == "shoot" else None, endings=endings)


def words(episode):
    return {seat: [message.content for message in episode.last_words(seat)] for seat in episode.seats}


def reporting(*actions, **kwargs):
    episode = start(SeatView(Reporting(), **kwargs), Duel().task_at(0))
    for action in actions:
        episode.act(action)
    return episode


def test_what_each_seat_was_told_last_can_be_read_after_the_end():
    episode = reporting("wait", "shoot")
    assert words(episode) == {"first": ["first: wait", "second: shoot"], "second": ["second: shoot"]}
    assert words(episode.fork()) == words(episode)
    assert episode.unread() == ()
    with pytest.raises(ValueError, match="no seat 'third'"):
        episode.last_words("third")
    assert words(reporting("shoot")) == {"first": ["first: shoot"], "second": ["Draw!", "first: shoot"]}


def test_a_seat_that_leaves_first_has_its_last_words_then():
    episode = reporting("leave", "wait")
    assert [message.content for message in episode.last_words("first")] == ["first: leave"]
    with pytest.raises(ValueError, match="not over yet for 'second'"):
        episode.last_words("second")


def test_the_last_words_are_none_that_a_seat_had_a_turn_to_answer():
    stopped, broken, hung = reporting("wait"), reporting("wait", "crash"), reporting("wait")
    fork = stopped.fork()
    fork.stop("max_tokens")
    stopped.stop("max_tokens")
    hung.stop("timeout")
    assert words(stopped) == words(fork) == words(broken) == {"first": ["first: wait"], "second": []}
    assert words(hung) == {"first": [], "second": []}, "what hangs is not looked at"
    assert words(reporting("wait", seat="first", partners={"second": crashing})) == {"first": []}
