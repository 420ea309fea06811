"""Named, weighted reward functions that give a verdict with its parts. A grader that breaks is an error, never 0."""

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rlenvs.errors import ForeignExitError, GraderError, foreign_code
from rlenvs.records import Message, Part, Task, Verdict, as_number, shown
from rlenvs_sandbox import SandboxError

Grader = Callable[[Task, Sequence[Message]], Any]
"""(task, whole conversation) -> a number, or None for "this cannot be scored"."""


@dataclass(frozen=True, slots=True)
class RewardFunction:
    """One named part of a rubric."""

    name: str
    function: Grader
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"a reward function's name is text: got {shown(self.name)}")
        if not callable(self.function):
            raise ValueError(
                f"reward function {self.name!r}: it is called with (task, messages) and gives a number: "
                f"got {shown(self.function)}"
            )
        object.__setattr__(self, "weight", as_number(self.weight, f"reward function {self.name!r}: its weight"))
        if not math.isfinite(self.weight):
            raise ValueError(f"reward function {self.name!r}: its weight is a finite number: got {self.weight}")


@dataclass(frozen=True, slots=True)
class Rubric:
    """Judges a whole conversation.

    Args:
        functions: the parts; their weighted sum is the reward.
        correct: the name of the part that says whether the answer is right (clipped to [0, 1]); the first by default.
    """

    functions: tuple[RewardFunction, ...]
    correct: str = ""

    def __post_init__(self) -> None:
        functions: Any = self.functions
        if not isinstance(functions, list | tuple) or not all(isinstance(each, RewardFunction) for each in functions):
            example = "(RewardFunction('accuracy', grade),)"
            raise ValueError(f"a rubric is of a tuple of RewardFunctions, such as {example}: got {shown(functions)}")
        object.__setattr__(self, "functions", tuple(functions))
        names = [function.name for function in self.functions]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"a rubric needs at least one function, each with a name of its own: got {names}")
        if self.correct and self.correct not in names:
            raise ValueError(f"correct names one of the rubric's parts {names}: got {self.correct!r}")

    def judge(self, task: Task, transcript: Sequence[Message]) -> Verdict | None:
        """The verdict, or None where a function says that the episode cannot be scored.

        Raises:
            GraderError: a function raised, or gave NaN, an infinity, more than `LARGEST_REWARD` or no number at all.
            SandboxError, TimeoutError: a function was let down by its sandbox, or by a deadline.
        """
        parts = []
        for function in self.functions:
            value = _graded(function, task, transcript)
            if value is None:
                return None
            parts.append(_part(function, value, task.id))
        decisive = self.correct or self.functions[0].name
        correct = next(part.value for part in parts if part.name == decisive)
        return Verdict(parts=tuple(parts), correct=min(1.0, max(0.0, correct)))


def _graded(function: RewardFunction, task: Task, transcript: Sequence[Message]) -> float | None:
    try:
        with foreign_code():
            value = function.function(task, transcript)
    except (GraderError, SandboxError, TimeoutError):  # these say themselves what failed
        raise
    except ForeignExitError as error:
        raise GraderError(task.id, function.name, str(error)) from error
    except Exception as error:  # whatever it raises is a broken grader
        raise GraderError(task.id, function.name, f"raised {type(error).__name__}: {error}") from error
    return None if value is None else checked_reward(value, task.id, function.name)


def _part(function: RewardFunction, value: float, task_id: str) -> Part:
    try:
        return Part(name=function.name, value=value, weight=function.weight)
    except ValueError as error:
        raise GraderError(task_id, function.name, f"gave what is no reward: {error}") from error


def checked_reward(value: Any, task_id: str, name: str) -> float:
    """The number as a float; booleans, NumPy scalars and arrays or tensors of no dimension are numbers.

    Raises:
        GraderError: it is not a finite real number.
    """
    if not (isinstance(value, numbers.Real) or _is_scalar(value)):
        why = f"gave {shown(value)}; expected a number, or None for what cannot be scored"
        raise GraderError(task_id, name, why)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise GraderError(task_id, name, f"gave {value}; expected a finite number")
    return number


def checked_verdict(value: Any, task: Task) -> Verdict | None:
    """What an environment's own `judge` gave.

    Raises:
        GraderError: it is neither a Verdict nor None.
    """
    if value is None or isinstance(value, Verdict):
        return value
    raise GraderError(task.id, "judge", f"gave {shown(value)}; expected a Verdict, or None for what cannot be scored")


def _is_scalar(value: Any) -> bool:
    """An array or tensor of no dimension whose numbers are real; torch's dtypes have no `kind`."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and value.ndim == 0 and getattr(dtype, "kind", "f") in "biuf"
