"""How each data set of programming problems writes a row down: a reader takes one as published."""

import ast
import builtins
import doctest
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rlenvs.code.plus import mbpp_inputs, plus_tests
from rlenvs.code.records import Case, CodeProblem, FunctionTests, OutputTests
from rlenvs_sandbox import Comparison, Limits

Row = Mapping[str, Any]
Reader = Callable[[str, Row], CodeProblem]
"""(id, row) -> problem. KeyError: a missing field. ValueError: what is there is not of the data set's kind."""

FUNCTION_LIMITS = Limits(wall_s=24.0, cpu_s=8.0, mem_mb=1024)  # one solution of MBPP (123) takes three seconds
PLUS_LIMITS = Limits(wall_s=90.0, cpu_s=30.0, mem_mb=2048)  # for a thousand inputs
DEAR_LIMITS = replace(PLUS_LIMITS, wall_s=300.0, cpu_s=120.0)
"""Of Mbpp/599, whose inputs sum a hundred million numbers each: four times what the published solution needs."""
CONTEST_LIMITS = Limits(wall_s=20.0, cpu_s=10.0, mem_mb=1024)  # of one case


def humaneval(id: str, row: Row) -> CodeProblem:
    """A function's head and docstring to be continued, and a function `check` that tests it."""
    return CodeProblem(
        id=id,
        prompt=row["prompt"],
        tests=FunctionTests(text=_with_helpers(row, row["test"]), entry_point=row["entry_point"], check="check"),
        entry_point=row["entry_point"],
        stub=row["prompt"],
        solution=row["prompt"] + row["canonical_solution"],
        examples=_docstring_examples(row["prompt"], row["entry_point"]),
        limits=FUNCTION_LIMITS,
    )


def humaneval_plus(id: str, row: Row) -> CodeProblem:
    """HumanEval with many more inputs, and the published solution's outputs for them."""
    solution = row["prompt"] + row["canonical_solution"]
    inputs = [*row["base_input"], *row["plus_input"]]
    return CodeProblem(
        id=id,
        prompt=row["prompt"],
        tests=plus_tests(row["entry_point"], solution, inputs, row["atol"]),
        entry_point=row["entry_point"],
        stub=row["prompt"],
        solution=solution,
        examples=_docstring_examples(row["prompt"], row["entry_point"]),
        limits=PLUS_LIMITS,
    )


def mbpp(id: str, row: Row) -> CodeProblem:
    """A sentence and assertions, which the policy is shown, as was published; they are all the tests there are."""
    text = row["text"] if "text" in row else row["prompt"]  # `prompt` in the sanitized part
    setup = [*row.get("test_imports", ()), row.get("test_setup_code") or ""]
    assertions = list(row["test_list"])
    solution = row["code"].replace("\r\n", "\n")
    tests = FunctionTests(
        text="\n".join([*setup, *assertions]).replace("\r\n", "\n"), entry_point=_tested(assertions, solution)
    )
    return CodeProblem(
        id=id,
        prompt=f"{text.strip()}\nThe program has to pass these tests:\n\n" + "\n".join(assertions),
        tests=tests,
        entry_point=tests.entry_point,
        solution=solution,
        examples=tests,
        limits=FUNCTION_LIMITS,
    )


def mbpp_plus(id: str, row: Row) -> CodeProblem:
    """A sentence with one assertion, and many more inputs than MBPP has, with the published solution's outputs."""
    number = int(row["task_id"].rpartition("/")[2])
    inputs = [*mbpp_inputs(number, row["base_input"]), *mbpp_inputs(number, row["plus_input"])]
    prompt = row["prompt"].strip().strip('"').strip()
    return CodeProblem(
        id=id,
        prompt=prompt,
        tests=plus_tests(row["entry_point"], row["canonical_solution"], inputs, row["atol"]),
        entry_point=row["entry_point"],
        solution=row["canonical_solution"],
        examples=FunctionTests(text=_first_assertion(prompt), entry_point=row["entry_point"]),
        limits=DEAR_LIMITS if number == 599 else PLUS_LIMITS,
    )


def kattis(id: str, row: Row) -> CodeProblem:
    """A statement in LaTeX; tests with what is read and printed, of which the samples are in the statement."""
    cases = [Case(stdin=test["input"], stdout=test["output"]) for test in row["tests"]]
    samples = [case for case, test in zip(cases, row["tests"], strict=True) if test["sample"]]
    comparison = _kattis_comparison(row["validator_flags"])
    return CodeProblem(
        id=id,
        prompt=f"{row['statement_tex'].strip()}\n{_shown_samples(samples)}",
        tests=OutputTests(cases=tuple(cases), comparison=comparison),
        examples=OutputTests(cases=tuple(samples), comparison=comparison) if samples else None,
        limits=CONTEST_LIMITS,
        metadata={"title": row["title"], "license": row["license"]},
    )


