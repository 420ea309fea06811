"""Which tests a problem gets: enough to tell the right program from near misses, from constants and from its examples.

Near misses are the right program with one piece changed. One that no candidate input tells from the right program
means the same, as far as the family's inputs go.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rlenvs.envs.codegen.problem import Draft, Problem, Trial, literal
from rlenvs.envs.codegen.syntax.expressions import Name
from rlenvs.envs.codegen.syntax.mutants import RAISED, near_misses, result_of
from rlenvs.envs.codegen.syntax.statements import Function, Return, Routine

NUM_FIRST = 10  # candidates that become tests in any case
MAX_TESTS = 20
MAX_TRIAL_CHARS = 400  # of a test's arguments and result, written down
MAX_SAME = 0.75  # the share of tests that may have one result: what a program earns that always gives it


def problem_of(draft: Draft, num_examples: int) -> Problem | None:
    """The problem of a draft; None where its tests would say too little, or no mistake is wrong: draw again."""
    candidates = _trials(draft)
    trials = candidates[:NUM_FIRST]
    for routine in (*draft.mistakes, *_idle(draft.right), *near_misses(draft.right)):
        if len(trials) < MAX_TESTS and not any(_differs(routine, trial) for trial in trials):
            trials += [trial for trial in candidates if trial not in trials and _differs(routine, trial)][:1]
    wrong = _typical(draft.mistakes, trials)
    if any(all(not _differs(idle, trial) for trial in trials) for idle in _idle(draft.right)):
        return None
    if wrong is None or len(trials) < NUM_FIRST or _most_frequent(trials) > MAX_SAME * len(trials):
        return None
    examples = _examples(trials, wrong, num_examples)
    if len({literal(trial.result) for trial in trials if trial not in examples}) < 2:
        return None
    return Problem(
        words=draft.words,
        examples=tuple(examples),
        trials=tuple(trials),
        right=draft.right.text,
        wrong=wrong.text,
        entry_point=draft.right.name if isinstance(draft.right, Function) else "",
    )


def _idle(right: Routine) -> tuple[Function, ...]:
    """The function that gives back its first argument."""
    if not isinstance(right, Function):
        return ()
    return (replace(right, body=(Return(Name(right.parameters[0])),)),)


def _trials(draft: Draft) -> list[Trial]:
    """All candidates with the right program's results; the same arguments once, long ones left out."""
    trials: dict[str, Trial] = {}
    for arguments in draft.inputs:
        written = literal(list(arguments))
        if written in trials:
            continue
        result = result_of(draft.right, arguments)
        assert result is not RAISED, f"{draft.right.text} breaks on {written}"
        if len(written) + len(literal(result)) <= MAX_TRIAL_CHARS:
            trials[written] = Trial(arguments, result)
    return list(trials.values())


def _differs(routine: Routine, trial: Trial) -> bool:
    return bool(result_of(routine, trial.arguments) != trial.result)


def _typical(mistakes: Iterable[Routine], trials: Sequence[Trial]) -> Routine | None:
    """The first mistake that is wrong on some tests and right on others, else the first that is wrong on any."""
    wrong = [(routine, sum(_differs(routine, trial) for trial in trials)) for routine in mistakes]
    partly = [routine for routine, count in wrong if 0 < count < len(trials)]
    wholly = [routine for routine, count in wrong if count]
    return next(iter(partly + wholly), None)


def _most_frequent(trials: Sequence[Trial]) -> int:
    return max(Counter(literal(trial.result) for trial in trials).values())


def _examples(trials: Sequence[Trial], wrong: Routine, count: int) -> list[Trial]:
    """Trials to show: first one that the mistake gets wrong, then others with results that differ."""
    ordered = sorted(trials, key=lambda trial: (_dullness(trial), _size(trial)))
    chosen = [next(trial for trial in ordered if _differs(wrong, trial))]
    for trial in ordered:
        if len(chosen) < count and all(trial.result != other.result for other in chosen):
            chosen.append(trial)
    return chosen


def _dullness(trial: Trial) -> int:
    """How little people learn from it: values that are empty, 0 or 1, or all alike, or an argument given back."""
    values = (*trial.arguments, trial.result)
    alike = len(trial.arguments) > 1 and _is_dull(list(trial.arguments))
    empty = sum(isinstance(value, list | dict | str) and not value for value in values)
    return sum(map(_is_dull, values)) + empty + int(alike) + int(trial.result == trial.arguments[0])


def _is_dull(value: Any) -> bool:
    if isinstance(value, list | str):
        return len({literal(item) for item in value}) < 2
    return len(value) < 2 if isinstance(value, dict) else value in (0, 1)


def _size(trial: Trial) -> int:
    return len(literal(list(trial.arguments))) + len(literal(trial.result))
