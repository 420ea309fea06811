"""Seats that take turns and end together: what each reads, earns and is judged by."""

import math

import pytest

from rlenvs import EpisodeOverError, GraderError
from rlenvs.envs.echo_pair import EchoPair
from rlenvs_sandbox import SandboxError

from .markets import Haggling


def haggling(**kwargs):
    env = Haggling(**kwargs)
    env.reset(seed=0, options={"index": 3})
    return env


def test_seats_take_turns_and_read_what_was_said_since_they_acted():
    env = haggling()
    assert env.agents == env.possible_agents == ["ann", "bob", "cid"]
    assert env.agent_selection == "ann"
    assert [env.observe(seat) for seat in env.seats] == ["Sell 3 apples."] * 3
    env.step("5")
    assert (env.agent_selection, env.observe("ann")) == ("bob", "")
    assert env.observe("bob") == "Sell 3 apples.\n\nann: 5"
    env.step("skip")
    assert (env.agent_selection, env.observe("ann"), env.observe("bob")) == ("ann", "bob: skip", "")
    assert env.observe("cid") == "Sell 3 apples.\n\nann: 5\n\nbob: skip"
    assert env.infos["bob"]["consumed"] == 4
    assert [message.role for message in env.transcripts["bob"]] == ["user", "user", "assistant"]


def test_all_seats_end_together_each_with_its_own_verdict():
    env = haggling()
    env.step("5")
    env.step("deal")
    assert env.endings == {"ann": "completed", "bob": "completed", "cid": "completed"}
    assert {seat: verdict.reward for seat, verdict in env.verdicts.items()} == {"ann": 2.0, "bob": 3.0, "cid": 2.0}
    assert env.rewards == {"ann": 2.0, "bob": 4.0, "cid": 2.0}, "the acting seat has its bonus too"
    assert env.terminations == {"ann": True, "bob": True, "cid": True}
    assert env.truncations == {"ann": False, "bob": False, "cid": False}
    assert env.infos["bob"]["verdict"] == env.verdicts["bob"]


def test_the_turn_limit_counts_everybodys_actions_and_truncates():
    env = haggling()
    for _ in range(5):
        env.step("5")
    assert set(env.endings.values()) == {"max_turns"}
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


def test_after_the_end_seats_leave_and_nobody_speaks():
    env = haggling()
    env.step("deal")
    with pytest.raises(EpisodeOverError):
        env.step("one more thing")
    for left in (2, 1, 0):
        assert env.last()[2]
        env.step(None)
        assert len(env.agents) == left
    for action in (None, "5"):
        with pytest.raises(EpisodeOverError, match="call reset"):
            env.step(action)
    env.reset()
    assert len(env.agents) == 3


def test_before_a_reset_there_is_no_episode():
    with pytest.raises(EpisodeOverError):
        Haggling().step("5")
    env = haggling()
    with pytest.raises(ValueError, match="reset options"):
        env.reset(options={"tusk": 1})
    with pytest.raises(EpisodeOverError):
        env.step("5")


def test_an_action_that_is_no_text_is_refused_and_the_episode_goes_on():
    env = haggling()
    with pytest.raises(ValueError, match="an action is text: got NoneType"):
        env.step(None)
    env.step("5")
    assert env.agent_selection == "bob"


@pytest.mark.parametrize(("action", "ending"), [("crash", "env_error"), ("lost", "sandbox_error")])
def test_r05_a_world_that_raises_ends_it_for_every_seat_without_verdicts(action, ending):
    env = haggling()
    env.step("5")
    with pytest.raises((KeyError, SandboxError)):
        env.step(action)
    assert set(env.endings.values()) == {ending}
    assert set(env.verdicts.values()) == {None}
    assert all(env.terminations.values())


def test_r05_an_ending_that_is_a_failure_is_recorded_and_not_judged():
    env = haggling(graders={"ann": lambda task, transcript: pytest.fail("judged")})
    env.step("fire")
    assert (set(env.endings.values()), set(env.verdicts.values())) == ({"timeout"}, {None})
    assert all(math.isnan(reward) for reward in env.rewards.values())
    assert all(env.terminations.values())


def test_r05_one_seats_broken_grader_leaves_the_others_verdicts():
    env = haggling(graders={"bob": lambda task, transcript: 1 / 0, "cid": lambda task, transcript: None})
    env.step("deal")
    assert env.endings == {"ann": "completed", "bob": "grader_error", "cid": "unscored"}
    assert env.verdicts["ann"].reward == 2.0
    assert env.verdicts["bob"] is env.verdicts["cid"] is None
    assert list(env.errors) == ["bob"]
    assert isinstance(env.errors["bob"], GraderError)
    assert "haggle/3" in str(env.errors["bob"])
    assert math.isnan(env.rewards["bob"])
    assert env.rewards["ann"] == 3.0
    assert env.infos["ann"]["verdict"] == env.verdicts["ann"]


def test_stopping_from_outside_judges_every_seat_unless_it_is_a_failure():
    env = haggling()
    env.step("5")
    env.stop("max_tokens")
    assert set(env.endings.values()) == {"max_tokens"}
    assert env.verdicts["ann"].reward == 2.0
    assert env.rewards == {"ann": 2.0, "bob": 2.0, "cid": 2.0}
    assert (env.terminations, env.infos["cid"]["ending"]) == (dict.fromkeys(env.seats, True), "max_tokens")
    assert env.last()[1:4] == (2.0, True, False)
    env = haggling(graders={"ann": lambda task, transcript: pytest.fail("judged")})
    env.stop("timeout")
    assert (set(env.endings.values()), set(env.verdicts.values())) == ({"timeout"}, {None})
    with pytest.raises(EpisodeOverError):
        env.stop("timeout")


def test_a_clone_goes_its_own_way():
    env = haggling()
    env.step("5")
    clone = env.clone()
    clone.step("deal")
    assert (env.endings, env.agent_selection, len(env.transcripts["bob"])) == ({}, "bob", 2)
    env.step("6")
    assert env.agent_selection == "cid"
    assert clone.observe("ann") == ""
    assert env.np_random.random() == clone.np_random.random()


def test_the_seed_draws_the_task_and_the_world():
    first, second = Haggling(), Haggling()
    drawn = set()
    for seed in range(5):
        first.reset(seed=seed)
        second.reset(seed=seed)
        assert first.task == second.task
        luck = first.np_random.random()
        assert luck == second.np_random.random()
        drawn |= {first.task.id, luck}
    assert len(drawn) == 2 * 5, "every seed draws others"


def test_every_seats_conversation_can_be_looked_at():
    env = EchoPair(rounds=1, render_mode="ansi")
    env.reset(options={"index": 0})
    env.step("hello")
    assert "[speaker: assistant]\nhello" in env.render()
    assert "[echoer: speaker]\nhello" in env.render()
    assert EchoPair().render() is None