def apps(id: str, row: Row) -> CodeProblem:
    """A statement, and either what is read and printed or calls of a function `fn_name` with what it gives."""
    written = row["input_output"]
    given = json.loads(written) if isinstance(written, str) else written
    solutions = row.get("reference_solutions") or row.get("solutions") or "[]"
    solutions = json.loads(solutions) if isinstance(solutions, str) else solutions
    starter = row.get("starter_code") or ""
    tests, name = _apps_tests(given, starter)
    return CodeProblem(
        id=id,
        prompt=f"{row['question'].strip()}\n\n{starter}".rstrip() + "\n",
        tests=tests,
        entry_point=name,
        preamble=_APPS_PREAMBLE,
        solution=solutions[0] if solutions else "",
        limits=CONTEST_LIMITS,
    )


# hendrycks/apps, eval/testing_util.py; without NumPy, which programs do not have.
_APPS_PREAMBLE = """\
import collections, fractions, heapq, itertools, math, random, sys, time
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from functools import lru_cache
from heapq import *
from itertools import accumulate, combinations, permutations, product
from math import ceil, cos, exp, fabs, floor, gcd, log, log2, sin, sqrt, tan
from typing import List, Tuple
"""


def _apps_tests(given: Mapping[str, Any], starter: str) -> tuple[FunctionTests | OutputTests, str]:
    pairs = list(zip(given["inputs"], given["outputs"], strict=True))
    if "fn_name" not in given:
        cases = tuple(Case(stdin=_joined(stdin), stdout=_joined(stdout)) for stdin, stdout in pairs)
        return OutputTests(cases=cases, comparison=Comparison(by="tokens")), ""
    in_class = "class Solution" in starter
    function = f"Solution().{given['fn_name']}" if in_class else given["fn_name"]
    is_wrapped = all(isinstance(expected, list) and len(expected) == 1 for _, expected in pairs)
    lines = [
        f"assert _as_list_({function}(*{arguments!r})) == {expected[0] if is_wrapped else expected!r}"
        for arguments, expected in pairs
    ]
    name = "Solution" if in_class else given["fn_name"]
    return FunctionTests(text="\n".join([_APPS_AS_LIST, *lines]), entry_point=name), name


_APPS_AS_LIST = '''
def _as_list_(value):
    """As APPS compares: a tuple is a list. (Expected values may each stand alone in a list.)"""
    return list(value) if isinstance(value, tuple) else value
'''


def _joined(lines: str | Sequence[str]) -> str:
    return lines if isinstance(lines, str) else "\n".join(lines)


def _with_helpers(row: Row, test: str) -> str:
    """The tests, and before them what the prompt defines beside the function: some tests call it."""
    tree = ast.parse(row["prompt"] + "\n    pass\n")
    helpers = [ast.unparse(node) for node in tree.body if getattr(node, "name", "") != row["entry_point"]]
    return "\n".join([*helpers, test])


_WRONG_EXAMPLES = frozenset({"median([-10, 4, 6, 1000, 10, 20])"})
"""HumanEval/47: the median is 8 and not 15.0, as its own tests say."""


def _docstring_examples(stub: str, entry_point: str) -> FunctionTests | None:
    """The examples after `>>>` in a function's docstring whose results are literals; None where there are none."""
    docstring = next(
        ast.get_docstring(node) or ""
        for node in ast.parse(stub + "\n    pass\n").body
        if isinstance(node, ast.FunctionDef) and node.name == entry_point
    )
    try:
        found = doctest.DocTestParser().get_examples(docstring)
    except ValueError:  # a docstring that only looks like examples
        return None
    found = [each for each in found if each.source.strip() not in _WRONG_EXAMPLES]
    lines = [f"assert {each.source.strip()} == {each.want.strip()}" for each in found if _is_literal(each.want)]
    return FunctionTests(text="\n".join(lines), entry_point=entry_point) if lines else None


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return False
    return True


def _tested(assertions: Iterable[str], solution: str) -> str:
    """The function that assertions test: the first that they call and the solution defines; empty where it is none."""
    with warnings.catch_warnings(action="ignore"):  # some solutions escape what need not be
        tree = ast.parse(solution)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    calls = (
        node.func.id
        for text in assertions
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    return next((name for name in calls if name in defined and not hasattr(builtins, name)), "")


def _first_assertion(prompt: str) -> str:
    position = prompt.find("\nassert ")
    if position < 0:
        raise ValueError("an MBPP+ prompt ends in an assertion")
    return prompt[position + 1 :]


_FLAG = re.compile(r"(float_(?:absolute_|relative_)?tolerance) (\S+)")


def _kattis_comparison(flags: str) -> Comparison:
    """Of Kattis' default validator: tokens, whatever their case; `float_tolerance` is absolute or relative."""
    tolerances = {name: float(value) for name, value in _FLAG.findall(flags)}
    unread = _FLAG.sub("", flags).replace("case_sensitive", "").strip()
    if unread:
        raise ValueError(f"validator flags that are not known: {unread!r}")
    either = tolerances.get("float_tolerance")
    return Comparison(
        by="tokens",
        ignores_case="case_sensitive" not in flags,
        absolute_tol=tolerances.get("float_absolute_tolerance", either),
        relative_tol=tolerances.get("float_relative_tolerance", either),
    )


def _shown_samples(samples: Iterable[Case]) -> str:
    return "".join(
        f"\nSample input {number}:\n{case.stdin.rstrip()}\n\nSample output {number}:\n{case.stdout.rstrip()}\n"
        for number, case in enumerate(samples, start=1)
    )
