"""Episodes of several seats: whose turn it is, what each earns, and how it ends for each."""

from typing import ClassVar

import pytest

import rlenvs
from rlenvs import EpisodeOverError, Part
from rlenvs.envs.echo_pair import ECHOER, SPEAKER
from rlenvs.episode import check_task, start
from rlenvs.errors import RlenvsError
from rlenvs.move import Move
from rlenvs.seats import SeatView

from .tables import Duel, Table, saying, table


def test_an_episode_plays_all_seats_unless_the_environment_was_made_for_one():
    whole, one = rlenvs.make("rlenvs/EchoPair-v0"), rlenvs.make("rlenvs/EchoPair-v0", seat=ECHOER)
    task = whole.task_at(0)
    assert start(whole, task).seats == (SPEAKER, ECHOER)
    assert start(one, task).seats == (ECHOER,)
    assert start(one, task, seats=[SPEAKER, ECHOER]).seats == (SPEAKER, ECHOER)
    assert start(whole, task, seats=[ECHOER]).seat == ECHOER


def test_whose_turn_it_is_goes_round_and_each_seat_reads_its_own():
    view = rlenvs.make("rlenvs/EchoPair-v0")
    episode = start(view, view.task_at(0))
    turns = []
    while episode.seat is not None:
        turns.append((episode.seat, len(episode.unread())))
        episode.act("hello")
    assert turns == [(SPEAKER, 2), (ECHOER, 2), (SPEAKER, 1), (ECHOER, 1)]
    assert episode.unread() == ()
    with pytest.raises(EpisodeOverError):
        episode.act("more")
    with pytest.raises(EpisodeOverError):
        episode.stop("timeout")


def test_seats_that_the_driver_does_not_act_for_have_an_outcome_too():
    view = rlenvs.make("rlenvs/EchoPair-v0")
    episode = start(view, view.task_at(0), seats=[ECHOER])
    while episode.seat is not None:
        assert episode.seat == ECHOER
        episode.act(episode.answer_message())
    assert episode.outcome(SPEAKER).verdict.correct == 1.0
    with pytest.raises(ValueError, match=r"no seat 'policy'"):
        episode.outcome("policy")


def test_stopping_from_outside_ends_it_for_all_seats():
    view = rlenvs.make("rlenvs/EchoPair-v0")
    episode = start(view, view.task_at(0))
    episode.act(episode.answer_message())
    episode.stop("max_tokens")
    assert [episode.outcome(seat).ending for seat in episode.seats] == ["max_tokens"] * 2
    assert episode.outcome(SPEAKER).verdict.correct == 0.5
    episode = start(view, view.task_at(0))
    episode.stop("timeout", "too slow")
    assert (episode.outcome(ECHOER).ending, episode.outcome(ECHOER).error) == ("timeout", "too slow")


def test_a_fork_goes_its_own_way():
    view = rlenvs.make("rlenvs/EchoPair-v0")
    episode = start(view, view.task_at(0))
    episode.act(episode.answer_message())
    fork = episode.fork()
    while fork.seat is not None:
        fork.act("wrong")
    assert episode.seat == ECHOER
    while episode.seat is not None:
        episode.act(episode.answer_message())
    assert [episode.outcome(seat).verdict.correct for seat in episode.seats] == [1.0, 1.0]
    assert [fork.outcome(seat).verdict.correct for seat in fork.seats] == [0.5, 0.0]


def test_r27_attempts_at_one_task_meet_one_world_and_one_partner():
    view = SeatView(Duel(), "second")
    lives = set()
    for _ in range(3):
        episode = start(view, view.task_at(4))
        said = [message.content for message in episode.env.transcripts["first"]]
        lives.add((episode.env.luck, *said))
    assert len(lives) == 1
    assert start(view, view.task_at(4), seed=1).env.luck != next(iter(lives))[0]


class Stubborn(Duel):
    def reset(self, seed=None, options=None):
        super().reset(seed=seed, options={"index": 7})


def test_r27_an_episode_or_a_view_knows_the_task_that_was_started():
    given = Duel().task_at(0)
    episode = start(SeatView(Stubborn()), given)
    assert episode.task.id == "duel/7"
    with pytest.raises(RlenvsError, match=r"given task duel/0 and started duel/7"):
        check_task(episode, given)
    view = SeatView(Stubborn())
    assert view.reset(options={"task": given})[1]["task_id"] == view.task.id == "duel/7"


class Tagged(Duel):
    """The first seat's actions end with a full stop."""

    def complete(self, seat, text):
        if text == "crash":
            raise KeyError("tags")
        return text.index(".") + 1 if seat == "first" and "." in text else None


