"""Which rollouts a page carries, and in what form. The page stays small: what is left out is said."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlenvs.store import RolloutRow, RunStore

MOST_STEPS = 12  # of the run, evenly spread, the first and the last among them
MOST_PER_SOURCE = 48  # rollouts of one step, or of one evaluation
MOST_CHARACTERS = 4_000  # of one message: the beginning and the end of a longer one
MOST_ON_PAGE = 3_000_000  # characters, over all rollouts


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Rollouts that were made together: a training step, or an evaluation."""

    title: str
    rows: tuple[RolloutRow, ...]
    num_all: int  # that there were


def sources(store: RunStore, metrics: Mapping[int, object]) -> list[Source]:
    """The steps and evaluations whose rollouts the page shows, the latest step first."""
    steps = spread(sorted(metrics), MOST_STEPS)
    found = [_source(f"step {step}", store.rollouts(step)) for step in reversed(steps)]
    for row in store.evals():
        found.append(_source(f"evaluation at step {row.step}: {row.name}", store.eval_rollouts(row.step, row.name)))
    return [source for source in found if source.rows]


def spread(steps: Sequence[int], most: int) -> list[int]:
    """At most `most` of them, evenly, with both ends."""
    if len(steps) <= most:
        return list(steps)
    return [steps[round(index * (len(steps) - 1) / (most - 1))] for index in range(most)]


def as_json(found: Sequence[Source]) -> list[dict[str, Any]]:
    """What the page's script reads. Each source has the same share of the page's room."""
    room = MOST_ON_PAGE // max(1, len(found))
    shown = []
    for source in found:
        rows = list(_fitting(source.rows, room))
        shown.append({"title": source.title, "all": source.num_all, "rows": rows})
    return shown


def left_out(shown: Sequence[Mapping[str, Any]], num_steps: int, num_steps_shown: int) -> str:
    """A sentence on what the page does not carry; empty where it carries all."""
    parts = []
    if num_steps_shown < num_steps:
        parts.append(f"rollouts of {num_steps_shown} of {num_steps} steps")
    rows, all_rows = sum(len(source["rows"]) for source in shown), sum(source["all"] for source in shown)
    if rows < all_rows:
        parts.append(f"{rows} of these {all_rows}" if parts else f"{rows} of {all_rows} rollouts")
    return f"This page carries {', '.join(parts)}; all of them are in run.sqlite." if parts else ""


def _source(title: str, rows: Sequence[RolloutRow]) -> Source:
    return Source(title=title, rows=tuple(rows[:MOST_PER_SOURCE]), num_all=len(rows))


def _fitting(rows: Sequence[RolloutRow], room: int) -> Iterator[dict[str, Any]]:
    for row in rows:
        plain = _plain(row)
        room -= sum(len(message["content"]) for message in plain["messages"]) + 200
        if room < 0:
            return
        yield plain


def _plain(row: RolloutRow) -> dict[str, Any]:
    return {
        "task": row.task_id,
        "seat": row.seat,
        "group": row.group,
        "attempt": row.attempt,
        "ending": row.ending,
        "reward": _finite(row.reward),
        "correct": _finite(row.correct),
        "parts": {name: _finite(value) for name, value in row.parts.items()},
        "tokens": row.num_tokens,
        "version": row.version,
        "error": row.error,
        "messages": [
            {"role": message.get("role", ""), "content": shortened(message.get("content", ""))}
            for message in row.messages
        ],
    }


def shortened(text: str) -> str:
    """The text, or its beginning and end with a note of how much is missing between them."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]}\n\n[… {len(text) - 2 * half:,} characters left out …]\n\n{text[-half:]}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
