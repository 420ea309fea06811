"""`SeatView`: one seat as an environment of its own, and partners who play the others."""

import numpy as np
import pytest

import rlenvs
from rlenvs import EpisodeOverError, RewardFunction, Rubric
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.errors import GraderError
from rlenvs.seats import SeatView

from .tables import Duel, Table, hello, saying


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
    assert (view.multi.num_turns, view.ending) == (3, None), "first, second and first have acted"
    assert (clone.multi.num_turns, clone.ending) == (2, "completed")


def test_an_episode_that_is_over_before_the_seat_can_act_is_refused():
    view = SeatView(Duel(), "second", {"first": lambda env, seat, rng: "shoot"})
    with pytest.raises(ValueError, match=r"duel/0: the episode was over before second could act"):
        view.reset(options={"index": 0})


def test_a_seat_that_is_not_there_is_refused_with_the_near_miss():
    with pytest.raises(ValueError, match=r"no seat 'echo'. Did you mean 'echoer'"):
        SeatView(EchoPair(), "echo")
    with pytest.raises(ValueError, match=r"no seat 'judge'"):
        SeatView(EchoPair(), ECHOER, {"judge": hello})


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


def test_a_seat_is_judged_once_when_it_leaves_or_when_its_view_is_stopped():
    judged = []

    def heard(task, transcript):
        judged.append(len(transcript))
        return 0.5

    view = SeatView(Duel(), "first")
    view.multi.rubrics["first"] = Rubric((RewardFunction("heard", heard),))
    view.reset(seed=0)
    assert view.step("shoot")[1] == 0.5
    view.reset(seed=0)
    view.step("wait")
    assert view.stop("max_tokens").reward == 0.5
    assert view.ending == "max_tokens"
    assert judged == [2, 2], "what it read and what it said"


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
