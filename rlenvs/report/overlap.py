"""How many tasks of a run's evaluations the run also trained on, as far as its run.sqlite knows.

A task is known by its id, and by what was read before the first action: another id may ask the same, and another
template asks the same of one id. What the policy had learned before this run, nobody wrote down here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rlenvs.store import EvalRow, RolloutRow, RunStore

Opening = tuple[str, tuple[tuple[str, str], ...]]  # seat, and (role, content) of each message


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The tasks of one evaluation."""

    num_tasks: int
    num_trained: int  # of those: training tried them too

    def __str__(self) -> str:
        if not self.num_trained:
            return f"none of {self.num_tasks} tasks was trained on in this run"
        return f"{self.num_trained} of {self.num_tasks} tasks were also trained on in this run"


def overlaps(store: RunStore, evals: Sequence[EvalRow]) -> Mapping[str, Overlap]:
    """By the evaluation's name; one whose rollouts were not recorded is left out."""
    trained = store.trained_tasks()
    ids, openings = {row.task_id for row in trained}, {opening(row) for row in trained}
    found = {}
    for row in evals:  # by step: the last counts
        rows = store.eval_rollouts(row.step, row.name)
        if rows:
            found[row.name] = overlap(rows, ids, openings)
    return found


def overlap(rows: Sequence[RolloutRow], ids: set[str], openings: set[Opening]) -> Overlap:
    """Of the tasks in `rows`, those with one of these ids, or that begin like one that was trained on.

    Where tasks of one evaluation begin alike (a game's rules, say), the beginning does not tell which task it is.
    """
    tasks = {row.task_id for row in rows}
    begins_alike = len({opening(row) for row in rows}) < len({(row.task_id, row.seat) for row in rows})
    known = ids & tasks if begins_alike else (ids & tasks) | _beginning_with(rows, openings)
    return Overlap(num_tasks=len(tasks), num_trained=len(known))


def _beginning_with(rows: Iterable[RolloutRow], openings: set[Opening]) -> set[str]:
    return {row.task_id for row in rows if opening(row) in openings}


def opening(row: RolloutRow) -> Opening:
    """What the seat read before its first action; of an episode that never began, nothing but the task's id."""
    read = []
    for message in row.messages:
        if message.get("role") == "assistant":
            break
        read.append((message.get("role", ""), message.get("content", "")))
    return row.seat, tuple(read) or (("task", row.task_id),)
