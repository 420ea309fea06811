"""Before and after: the evaluations of a run, with intervals, and how much they differ task by task."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from rlenvs.evaluation.estimators import Estimate, clustered_mean
from rlenvs.evaluation.summary import SOLVED
from rlenvs.report.curves import Dot
from rlenvs.report.html import Safe, tag
from rlenvs.report.overlap import Overlap
from rlenvs.report.series import Series
from rlenvs.store import EvalRow, RolloutRow, RunStore

WIDTH, HEIGHT = 220, 34  # user units of the intervals' drawing


def table(store: RunStore, evals: Sequence[EvalRow], known: Mapping[str, Overlap]) -> Safe:
    """One row per evaluation's name: pass@1 at the first and last step, the change, and a picture of both.

    `known`: of how many of its tasks it is known whether they were trained on.
    """
    heads = ("evaluation", "tasks", "trained on", "before", "after", "change in points", "")
    head = tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads)))
    rows = [_row(store, name, rows, known.get(name)) for name, rows in _by_name(evals).items()]
    return tag("div", tag("table", head, tag("tbody", *rows), class_="evals"), class_="wide")


def curves(evals: Sequence[EvalRow]) -> tuple[list[Series], list[Dot]]:
    """pass@1 over the steps, by name."""
    lines, dots = [], []
    for name, rows in _by_name(evals).items():
        known = [(row, passed) for row in rows if (passed := pass_at_1(row)) is not None]
        if known:
            steps, values = tuple(float(row.step) for row, _ in known), tuple(passed.value for _, passed in known)
            lines.append(Series(name=name, steps=steps, values=values))
        dots += [Dot(name=name, step=row.step, value=p.value, low=p.low, high=p.high) for row, p in known]
    return lines, dots


def pass_at_1(row: EvalRow) -> Estimate | None:
    """With its interval; None where nothing could be judged."""
    value = row.metrics.get("pass@1")
    if value is None:
        return None
    return Estimate(value=value, low=row.metrics.get("pass@1/low", value), high=row.metrics.get("pass@1/high", value))


def change(before: Sequence[RolloutRow], after: Sequence[RolloutRow]) -> Estimate | None:
    """How much the share of right samples rose, task by task on those that both have; None for fewer than two.

    Paired, so that how hard a task is cancels: the interval is over tasks, and narrower than that of either side.
    """
    first, last = _rates(before), _rates(after)
    shared = sorted(first.keys() & last.keys())
    if len(shared) < 2:
        return None
    return clustered_mean(np.array([last[task] - first[task] for task in shared]))


def _rates(rows: Sequence[RolloutRow]) -> dict[str, float]:
    right: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.correct is not None:
            right[row.task_id].append(row.correct >= SOLVED)
    return {task: sum(values) / len(values) for task, values in right.items()}


def _by_name(evals: Sequence[EvalRow]) -> Mapping[str, list[EvalRow]]:
    names: dict[str, list[EvalRow]] = {}
    for row in sorted(evals, key=lambda row: (row.name, row.step)):
        names.setdefault(row.name, []).append(row)
    return names


def _row(store: RunStore, name: str, rows: Sequence[EvalRow], overlap: Overlap | None) -> Safe:
    first, last = rows[0], rows[-1]
    before, after = pass_at_1(first), pass_at_1(last) if last is not first else None
    moved = change(store.eval_rollouts(first.step, name), store.eval_rollouts(last.step, name)) if after else None
    return tag(
        "tr",
        tag("th", name, scope="row"),
        _num_tasks(first),
        tag("td", str(overlap.num_trained) if overlap else "–", class_="number"),
        _cell(before, f"step {first.step}"),
        _cell(after, f"step {last.step}"),
        tag("td", _points(before, after, moved), class_="number"),
        tag("td", _picture(before, after)),
    )


def _num_tasks(row: EvalRow) -> Safe:
    """How many were tried, and how many were asked for where that is more."""
    tried = row.metrics.get("tasks", 0.0)
    asked = row.metrics.get("tasks/asked", tried)
    fewer = tag("small", f"of {asked:.0f} asked for: it has no other questions") if tried < asked else Safe("")
    return tag("td", f"{tried:.0f} ", fewer, class_="number")


def _cell(estimate: Estimate | None, where: str) -> Safe:
    if estimate is None:
        return tag("td", "–", class_="number")
    interval = f"{100 * estimate.low:.1f} – {100 * estimate.high:.1f}, {where}"
    return tag("td", tag("b", f"{estimate.value:.1%}"), " ", tag("small", interval), class_="number")


def _points(before: Estimate | None, after: Estimate | None, moved: Estimate | None) -> Safe:
    if before is None or after is None:
        return Safe("–")
    if moved is None:
        return tag("b", f"{100 * (after.value - before.value):+.1f}")
    interval = f"{100 * moved.low:+.1f} – {100 * moved.high:+.1f}"
    return Safe(tag("b", f"{100 * moved.value:+.1f}") + " " + tag("small", interval))


def _picture(before: Estimate | None, after: Estimate | None) -> Safe:
    """Both intervals on a line from 0 to 100 %."""
    lines = [tag("line", class_="grid", x1=x, x2=x, y1=2, y2=HEIGHT - 2) for x in (1, WIDTH / 2, WIDTH - 1)]
    for estimate, y, colour in ((before, 11, "before"), (after, 23, "after")):
        if estimate is not None:
            low, value, high = (round(1 + x * (WIDTH - 2), 1) for x in (estimate.low, estimate.value, estimate.high))
            lines.append(tag("line", class_=f"whisker {colour}", x1=low, x2=high, y1=y, y2=y))
            lines.append(tag("circle", class_=f"dot {colour}", cx=value, cy=y, r="4"))
    return tag("svg", *lines, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="interval", aria_hidden="true")
