"""Seats that leave one by one, each with its own ending, while the others go on."""

import math

import pytest

from rlenvs import EpisodeOverError, Part
from rlenvs.move import Move

from .markets import Auction


def auction(**kwargs):
    env = Auction(**kwargs)
    env.reset(seed=0)
    return env


def test_a_seat_leaves_with_its_verdict_while_the_others_go_on():
    env = auction()
    env.step("pass")
    assert (env.endings, env.is_over) == ({"ann": "completed"}, False)
    assert env.verdicts["ann"].reward == 2.0, "the vase and its own word"
    assert env.rewards == {"ann": 2.0, "bob": 0.0, "cid": 0.0}
    assert env.terminations == {"ann": True, "bob": False, "cid": False}
    assert env.infos["ann"]["ending"] == "completed"
    assert (env.agent_selection, env.last()[1:4]) == ("ann", (2.0, True, False))
    with pytest.raises(EpisodeOverError, match=r"'ann', which has left \(completed\): give it None"):
        env.step("wait")
    env.step(None)
    assert (env.agents, env.agent_selection) == (["bob", "cid"], "bob")
    env.step("10")
    env.step("20")
    assert env.agent_selection == "bob", "ann is passed over"
    assert len(env.transcripts["ann"]) == 2, "who has left hears nothing"
    env.step("pass")
    env.step(None)
    assert (env.agents, env.agent_selection, env.is_over) == (["cid"], "cid", False)
    env.step("30")
    assert env.agent_selection == "cid", "who is left alone goes on alone"
    env.step("pass")
    assert env.is_over
    assert set(env.endings.values()) == {"completed"}


def test_a_seat_may_be_sent_away_by_another_and_hears_why():
    env = auction()
    env.step("expel cid")
    assert (env.endings, env.agent_selection) == ({"cid": "malformed_action"}, "cid")
    assert env.observe("cid") == "A vase.\n\nann: expel cid"
    env.step(None)
    assert (env.agents, env.agent_selection) == (["ann", "bob"], "ann")


def test_an_ending_of_ones_own_goes_before_the_shared_one():
    env = auction(grader=lambda task, transcript: 1.0)
    env.step("sold bob")
    assert env.endings == {"ann": "completed", "bob": "unscored", "cid": "completed"}
    assert (env.verdicts["bob"], env.verdicts["cid"].reward) == (None, 1.0)


def test_when_turns_run_out_those_who_had_left_keep_their_ending():
    env = auction()
    env.step("pass")
    env.step(None)
    for _ in range(7):
        env.step("10")
    assert env.endings == {"ann": "completed", "bob": "max_turns", "cid": "max_turns"}
    assert env.truncations == {"bob": True, "cid": True}


def test_an_action_may_reward_any_seat():
    env = auction()
    env.step("gift cid")
    assert env.rewards == {"ann": 0.25, "bob": 0.0, "cid": 1.0}
    assert [part.name for part in env.infos["cid"]["rewards"]] == ["gift"]
    assert env.infos["bob"]["rewards"] == ()
    env.step("gift cid")
    assert env.rewards == {"ann": 0.0, "bob": 0.25, "cid": 1.0}, "by this action alone"
    assert env.agent_selection == "cid"
    assert env.last()[1] == 2.0, "all that it earned since it last acted"


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("gift ann", r"Move's rewards: 'ann' has left \(completed\)"),
        ("call ann", r"Move's next_seat: 'ann' has left"),
        ("expel ann", r"Move's endings: 'ann' has left"),
        ("gift dan", r"no seat 'dan'"),
        ("expel bob", r"Move's next_seat: 'bob' leaves by this very move"),
    ],
)
def test_a_move_that_speaks_of_seats_that_are_not_there_is_the_environments_error(action, says):
    env = auction()
    env.step("pass")
    env.step(None)
    with pytest.raises(ValueError, match=says):
        env.step(action)
    assert env.endings == {"ann": "completed", "bob": "env_error", "cid": "env_error"}
    assert env.verdicts["ann"].reward == 2.0


def test_what_goes_by_seat_is_a_mapping():
    with pytest.raises(ValueError, match=r"Move's rewards go by seat, \{seat: …\}: got \(Part"):
        Move(rewards=(Part(name="bonus", value=1.0),))
    with pytest.raises(ValueError, match="got 'won'"):
        Move(endings={"ann": "won"})


def test_r05_what_breaks_later_does_not_touch_a_seat_that_has_left():
    env = auction()
    env.step("sulk")
    env.step(None)
    env.step("pass")
    env.step(None)
    with pytest.raises(KeyError):
        env.step("shout")
    assert env.endings == {"ann": "timeout", "bob": "completed", "cid": "env_error"}
    assert [seat for seat, verdict in env.verdicts.items() if verdict is not None] == ["bob"]
    assert list(env.errors) == ["cid"]
    assert env.clone().errors == env.errors


def test_r05_a_broken_grader_of_a_seat_that_leaves_lets_the_others_go_on():
    env = auction(grader=lambda task, transcript: 1.0 if "pass" not in transcript[-1].content else 1 / 0)
    env.step("pass")
    assert (env.endings, list(env.errors)) == ({"ann": "grader_error"}, ["ann"])
    assert math.isnan(env.rewards["ann"])
    env.step(None)
    assert env.agent_selection == "bob"
