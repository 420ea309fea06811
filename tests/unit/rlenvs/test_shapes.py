"""What a stranger's code gives in another form than was asked for: a sentence, an ending, and nothing else stops."""

import numpy as np
import pytest

from rlenvs import Part, Response, RewardFunction, Rubric, Task, TextEnv, Verdict, check_env, user
from rlenvs.episode import POLICY_SEAT, start
from rlenvs.errors import CheckError, EpisodeOverError, GraderError
from rlenvs.move import Move
from rlenvs.records import Message
from rlenvs.seats import SeatView

from .tables import Duel

TASK = Task(id="t", prompt=(user("Say 3"),), target="3")
ONE = RewardFunction("accuracy", lambda task, transcript: 1.0)


class Nameless:
    def __repr__(self):
        raise KeyError("name")


@pytest.mark.parametrize("prompt", ["Say 3", ("x",), ({"role": "user", "content": "x"},), user("x"), None, 3])
def test_a_prompt_is_of_messages(prompt):
    with pytest.raises(ValueError, match=r"^task t: a prompt is a tuple of Messages, such as \(user\('…'\),\): got "):
        Task(id="t", prompt=prompt)


def test_lists_are_as_good_as_tuples():
    assert Task(id="t", prompt=[user("x")]).prompt == (user("x"),)
    assert Response(messages=[user("x")], rewards=[]) == Response(messages=(user("x"),))
    assert Rubric([ONE]) == Rubric((ONE,))
    assert Move(messages={"ann": [user("x")]}).messages == {"ann": (user("x"),)}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Task(id=5, prompt=(user("x"),)), r"a task's id is text .*: got 5 \(int\)"),
        (lambda: Task(id="t", prompt=(user("x"),), metadata=None), r"task t: metadata is a dict .*: got None"),
        (lambda: Message(role="user", content="x", name=3), r"a message's name is text, or None: got 3 \(int\)"),
        (lambda: Part(name="speed", value="1"), r"part 'speed': value is a number: got '1' \(str\)"),
        (lambda: Part(name="speed", value=1.0, weight=None), r"part 'speed': weight is a number: got None"),
        (lambda: Part(name=1, value=1.0), r"a part's name is text: got 1 \(int\)"),
        (lambda: Verdict(parts=1.0, correct=1.0), r"a verdict's parts is a tuple of Parts.*: got 1.0 \(float\)"),
        (lambda: Response(messages="well"), r"messages of a Response is a tuple of Messages.*: got 'well' \(str\)"),
        (lambda: Response(messages=user("x")), r"messages of a Response is a tuple .*: got Message\("),
        (lambda: Response(rewards=1.0), r"rewards of a Response is a tuple of Parts.*: got 1.0 \(float\)"),
        (lambda: Response(consumed="3"), r"consumed counts characters .*: got '3' \(str\)"),
        (lambda: Response(consumed=True), r"consumed counts characters .*: got True \(bool\)"),
        (lambda: Response(consumed=np.float64(3)), r"consumed counts characters .*: got np.float64\(3.0\) \(float64\)"),
        (lambda: Task(id="t", prompt=Nameless()), "a prompt is a tuple .*: got something whose repr raised KeyError "),
        (lambda: Response(ending=Nameless()), "an ending is one of .*: got something whose repr raised KeyError "),
        (
            lambda: Move(messages=Nameless()),
            "Move's messages go by seat, .*: got something whose repr raised KeyError ",
        ),
        (
            lambda: Message(role=Nameless(), content="x"),
            "a role is system.*: got something whose repr raised KeyError ",
        ),
        (lambda: Response(ending=["completed"]), r"an ending is one of .*: got \['completed'\]"),
        (lambda: Move(messages={"ann": "x"}), r"Move's messages for 'ann' is a tuple of Messages.*: got 'x' \(str\)"),
        (lambda: Move(rewards={"ann": 1.0}), r"Move's rewards for 'ann' is a tuple of Parts.*: got 1.0 \(float\)"),
        (lambda: Move(endings={1: "completed"}), r"Move's endings: a seat's name is text: got 1 \(int\)"),
        (lambda: Move(next_seat=1), r"Move's next_seat: a seat's name is text: got 1 \(int\)"),
        (lambda: Move(consumed="3"), r"consumed counts characters .*: got '3' \(str\)"),
        (lambda: Rubric(ONE), r"a rubric is of a tuple of RewardFunctions, such as \(Reward.*,\): got RewardFunction"),
        (lambda: Rubric((len,)), r"a rubric is of a tuple of RewardFunctions.*: got \(<built-in function len>,\)"),
        (lambda: RewardFunction("right", 1.0), r"reward function 'right': it is called with .*: got 1.0 \(float\)"),
        (lambda: RewardFunction(len, len), r"a reward function's name is text: got <built-in"),
        (lambda: RewardFunction("right", len, "2"), r"reward function 'right': its weight is a number: got '2'"),
    ],
)
def test_a_record_says_what_was_expected_and_what_came(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize("kind", [Response, Move])
def test_whole_numbers_of_numpy_count_characters(kind):
    made = kind(consumed=np.int64(3))
    assert (type(made.consumed), made.consumed) == (int, 3)


def test_an_environment_may_count_a_whole_action_with_numpy():
    count = start(Says(complete=np.int64(2)), TASK).complete("abc")
    assert (type(count), count) == (int, 2)


def test_numbers_of_numpy_are_numbers():
    part = Part(name="speed", value=np.float32(0.5), weight=np.int64(2))
    assert (type(part.value), type(part.weight), part.weighted) == (float, float, 1.0)


def test_a_reward_that_cannot_even_be_shown_is_its_graders_error():
    rubric = Rubric((RewardFunction("right", lambda task, said: Nameless()),))
    with pytest.raises(GraderError, match=r"'right' gave something whose repr raised KeyError .*; expected a number"):
        rubric.judge(TASK, TASK.prompt)


class Says(TextEnv):
    """Each of its methods gives what it is told to give."""

    num_tasks = 3
    rubric = Rubric((RewardFunction("accuracy", lambda task, said: float(said[-1].content == task.target)),))

    def __init__(self, **gives):
        super().__init__()
        for method, given in gives.items():
            setattr(self, method, lambda *_, given=given: given() if callable(given) else given)

    def task_at(self, index):
        return Task(id=f"t{index}", prompt=(user(f"Go on{'!' * index}"),), target=str(index))

    def answer_message(self, task):
        return task.target


MISSHAPEN_STEPS = [
    ({"respond": None}, "env_error", r"Says.respond\(\) gives a Response: got None"),
    ({"respond": ("well", 1.0)}, "env_error", r"Says.respond\(\) gives a Response: got \('well', 1.0\)"),
    ({"respond": lambda: Response(messages=user("x"))}, "env_error", "messages of a Response is a tuple"),
    ({"judge": 1.0}, "grader_error", r"gave 1.0 \(float\); expected a Verdict"),
]


@pytest.mark.parametrize(("gives", "ending", "says"), MISSHAPEN_STEPS)
def test_a_misshapen_step_ends_the_episode_and_is_its_culprits(gives, ending, says):
    env = Says(**gives)
    env.reset(options={"task": TASK})
    with pytest.raises(Exception, match=says):
        env.step("3")
    assert (env.ending, env.verdict) == (ending, None)
    with pytest.raises(EpisodeOverError, match=ending):
        env.step("3")
    episode = start(Says(**gives), TASK)
    episode.act("3")
    assert episode.outcome(POLICY_SEAT).ending == ending


@pytest.mark.parametrize(
    ("opening", "says"), [("Say 3", "is a tuple of Messages.*: got 'Say 3'"), (None, "got None"), ((), "no message")]
)
def test_a_misshapen_opening_leaves_no_episode(opening, says):
    env = Says(opening=opening)
    with pytest.raises(ValueError, match=rf"Says.opening\(\) .*{says}"):
        env.reset(options={"task": TASK})
    assert env.ending == "env_error"
    assert start(Says(opening=opening), TASK).outcome(POLICY_SEAT).ending == "env_error"


def test_a_turn_limit_that_is_no_number_ends_the_episode_too():
    env = Says(respond=Response)
    env.max_turns = "3"
    env.reset(options={"task": TASK})
    with pytest.raises(TypeError):
        env.step("3")
    assert env.ending == "env_error"


def test_what_is_no_task_is_no_episode():
    with pytest.raises(ValueError, match=r"task_at\(1\) gives a Task: got \{'q': 1\} \(dict\)"):
        Says(task_at={"q": 1}).reset(options={"index": 1})


@pytest.mark.parametrize("complete", ["3", 1.0, True])
def test_a_whole_action_is_counted_in_characters(complete):
    episode = start(Says(complete=complete), TASK)
    assert episode.complete("abc") is None
    assert r"complete() gives characters of the text, 1 to 3, or None" in episode.outcome(POLICY_SEAT).error


def test_an_answer_and_a_demonstration_are_text():
    episode = start(Says(answer_message=5), TASK)
    with pytest.raises(ValueError, match=r"^answer_message gives text: got 5 \(int\)"):
        episode.answer_message()
    with pytest.raises(ValueError, match=r"^demonstrate gives text: got 5 \(int\)"):
        episode.demonstrate(np.random.default_rng(0))
    assert episode.seat == POLICY_SEAT, "the policy plays on"


def test_check_env_says_that_an_answer_is_no_text_and_little_else():
    with pytest.raises(CheckError, match=r"fails 1 checks:\n- .*answer_message gives text: got 5 \(int\)"):
        check_env(Says(answer_message=5))

    class Later(Says):
        def answer_message(self, task):
            return 2 if task.id == "t2" else task.target

    with pytest.raises(CheckError, match=r"answer_message gives text: got 2 \(int\)"):
        check_env(Later())


def test_check_env_says_that_a_prompt_is_no_prompt():
    class Texts(Says):
        def task_at(self, index):
            return Task(id=f"t{index}", prompt="Say it")

    with pytest.raises(CheckError, match=r"task t0: a prompt is a tuple of Messages, .*: got 'Say it'"):
        check_env(Texts())


class Odd(Duel):
    """Its methods give what they are told to give, whoever's turn it is."""

    def __init__(self, **gives):
        super().__init__()
        for method, given in gives.items():
            setattr(self, method, lambda *_, given=given: given() if callable(given) else given)


@pytest.mark.parametrize(
    ("gives", "ending", "says"),
    [
        ({"respond": None}, "env_error", "Odd.respond() gives a Move: got None"),
        ({"respond": lambda: Move(messages={"first": "x"})}, "env_error", "Move's messages for 'first' is a tuple"),
        ({"opening": "Say"}, "env_error", "Odd.opening('first') gives is a tuple of Messages"),
        ({"opening": ()}, "env_error", "it is the turn of 'first', which has nothing to reply to"),
        ({"judge": 1.0}, "grader_error", "gave 1.0 (float); expected a Verdict"),
    ],
)
def test_what_is_misshapen_among_seats_ends_it_for_those_who_are_there(gives, ending, says):
    episode = start(SeatView(Odd(**gives)), Duel().task_at(0))
    if episode.seat is not None:
        episode.act("shoot")
    assert episode.seat is None
    assert episode.outcome("first").ending == ending
    assert says in episode.outcome("first").error


def test_an_answer_and_a_demonstration_of_a_seat_are_text():
    episode = start(SeatView(Odd(answer_message=5, demonstrate=6)), Duel().task_at(0))
    with pytest.raises(ValueError, match=r"^answer_message gives text: got 5 \(int\)"):
        episode.answer_message()
    with pytest.raises(ValueError, match=r"^demonstrate gives text: got 6 \(int\)"):
        episode.demonstrate(np.random.default_rng(0))
