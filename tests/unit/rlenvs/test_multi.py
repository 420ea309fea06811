import math

import pytest
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from rlenvs import EpisodeOverError, GraderError, Part, RewardFunction, Rubric, Task, user
from rlenvs.checks.borrowed import pettingzoo_agrees
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs_sandbox import SandboxError


class Haggling(MultiTextEnv):
    """Three seats name prices until one says "deal" or turns run out; "skip" gives the floor back to the first."""

    seats = ("ann", "bob", "cid")
    max_turns = 5

    def __init__(self, graders=None):
        super().__init__()
        graders = {seat: lambda task, transcript: float(len(transcript)) for seat in self.seats} | (graders or {})
        self.rubrics = {seat: Rubric((RewardFunction("length", grade),)) for seat, grade in graders.items()}

    def task_at(self, index):
        return Task(id=f"haggle/{index}", prompt=(user(f"Sell {index} apples."),))

    def respond(self, seat, action):
        if action == "crash":
            raise KeyError("till")
        if action == "lost":
            raise SandboxError("gone")
        if action == "fire":
            return Move(ending="timeout")
        if action == "deal":
            return Move(ending="completed", rewards={seat: (Part(name="bonus", value=2.0, weight=0.5),)})
        messages = {other: (user(f"{seat}: {action}"),) for other in self.seats if other != seat}
        return Move(messages=messages, next_seat="ann" if action == "skip" else None)


def haggling(**kwargs):
    env = Haggling(**kwargs)
    env.reset(seed=0, options={"index": 3})
    return env


def test_seats_take_turns_and_read_what_was_said_since_they_acted():
    env = haggling()
    assert (env.agents, env.agent_selection) == (["ann", "bob", "cid"], "ann")
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
    for seed in range(5):
        first.reset(seed=seed)
        second.reset(seed=seed)
        assert first.task == second.task
        assert first.np_random.random() == second.np_random.random()


class Auction(MultiTextEnv):
    """Seats bid in turn until one is left, who pays; the last bid is lost if somebody shouts.

    "pass" leaves; "gift X" earns X 1.0 and the giver 0.25; "sulk" leaves as a failure; "shout" raises.
    """

    seats = ("ann", "bob", "cid")
    max_turns = 8

    def __init__(self, grader=lambda task, transcript: float(len(transcript))):
        super().__init__()
        self.rubrics = {seat: Rubric((RewardFunction("heard", grader),)) for seat in self.seats}

    def task_at(self, index):
        return Task(id=f"auction/{index}", prompt=(user("A vase."),))

    def respond(self, seat, action):
        if action == "shout":
            raise KeyError("hammer")
        verb, _, other = action.partition(" ")
        told = {each: (user(f"{seat}: {action}"),) for each in self.seats if each != seat}
        if verb == "gift":
            value = (Part(name="gift", value=1.0),)
            return Move(messages=told, rewards={other: value, seat: (Part(name="thanks", value=0.25),)})
        if verb == "call":
            return Move(messages=told, next_seat=other)
        if verb == "expel":
            return Move(messages=told, endings={other: "malformed_action"}, next_seat=seat)
        if verb == "sold":
            return Move(messages=told, ending="completed", endings={other: "unscored"})
        leaving = {"pass": "completed", "sulk": "timeout"}.get(verb)
        return Move(messages=told, endings={seat: leaving} if leaving else {})


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


class Counting(EchoPair):
    """The speaker leaves after its first word, the echoer after its second."""

    def respond(self, seat, action):
        move = super().respond(seat, action)
        mine = sum(message.role == "assistant" for message in self.transcripts[seat])
        leaves = seat == SPEAKER or mine == 1
        rewards = {ECHOER: (Part(name="company", value=1.0),)}
        return Move(messages=move.messages, endings={seat: "completed"} if leaves else {}, rewards=rewards)


@pytest.mark.parametrize("env", [EchoPair(), EchoPair(rounds=5), Haggling(), Auction(), Counting()])
def test_pettingzoos_own_check_passes(env):
    assert list(pettingzoo_agrees(env)) == []


def test_pettingzoos_conversion_gives_the_parallel_contract():
    env = turn_based_aec_to_parallel(EchoPair(rounds=1))
    env.reset(seed=0)
    word = env.unwrapped.task.target[0]
    _, rewards, *_ = env.step({SPEAKER: word, ECHOER: "not its turn"})
    assert rewards == {SPEAKER: 0.0, ECHOER: 0.0}
    _, rewards, terminated, truncated, _ = env.step({SPEAKER: "not its turn", ECHOER: word[::-1]})
    assert rewards == {SPEAKER: 1.0, ECHOER: 1.0}
    assert terminated == {SPEAKER: True, ECHOER: True}
    assert truncated == {SPEAKER: False, ECHOER: False}


def test_pettingzoos_conversion_lets_a_seat_leave_before_the_others():
    env = turn_based_aec_to_parallel(Auction())
    env.reset(seed=0)
    _, rewards, terminated, *_ = env.step(dict.fromkeys(env.agents, "pass"))
    assert (rewards["ann"], terminated) == (2.0, {"ann": True, "bob": False, "cid": False})
    assert env.agents == ["bob", "cid"]
    env.step(dict.fromkeys(env.agents, "pass"))
    env.step(dict.fromkeys(env.agents, "pass"))
    assert env.agents == []


def test_every_seats_conversation_can_be_looked_at():
    env = EchoPair(rounds=1, render_mode="ansi")
    env.reset(options={"index": 0})
    env.step("hello")
    assert "[speaker: assistant]\nhello" in env.render()
    assert "[echoer: speaker]\nhello" in env.render()
    assert EchoPair().render() is None
