"""Tests of functions: what comes back from a program is compared elsewhere; what it says of itself is not believed."""

import asyncio
import threading

import pytest

from rlenvs_sandbox import Assertions, Limits, Outcome, Program, WarmRunner

GUARD = "import sys\ndef f(x): return 2 * x\nif __name__ == '__main__':\n    print(f(int(input())))\n    sys.exit(1)"
PICKLED = "import pickle\nclass A:\n    x = 1\ndef f(): return pickle.loads(pickle.dumps(A())).x"
CLASS = "class P:\n def __init__(s, x): s.x = x\n def __eq__(s, o): return s.x == o.x\n def up(s): s.x += 1; return s\n"

COUNTED = "from collections import Counter\ndef f(x): return Counter('aab')"
NAMED = "from collections import namedtuple\nN = namedtuple('N', 'x y')\ndef f(): return N(1, 2)"
RAISING = "def f(x):\n if x < 0: raise ValueError('negative')\n return x"

RIGHT = {
    "def f(x): return 2 * x": "assert f(2) == 4\nassert f(-1) == -2",
    "def f(a): a.append(3); return (i for i in a)": "a = [1]\nassert list(f(a)) == [1, 3]\nassert a == [1, 3]",
    "def f(g, x): return g(g(x))": "assert f(lambda y: y + 1, 3) == 5",
    "def sum(a, b): return 6": "assert sum(10, 15) == 6",
    "def f(x): return {1: (2, {3}), 'a': None, b'b': 1.5j}": "assert f(0) == {1: (2, {3}), 'a': None, b'b': 1.5j}",
    COUNTED: "assert f(0) == {'a': 2, 'b': 1}\nassert f(0).most_common(1) == [('a', 2)]",
    NAMED: "assert f() == (1, 2)\nassert f().y == 2",
    RAISING: "try:\n    f(-1)\n    assert f(0) == 1\nexcept ValueError as e:\n    assert str(e) == 'negative'",
    CLASS: "p = P(3)\nassert p.up().x == 4\nassert P(3) == P(3)\nassert P(3) != P(4)",
    "import re\ndef f(x): return re.match('a', x)": "assert f('abc')\nassert not f('b')",
    "def f(n): return 10 ** n": "assert f(5000) == 10 ** 5000",
    "def f(): return float('nan'), float('inf')": "assert str(f()) == '(nan, inf)'",
    "def make(n): return lambda x: x + n": "assert make(2)(3) == 5",
    "n = []\ndef f(x): n.append(x); return len(n)": "assert f(1) == 1\nassert f(1) == 2\nassert n == [1, 1]",
    GUARD: "assert f(2) == 4",
    PICKLED: "assert f() == 1",
    "def f(x): return x == 4": "assert f(4) is True\nassert f(3) is False",
}


@pytest.mark.parametrize("text", RIGHT)
def test_a_right_program_passes_every_test(sandbox: WarmRunner, text: str) -> None:
    outcome = sandbox.judge(Program(text=text), Assertions(text=RIGHT[text]))
    assert (outcome.status, outcome.passed) == ("pass", outcome.total), outcome


FORGED = {
    "a string that equals everything": (
        "class S(str):\n def __eq__(s, o): return True\n __hash__ = str.__hash__\ndef f(x): return S('no')",
        "assert f(1) == 'yes'",
    ),
    "an object that equals everything": (
        "class A:\n def __eq__(s, o): return True\ndef f(x): return A()",
        "assert f(1) == 4",
    ),
    "an object that is less than everything": (
        "class A:\n def __lt__(s, o): return True\n def __sub__(s, o): return s\n def __abs__(s): return s\n"
        "def f(x): return A()",
        "assert abs(f(1) - 4) < 1e-6",
    ),
    "an object that contains everything": (
        "class A:\n def __contains__(s, o): return True\n def __iter__(s): return iter(())\ndef f(x): return A()",
        "assert 4 in f(1)",
    ),
    "an object that starts with everything": (
        "class A:\n def startswith(s, o): return True\ndef f(x): return A()",
        "assert f(1).startswith('yes')",
    ),
    "a builtin of its own": ("def abs(x): return 0\ndef f(x): return 9", "assert abs(f(1) - 4) < 1e-6"),
    "a module of its own": (
        "class math:\n @staticmethod\n def isclose(*a, **k): return True\ndef f(x): return 9",
        "assert math.isclose(f(1), 4)",
    ),
    "an exception that ends loops": ("def f(x): raise StopIteration", "assert all(y == 4 for y in map(f, [1, 2]))"),
    "an exception that ends programs": ("def f(x): raise SystemExit(0)", "assert f(1) == 4"),
    "a reply that is none": (
        "import os\nos.write(220, b'\\x00\\x00\\x00\\x02{}' * 50)\ndef f(x): return 9",
        "assert f(1) == 4",
    ),
    "no test at all": ("def f(x): return 9", "x = 3"),
    "a test of nothing": ("def f(x): return 9", "assert True"),
}


