"""An episode with one seat: answered and judged, drawn and chosen, cut off, cloned and looked at."""

import pytest

from rlenvs import EpisodeOverError, Part, Response, RewardFunction, Rubric, Task, TaskList, TextEnv, user
from rlenvs.records import Message, assistant

from .doubling import OneShot


class Guessing(TextEnv):
    """Three guesses at a number; only the first word of a message counts; every guess costs."""

    rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: f" {task.target}" == transcript[-1].content),))
    max_turns = 3

    def task_at(self, index):
        return Task(id=f"guess/{index}", prompt=(user("Guess."),), target=index % 10)

    def begin(self):
        self.guesses = []

    def respond(self, action):
        word = action.split(" ")[0]
        self.guesses.append(word)
        if word == str(self.task.target):
            return Response(messages=(user(f" {word}"),), ending="completed", consumed=len(word))
        cost = (Part(name="cost", value=-1.0, weight=0.5),)
        return Response(messages=(user("no"), user("again")), consumed=len(word), rewards=cost)


def test_a_single_question_is_answered_and_judged():
    env = OneShot()
    observation, info = env.reset(options={"index": 3})
    assert (observation, info["task_id"], info["ending"], info["consumed"]) == ("Twice 3?", "double/3", None, 0)
    observation, reward, terminated, truncated, info = env.step(" 6 ")
    assert (observation, reward, terminated, truncated) == ("", 1.0, True, False)
    assert (info["ending"], info["verdict"].correct, info["consumed"]) == ("completed", 1.0, 3)
    assert env.transcript == [user("Twice 3?"), assistant(" 6 ")]


def test_running_out_of_turns_truncates_and_is_judged():
    env = Guessing()
    env.reset(options={"index": 7})
    rewards = []
    for guess in ("1", "2 3", "3"):
        observation, reward, terminated, truncated, info = env.step(guess)
        rewards.append(reward)
    assert rewards == [-0.5, -0.5, -0.5]
    assert observation == "no\n\nagain"
    assert (terminated, truncated, info["ending"], info["verdict"].correct) == (False, True, "max_turns", 0.0)


def test_only_what_was_consumed_is_in_the_transcript():
    env = Guessing()
    env.reset(options={"index": 7})
    _, reward, terminated, _, info = env.step("7 or 8")
    assert (reward, terminated, info["consumed"]) == (1.0, True, 1)
    assert env.transcript == [user("Guess."), assistant("7"), user(" 7")]


def test_an_environment_may_truncate_by_itself():
    class Closing(OneShot):
        def respond(self, action):
            return Response(ending="max_turns")

    env = Closing()
    env.reset(options={"index": 1})
    _, reward, terminated, truncated, info = env.step("2")
    assert (reward, terminated, truncated, info["ending"]) == (1.0, False, True, "max_turns")


@pytest.mark.parametrize("env", [OneShot(), Guessing()])
def test_a_step_before_the_reset_or_after_the_end_is_an_error(env):
    with pytest.raises(EpisodeOverError, match="has not been reset"):
        env.step("0")
    env.reset(options={"index": 0})
    env.step("0")
    with pytest.raises(EpisodeOverError, match=r"is over \(completed\)"):
        env.step("0")
    with pytest.raises(EpisodeOverError):
        env.stop("max_tokens")
    env.reset()
    env.step("0")


def test_the_seed_draws_the_task_and_options_choose_it():
    env = OneShot()
    drawn = [env.reset(seed=seed)[1]["task_id"] for seed in range(40)]
    assert drawn == [OneShot().reset(seed=seed)[1]["task_id"] for seed in range(40)]
    assert set(drawn) == {f"double/{index}" for index in range(4)}
    foreign = Task(id="elsewhere", prompt=(user("?"),), target="x")
    assert env.reset(seed=1, options={"task": foreign})[1]["task_id"] == "elsewhere"
    assert env.step("x")[1] == 1.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tusk": 1}, r"'task' \(a Task\) or 'index' \(an integer\): got \['tusk'\]"),
        ({"task": "double/1"}, "is a Task: got 'double/1'"),
        ({"index": 1, "task": None}, "'task'"),
        ({"index": 4}, "no task 4: there are 0 to 3"),
        ({"index": -1}, "no task -1"),
        ({"index": 1.5}, "is an integer: got 1.5"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, says):
    env = OneShot()
    with pytest.raises(ValueError, match=says):
        env.reset(options=options)
    with pytest.raises(EpisodeOverError):
        env.step("after a failed reset there is no episode")


def test_an_action_that_is_no_text_is_refused_and_the_episode_goes_on():
    env = OneShot()
    env.reset(options={"index": 1})
    with pytest.raises(ValueError, match="an action is text: got int"):
        env.step(2)
    assert env.step("2")[1] == 1.0


def test_stopping_judges_what_there_is_and_a_failure_is_not_judged():
    env = Guessing()
    env.reset(options={"index": 7})
    env.step("1")
    assert env.stop("max_tokens").correct == 0.0
    assert env.ending == "max_tokens"
    env.reset(options={"index": 7})
    env.rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: pytest.fail("judged")),))
    assert env.stop("timeout") is None
    assert (env.ending, env.verdict) == ("timeout", None)


def test_a_clone_goes_its_own_way():
    env = Guessing()
    env.reset(options={"index": 7}, seed=1)
    env.step("1")
    clone = env.clone()
    assert clone.step("7")[1] == 1.0
    assert (env.ending, env.guesses, clone.guesses) == (None, ["1"], ["1", "7"])
    assert len(env.transcript) == 4
    assert env.step("2")[1] == -0.5
    assert env.np_random.random() == clone.np_random.random(), "same state of the generator"
    env.np_random.random()
    assert env.np_random.random() != clone.np_random.random(), "but not the same generator"


def test_cloning_shares_records_and_task_lists():
    class Listed(OneShot):
        def __init__(self):
            super().__init__()
            self.tasks = TaskList(Task(id=str(i), prompt=(user("?"),), target=["x"] * 10) for i in range(100))
            self.num_tasks = len(self.tasks)

        def task_at(self, index):
            return self.tasks[index]

    env = Listed()
    env.reset(seed=0)
    clone = env.clone()
    assert clone.tasks is env.tasks
    assert clone.task is env.task
    assert clone.transcript is not env.transcript


def test_opening_decides_what_the_policy_reads_first():
    class Shy(OneShot):
        def opening(self):
            return (Message(role="system", content="Be brief."), *self.task.prompt)

    env = Shy()
    observation, info = env.reset(options={"index": 2})
    assert observation == "Be brief.\n\nTwice 2?"
    assert [message.role for message in info["messages"]] == ["system", "user"]
    assert len(env.transcript) == 2


def test_the_conversation_can_be_looked_at():
    env = OneShot(render_mode="ansi")
    env.reset(options={"index": 2})
    env.step("4")
    assert env.render() == "[user]\nTwice 2?\n\n[assistant]\n4"
    assert OneShot().render() is None


def test_no_task_is_drawn_where_there_is_none():
    class Empty(TextEnv):
        num_tasks = 0

        def task_at(self, index):
            raise AssertionError(index)

    for options in ({}, {"index": 0}):
        with pytest.raises(ValueError, match="there are no tasks: num_tasks is 0"):
            Empty().reset(seed=0, options=options)
