"""A problem is a task and back, whatever its tests are."""

import json

import pytest

from rlenvs.code.data import load_code_problems
from rlenvs.code.records import Case, CodeProblem, FunctionTests, OutputTests, problem_of
from rlenvs.records import Task, user
from rlenvs_sandbox import Comparison, Limits

FUNCTIONS = FunctionTests(text="assert double(2) == 4", entry_point="double")
OUTPUT = OutputTests(cases=(Case(stdin="2\n", stdout="4\n"),), comparison=Comparison(by="tokens", absolute_tol=1e-6))


@pytest.mark.parametrize("tests", [FUNCTIONS, OUTPUT])
@pytest.mark.parametrize("examples", [None, FUNCTIONS, OUTPUT])
def test_all_of_a_problem_is_in_its_task(tests, examples):
    problem = CodeProblem(
        id="own/1",
        prompt="Double it.",
        tests=tests,
        entry_point="double",
        preamble="import math",
        stub="def double(x):\n",
        solution="def double(x):\n    return 2 * x\n",
        examples=examples,
        limits=Limits(wall_s=3, mem_mb=64),
        metadata={"level": 2},
    )
    task = problem.as_task((user("Double it, please."),))
    assert problem_of(task) == problem
    written = json.loads(json.dumps([task.target, dict(task.metadata)]))
    assert problem_of(Task(id=task.id, prompt=task.prompt, target=written[0], metadata=written[1])) == problem


@pytest.mark.parametrize("name", ["humaneval_plus", "mbpp_plus", "kattis", "apps"])
def test_every_problem_of_the_data_sets_is_its_task(data_folder, name):
    for problem in load_code_problems(name, data=data_folder):
        assert problem_of(problem.as_task((user("?"),))) == problem


def test_nothing_that_the_policy_reads_tells_the_tests_or_the_solution():
    problem = CodeProblem(id="own/1", prompt="Double it.", tests=FUNCTIONS, solution="def double(x): return 2 * x")
    task = problem.as_task((user("Double it."),))
    seen = json.dumps([[message.content for message in task.prompt], dict(task.metadata)])
    assert "assert" not in seen
    assert "return" not in seen


@pytest.mark.parametrize("target", [None, 4, {"answer": "4"}, {"tests": {"nothing": 1}}])
def test_a_task_of_another_kind_is_refused(target):
    with pytest.raises(ValueError, match="task other/1: not a task of a programming problem"):
        problem_of(Task(id="other/1", prompt=(user("?"),), target=target))


def test_tests_without_cases_are_refused_and_functions_in_other_languages():
    with pytest.raises(ValueError, match="at least one case"):
        OutputTests(cases=())
    with pytest.raises(ValueError, match="functions are tested in Python"):
        CodeProblem(id="own/1", prompt="?", tests=FUNCTIONS, language="cpp")


FUTURE = "from __future__ import annotations"


@pytest.mark.parametrize(
    "program",
    [
        "print(math.pi)",
        f"# first\n{FUTURE}\nprint(math.pi)",
        f'"""What it does."""\n\n{FUTURE}\nprint(math.pi)',
        "from __future__ import (\n    annotations,\n    division,\n)\nprint(math.pi)",
        f"{FUTURE}  # why\nfrom __future__ import \\\n    division\nprint(math.pi)",
        f"{FUTURE}; x = 1\nprint(math.pi)",
        f'TEXT = """\n{FUTURE}\n"""\nprint(math.pi)\nassert TEXT == "\\n{FUTURE}\\n"',
    ],
)
def test_a_preamble_stands_behind_imports_from_the_future_and_nowhere_else(program, capsys):
    problem = CodeProblem(id="own/1", prompt="?", tests=OUTPUT, preamble="import math")
    exec(compile(problem.whole(program), "main.py", "exec"), {})
    assert capsys.readouterr().out == "3.141592653589793\n"


def test_a_preamble_stands_in_front_of_what_does_not_parse_and_none_changes_nothing():
    problem = CodeProblem(id="own/1", prompt="?", tests=OUTPUT, preamble="import math")
    assert problem.whole("pass") == "import math\npass"
    assert problem.whole(f"{FUTURE}\n(((") == f"import math\n{FUTURE}\n((("
    assert CodeProblem(id="own/1", prompt="?", tests=OUTPUT).whole(FUTURE) == FUTURE
