"""Programming problems as an environment: rewards, attempts and what is told between them, and lost sandboxes."""

import copy
import pickle

import pytest

import rlenvs
from rlenvs.code.judging import judged
from rlenvs.code.records import Case, CodeProblem, FunctionTests, OutputTests
from rlenvs.code.sandboxes import Sandbox
from rlenvs.env import TextEnv
from rlenvs.envs.code.base import ProgramEnv
from rlenvs.errors import MakingError, NoAnswerError
from rlenvs.tasks import TaskList
from rlenvs_sandbox import Outcome, SandboxError

TESTS = FunctionTests(text="\n".join(f"assert square({n}) == {n * n}" for n in range(5)), entry_point="square")
PROBLEMS = (
    CodeProblem(
        id="own/square",
        prompt="Square a number.",
        tests=TESTS,
        entry_point="square",
        solution="def square(n):\n    return n * n\n",
        examples=FunctionTests(text="assert square(2) == 4", entry_point="square"),
    ),
    CodeProblem(
        id="own/echo",
        prompt="Print what you read.",
        tests=OutputTests(cases=(Case(stdin="a\n", stdout="a\n"), Case(stdin="b c\n", stdout="b c\n"))),
        solution="print(input())",
    ),
)
RIGHT, DOUBLE = "def square(n):\n    return n * n", "def square(n):\n    return n + n"


class OwnEnv(ProgramEnv):
    """Two problems."""

    def __init__(self, **options):
        defaults = {"template": "fenced", "rewards": "all_pass", "format_weight": 0.0, "max_attempts": 1}
        more = {"feedback": "examples", "sandbox": Sandbox(), "render_mode": None}
        super().__init__(**defaults | more | options)
        self.tasks = TaskList(problem.as_task(self.template.ask(problem)) for problem in PROBLEMS)
        self.num_tasks = len(self.tasks)

    def task_at(self, index):
        return self.tasks[index]


def fenced(program):
    return f"Here it is.\n```python\n{program}\n```"


def played(env: TextEnv, *replies, index=0):
    env.reset(options={"index": index})
    for reply in replies:
        last = env.step(reply)
    return last


@pytest.mark.parametrize(
    ("options", "reply", "reward", "correct"),
    [
        ({}, fenced(RIGHT), 1.0, 1.0),
        ({}, fenced(DOUBLE), 0.0, 0.0),
        ({}, "I do not know.", 0.0, 0.0),
        ({"rewards": "fraction"}, fenced(RIGHT), 1.0, 1.0),
        ({"rewards": "fraction"}, fenced(DOUBLE), 0.4, 0.0),
        ({"rewards": "fraction"}, "I do not know.", 0.0, 0.0),
        ({"format_weight": 0.5}, fenced(DOUBLE), 0.5, 0.0),
        ({"format_weight": 0.5}, RIGHT, 1.0, 1.0),
        ({"format_weight": 0.5}, fenced(RIGHT), 1.5, 1.0),
        ({"template": "r1_zero", "format_weight": 1}, f"<think>n</think><answer>{fenced(RIGHT)}</answer>", 2.0, 1.0),
        ({"template": "plain", "format_weight": 1}, RIGHT, 2.0, 1.0),
    ],
)
def test_a_program_earns_what_its_tests_and_its_form_are_worth(options, reply, reward, correct):
    _, given, terminated, _, info = played(OwnEnv(**options), reply)
    assert terminated
    assert given == pytest.approx(reward)
    assert info["verdict"].correct == correct


def test_whole_programs_are_judged_by_what_they_print():
    assert played(OwnEnv(), fenced("print(input())"), index=1)[1] == 1.0
    assert played(OwnEnv(rewards="fraction"), fenced("print(input()[0])"), index=1)[1] == 0.5


def test_between_attempts_failing_examples_are_told_and_hidden_tests_are_not():
    env = OwnEnv(max_attempts=4)
    env.reset(options={"index": 0})
    told, reward, terminated, truncated, _ = env.step(fenced("def square(n):\n    print('hm')\n    return 5"))
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert told.startswith("That program gives wrong results.\n\n")
    assert "assert square(2) == 4, and it gave 5" in told
    assert "hm" in told
    told, *_ = env.step(fenced(DOUBLE))  # right for the example alone
    assert told == "That program gives wrong results. 2 of 5 tests pass. Mend it and give the whole program again."
    told, *_ = env.step("I give up.")
    assert told.startswith("There is no program in that reply.")
    _, reward, terminated, truncated, info = env.step(fenced(RIGHT))
    assert (reward, terminated, truncated, info["ending"]) == (1.0, True, False, "completed")