@pytest.mark.parametrize("what", FORGED)
def test_nothing_that_a_program_does_makes_a_wrong_answer_right(sandbox: WarmRunner, what: str) -> None:
    text, tests = FORGED[what]
    outcome = sandbox.judge(Program(text=text), Assertions(text=tests))
    assert outcome.status in ("fail", "runtime_error"), outcome


def test_a_check_of_an_entry_point_counts_its_assertions_and_keeps_its_helpers(sandbox: WarmRunner) -> None:
    tests = (
        "def double(x):\n    return 2 * x\n"
        "def check(candidate):\n    assert candidate(1) == double(1)\n    assert candidate(2) == 5\n    assert True"
    )
    found = sandbox.judge(
        Program(text="def f(x): return 2 * x"), Assertions(text=tests, entry_point="f", check="check")
    )
    assert (found.status, found.passed, found.total) == ("fail", 1, 2)
    assert found.failures == ("test 2: AssertionError: assert candidate(2) == 5, and it gave 4",)


def test_a_definition_of_the_entry_point_in_the_tests_is_not_what_is_tested(sandbox: WarmRunner) -> None:
    tests = Assertions(text="def f(x): return 4\nassert f(2) == 4", entry_point="f")
    assert sandbox.judge(Program(text="def f(x): return 0"), tests).status == "fail"


def test_results_before_a_hang_are_kept(sandbox: WarmRunner) -> None:
    text = "def f(x):\n while x == 2: pass\n return x"
    found = sandbox.judge(Program(text=text), Assertions(text="assert f(1) == 1\nassert f(2) == 2"), Limits(wall_s=1))
    assert (found.status, found.passed, found.total) == ("timeout", 1, 2)


def test_tests_that_break_by_themselves_are_no_fault_of_the_program(sandbox: WarmRunner) -> None:
    broken = [Assertions(text="import nothing_of_that_name\nassert f(1) == 1"), Assertions(text="assert (")]
    assert [sandbox.judge(Program(text="def f(x): return x"), each).status for each in broken] == ["sandbox_error"] * 2


def test_what_a_program_says_is_kept_and_what_it_raises_is_told(sandbox: WarmRunner) -> None:
    found = sandbox.judge(Program(text="print('hello')\ndef f(x): return 1 / x"), Assertions(text="assert f(0) == 1"))
    assert (found.status, found.stdout) == ("runtime_error", b"hello\n")
    assert found.detail == "test 1: ZeroDivisionError: division by zero"


def test_threads_and_event_loops_share_a_sandbox(sandbox: WarmRunner) -> None:
    found: list[Outcome] = []

    def run(number: int) -> None:
        found.append(sandbox.run(Program(text=f"print({number} ** 2)")))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(each.stdout) for each in found) == [number**2 for number in range(8)]

    async def several() -> list[Outcome]:
        return list(await asyncio.gather(*(sandbox.arun(Program(text=f"print({n})")) for n in range(5))))

    assert [each.stdout for each in asyncio.run(several())] == [f"{n}\n".encode() for n in range(5)]


def test_judging_and_checking_do_not_hold_up_an_event_loop(sandbox: WarmRunner) -> None:
    async def both() -> tuple[list[str], int]:
        turns = 0

        async def counting() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0.01)
                turns += 1

        counter = asyncio.create_task(counting())
        slow = Program(text="import time\ntime.sleep(0.3)\nprint(6)\ndef f(): return 6")
        checker = Program(text="import sys\nsys.exit(42 if open('output').read() == open('expected').read() else 43)")
        outcomes = await asyncio.gather(
            sandbox.ajudge(slow, Assertions(text="assert f() == 6")),
            sandbox.acheck(slow, checker, b"6\n"),
            sandbox.acheck(slow, checker, b"7\n"),
        )
        counter.cancel()
        return [each.status for each in outcomes], turns

    statuses, turns = asyncio.run(both())
    assert statuses == ["pass", "pass", "fail"]
    assert turns > 10


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("assert f(1) == 2", "assert f(1) == 2, and it gave 1"),
        ("assert 3 == f(1)", "assert 3 == f(1), and it gave 1"),
        ("assert f(1) != 1", "assert f(1) != 1"),
        ("assert f(0)", "assert f(0)"),
        ("assert f(0), 'own words'", "own words"),
        ("for n in range(3): assert f(n) == n * n", "assert f(n) == n * n, and it gave 2"),
        ("assert f('a' * 500) == 'b'", f"assert f('a' * 500) == 'b', and it gave '{'a' * 198}…"),
    ],
)
def test_a_failed_assertion_says_what_it_asserted_and_what_was_given(sandbox: WarmRunner, test: str, told: str) -> None:
    found = sandbox.judge(Program(text="def f(x):\n    return x\n"), Assertions(text=test))
    assert found.failures == (f"test 1: AssertionError: {told}",)


