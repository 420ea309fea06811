"""Rows into problems, once per process.

What a row means belongs to `problems`, where rows lie to `catalogue`, and how they are read to `rows`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from rlenvs.data.catalogue import DATA_SETS, DataSet
from rlenvs.data.conventions import BOXED, CHOICE, Convention
from rlenvs.data.own import own
from rlenvs.data.problems import Problem
from rlenvs.data.rows import ENDINGS, DataError, PlacedRow, file_rows, rows_of, where_data_is
from rlenvs.errors import unknown


def load_problems(name: str, split: str = "", *, data: str = "", limit: int | None = None) -> tuple[Problem, ...]:
    """The problems of one split, in the order of the file.

    Args:
        name: a name in `DATA_SETS`, or the path of a file of one's own, which ends in .jsonl or .jsonl.gz; see
            `rlenvs.data.own` for its fields.
        split: train or test; empty for the data set's first. A file is one split.
        data: a folder, or "hub" for the Hugging Face hub; empty for the folder named by the variable RLENVS_DATA.
        limit: only the first so many.

    Raises:
        DataError: there is no such data set, split, folder or file, it cannot be read or has no problems, or a row
            lacks a field.
    """
    if limit is not None and limit < 1:
        raise DataError(f"limit is the number of problems to keep, at least 1: got {limit}")
    if name.endswith(ENDINGS):
        if split:
            raise DataError(f"{name} is one split, without a name: got split {split!r}; leave it out")
        return _own_problems(name)[:limit]
    if name not in DATA_SETS:
        raise DataError(f"{unknown('data set', name, DATA_SETS)} A file of your own is PATH.jsonl or PATH.jsonl.gz.")
    data_set = DATA_SETS[name]
    chosen = split or next(iter(data_set.splits))
    if chosen not in data_set.splits:
        raise DataError(unknown(f"split of {name}", chosen, data_set.splits))
    return _all_problems(name, chosen, where_data_is(data))[:limit]


def convention_of(name: str, problems: Sequence[Problem]) -> Convention:
    """How a data set's problems are answered; those of a person's own file, as a choice if all of them are."""
    if name in DATA_SETS:
        return DATA_SETS[name].convention
    return CHOICE if all(problem.options for problem in problems) else BOXED


@lru_cache(maxsize=32)
def _own_problems(name: str) -> tuple[Problem, ...]:
    path = Path(name)
    if not path.is_file():
        raise DataError(f"no file {path} to read problems from")
    title = path.name.removesuffix(".gz").removesuffix(".jsonl")
    return _whole(DataSet(title, own, BOXED, {}), "", file_rows(path), name)


@lru_cache(maxsize=32)
def _all_problems(name: str, split: str, data: str) -> tuple[Problem, ...]:
    data_set = DATA_SETS[name]
    where, rows = rows_of(name, data_set.splits[split], data)
    return _whole(data_set, split, rows, where)


def _whole(data_set: DataSet, split: str, rows: Iterable[PlacedRow], where: str) -> tuple[Problem, ...]:
    problems = tuple(problems_from(data_set, split, rows, where))
    if not problems:
        raise DataError(f"{where} has no problems: every line of it is blank, or there is none")
    return problems


def problems_from(data_set: DataSet, split: str, rows: Iterable[PlacedRow], where: str) -> Iterator[Problem]:
    """The problems in rows as published.

    Raises:
        DataError: a row lacks a field or does not keep to the data set's conventions; it names the row's place.
    """
    for number, (place, row) in enumerate(rows):
        try:
            id = "/".join(filter(None, (data_set.name, split, str(number))))
            yield Problem(id=id, **data_set.read(row)._asdict())
        except KeyError as error:
            raise DataError(f"{where}, {place}: no field {error}; there is {', '.join(sorted(row))}") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise DataError(f"{where}, {place}: {error}") from error
