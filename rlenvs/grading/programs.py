"""A program to grade, or a reply that gives one, beside what it is judged by."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from rlenvs.code.data import problem_by_id
from rlenvs.code.records import CodeProblem, FunctionTests, Tests
from rlenvs.code.replies.syntax import with_preamble
from rlenvs.data.rows import DataError
from rlenvs.grading.judges import FIELDS, limits_of, own_tests
from rlenvs.grading.rows import ID, TEXT, Field, Id, check_fields
from rlenvs_sandbox import Limits
from rlenvs_sandbox.languages import LANGUAGES, unknown_language

RULES_VERSION = 1
"""Of extraction, judging and comparison together: where one of them decides otherwise, verdicts are made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRow:
    """One program to grade."""

    id: Id
    text: str | None  # the program, or the reply; None: none was given
    is_reply: bool
    tests: Tests
    limits: Limits
    language: str = "python"
    entry_point: str = ""
    stub: str = ""  # code that a reply may continue
    preamble: str = ""  # what its data set's own harness puts before every program
    fingerprint: str  # 16 hexadecimal digits of all that the verdict depends on

    def program(self) -> str | None:
        """The program as it is run; None where a reply gives none."""
        given = self._extracted() if self.is_reply and self.text is not None else self.text
        return given if given is None or not self.preamble else with_preamble(given, self.preamble)

    def _extracted(self) -> str | None:
        from rlenvs.code.programs import program_of

        assert self.text is not None
        return program_of(self.text, entry_point=self.entry_point, stub=self.stub, language=self.language)


_FIELDS: Mapping[str, Field] = {
    "id": ID,
    "program": (str | None, "a program's text, or null for none"),
    "reply": (str | None, "a whole reply, or null for none"),
    "problem": (str | None, "the id of a problem, such as humaneval/HumanEval/0"),
    "language": TEXT,
    "entry_point": TEXT,
    "stub": TEXT,
}
_SOURCES = ("tests", "cases", "expected_stdout", "problem")


def program_row(record: Mapping[str, Any], *, data: str = "", sandbox: str = "bubblewrap") -> ProgramRow:
    """The row of a line's object.

    Args:
        data: where problems are that rows name: a folder, or "hub"; empty for the folder named by RLENVS_DATA.
        sandbox: in which it will run: what one has not, another one may have.

    Raises:
        ValueError: it is none.
    """
    check_fields(record, ("id",), _FIELDS)
    _refuse_near_misses(record)
    text, is_reply = _given(record)
    problem, digest = _judged_by(record, data)
    language = record.get("language") or problem.language
    if language != "python" and language not in LANGUAGES:
        raise ValueError(unknown_language(language))
    if language != "python" and isinstance(problem.tests, FunctionTests):
        raise ValueError(f"tests call functions of Python programs, and this one is in {language}: give it cases")
    entry_point, stub = (record.get(name) or getattr(problem, name) for name in ("entry_point", "stub"))
    limits = limits_of(record, problem.limits)
    preamble = problem.preamble if language == "python" else ""
    asked = [
        RULES_VERSION,
        sandbox,
        text,
        is_reply,
        language,
        entry_point,
        stub,
        preamble,
        repr(limits),
        digest,
    ]
    return ProgramRow(
        id=record["id"],
        text=text,
        is_reply=is_reply,
        tests=problem.tests,
        limits=limits,
        language=language,
        entry_point=entry_point,
        stub=stub,
        preamble=preamble,
        fingerprint=_digest(json.dumps(asked))[:16],
    )


def _refuse_near_misses(record: Mapping[str, Any]) -> None:
    """A field that is nearly one of ours is meant to be it; what is like none of them is a note of somebody's."""
    names = {name.replace("_", ""): name for name in (*_FIELDS, *FIELDS)}
    for name in record:
        near = get_close_matches(re.sub(r"[\W_]", "", name.lower()), names, n=1, cutoff=_NEAR)
        if near and name not in names.values():
            raise ValueError(f"no field {name!r}. Did you mean {names[near[0]]!r}? If it is a note, name it otherwise")


_NEAR = 0.72


def _given(record: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The program or the reply, and whether it is a reply."""
    named = [name for name in ("program", "reply") if name in record]
    if not named:
        raise ValueError(f"no program and no reply; there is {', '.join(record)}")
    given = [name for name in named if record[name] is not None] or named
    if len(given) > 1 and record[given[0]] is not None:
        raise ValueError("a program and a reply: expected one of them")
    return record[given[0]], given[0] == "reply"


def _judged_by(record: Mapping[str, Any], data: str) -> tuple[CodeProblem, str]:
    """The problem that a row names, or one with the row's own tests; and a digest of its tests."""
    sources = [name for name in _SOURCES if record.get(name) is not None]
    if len(sources) != 1:
        there = f"there is {' and '.join(sources)}" if sources else "there is none of them"
        raise ValueError(f"expected one of tests, cases, expected_stdout (with stdin) and problem: {there}")
    if sources == ["problem"]:
        for name in ("stdin", "check", "checker", "comparison", "float_tol"):
            if record.get(name) is not None:
                raise ValueError(f"the problem says how a program is judged: expected no {name} beside it")
        return _problem(record["problem"], data)
    tests = own_tests(record)
    # Its language is the row's own, which may not go with these tests: the row is checked for that.
    return CodeProblem(id=str(record["id"]), prompt="", tests=tests), _digest(repr(tests))


@lru_cache(maxsize=100_000)
def _problem(id: str, data: str) -> tuple[CodeProblem, str]:
    try:
        problem = problem_by_id(id, data=data)
    except DataError as error:
        raise ValueError(str(error)) from error
    return problem, _digest(repr(problem.tests))


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