def test_an_object_that_does_not_show_itself_breaks_no_test(sandbox: WarmRunner) -> None:
    program = "class Shy:\n    def __repr__(self): raise ValueError\ndef f(x):\n    return Shy()\n"
    found = sandbox.judge(Program(text=program), Assertions(text="assert f(1) == 2"))
    assert (found.status, found.failures) == ("fail", ("test 1: AssertionError: assert f(1) == 2",))


@pytest.mark.parametrize(
    ("tests", "total"),
    [
        ("def t():\n    assert f(1) == 1\nt()", 1),
        ("def a():\n    assert f(1) == 1\ndef b():\n    a()\nb()\nassert f(2) == 2", 2),
        ("try:\n    f('x')\n    assert False\nexcept ValueError:\n    pass", 1),
        ("try:\n    f('x')\nexcept ValueError:\n    pass\nelse:\n    assert False", 1),
        ("a = []\nfor _ in range(9): a = [a]\nassert f(1) == 1", 1),
        ("for n in range(9): f(n)", 1),
        ("assert True\nassert f(1) == 1", 1),
    ],
)
def test_what_counts_as_a_test_has_to_do_with_the_program(sandbox: WarmRunner, tests: str, total: int) -> None:
    program = "def f(x):\n    if isinstance(x, str):\n        raise ValueError(x)\n    return x\n"
    found = sandbox.judge(Program(text=program), Assertions(text=tests, entry_point="f"))
    assert (found.status, found.passed, found.total) == ("pass", total, total), found


def test_nested_helpers_of_a_check_are_tests_where_they_are_called(sandbox: WarmRunner) -> None:
    text = (
        "def check(c):\n    def same(a, b):\n        assert c(a) == b\n    same(1, 1)\n    same(2, 2)\n    same(3, 4)\n"
    )
    found = sandbox.judge(Program(text="def f(x): return x"), Assertions(text=text, entry_point="f", check="check"))
    assert (found.status, found.passed, found.total) == ("fail", 2, 3)


BROKEN = [
    "import time\ntime.sleep(30)\nassert f(1) == 1",
    "import os\nos._exit(3)\nassert f(1) == 1",
    "import nothing_of_the_kind\nassert f(1) == 1",
    "assert f(1) == 1\nimport nothing_of_the_kind",
    "raise ValueError('tests')\nassert f(1) == 1",
    "assert (",
]


@pytest.mark.parametrize("tests", BROKEN)
def test_tests_that_are_broken_say_nothing_of_the_program(sandbox: WarmRunner, tests: str) -> None:
    program = Program(text="def f(x): return x")
    found = sandbox.judge(program, Assertions(text=tests, entry_point="f"), Limits(wall_s=2.0))
    assert found.status == "sandbox_error", found
    assert "tests" in found.detail


@pytest.mark.parametrize("tests", ["", "x = 1", "assert True"])
def test_no_tests_at_all_are_no_pass(sandbox: WarmRunner, tests: str) -> None:
    found = sandbox.judge(Program(text="def f(x): return x"), Assertions(text=tests, entry_point="f"))
    assert (found.status, found.total, found.detail) == ("fail", 0, "there are no tests of it")


def test_a_program_that_never_comes_to_its_end_is_late_itself(sandbox: WarmRunner) -> None:
    found = sandbox.judge(Program(text="while True: pass"), Assertions(text="assert f(1) == 1"), Limits(wall_s=1.0))
    assert found.status == "timeout"


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("f = len", "assert f([1, 2]) == 2"),
        ("f = sorted", "assert f([2, 1]) == [1, 2]"),
        ("f = int", "assert f('3') == 3"),
        ("f = str.upper", "assert f('a') == 'A'"),
        ("def f(xs, by): return by(xs)", "assert f([1, 2], max) == 2"),
        ("def f(x): return type(x)", "assert f(1) == int"),
    ],
)
def test_built_in_functions_and_types_are_called_where_the_program_is(
    sandbox: WarmRunner, program: str, tests: str
) -> None:
    assert sandbox.judge(Program(text=program), Assertions(text=tests, entry_point="f")).status == "pass"


@pytest.mark.parametrize("name", ["exec", "globals", "__import__", "open", "eval"])
def test_no_function_of_the_judge_is_run_by_its_name(sandbox: WarmRunner, name: str) -> None:
    found = sandbox.judge(Program(text=f"f = {name}"), Assertions(text="assert f() == 1", entry_point="f"))
    assert found.status in ("fail", "runtime_error")
    assert "_passed_" not in str(found.failures)
