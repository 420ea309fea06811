from typing import ClassVar

import numpy as np
import pytest

import rlenvs
from rlenvs import EpisodeOverError, Part, RewardFunction, Rubric, Task, user
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.episode import Outcome, check_task, start
from rlenvs.errors import GraderError, RlenvsError
from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs.seats import SeatView


def hello(env, seat, rng):
    return "hello"


def crashing(env, seat, rng):
    raise ConnectionError("the partner hung up")


class Duel(MultiTextEnv):
    """Two seats; "shoot" ends it. The grader of the second seat breaks if asked to."""

    seats = ("first", "second")
    max_turns = 4

    def __init__(self, is_broken=False):
        super().__init__()
        broken = (lambda task, transcript: 1 / 0) if is_broken else (lambda task, transcript: 0.0)
        self.rubrics = {
            "first": Rubric((RewardFunction("won", lambda task, transcript: 1.0),)),
            "second": Rubric((RewardFunction("won", broken),)),
        }

    def task_at(self, index):
        return Task(id=f"duel/{index}", prompt=(user("Draw!"),))

    def begin(self):
        self.luck = self.np_random.random()

    def respond(self, seat, action):
        if action == "crash":
            raise OSError("no pistol")
        return Move(ending="completed" if action == "shoot" else None)

    def demonstrate(self, seat, rng):
        return f"wait {rng.integers(1000)}"


@pytest.mark.parametrize("seat", [SPEAKER, ECHOER])
def test_a_view_is_an_environment_with_one_seat(seat):
    view = rlenvs.make("rlenvs/EchoPair-v0", seat=seat)
    observation, info = view.reset(options={"index": 0})
    first, second = view.task.target
    assert observation.endswith(f"You are the speaker.\n\nYour word: {first}" if seat == SPEAKER else first)
    right = {SPEAKER: (first, second), ECHOER: (first[::-1], second[::-1])}[seat]
    observation, reward, terminated, truncated, info = view.step(right[0] + "\nindeed")
    assert (reward, terminated, truncated, info["consumed"]) == (0.0, False, False, 4)
    assert observation == (f"The echoer said: {first[::-1]}\nYour word: {second}" if seat == SPEAKER else second)
    _, reward, terminated, truncated, info = view.step(right[1])
    assert (reward, terminated, truncated, info["ending"]) == (1.0, True, False, "completed")
    assert info["verdict"].correct == 1.0
    assert [message.content for message in view.transcript if message.role == "assistant"] == list(right)
    with pytest.raises(EpisodeOverError):
        view.step("more")


def test_a_partner_of_ones_own_plays_the_other_seat():
    view = SeatView(EchoPair(), ECHOER, {SPEAKER: hello})
    assert view.reset(seed=1)[0].endswith("hello")
    view.step("olleh")
    _, reward, *_ = view.step("olleh")
    assert reward == 1.0
    assert view.multi.verdicts[SPEAKER].correct == 0.0


def test_a_view_answers_for_its_own_seat():
    view = SeatView(EchoPair(), ECHOER, {SPEAKER: hello})
    view.reset(options={"index": 0})
    assert view.answer_message(view.task) == view.demonstrate(np.random.default_rng(0)) == "olleh"


def test_a_turn_limit_that_the_partner_meets_truncates_the_view():
    view = SeatView(Duel(), "first")
    view.reset(seed=0)
    view.step("wait")
    _, reward, terminated, truncated, info = view.step("wait")
    assert (reward, terminated, truncated, info["ending"]) == (1.0, False, True, "max_turns")


def test_a_clone_of_a_view_goes_its_own_way():
    view = SeatView(Duel(), "second")
    view.reset(seed=0)
    clone = view.clone()
    clone.step("shoot")
    assert (view.ending, view.multi.endings) == (None, {})
    view.step("wait")
    assert view.multi.num_turns == 3 or view.ending == "max_turns"