@pytest.mark.parametrize(("feedback", "tells_tests"), [("tests", True), ("status", False), ("examples", False)])
def test_what_is_told_of_hidden_tests_is_what_was_asked_for(feedback, tells_tests):
    env = OwnEnv(max_attempts=2, feedback=feedback)
    env.reset(options={"index": 0})
    told, *_ = env.step(fenced(DOUBLE))
    assert ("test 2" in told) is tells_tests
    assert ("2 of 5 tests pass" in told) is (feedback != "status")


def test_an_episode_ends_with_the_first_program_that_passes_and_with_the_last_attempt():
    env = OwnEnv(max_attempts=3)
    assert played(env, fenced(RIGHT))[2]
    env.reset(options={"index": 0})
    for _ in range(2):
        assert not env.step(fenced(DOUBLE))[2]
    _, reward, terminated, truncated, _ = env.step(fenced(DOUBLE))
    assert (reward, terminated or truncated) == (0.0, True)


def test_the_last_program_counts_and_no_earlier_one():
    env = OwnEnv(max_attempts=2)
    assert played(env, fenced(DOUBLE), "I give up.")[1] == 0.0


def test_a_lost_sandbox_ends_the_episode_as_an_error_and_never_as_a_wrong_program(monkeypatch):
    lost = Outcome(status="sandbox_error", detail="gone")
    monkeypatch.setattr("rlenvs.envs.code.testing.judged", lambda *given, **more: lost)
    env = OwnEnv()
    env.reset(options={"index": 0})
    with pytest.raises(SandboxError, match="own/square: gone"):
        env.step(fenced(RIGHT))
    assert (env.ending, env.verdict) == ("sandbox_error", None)


def test_rewards_and_feedback_take_one_run_of_the_tests(monkeypatch):
    runs = []

    def counted(program, tests, *given, **more):
        runs.append(tests)
        return judged(program, tests, *given, **more)

    monkeypatch.setattr("rlenvs.envs.code.testing.judged", counted)
    played(OwnEnv(rewards="fraction", format_weight=1.0), fenced(DOUBLE))
    assert runs == [TESTS]


def test_it_keeps_the_contract_and_may_be_copied_and_pickled():
    env = OwnEnv(max_attempts=2)
    env.reset(options={"index": 0})
    env.step(fenced(DOUBLE))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.step(fenced(RIGHT))[1] == 1.0
    assert env.num_turns == 1


def test_code_v0_keeps_the_contract(data_folder):
    rlenvs.check_env(rlenvs.make("rlenvs/Code-v0", dataset="mbpp", limit=12, data=data_folder))


@pytest.mark.parametrize("template", ["fenced", "evalplus", "r1_zero", "plain"])
@pytest.mark.parametrize("dataset", ["humaneval", "mbpp", "apps"])
def test_every_template_gives_back_the_solution_it_renders(data_folder, dataset, template):
    env = rlenvs.make("rlenvs/Code-v0", dataset=dataset, limit=5, data=data_folder, template=template)
    for index in range(5):
        env.reset(options={"index": index})
        *_, info = env.step(env.answer_message(env.task))
        assert info["verdict"].correct == 1.0, env.task.id


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sandbox": "process"}, "is no boundary"),
        ({"sandbox": "proces"}, "Did you mean 'process'"),
        ({"template": "fence"}, "Did you mean 'fenced'"),
        ({"max_attempts": 0}, "max_attempts is at least 1"),
        ({"format_weight": -1}, "format_weight"),
        ({"dataset": "human_eval"}, "Did you mean 'humaneval'"),
        ({"level": "high"}, "level"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(data_folder, options, sentence):
    with pytest.raises((MakingError, rlenvs.RlenvsError), match=sentence):
        rlenvs.make("rlenvs/Code-v0", **{"dataset": "mbpp", "data": data_folder} | options)


def test_a_sandbox_without_boundary_is_had_by_asking_for_it(data_folder):
    env = rlenvs.make("rlenvs/Code-v0", dataset="mbpp", limit=1, data=data_folder, sandbox="process", level="limits")
    assert played(env, env.answer_message(env.task_at(0)))[1] == 1.0


def test_a_problem_whose_solution_nobody_published_has_no_answer(data_folder: str) -> None:
    env = rlenvs.make("rlenvs/Code-v0", dataset="kattis", data=data_folder).unwrapped
    with pytest.raises(NoAnswerError, match=r"CodeEnv has no answer to task kattis/\S+: none was published"):
        env.answer_message(env.task_at(0))
