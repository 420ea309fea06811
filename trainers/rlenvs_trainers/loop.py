"""The whole training step, from top to bottom. Everything here is a function that is called; the maths is elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.batch import pack
from rlenvs_trainers.declared import noted_signals
from rlenvs_trainers.grouping import RolloutResult, learned_seats
from rlenvs_trainers.metrics import added, group_metrics
from rlenvs_trainers.records import Group, Trajectory
from rlenvs_trainers.select import most_rounds

if TYPE_CHECKING:
    from rlenvs_trainers.interrupts import StopRequest
    from rlenvs_trainers.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What one training step did."""

    step: int  # counted from 1: the state is the one after this many steps
    metrics: dict[str, float]
    groups: tuple[Group, ...]  # as they were trained on
    others: tuple[Trajectory, ...]  # of seats that other policies sat in: not trained on
    failures: tuple[Trajectory, ...]  # attempts that say nothing of the policy: in no group, made again or dropped


def train(run: Run, stop: StopRequest | None = None) -> Iterator[StepReport]:
    """Train until `config.steps`, a report per step. A stop request ends it, saved, after the step it came in."""
    algorithm = run.algorithm
    run.evaluate_if_due()
    while run.step < run.config.steps and not stop:
        started = time.monotonic()
        progress = Progress(step=run.step, num_steps=run.config.steps, version=run.learner.version, memory=run.memory)

        gathered = gather(run, progress)
        metrics, groups = gathered.metrics, run.annotated(list(gathered.groups))
        for shape in algorithm.shape:
            groups = [shape(group, progress) for group in groups]
        metrics |= group_metrics(groups, chain(*learned_in(run)), prefix="trained/")
        credit = algorithm.credit(groups, progress)
        batch = pack(groups, credit, noted_signals(algorithm))
        sampled = time.monotonic()

        metrics |= run.learner.update(batch)
        run.publish_weights()
        run.step += 1
        run.remember()

        metrics |= {"time/sample_s": sampled - started, "time/learn_s": time.monotonic() - sampled}
        report = StepReport(
            step=run.step,
            metrics=metrics,
            groups=tuple(groups),
            others=gathered.others,
            failures=gathered.failures,
        )
        run.record(report)
        run.save_if_due()  # first: whatever befalls an evaluation, the step is safe
        run.evaluate_if_due()
        yield report
    run.save_if_due(stopping=bool(stop))


def gather(run: Run, progress: Progress) -> RolloutResult:
    """Attempts at the step's tasks, filtered; where a selector refills, new tasks stand in for what was dropped.

    Selectors see everything that the step gathered so far. The step is full when every seat has as many groups as the
    first `tasks_per_step` tasks would give it with nothing lost, whichever tasks they are of. After the selectors'
    `max_rounds` it goes on with what it has. With nothing at all the update is skipped: the step counts, the weights
    stay.
    """
    selectors = run.algorithm.select
    seats = learned_in(run)
    wanted: Counter[str] = Counter()
    gathered, others, failures, metrics = list[Group](), list[Trajectory](), list[Trajectory](), dict[str, float]()
    for number in range(most_rounds(selectors)):
        drawn = run.tasks.draw(run.config.rollout.tasks_per_step)
        wanted = wanted or Counter(seat for each in drawn for seat in seats[each.env])
        result = run.collect(drawn, round=number)
        gathered += result.groups
        others += result.others
        failures += result.failures
        metrics = added(metrics, result.metrics)
        kept = gathered
        for select in selectors:
            kept = list(select(kept, progress))
        if Counter(group.seat for group in kept) >= wanted:
            break
    metrics |= group_metrics(gathered, chain(*seats))
    metrics |= {"select/rounds": number + 1.0, "select/groups": float(len(kept))}
    groups = first_of_every_seat(kept, wanted)
    return RolloutResult(groups=tuple(groups), others=tuple(others), failures=tuple(failures), metrics=metrics)


def learned_in(run: Run) -> list[tuple[str, ...]]:
    """The seats that the policy learns in, environment by environment."""
    return [learned_seats(env, named.seats) for env, named in zip(run.envs, run.config.env, strict=True)]


def first_of_every_seat(groups: Sequence[Group], wanted: Mapping[str, int]) -> list[Group]:
    """As many groups of each seat as are wanted, the first: all that a refill gave would be a larger step."""
    seen: Counter[str] = Counter()
    kept = []
    for group in groups:
        seen[group.seat] += 1
        if seen[group.seat] <= wanted.get(group.seat, 0):
            kept.append(group)
    return kept
