"""The errors that people who use environments meet."""

from difflib import get_close_matches
from collections.abc import Iterable


class RlenvsError(Exception):
    """Anything that a person, not a bug of ours, can put right: shown as a sentence, without a traceback."""


class EpisodeOverError(RlenvsError):
    """A step after the end of an episode, or before its reset."""


class GraderError(RlenvsError):
    """A reward function that raised, or gave something that is not a number. It is never a reward of 0."""

    def __init__(self, task_id: str, part: str, why: str) -> None:
        super().__init__(f"task {task_id}: reward function {part!r} {why}")
        self.task_id, self.part, self.why = task_id, part, why

    def __reduce__(self) -> tuple[type["GraderError"], tuple[str, str, str]]:
        return GraderError, (self.task_id, self.part, self.why)


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The sentence for a name that nobody registered, with the near miss and what there is."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"no {kind} {name!r}.{hint} There is: {', '.join(names) or 'none'}."
