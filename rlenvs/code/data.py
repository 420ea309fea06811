"""Data sets of programming problems: where their splits lie, and the problems in them, read once per process."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rlenvs.code import readers
from rlenvs.code.readers import Reader, Row
from rlenvs.code.records import CodeProblem
from rlenvs.data.rows import DataError, PlacedRow, Source, rows_of, where_data_is
from rlenvs.errors import unknown

Keep = Callable[[Row], bool]


def _every(_: Row) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSplit:
    """One split."""

    source: Source
    keep: Keep = _every  # which of the source's rows are in it


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSet:
    """A data set with its splits; the first is the default."""

    name: str
    read: Reader
    key: str  # the field that names a problem
    splits: Mapping[str, CodeSplit]


def _numbered(first: int, last: int) -> Keep:
    return lambda row: first <= int(row["task_id"]) <= last


def _mbpp(first: int, last: int, split: str) -> CodeSplit:
    """MBPP's splits are ranges of ids in one file; on the hub each is a split."""
    source = Source("mbpp/mbpp", "google-research-datasets/mbpp", split, "full")
    return CodeSplit(source=source, keep=_numbered(first, last))


def _sanitized(first: int, last: int, split: str) -> CodeSplit:
    source = Source("mbpp/sanitized-mbpp", "google-research-datasets/mbpp", split, "sanitized")
    return CodeSplit(source=source, keep=_numbered(first, last))


def _test(file: str, hub_id: str = "") -> Mapping[str, CodeSplit]:
    return {"test": CodeSplit(source=Source(file, hub_id, "test" if hub_id else ""))}


_MBPP_SPLITS = {"train": (601, 974), "test": (11, 510), "validation": (511, 600), "prompt": (1, 10)}
_ALL = (
    CodeSet(
        name="humaneval",
        read=readers.humaneval,
        key="task_id",
        splits=_test("humaneval/HumanEval", "openai/openai_humaneval"),
    ),
    CodeSet(name="humaneval_plus", read=readers.humaneval_plus, key="task_id", splits=_test("humaneval/HumanEvalPlus")),
    CodeSet(
        name="mbpp",
        read=readers.mbpp,
        key="task_id",
        splits={split: _mbpp(first, last, split) for split, (first, last) in _MBPP_SPLITS.items()},
    ),
    CodeSet(
        name="mbpp_sanitized",
        read=readers.mbpp,
        key="task_id",
        splits={split: _sanitized(first, last, split) for split, (first, last) in _MBPP_SPLITS.items()},
    ),
    CodeSet(name="mbpp_plus", read=readers.mbpp_plus, key="task_id", splits=_test("mbpp/MbppPlus")),
    CodeSet(
        name="kattis",
        read=readers.kattis,
        key="id",
        # A statement that refers to a picture cannot be understood without it.
        splits={"test": CodeSplit(source=Source("kattis_stdio/problems"), keep=lambda row: not row["has_figure"])},
    ),
    CodeSet(
        name="apps",
        read=readers.apps,
        key="id",
        splits={"sample": CodeSplit(source=Source("graded_code/apps_coderl_5problems"))},
    ),
)

CODE_SETS: Mapping[str, CodeSet] = {code_set.name: code_set for code_set in _ALL}
"""The data sets of programming problems by name."""


def load_code_problems(
    name: str, split: str = "", *, data: str = "", limit: int | None = None
) -> tuple[CodeProblem, ...]:
    """The problems of one split, in the order of the file.

    Args:
        name: a name in `CODE_SETS`.
        split: empty for the data set's first.
        data: a folder, or "hub" for the Hugging Face hub; empty for the folder named by the variable RLENVS_DATA.
        limit: only the first so many.

    Raises:
        DataError: there is no such data set, split or folder, it cannot be read or has no problems, or a row lacks a
            field.
    """
    if limit is not None and limit < 1:
        raise DataError(f"limit is the number of problems to keep, at least 1: got {limit}")
    if name not in CODE_SETS:
        raise DataError(unknown("data set of programs", name, CODE_SETS))
    splits = CODE_SETS[name].splits
    chosen = split or next(iter(splits))
    if chosen not in splits:
        raise DataError(unknown(f"split of {name}", chosen, splits))
    return _all_problems(name, chosen, where_data_is(data))[:limit]


def problem_by_id(id: str, *, data: str = "") -> CodeProblem:
    """The problem of this id, such as humaneval/HumanEval/0.

    Raises:
        DataError: there is none, or its data set cannot be read.
    """
    name = id.partition("/")[0]
    if name not in CODE_SETS:
        raise DataError(f"the id of a problem begins with its data set's name: {unknown('data set', name, CODE_SETS)}")
    for split in CODE_SETS[name].splits:
        found = _by_id(name, split, where_data_is(data)).get(id)
        if found is not None:
            return found
    raise DataError(f"no problem {id!r} in {name}")


@lru_cache(maxsize=64)
def _by_id(name: str, split: str, data: str) -> Mapping[str, CodeProblem]:
    return {problem.id: problem for problem in _all_problems(name, split, data)}


@lru_cache(maxsize=64)
def _all_problems(name: str, split: str, data: str) -> tuple[CodeProblem, ...]:
    code_set = CODE_SETS[name]
    where, rows = rows_of(name, code_set.splits[split].source, data)
    problems = tuple(_problems(code_set, code_set.splits[split].keep, rows, where))
    if not problems:
        raise DataError(f"{where} has no problems of {name}, split {split}")
    return problems


def _problems(code_set: CodeSet, keep: Keep, rows: Iterable[PlacedRow], where: str) -> Iterator[CodeProblem]:
    for place, row in rows:
        try:
            if keep(row):
                yield code_set.read(f"{code_set.name}/{row[code_set.key]}", row)
        except KeyError as error:
            raise DataError(f"{where}, {place}: no field {error}; there is {', '.join(sorted(row))}") from error
        except (ValueError, TypeError, AttributeError, SyntaxError) as error:
            raise DataError(f"{where}, {place}: {error}") from error
