import numpy as np
import pytest

import rlenvs
from rlenvs import EpisodeOverError, Part, RewardFunction, Rubric, Task, user
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.episode import check_task, start
from rlenvs.errors import RlenvsError
from rlenvs.multi import Move, MultiTextEnv
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
        rewards = (Part(name="length", value=float(len(word))),)
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
