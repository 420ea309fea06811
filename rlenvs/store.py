"""`run.sqlite`: everything a run leaves for people to look at, keyed by step so that nothing is there twice.

Written by the trainer (one process), read by reports and by anyone with sqlite3. WAL mode: readers never block it.
A transaction is whole or absent, whatever kills the writer.
"""

import json
import math
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from rlenvs.errors import RlenvsError

SCHEMA_VERSION = 1  # in SQLite's user_version

_ROLLOUT_COLUMNS = """
    "group" INTEGER NOT NULL, attempt INTEGER NOT NULL, episode TEXT NOT NULL, task_id TEXT NOT NULL,
    seat TEXT NOT NULL, ending TEXT NOT NULL, reward REAL, correct REAL, parts TEXT NOT NULL, messages TEXT NOT NULL,
    num_tokens INTEGER NOT NULL, version INTEGER NOT NULL, error TEXT NOT NULL"""

_SCHEMA = f"""
CREATE TABLE metrics (
    step INTEGER NOT NULL, name TEXT NOT NULL, value REAL, PRIMARY KEY (step, name)) WITHOUT ROWID;
CREATE TABLE rollouts (
    step INTEGER NOT NULL, position INTEGER NOT NULL, {_ROLLOUT_COLUMNS}, PRIMARY KEY (step, position));
CREATE TABLE events (
    id INTEGER PRIMARY KEY, step INTEGER NOT NULL, time_s REAL NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL);
CREATE TABLE evals (
    step INTEGER NOT NULL, name TEXT NOT NULL, metrics TEXT NOT NULL, PRIMARY KEY (step, name)) WITHOUT ROWID;
CREATE TABLE eval_rollouts (
    step INTEGER NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, {_ROLLOUT_COLUMNS},
    PRIMARY KEY (step, name, position));
PRAGMA user_version = {SCHEMA_VERSION};
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRow:
    """One trajectory in words, as people read it."""

    step: int = 0  # filled in by the store
    group: int  # siblings share it within a step
    attempt: int
    episode: str
    task_id: str
    seat: str
    ending: str
    reward: float | None  # None where nothing could be scored
    correct: float | None  # accuracy in [0, 1]
    parts: Mapping[str, float] = field(default_factory=dict)  # what each name added to the reward: they sum to it
    messages: tuple[Mapping[str, str], ...] = ()  # {"role": …, "content": …}
    num_tokens: int = 0
    version: int = 0  # of the policy that wrote it
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Something that happened once: a resume, a checkpoint, a plug-in that broke."""

    step: int
    time_s: float  # seconds since 1970
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRow:
    """One evaluation: its numbers. Its rollouts are read apart."""

    step: int  # updates before it: 0 is the policy that training started from
    name: str
    metrics: Mapping[str, float]


_FIELDS = [name for name in RolloutRow.__dataclass_fields__ if name != "step"]
_NAMES = ", ".join(f'"{name}"' for name in _FIELDS)
_MARKS = ", ".join("?" * len(_FIELDS))