def test_an_action_that_is_whole_is_asked_for_by_the_acting_seat():
    episode = start(SeatView(Tagged()), Duel().task_at(0))
    assert episode.complete("wait. And") == 5
    episode.act("wait.")
    assert (episode.seat, episode.complete("wait. And")) == ("second", None)
    assert episode.complete("crash") is None
    assert [episode.outcome(seat).ending for seat in episode.seats] == ["env_error"] * 2
    view = SeatView(Tagged(), "first")
    view.reset(seed=0)
    assert view.complete("wait. And") == 5
    assert SeatView(Duel()).complete("wait. And") is None


class Scored(Duel):
    """Every action earns its own length, and only its first word is used."""

    def respond(self, seat, action):
        word = action.split(" ")[0]
        rewards = {seat: (Part(name="length", value=float(len(word))),)}
        return Move(consumed=len(word), rewards=rewards, ending="completed" if word == "shoot" else None)

    def demonstrate(self, seat, rng):
        return "aim carefully"


@pytest.mark.parametrize("word", ["draw", "shoot"])
def test_what_an_action_did_is_told_whoever_acts_after_it(word):
    length = (Part(name="length", value=float(len(word))),)
    episode = start(SeatView(Scored(), "first"), Duel().task_at(0))
    effect = episode.act(f"{word} and run")
    assert (effect.consumed, effect.rewards) == (len(word), length)
    view = SeatView(Scored(), "first")
    view.reset(seed=0)
    _, reward, _, _, info = view.step(f"{word} and run")
    assert (info["consumed"], info["rewards"]) == (len(word), length)
    assert reward == len(word) + (1.0 if word == "shoot" else 0.0)


def names(effect):
    mine = tuple(part.name for part in effect.rewards)
    return mine, {seat: tuple(part.name for part in parts) for seat, parts in effect.others.items()}


def test_what_other_seats_earn_by_an_action_is_told_with_it():
    episode = table(["ann", "bob"], cid=saying("tip ann", "all"))
    assert names(episode.act("tip bob")) == ((), {"bob": ("tip",)})
    assert names(episode.act("all")) == (("all",), {"ann": ("all", "tip")}), "cid's tip came before ann acts again"
    assert names(episode.act("tip cid")) == ((), {}), "cid is not the driver's"
    assert names(episode.act("wait")) == (("all",), {"ann": ("all",)})


def test_what_a_seat_earned_before_anybody_acted_for_the_driver_comes_with_the_first_action():
    episode = table(["bob", "cid"], ann=saying("all"))
    for play in (episode.fork(), episode):
        assert names(play.act("tip bob")) == (("all", "tip"), {"cid": ("all",)})


def test_a_seat_that_leaves_has_its_outcome_while_the_others_go_on():
    episode = table(["ann", "bob"], cid=saying("quit"))
    assert episode.act("quit now").consumed == 4
    assert (episode.outcome("ann").ending, episode.outcome("ann").verdict.reward) == ("completed", 1.0)
    assert episode.seat == "bob"
    with pytest.raises(ValueError, match="not over yet for 'bob'"):
        episode.outcome("bob")
    fork = episode.fork()
    for _ in range(3):
        episode.act("wait")
        assert episode.seat == "bob"
    assert episode.outcome("cid").ending == "completed"
    episode.act("crash")
    assert episode.seat is None
    assert [episode.outcome(seat).ending for seat in Table.seats] == ["completed", "env_error", "completed"]
    assert "no table" in episode.outcome("bob").error
    fork.stop("max_tokens")
    assert [fork.outcome(seat).ending for seat in Table.seats] == ["completed", "max_tokens", "max_tokens"]


def test_an_episode_is_over_when_the_drivers_seats_have_left():
    episode = table(["bob"], ann=saying("wait", "crash"))
    episode.act("quit")
    assert (episode.seat, episode.outcome("bob").ending) == (None, "completed")
    view = SeatView(Table(), "bob", {"ann": saying("wait", "crash")})
    view.reset(seed=0)
    _, reward, terminated, _, info = view.step("quit")
    assert (reward, terminated, info["ending"]) == (1.0, True, "completed")


def test_closing_an_episode_or_a_view_closes_the_environment_with_the_seats():
    class Holding(Duel):
        closed: ClassVar = []

        def close(self):
            self.closed.append(self)

    view = SeatView(Holding())
    episode = start(view, Duel().task_at(0))
    fork = episode.fork()
    episode.close()
    episode.close()
    fork.close()
    assert Holding.closed == [episode.env, fork.env]
    view.close()
    assert Holding.closed[2:] == [view.multi]
