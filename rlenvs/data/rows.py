"""Rows of a data set as published, from a folder, from a file of one's own, or from the hub.

What a row means belongs to whoever reads it.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError

HUB = "hub"
ENDINGS = (".jsonl", ".jsonl.gz")
_ARRAYS = (".json", ".json.gz")  # one JSON array of rows

PlacedRow = tuple[str, dict[str, Any]]
"""A row, and where it stands as people count: line 3."""


class DataError(RlenvsError):
    """A data set that is unknown, missing or malformed."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where one split lies."""

    file: str  # in the data folder, without `.jsonl` or `.jsonl.gz` (or `.json`, of one array)
    hub_id: str = ""  # empty: the hub does not have it
    hub_split: str = ""
    hub_config: str | None = None


def rows_of(title: str, source: Source, data: str) -> tuple[str, Iterable[PlacedRow]]:
    """Where the rows of a split are, for people, and the rows.

    Args:
        title: the data set's name.
        data: a folder, or "hub".

    Raises:
        DataError: it is not there, or cannot be read; also while the rows are taken.
    """
    if data == HUB:
        rows = hub_rows(source)
        return source.hub_id, ((f"row {number}", row) for number, row in enumerate(rows, start=1))
    path = _path(data, title, source)
    return str(path), file_rows(path)


def where_data_is(data: str) -> str:
    """A folder or "hub"; where nobody says, what the variable RLENVS_DATA names now, which may be nothing."""
    return data or os.environ.get("RLENVS_DATA", "")


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


def _path(data: str, title: str, source: Source) -> Path:
    download = f", or pass data='hub' to download {source.hub_id}" if source.hub_id else ""
    hint = f"Put it there{download}."
    if not data:
        raise DataError(
            f"{title} is read from a folder with {source.file}.jsonl: "
            f"set the variable RLENVS_DATA or pass data=FOLDER{download}."
        )
    folder = Path(data)
    if not folder.is_dir():
        raise DataError(f"no folder {folder} to read {title} from. {hint}")
    candidates = [folder / f"{source.file}{ending}" for ending in (*ENDINGS, *_ARRAYS)]
    for path in candidates:
        if path.is_file():
            return path
    raise DataError(f"no {candidates[0]}, with or without .gz, to read {title} from. {hint}")


def file_rows(path: Path) -> Iterator[PlacedRow]:
    """The rows of a file.

    Raises:
        DataError: it is damaged, or a line is no JSON object; it names the place.
    """
    if path.name.endswith(_ARRAYS):
        yield from _array_rows(path)
        return
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}, line {number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise DataError(f"{path}, line {number}: expected an object, got {type(row).__name__}")
        yield f"line {number}", row


def _array_rows(path: Path) -> Iterator[PlacedRow]:
    try:
        rows = json.loads("".join(_lines(path)))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON ({error})") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path}: expected an array of objects")
    for number, row in enumerate(rows, start=1):
        yield f"entry {number}", row


def _lines(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    number = 0  # of the last line that could be read
    try:
        with opened(path, "rt", encoding="utf-8-sig") as lines:
            for line in lines:
                number += 1
                yield line
    except UnicodeDecodeError as error:
        raise DataError(f"{path}, after line {number}: not text in UTF-8 ({error})") from error
    except (OSError, EOFError, zlib.error) as error:  # no permission, or a compressed file that is cut off or damaged
        raise DataError(f"{path}, after line {number}: cannot be read ({type(error).__name__}: {error})") from error