class RunStore:
    """The file. Open for reading and writing by the trainer, for reading by everyone else."""

    def __init__(self, path: Path | str, mode: Literal["rw", "r"] = "rw") -> None:
        """Open it; mode "rw" makes it if it is not there.

        Raises:
            RlenvsError: there is no such file (mode "r"), it is not ours, or it has another schema version.
        """
        self.path = Path(path)
        if mode == "r" and not self.path.is_file():
            raise RlenvsError(f"no run at {self.path}: a run's folder has a run.sqlite")
        uri = f"{self.path.resolve().as_uri()}?mode={'ro' if mode == 'r' else 'rwc'}"
        self._db = sqlite3.connect(uri, uri=True, timeout=30, isolation_level=None)
        try:
            self._prepare(mode)
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise RlenvsError(f"{self.path} cannot be read as a run's database: {error}") from error

    def _prepare(self, mode: str) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if mode == "rw":
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")  # a step that a checkpoint counts on survives a power cut
            if version == 0:
                self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
                version = SCHEMA_VERSION
        if version != SCHEMA_VERSION:
            self._db.close()
            raise RlenvsError(f"{self.path} has schema {version}, this rlenvs reads schema {SCHEMA_VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    # What the trainer writes.

    def write_step(self, step: int, metrics: Mapping[str, float], rollouts: Sequence[RolloutRow] = ()) -> None:
        """Everything of a training step, whole or not at all. Written again, it replaces what was there."""
        step = int(step)
        with _Transaction(self._db):
            self._db.execute("DELETE FROM metrics WHERE step = ?", (step,))
            self._db.execute("DELETE FROM rollouts WHERE step = ?", (step,))
            rows = [(step, name, _number(value)) for name, value in metrics.items()]
            self._db.executemany("INSERT INTO metrics VALUES (?, ?, ?)", rows)
            self._db.executemany(
                f"INSERT INTO rollouts (step, position, {_NAMES}) VALUES (?, ?, {_MARKS})",
                [(step, position, *_cells(row)) for position, row in enumerate(rollouts)],
            )

    def write_eval(
        self, step: int, name: str, metrics: Mapping[str, float], rollouts: Sequence[RolloutRow] = ()
    ) -> None:
        """One evaluation of the policy as it is after `step` updates. Written again, it replaces what was there."""
        step = int(step)
        with _Transaction(self._db):
            self._db.execute("DELETE FROM eval_rollouts WHERE step = ? AND name = ?", (step, name))
            values = (step, name, json.dumps({key: _number(value) for key, value in metrics.items()}))
            self._db.execute("INSERT OR REPLACE INTO evals VALUES (?, ?, ?)", values)
            self._db.executemany(
                f"INSERT INTO eval_rollouts (step, name, position, {_NAMES}) VALUES (?, ?, ?, {_MARKS})",
                [(step, name, position, *_cells(row)) for position, row in enumerate(rollouts)],
            )

    def write_event(self, step: int, kind: str, payload: Mapping[str, Any]) -> None:
        """Something that happened. `payload` is made of JSON values."""
        values = (int(step), time.time(), kind, json.dumps(payload, ensure_ascii=False))
        self._db.execute("INSERT INTO events (step, time_s, kind, payload) VALUES (?, ?, ?, ?)", values)

    def drop_after(self, step: int) -> None:
        """Forget everything of later steps: what a run that resumes from the checkpoint of `step` does first."""
        with _Transaction(self._db):
            for table in ("metrics", "rollouts", "events", "evals", "eval_rollouts"):
                self._db.execute(f"DELETE FROM {table} WHERE step > ?", (int(step),))

    # What people read.

    def metrics(self) -> dict[int, dict[str, float]]:
        """By step, in order, then by name. NaN where the value was not a number."""
        steps: dict[int, dict[str, float]] = {}
        for step, name, value in self._db.execute("SELECT step, name, value FROM metrics ORDER BY step, name"):
            steps.setdefault(step, {})[name] = math.nan if value is None else value
        return steps

    def rollouts(self, step: int | None = None) -> list[RolloutRow]:
        """Those of one step, or all, in the order they were written."""
        where, values = ("", ()) if step is None else ("WHERE step = ?", (step,))
        query = f"SELECT step, {_NAMES} FROM rollouts {where} ORDER BY step, position"
        return _rollout_rows(self._db.execute(query, values))

    def trained_tasks(self) -> list[RolloutRow]:
        """One rollout of every task and seat that training tried: the longest, since some never begin."""
        longest = "SELECT *, MAX(LENGTH(messages)) FROM rollouts GROUP BY task_id, seat"  # SQLite gives that row whole
        return _rollout_rows(self._db.execute(f"SELECT step, {_NAMES} FROM ({longest})"))

    def events(self) -> list[EventRow]:
        """All, in the order they were written."""
        cells = self._db.execute("SELECT step, time_s, kind, payload FROM events ORDER BY id")
        return [
            EventRow(step=step, time_s=time_s, kind=kind, payload=json.loads(payload))
            for step, time_s, kind, payload in cells
        ]

    def evals(self) -> list[EvalRow]:
        """All, by step and name."""
        rows = self._db.execute("SELECT step, name, metrics FROM evals ORDER BY step, name")
        return [EvalRow(step=step, name=name, metrics=_numbers(metrics)) for step, name, metrics in rows]

    def eval_rollouts(self, step: int, name: str) -> list[RolloutRow]:
        """The rollouts of one evaluation, in the order they were written."""
        query = f"SELECT step, {_NAMES} FROM eval_rollouts WHERE step = ? AND name = ? ORDER BY position"
        return _rollout_rows(self._db.execute(query, (step, name)))


class _Transaction:
    """Takes the write lock at once, commits at the end, rolls back on an exception."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __enter__(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.db.execute("COMMIT" if kind is None else "ROLLBACK")


def _cells(row: RolloutRow) -> list[Any]:
    cells = {name: getattr(row, name) for name in _FIELDS}
    cells["parts"] = json.dumps({name: _number(value) for name, value in row.parts.items()}, ensure_ascii=False)
    cells["messages"] = json.dumps([dict(message) for message in row.messages], ensure_ascii=False)
    return [_storable(cell) for cell in cells.values()]


def _storable(cell: Any) -> Any:
    """Text with half characters (lone surrogates, which a policy may write) as question marks; NumPy's as numbers."""
    if isinstance(cell, str):
        return cell.encode("utf-8", "replace").decode()
    return cell.item() if hasattr(cell, "item") else cell  # SQLite would keep a NumPy integer as bytes


def _rollout_rows(cells: Iterable[Sequence[Any]]) -> list[RolloutRow]:
    rows = []
    for step, *values in cells:
        named = dict(zip(_FIELDS, values, strict=True))
        named["parts"] = _numbers(named["parts"])
        named["messages"] = tuple(json.loads(named["messages"]))
        rows.append(RolloutRow(step=step, **named))
    return rows


def _number(value: float) -> float | None:
    """SQLite and JSON know no NaN: it is stored as nothing."""
    number = float(value)
    return None if math.isnan(number) else number


def _numbers(text: str) -> dict[str, float]:
    return {name: math.nan if value is None else value for name, value in json.loads(text).items()}
