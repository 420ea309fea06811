"""Reading rows from a folder or from the hub into problems, once per process.

What a row means belongs to `problems`, where it lies to `catalogue`.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from rlenvs.data.catalogue import DATA_SETS, DataSet, Source
from rlenvs.data.conventions import BOXED, CHOICE, Convention
from rlenvs.data.own import own
from rlenvs.data.problems import Problem
from rlenvs.errors import RlenvsError, unknown

HUB = "hub"
ENDINGS = (".jsonl", ".jsonl.gz")


class DataError(RlenvsError):
    """A data set that is unknown, missing or malformed."""


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


def where_data_is(data: str) -> str:
    """A folder or "hub"; where nobody says, what the variable RLENVS_DATA names now, which may be nothing."""
    return data or os.environ.get("RLENVS_DATA", "")


@lru_cache(maxsize=32)
def _own_problems(name: str) -> tuple[Problem, ...]:
    path = Path(name)
    if not path.is_file():
        raise DataError(f"no file {path} to read problems from")
    title = path.name.removesuffix(".gz").removesuffix(".jsonl")
    return _whole(DataSet(title, own, BOXED, {}), "", _file_rows(path), name)


@lru_cache(maxsize=32)
def _all_problems(name: str, split: str, data: str) -> tuple[Problem, ...]:
    data_set = DATA_SETS[name]
    source = data_set.splits[split]
    if data == HUB:
        where, rows = source.hub_id, hub_rows(source)
    else:
        path = _path(data, data_set, source)
        where, rows = str(path), _file_rows(path)
    return _whole(data_set, split, rows, where)


def _whole(data_set: DataSet, split: str, rows: Iterable[dict[str, Any]], where: str) -> tuple[Problem, ...]:
    problems = tuple(problems_from(data_set, split, rows, where))
    if not problems:
        raise DataError(f"{where} has no problems: every line of it is blank, or there is none")
    return problems


def problems_from(data_set: DataSet, split: str, rows: Iterable[dict[str, Any]], where: str) -> Iterator[Problem]:
    """The problems in rows as published.

    Raises:
        DataError: a row lacks a field or does not keep to the data set's conventions; it names the row.
    """
    for number, row in enumerate(rows):
        try:
            place = "/".join(filter(None, (data_set.name, split, str(number))))
            yield Problem(id=place, **data_set.read(row)._asdict())
        except KeyError as error:
            raise DataError(f"{where}, row {number}: no field {error}; there is {', '.join(sorted(row))}") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise DataError(f"{where}, row {number}: {error}") from error


def hub_rows(source: Source) -> Iterable[dict[str, Any]]:
    """The rows of a split on the hub, through the library `datasets` and its cache.

    Raises:
        DataError: the hub does not have it or does not give it, or the library is not installed.
    """
    if not source.hub_id:
        raise DataError(
            f"{source.file} is not on the hub: set the variable RLENVS_DATA or pass data=FOLDER that has it"
        )
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise DataError("reading from the hub needs the library `datasets`: pip install 'rlenvs-llm[hub]'") from error
    try:
        rows: Iterable[dict[str, Any]] = load_dataset(source.hub_id, source.hub_config, split=source.hub_split)
    except Exception as error:  # the library raises its own errors, the network's and the file system's
        raise DataError(
            f"the hub did not give {source.hub_id} ({type(error).__name__}: {error}). "
            "Check the connection, or set RLENVS_DATA to a folder that has it."
        ) from error
    return rows


def _path(data: str, data_set: DataSet, source: Source) -> Path:
    download = f", or pass data='hub' to download {source.hub_id}" if source.hub_id else ""
    hint = f"Put it there{download}."
    if not data:
        raise DataError(
            f"{data_set.name} is read from a folder with {source.file}.jsonl: "
            f"set the variable RLENVS_DATA or pass data=FOLDER{download}."
        )
    folder = Path(data)
    if not folder.is_dir():
        raise DataError(f"no folder {folder} to read {data_set.name} from. {hint}")
    candidates = [folder / f"{source.file}{ending}" for ending in ENDINGS]
    for path in candidates:
        if path.is_file():
            return path
    raise DataError(f"no {candidates[0]}, with or without .gz, to read {data_set.name} from. {hint}")


def _file_rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}, line {number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise DataError(f"{path}, line {number}: expected an object, got {type(row).__name__}")
        yield row


def _lines(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    number = 0  # of the last line that could be read
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                number += 1
                yield line
    except UnicodeDecodeError as error:
        raise DataError(f"{path}, after line {number}: not text in UTF-8 ({error})") from error
    except (OSError, EOFError, zlib.error) as error:  # no permission, or a compressed file that is cut off or damaged
        raise DataError(f"{path}, after line {number}: cannot be read ({type(error).__name__}: {error})") from error
