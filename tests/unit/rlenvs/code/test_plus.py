"""EvalPlus' comparisons: in which order, how closely, and which other answers are right too."""

import pytest

from rlenvs.code.data import problem_by_id
from rlenvs.code.judging import judged
from rlenvs.code.plus import mbpp_inputs, plus_tests
from rlenvs_sandbox import Limits, Runner

LIMITS = Limits(wall_s=5.0)


@pytest.mark.parametrize(
    ("name", "reference", "program", "inputs", "tolerance", "passed"),
    [
        ("f", "return [1.0, 2.0]", "return [1.0000001, 2.0]", [[0]], 0, 1),
        ("f", "return [1.0, 2.0]", "return [1.001, 2.0]", [[0]], 0, 0),
        ("f", "return [1.0, 2.0]", "return [1.001, 2.0]", [[0]], 0.01, 1),
        ("f", "return 1.0", "return 1", [[0]], 0, 1),
        ("f", "return x / 3", "return x / 3.0", [[1], [2]], 0, 2),
        ("f", "return 7", "return 8", [[0]], 0, 0),
        ("f", "return float('nan')", "return float('nan')", [[0]], 0, 1),
        ("f", "return (1, 2)", "return [1, 2]", [[0]], 0, 0),
        ("f", "return x / 2", "return [x / 2]", [[1]], 0, 0),
        ("f", "return [x / 2, x / 3]", "return ((x / 2,), [x / 3])", [[1]], 0, 0),
        ("f", "return [x / 2, x / 3]", "return [x / 2]", [[1]], 0, 0),
        ("f", "return [x / 2, x / 3]", "return (x / 2, x / 3)", [[1]], 0, 0),
        ("f", "return []", "return ((), [[]])", [[1]], 0, 0),
        ("f", "return []", "return ()", [[1]], 0, 0),
        ("f", "return [[0.1, 2], (0.3,)]", "return [[0.1 + 1e-9, 2], (0.3 - 1e-9,)]", [[1]], 1e-6, 1),
        ("f", "return float('inf')", "return 1.0", [[1]], 0, 0),
        ("f", "return float('inf')", "return float('-inf')", [[1]], 0.1, 0),
        ("f", "return float('inf')", "return float('inf')", [[1]], 0, 1),
        ("f", "return 1.0", "return float('inf')", [[1]], 0.1, 0),
        ("f", "return 1.0", "return float('nan')", [[1]], 0.1, 0),
        ("f", "return True", "return 0.9999999", [[1]], 0.1, 0),
        ("f", "return 10.0 ** 200", "return 10.0 ** 200 * (1 + 1e-9)", [[1]], 0, 1),
        ("f", "return x[::-1]", "x.reverse()\n    return x", [[[1, 2]], [[]]], 0, 2),
        ("f", "return 10 ** 5000", "return 10 ** 5000", [[0]], 0, 1),
        ("Diff", "return [1, 2]", "return [2, 1, 1]", [[0]], 0, 1),
        ("f", "return [1, 2]", "return [2, 1]", [[0]], 0, 0),
        ("check_str", "import re\n    return re.match('a', x)", "return x == 'a'", [["a"], ["b"]], 0, 2),
        ("check_str", "import re\n    return re.match('a', x)", "return x or None", [["a"], ["b"]], 0, 1),
        ("find_zero", "return -x[0] / x[1]", "return 2.00001", [[[-2.0, 1.0]], [[-6.0, 3.0]]], 1e-4, 2),
        ("find_zero", "return -x[0] / x[1]", "return 2.1", [[[-2.0, 1.0]]], 1e-4, 0),
        ("sum_div", "return x - 1", "return 0", [[5], [6]], 0, 2),
        ("sum_div", "return x - 1", "return 1", [[5], [6]], 0, 0),
    ],
)
def test_programs_are_compared_as_evalplus_does(sandbox, name, reference, program, inputs, tolerance, passed):
    tests = plus_tests(name, f"def {name}(x):\n    {reference}\n", inputs, tolerance)
    outcome = judged(f"def {name}(x):\n    {program}\n", tests, sandbox, LIMITS)
    assert (outcome.passed, outcome.total) == (passed, len(inputs)), outcome
    assert outcome.is_pass == (passed == len(inputs))


def test_a_failure_says_what_was_called_and_what_was_expected(sandbox):
    tests = plus_tests("f", "def f(x):\n    return x + 1\n", [[1], [2]], 0)
    outcome = judged("def f(x):\n    return 2\n", tests, sandbox, LIMITS)
    assert outcome.failures == ("test 2: AssertionError: f(2,) gave 2, not 3",)


def test_a_right_program_that_breaks_is_broken_tests_and_no_wrong_program(sandbox):
    tests = plus_tests("f", "def f(x):\n    return x.nothing\n", [[1]], 0)
    assert judged("def f(x):\n    return 1\n", tests, sandbox, LIMITS).status == "sandbox_error"


@pytest.mark.parametrize(
    ("number", "given", "expected"),
    [
        (2, [[1, 2], [2]], [(1, 2), (2,)]),
        (63, [[[1, 2], [3]]], [[(1, 2), (3,)]]),
        (75, [[[1, 2]], 6], [[(1, 2)], 6]),
        (106, [[1], [2, 3]], [[1], (2, 3)]),
        (124, ["2", "1j"], [2.0, 1j]),
        (250, [[1, 2], 1], [(1, 2), 1]),
        (259, [[[1, 2]], [[3]]], [((1, 2),), ((3,),)]),
        (278, [[1, [2, 3]]], [(1, (2, 3))]),
        (722, [{"a": [1, 2]}, 3, 4], [{"a": (1, 2)}, 3, 4]),
        (252, ["(1+2j)"], [1 + 2j]),
        (580, [[1, [2, [3]]]], [(1, (2, (3,)))]),
        (115, [[[1], []]], [[{1}, {}]]),
        (3, [[1]], [[1]]),
    ],
)
def test_inputs_have_the_types_that_json_has_not(number, given, expected):
    assert mbpp_inputs(number, [given]) == [expected]


def test_inputs_whose_results_no_message_holds_are_left_out():
    inputs = [["ABCDE", 77], ["ABCD", 76], ["ABCDE", 13], ["A", 100], [["A"] * 10, 6]]
    assert mbpp_inputs(255, inputs) == [["ABCDE", 13], ["A", 100], [["A"] * 10, 6]]
    assert mbpp_inputs(256, inputs) == inputs


SHIFTING = """
class Root:
    def __init__(self, xs): self.xs, self.i = xs, -1
    def __float__(self):
        xs = self.xs
        self.i = (self.i + 1) % len(xs)
        k = next((j for j in range(1, len(xs), 2) if xs[j]), None)
        if self.i != k: return 0.0
        t = -xs[0] / xs[k]
        return abs(t) ** (1 / k) * (1 if t > 0 else -1)
def find_zero(xs): return Root(xs)
"""


@pytest.mark.parametrize("name", ["humaneval", "humaneval_plus"])
def test_an_object_is_one_number_in_all_terms_of_a_polynomial(sandbox: Runner, data_folder: str, name: str) -> None:
    problem = problem_by_id(f"{name}/HumanEval/32", data=data_folder)
    outcome = judged(problem.whole(SHIFTING), problem.tests, sandbox, problem.limits)
    assert outcome.status in ("fail", "runtime_error"), outcome
    assert judged(problem.whole(problem.solution), problem.tests, sandbox, problem.limits).is_pass
