"""What a programming problem is: what is asked, and the tests that a program has to pass.

How a program is judged by them belongs to `judging`, which program a reply gives to `programs`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rlenvs.code.replies.syntax import with_preamble
from rlenvs.records import Message, Task
from rlenvs_sandbox import Comparison, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a program reads, and what it is to print."""

    stdin: str
    stdout: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTests:
    """Tests that call a program's functions; see `rlenvs_sandbox.Assertions`. Without an assertion nothing passes."""

    text: str  # Python; every statement with an assertion is one test
    entry_point: str = ""  # the function that is tested, if that is known
    check: str = ""  # a function of `text` that holds the tests, and is called with the entry point


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTests:
    """Tests that compare what a program prints. Each case is one test, and a run of its own.

    Raises:
        ValueError: there are no cases.
    """

    cases: tuple[Case, ...]
    comparison: Comparison = field(default_factory=Comparison)
    checker: str = ""  # a Python program that judges instead of a comparison; see `rlenvs_sandbox.WarmRunner.check`

    def __post_init__(self) -> None:
        if not self.cases:
            raise ValueError("tests have at least one case: got none, and every program would pass")


Tests = FunctionTests | OutputTests


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeProblem:
    """A programming problem.

    Raises:
        ValueError: functions are to be tested, and the language is not Python.
    """

    id: str  # stable: results are keyed by it
    prompt: str  # what is asked, in words, as published
    tests: Tests
    entry_point: str = ""  # the function that is asked for; empty: a whole program, which reads standard input
    preamble: str = ""  # imports that the data set's own harness puts before every program
    stub: str = ""  # Python that a program continues: imports, helpers, the function's head and its docstring
    solution: str = ""  # a whole program that is right; empty: none is known
    examples: Tests | None = None  # tests that the policy may see, for feedback between attempts
    language: str = "python"  # a name of `rlenvs_sandbox.languages`
    limits: Limits = field(default_factory=Limits)  # of one test run
    metadata: Mapping[str, Any] = field(default_factory=dict)  # JSON values: source, level …

    def __post_init__(self) -> None:
        if self.language != "python" and isinstance(self.tests, FunctionTests):
            raise ValueError(f"{self.id}: functions are tested in Python, what is printed in {self.language}")

    def whole(self, program: str) -> str:
        """A program as it is run: with the preamble, behind what it imports from the future."""
        return with_preamble(program, self.preamble) if self.preamble else program

    def as_task(self, prompt: tuple[Message, ...]) -> Task:
        """The task that asks this with a prompt; all of the problem is in it."""
        target = {
            "tests": _as_json(self.tests),
            "examples": None if self.examples is None else _as_json(self.examples),
            "solution": self.solution,
            "preamble": self.preamble,
            "limits": asdict(self.limits),
        }
        own = {"question": self.prompt, "entry_point": self.entry_point, "stub": self.stub, "language": self.language}
        return Task(id=self.id, prompt=prompt, target=target, metadata={**self.metadata, **own})


def problem_of(task: Task) -> CodeProblem:
    """The problem of a task that `CodeProblem.as_task` made.

    Raises:
        ValueError: it is a task of another kind.
    """
    try:
        target, metadata = dict(task.target), dict(task.metadata)
        examples = target["examples"]
        return CodeProblem(
            id=task.id,
            prompt=metadata.pop("question"),
            tests=_tests(target["tests"]),
            entry_point=metadata.pop("entry_point"),
            preamble=target["preamble"],
            stub=metadata.pop("stub"),
            solution=target["solution"],
            examples=None if examples is None else _tests(examples),
            language=metadata.pop("language"),
            limits=Limits(**target["limits"]),
            metadata=metadata,
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"task {task.id}: not a task of a programming problem ({error})") from error


def _as_json(tests: Tests) -> dict[str, Any]:
    if isinstance(tests, FunctionTests):
        return {"text": tests.text, "entry_point": tests.entry_point, "check": tests.check}
    cases = [[case.stdin, case.stdout] for case in tests.cases]
    return {"cases": cases, "comparison": asdict(tests.comparison), "checker": tests.checker}


def _tests(written: Mapping[str, Any]) -> Tests:
    if "text" in written:
        return FunctionTests(**written)
    cases = tuple(Case(stdin=stdin, stdout=stdout) for stdin, stdout in written["cases"])
    return OutputTests(cases=cases, comparison=Comparison(**written["comparison"]), checker=written["checker"])
