"""The errors that people who use environments meet, and which ending each failure stands for."""

import errno
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from rlenvs.records import Ending
from rlenvs_sandbox import SandboxError


class RlenvsError(Exception):
    """Anything that a person, not a bug of ours, can put right: shown as a sentence, without a traceback."""


class EpisodeOverError(RlenvsError):
    """A step after the end of an episode, or before its reset."""


class UnknownEnvironmentError(RlenvsError, ValueError):
    """An id, or an option of an environment, that does not exist."""


class MakingError(RlenvsError, ValueError):
    """An environment that was not made: it refuses its options, raised something, or has no tasks."""


class RegistrationError(RlenvsError, ValueError):
    """An id that is malformed, or already belongs to another environment."""


class CheckError(RlenvsError, AssertionError):
    """What `check_env` found wrong, a sentence for each failure."""


class NoAnswerError(RlenvsError, NotImplementedError):
    """An environment does not say how its answers look, or nobody knows the answer of one of its tasks."""

    def __init__(self, name: str, task: str = "") -> None:
        needed = "does not say how its answers look: it needs answer_message, see docs/environments.md"
        super().__init__(f"{name} has no answer to task {task}: none was published" if task else f"{name} {needed}")
        self.name, self.task = name, task

    def __reduce__(self) -> tuple[type["NoAnswerError"], tuple[str, str]]:
        return NoAnswerError, (self.name, self.task)


class GraderError(RlenvsError):
    """A reward function that raised, or gave something that is not a number. It is never a reward of 0."""

    def __init__(self, task_id: str, part: str, why: str) -> None:
        super().__init__(f"task {task_id}: reward function {part!r} {why}")
        self.task_id, self.part, self.why = task_id, part, why

    def __reduce__(self) -> tuple[type["GraderError"], tuple[str, str, str]]:
        return GraderError, (self.task_id, self.part, self.why)


class ForeignExitError(RuntimeError):
    """Foreign code raised what is no Exception (SystemExit, an extension's panic): it would have ended us all."""


@contextmanager
def foreign_code() -> Iterator[None]:
    """Around calls of code that is not ours: whatever it raises comes out as an Exception, so that it can be a value.

    Only KeyboardInterrupt passes as it is: it is the user's, whoever's code it meets. Nothing is awaited inside.

    Raises:
        ForeignExitError: it raised something else that is no Exception.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ForeignExitError(f"raised {type(error).__name__}: {error}") from error


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Around what the system does with a file: where it fails, which file that was and what to do.

    Args:
        what: what the file is, for people: "the results file runs/x.jsonl".

    Raises:
        RlenvsError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        advice = "Make room there and run the same again" if error.errno in _NO_ROOM else "Name another place"
        raise RlenvsError(f"{what} cannot be written: {error.strerror or error}. {advice}.") from error


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def ending_of(error: Exception) -> Ending:
    """How an episode ended in which the environment or its grader raised `error`."""
    if isinstance(error, SandboxError):
        return "sandbox_error"
    if isinstance(error, TimeoutError):
        return "timeout"
    return "grader_error" if isinstance(error, GraderError) else "env_error"


def described(error: Exception, *, frames: int = 3) -> str:
    """An exception as a person needs it: type and message first, then the last frames of where it all began."""
    is_exit = isinstance(error, ForeignExitError)  # its message says what was raised
    summary = str(error) if is_exit else "".join(traceback.format_exception_only(error)).strip()
    origin: BaseException = error
    while origin.__cause__ is not None:  # a GraderError's cause was raised in the reward function
        origin = origin.__cause__
    where = "".join(traceback.format_tb(origin.__traceback__)[-frames:]).rstrip()
    return f"{summary}\n{where}" if where else summary


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The sentence for a name that nobody registered, with the near miss and what there is."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"no {kind} {name!r}.{hint} There is: {', '.join(names) or 'none'}."
