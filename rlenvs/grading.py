"""Grading answers that exist already: the core of `rlenvs grade math`, parallel and resumable.

Rows go in and come out as JSON lines. Whether an answer is right belongs to `rlenvs.verifiers`.
"""

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from rlenvs.errors import RlenvsError, writing
from rlenvs.replacing import replace_content
from rlenvs.verifiers import Equality, VerifierPool, extract, judge
from rlenvs.verifiers.pool import DEFAULT_POOL

Progress = Callable[[int, int], None]
"""(rows done, rows in all), after every row and once at the start."""

_SHOWN = 5
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class GradingError(RlenvsError):
    """Rows that cannot be graded, or an output file that belongs to something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRow:
    """One answer to grade."""

    id: str | int
    gold: str | int | float
    answer: str | None  # None: no answer was given
    question: str = ""
    form: Literal["bare", "text"] = "bare"  # text: a whole reply, from which the answer is extracted first

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of all that the verdict depends on: a verdict of another one is stale."""
        content = json.dumps([self.gold, self.answer, self.question, self.form])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def grade_math(
    path: Path, out: Path, *, pool: VerifierPool | None = None, progress: Progress | None = None
) -> Mapping[str, int]:
    """Write a verdict for every row of `path` to `out`, in the same order.

    Rows that are there already are not graded again, unless they have changed since or their verdict was `error`.

    Args:
        path: JSON lines with `id`, `gold` and `answer` (text or numbers) and optionally `question`, `form` (bare or
            text).
        out: another file; JSON lines with `id`, `verdict` (equal, not_equal, bad_gold, error), `ms` and the row's
            `fingerprint`. A last line that was cut off by a kill is written anew; lines of other rows stay, at the end.
        pool: the workers; as many threads as it has workers ask them.
        progress: told after every row.

    Returns:
        How many rows have each verdict, those of earlier runs included.

    Raises:
        GradingError: rows are malformed or cannot be read (all are read before any is graded), or `out` holds something
            else.
        RlenvsError: `out` cannot be written.
    """
    pool = pool or DEFAULT_POOL
    rows = read_rows(path)
    with writing(_what(out)):
        is_one_file = path.resolve() == out.resolve() or (out.exists() and path.samefile(out))
    if is_one_file:
        raise GradingError(
            f"the verdicts would replace the answers: {out} is the file {path}. Name another with --out."
        )
    lines = _lines(out)
    left = [row for row in rows if not _is_graded(row, lines)]
    for row in left:
        lines.pop(row.id, None)
    _write(out, lines.values())
    if progress:
        progress(len(rows) - len(left), len(rows))
    for done, graded in enumerate(_graded(left, pool), start=len(rows) - len(left) + 1):
        _append(out, graded)
        lines[graded["id"]] = graded
        if progress:
            progress(done, len(rows))
    ordered = {row.id: lines[row.id] for row in rows}
    _write(out, (ordered | lines).values())
    return dict(Counter(line["verdict"] for line in ordered.values()))


def read_rows(path: Path) -> list[GradingRow]:
    """All rows of a file.

    Raises:
        GradingError: there is no such file, it cannot be read, or rows are malformed; it names their lines.
    """
    rows: list[GradingRow] = []
    wrong: list[str] = []
    seen: dict[str | int, int] = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = _row(json.loads(line))
            if row.id in seen:
                raise ValueError(f"the id {row.id!r} is that of line {seen[row.id]}; results are keyed by it")
        except (ValueError, RecursionError) as error:  # a JSONDecodeError is a ValueError
            wrong.append(f"line {number}: {error}")
            continue
        seen[row.id] = number
        rows.append(row)
    if wrong:
        more = f"\n  … and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise GradingError(f"{path}: {len(wrong)} rows cannot be graded\n  " + "\n  ".join(wrong[:_SHOWN]) + more)
    return rows


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise GradingError(f"no file {path} to grade")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise GradingError(f"the answers {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise GradingError(f"{path} is not text in UTF-8: {error}") from error


_FIELDS: dict[str, tuple[Any, str]] = {
    "id": (str | int, "text or a whole number"),
    "gold": (str | int | float, "text or a number"),
    "answer": (str | int | float | None, "text, a number, or null for none"),
    "question": (str | None, "text or null"),
}


def _row(record: Any) -> GradingRow:
    if not isinstance(record, dict):
        raise ValueError(f"expected an object, got {type(record).__name__}")
    missing = [name for name in ("id", "gold", "answer") if name not in record]
    if missing:
        raise ValueError(f"no {' and no '.join(missing)}; there is {', '.join(record) or 'nothing'}")
    for name, (types, words) in _FIELDS.items():
        value = record.get(name)
        if not isinstance(value, types) or isinstance(value, bool):
            raise ValueError(f"{name} is {words}: got {json.dumps(value)[:100]}")
    form = record.get("form", "bare")
    if form not in ("bare", "text"):
        raise ValueError(f"form is bare (the answer alone) or text (a whole reply): got {form!r}")
    question = record.get("question") or ""
    answer = record["answer"] if record["answer"] is None else str(record["answer"])
    return GradingRow(id=record["id"], gold=record["gold"], answer=answer, question=question, form=form)


def _lines(out: Path) -> dict[str | int, dict[str, Any]]:
    """The whole lines that are in `out`, by id."""
    with writing(_what(out)):
        content = out.read_bytes() if out.exists() else b""
    lines: dict[str | int, dict[str, Any]] = {}
    for number, text in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            line = json.loads(text)
            if line["verdict"] not in get_args(Equality) or not _FINGERPRINT.fullmatch(line["fingerprint"]):
                raise ValueError("another grader's")
            lines[line["id"]] = line
        except (ValueError, KeyError, TypeError) as error:
            raise GradingError(f"{out}, line {number}: not a line that grading wrote; name another file") from error
    return lines


def _is_graded(row: GradingRow, lines: Mapping[str | int, Mapping[str, Any]]) -> bool:
    line = lines.get(row.id, {"verdict": "error"})
    return line["verdict"] != "error" and line.get("fingerprint") == row.fingerprint


def _write(out: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Make these the lines of `out`, all at once; one that has them already is not touched."""
    content = "".join(map(_line, lines)).encode()
    with writing(_what(out)):
        if out.exists() and out.read_bytes() == content:
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        replace_content(out, content)


def _append(out: Path, graded: Mapping[str, Any]) -> None:
    with writing(_what(out)), out.open("a", encoding="utf-8") as file:
        file.write(_line(graded))


def _what(out: Path) -> str:
    return f"the file of verdicts {out}"


def _line(graded: Mapping[str, Any]) -> str:
    return json.dumps(graded, ensure_ascii=False) + "\n"


def _graded(rows: list[GradingRow], pool: VerifierPool) -> Iterator[dict[str, Any]]:
    def grade(row: GradingRow) -> dict[str, Any]:
        started = time.perf_counter()
        answer = extract(row.answer) if row.form == "text" and row.answer is not None else row.answer
        verdict = judge(row.gold, answer, row.question, pool=pool).verdict
        ms = round((time.perf_counter() - started) * 1000, 3)
        return {"id": row.id, "verdict": verdict, "ms": ms, "fingerprint": row.fingerprint}

    executor = ThreadPoolExecutor(max_workers=pool.size, thread_name_prefix="grading")
    try:
        yield from executor.map(grade, rows)
    finally:
        executor.shutdown(cancel_futures=True)