def test_an_episode_that_is_over_before_the_seat_can_act_is_refused():
    view = SeatView(Duel(), "second", {"first": lambda env, seat, rng: "shoot"})
    with pytest.raises(ValueError, match=r"duel/0: the episode was over before second could act"):
        view.reset(options={"index": 0})


def test_a_seat_that_is_not_there_is_refused_with_the_near_miss():
    with pytest.raises(ValueError, match=r"no seat 'echo'. Did you mean 'echoer'"):
        SeatView(EchoPair(), "echo")
    with pytest.raises(ValueError, match=r"no seat 'judge'"):
        SeatView(EchoPair(), ECHOER, {"judge": hello})


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


class Table(MultiTextEnv):
    """Three seats; "quit" leaves, "tip X" earns X 1.0, "all" earns everybody 0.5, "end" ends it, "crash" raises."""

    seats = ("ann", "bob", "cid")
    max_turns = 12

    def __init__(self):
        super().__init__()
        self.rubrics = {seat: Rubric((RewardFunction("said", said),)) for seat in self.seats}

    def task_at(self, index):
        return Task(id=f"table/{index}", prompt=(user("Sit."),))

    def respond(self, seat, action):
        verb, _, other = action.partition(" ")
        if verb == "crash":
            raise OSError("no table")
        rewards = {}
        if verb == "tip":
            rewards = {other: (Part(name="tip", value=1.0),)}
        if verb == "all":
            rewards = {each: (Part(name="all", value=0.5),) for each in self.seats if each not in self.endings}
        return Move(
            rewards=rewards,
            endings={seat: "completed"} if verb == "quit" else {},
            ending="completed" if verb == "end" else None,
            consumed=len(verb),
        )


def said(task, transcript):
    return float(sum(message.role == "assistant" for message in transcript))


def saying(*texts):
    """A partner that says these, then waits."""
    return lambda env, seat, rng: (*texts, *["wait"] * 20)[
        sum(message.role == "assistant" for message in env.transcripts[seat])
    ]


def table(seats, **partners):
    return start(SeatView(Table(), None, partners), Table().task_at(0), seats=seats)


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
    assert names(episode.act("tip bob")) == (("all", "tip"), {"cid": ("all",)})


def test_a_view_earns_by_what_its_partners_do_until_it_acts_again():
    view = SeatView(Table(), "bob", {"ann": saying("tip bob", "all"), "cid": saying("tip bob")})
    view.reset(seed=0)
    _, reward, _, _, info = view.step("wait")
    assert [part.name for part in info["rewards"]] == ["tip", "tip", "all"]
    assert reward == 2.5
    assert view.step("all")[1] == 0.5
    view.reset(seed=0)
    view.reset(seed=0)
    assert view.step("wait")[1] == 2.5, "what was earned in another episode is forgotten"


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


def test_r05_a_partner_that_fails_leaves_the_word_of_those_who_had_left():
    episode = table(["ann", "bob"], cid=saying("wait", "crash"))
    episode.act("quit")
    episode.act("wait")
    episode.act("wait")
    assert [episode.outcome(seat).ending for seat in ("ann", "bob")] == ["completed", "env_error"]


def test_r05_a_partners_broken_grader_is_not_the_views_failure():
    view = SeatView(Duel(is_broken=True), "first")
    view.reset(seed=0)
    _, reward, terminated, _, info = view.step("shoot")
    assert (reward, terminated, info["ending"]) == (1.0, True, "completed")
    view = SeatView(Duel(is_broken=True), "second")
    view.reset(seed=0)
    with pytest.raises(GraderError, match="ZeroDivisionError"):
        view.step("shoot")
    assert (view.ending, view.verdict) == ("grader_error", None)


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
    stopped.stop("max_tokens")
    hung.stop("timeout")
    assert words(stopped) == words(broken) == {"first": ["first: wait"], "second": []}
    assert words(hung) == {"first": [], "second": []}, "what hangs is not looked at"
    assert words(reporting("wait", seat="first", partners={"second": crashing})) == {"first": []}
