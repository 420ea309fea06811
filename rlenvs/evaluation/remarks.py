"""What has to be said beside the numbers of an evaluation, one line each: what they are of, and what they leave out."""

from collections.abc import Iterator

from rlenvs.evaluation.evaluate import Evaluation
from rlenvs.evaluation.questions import Tried
from rlenvs.evaluation.summary import Summary
from rlenvs.notation import inline

MOST_ERRORS = 5  # different ones
CUT_OFF = {
    "max_tokens": "cut off at the policy's token limit before an action was whole",
    "context_overflow": "ended because the conversation did not fit the policy's context",
    "malformed_action": "ended by the environment because it could not read the action",
}
"""Endings that are judged like all others, mostly as wrong: they say that it is the limits that were measured."""


def remarks(evaluation: Evaluation) -> list[str]:
    """For each target: what it is, questions that there were too few of, replies cut off, samples not counted."""
    lines = []
    for summary, tried in zip(evaluation.summaries, evaluation.tried, strict=True):
        lines.append(_subject(summary.target, tried))
        for remark in (*_questions(tried), *_cut_off(summary), *_too_few(summary), *_errors(summary)):
            lines.append(f"{summary.target}: {remark}")
    return lines


def _subject(title: str, tried: Tried) -> str:
    options = ", ".join(f"{name}={inline(value)}" for name, value in tried.options.items() if value not in (None, ""))
    name = "" if title == tried.env else f"{title}: "
    return f"{name}{tried.env}({options}), tasks {tried.first_task} … {tried.last_task}"


def _questions(tried: Tried) -> Iterator[str]:
    repeated = f"{tried.num_repeated} tasks were passed over that repeat an earlier question"
    if tried.num_asked is not None and tried.num_questions < tried.num_asked:
        why = f"; {repeated}" if tried.num_repeated else ""
        yield f"has {tried.num_questions} different questions, not the {tried.num_asked} asked for{why}"
    elif tried.num_repeated:
        yield repeated
    if tried.shared_ids:
        some = f"{tried.shared_ids[0]}{' …' if tried.shared_ids[1:] else ''}"
        yield (
            f"several tasks have the same id ({some}): they draw the same seeds, and comparisons that pair tasks by id "
            "take them for one. Give each an id of its own"
        )


def _cut_off(summary: Summary) -> Iterator[str]:
    for ending, what in CUT_OFF.items():
        if count := summary.endings.get(ending, 0):
            yield f"{count} of {summary.num_samples} samples {what}"


def _too_few(summary: Summary) -> Iterator[str]:
    fewer = [passed for passed in summary.pass_at if passed.num_tasks < summary.num_tasks_scored]
    if fewer:
        last = fewer[-1]
        yield (
            f"pass@{fewer[0].k} and above are of fewer tasks (pass@{last.k}: {last.num_tasks} of "
            f"{summary.num_tasks_scored}), those with as many judged samples: do not compare them with pass@1"
        )


def _errors(summary: Summary) -> Iterator[str]:
    kinds = list(summary.errors.items())
    for what, count in kinds[:MOST_ERRORS]:
        yield f"{count} × not counted, {what}"
    if others := kinds[MOST_ERRORS:]:
        yield f"{sum(count for _, count in others)} × not counted, {len(others)} other kinds of errors"
