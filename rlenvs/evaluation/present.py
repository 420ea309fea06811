"""An evaluation for people (rich tables) and for programs (JSON values, rows of `run.sqlite`)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from rlenvs.evaluation.estimators import Estimate
from rlenvs.evaluation.evaluate import Evaluation
from rlenvs.evaluation.remarks import remarks
from rlenvs.evaluation.results import Sample
from rlenvs.evaluation.summary import PassAt, Summary
from rlenvs.store import RolloutRow


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """The numbers, without the samples.

    Policy and settings; for each target its environment with every option, which tasks were tried, and every estimate
    with its interval.
    """
    mean = evaluation.mean_pass_at_1
    return {
        "policy": evaluation.policy,
        "settings": dict(evaluation.settings),
        "seed": evaluation.seed,
        "num_samples": evaluation.num_samples,
        "duration_s": round(evaluation.duration_s, 3),
        "mean_pass@1": asdict(mean) if mean else None,
        "targets": [
            _plain(asdict(summary) | asdict(tried))
            for summary, tried in zip(evaluation.summaries, evaluation.tried, strict=True)
        ],
    }


def as_table(evaluation: Evaluation) -> RenderableType:
    """What `rlenvs eval` prints."""
    return Group(_overview(evaluation), *_breakdowns(evaluation), *map(escape, remarks(evaluation)))


def rollout_rows(samples: Sequence[Sample], *, version: int = 0) -> list[RolloutRow]:
    """The samples as `run.sqlite` keeps them. `version`: how many updates the policy had had."""
    groups: dict[tuple[str, int, str], int] = {}
    return [
        RolloutRow(
            group=groups.setdefault((sample.target, sample.index, sample.seat), len(groups)),
            attempt=sample.sample,
            episode=f"{sample.target}/{sample.index}/{sample.sample}",
            task_id=sample.task_id,
            seat=sample.seat,
            ending=sample.ending,
            reward=sample.reward,
            correct=sample.correct,
            parts=sample.parts,
            messages=sample.messages,
            num_tokens=sample.num_tokens or 0,
            version=version,
            error=sample.error,
        )
        for sample in samples
    ]


def _overview(evaluation: Evaluation) -> Table:
    shown = _shown_ks(evaluation.num_samples)
    title = f"{evaluation.policy}: {_samples(evaluation)} × per task, 95 % intervals over tasks"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("target", overflow="fold")
    for column in ("tasks", *(f"pass@{k}" for k in shown), "reward", "tokens", "errors"):
        table.add_column(column, justify="right", no_wrap=True)
    for summary in evaluation.summaries:
        table.add_row(escape(summary.target), *_cells(summary, shown))
    mean = evaluation.mean_pass_at_1
    if mean is not None and len(evaluation.summaries) > 1:
        table.add_section()
        table.add_row("mean of targets", "", _two_lines(mean))
    return table


def _samples(evaluation: Evaluation) -> str:
    fewest = min(tried.samples_per_task for tried in evaluation.tried)
    return f"{evaluation.num_samples}" if fewest == evaluation.num_samples else f"{fewest} to {evaluation.num_samples}"


def _cells(summary: Summary, shown: Sequence[int]) -> list[str]:
    by_k = {passed.k: passed for passed in summary.pass_at}
    is_whole = summary.num_tasks_scored == summary.num_tasks
    tasks = str(summary.num_tasks) if is_whole else f"{summary.num_tasks_scored} of {summary.num_tasks}"
    reward = f"{summary.reward.value:.3f}" if summary.reward else "-"
    tokens = "-" if summary.mean_tokens is None else f"{summary.mean_tokens:.0f}"
    errors = f"{summary.num_errors} of {summary.num_samples}" if summary.num_errors else "0"
    rates = [_rate(by_k[k], summary) if k in by_k else "-" for k in shown]
    return [tasks, *rates, reward, tokens, errors]


def _rate(passed: PassAt, summary: Summary) -> str:
    """pass@k, and of how many tasks where some have too few judged samples for this k: it is another set of tasks."""
    lines = _two_lines(passed.estimate)
    is_of_all = passed.num_tasks == summary.num_tasks_scored
    return lines if is_of_all else f"{lines}\n{passed.num_tasks} task{'s' * (passed.num_tasks != 1)}"


def _two_lines(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} %\n[dim]{100 * estimate.low:.1f}–{100 * estimate.high:.1f}[/dim]"


def _breakdowns(evaluation: Evaluation) -> list[Table]:
    tables = []
    for summary in evaluation.summaries:
        if summary.breakdown:
            table = Table(title=f"{summary.target}, pass@1", title_justify="left", box=box.SIMPLE_HEAD)
            for column in ("", "", "tasks", "%", "95 %"):
                table.add_column(column, justify="right" if column else "left")
            for subset in summary.breakdown:
                estimate = subset.pass_at_1
                interval = f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"
                numbers = (str(subset.num_tasks), f"{100 * estimate.value:.1f}", interval)
                table.add_row(subset.key, escape(subset.value), *numbers)
            tables.append(table)
    return tables


def _shown_ks(num_samples: int) -> list[int]:
    """At most four: 1, n, and powers of two evenly between them."""
    powers = [2**power for power in range(num_samples.bit_length())]
    return sorted({1, powers[len(powers) // 3], powers[2 * len(powers) // 3], num_samples})


def _plain(value: Any) -> Any:
    """JSON has no infinity: an interval without limits has None."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
