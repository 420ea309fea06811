"""What a family draws, and the problem that is made of it: a question with examples, two programs, and tests.

The families are in the modules beside this one, `choosing` picks tests and examples, and which family an index gets is
`source`'s.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rlenvs.code.records import Case, CodeProblem, FunctionTests, OutputTests, Tests
from rlenvs.envs import procedural
from rlenvs.envs.codegen.syntax.statements import Body, Function, Routine
from rlenvs.envs.procedural import pick
from rlenvs_sandbox import Limits

LIMITS = Limits(wall_s=3.0, mem_mb=256)
"""Of a test run: right programs take milliseconds, and a policy that learns writes many that never end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a family draws.

    Mistakes are whole programs, the most typical one first; the first is taken that is wrong on some tests and right
    on others, or else the first that is wrong on any.
    """

    words: str  # what is asked, without examples
    right: Routine
    mistakes: tuple[Routine, ...]
    inputs: tuple[tuple[Any, ...], ...]  # arguments that tests are chosen from, those that every test needs first


@dataclass(frozen=True, slots=True)
class Trial:
    """Arguments, or the text that a script reads, and what is right for them. JSON values."""

    arguments: tuple[Any, ...]
    result: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A programming problem. `right` and `wrong` are whole programs, so that either can be demonstrated."""

    words: str
    examples: tuple[Trial, ...]  # shown in the question; among the tests too
    trials: tuple[Trial, ...]
    right: str
    wrong: str
    entry_point: str  # empty: a script, which reads standard input

    @property
    def question(self) -> str:
        """What is asked, with the examples."""
        return "\n".join((self.words, *(_shown(self.entry_point, trial) for trial in self.examples)))

    @property
    def tests(self) -> Tests:
        """All tests, as they are judged."""
        return _tests(self.entry_point, self.trials)

    def as_code_problem(self, id: str, metadata: Mapping[str, Any]) -> CodeProblem:
        """The problem as environments of programs know it."""
        return CodeProblem(
            id=id,
            prompt=self.question,
            tests=self.tests,
            entry_point=self.entry_point,
            solution=self.right,
            examples=_tests(self.entry_point, self.examples),
            limits=LIMITS,
            metadata=metadata,
        )


Family = procedural.Family[Draft]
"""A kind of problem."""


def asked(rng: np.random.Generator, function: Function, gives: str) -> str:
    """The question in words: `gives` says what the function returns."""
    phrasing = pick(
        rng,
        (
            "Write {head}: {gives}.",
            "Write a function {head} that returns {gives}.",
            "Define {head}, which gives {gives}.",
            "{head} returns {gives}. Write it.",
        ),
    )
    return phrasing.replace("{head}", function.signature).replace("{gives}", gives)


def function(name: str, parameters: str, *body: Any) -> Function:
    """A function; parameters are separated by blanks."""
    statements: Body = tuple(body)
    return Function(name, tuple(parameters.split()), statements)


def _call_text(entry_point: str, trial: Trial) -> str:
    return f"{entry_point}({', '.join(map(literal, trial.arguments))})"


def literal(value: Any) -> str:
    """A JSON value as it is written in Python, texts in double quotes."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(held)}' for key, held in value.items())}}}"
    return repr(value)


def _shown(entry_point: str, trial: Trial) -> str:
    if entry_point:
        return f"{_call_text(entry_point, trial)} -> {literal(trial.result)}"
    return f"Input:\n{trial.arguments[0].rstrip()}\nOutput:\n{trial.result.rstrip()}"


def _tests(entry_point: str, trials: tuple[Trial, ...]) -> Tests:
    if not entry_point:
        return OutputTests(cases=tuple(Case(stdin=trial.arguments[0], stdout=trial.result) for trial in trials))
    lines = (f"assert {_call_text(entry_point, trial)} == {literal(trial.result)}" for trial in trials)
    return FunctionTests(text="\n".join(lines) + "\n", entry_point=entry_point)
