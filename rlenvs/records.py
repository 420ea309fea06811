"""What an environment and a policy say to each other, in words: messages, tasks, verdicts.

Token ids, masks and log-probabilities belong to `rlenvs_trainers.records`.
"""

import hashlib
import json
import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeVar

T = TypeVar("T")

Role = Literal["system", "user", "assistant", "tool"]

Ending = Literal[
    "completed",  # the environment ended the episode and the rubric judged it
    "max_turns",  # out of turns; judged on what there is
    "max_tokens",  # the policy ran into its token limit inside an action
    "context_overflow",  # the conversation no longer fits the policy's context
    "malformed_action",  # the environment ended the episode because it could not read the action
    "env_error",  # the environment raised
    "grader_error",  # a reward function raised, or gave something that is not a number
    "sandbox_error",  # the sandbox was lost
    "timeout",  # a deadline passed while the environment or a grader was running
    "unscored",  # a reward function said that this cannot be scored (None)
    "pruned",  # an exploration strategy dropped the branch
]
"""Why a trajectory stopped."""

FAILURES: frozenset[Ending] = frozenset({"env_error", "grader_error", "sandbox_error", "timeout", "unscored", "pruned"})
"""The endings from which nothing can be learned: their verdict is None, never a reward of 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str
    name: str | None = None  # which agent or tool is speaking, where there are several

    def __post_init__(self) -> None:
        if self.role not in ("system", "user", "assistant", "tool"):
            raise ValueError(f"a role is system, user, assistant or tool: got {shown(self.role)}")
        if not isinstance(self.content, str):
            raise ValueError(f"a message's content is text: got {type(self.content).__name__}")
        if not isinstance(self.name, str | None):
            raise ValueError(f"a message's name is text, or None: got {shown(self.name)}")


def user(content: str) -> Message:
    """A message of the user, or of the world."""
    return Message(role="user", content=content)


def assistant(content: str) -> Message:
    """A message of the policy."""
    return Message(role="assistant", content=content)


def shown(value: Any) -> str:
    """What came in place of what was expected, as an error shows it: shortened, with its type."""
    try:
        text = repr(value)
    except Exception as error:  # foreign code: it must not take the place of what is being said
        text = f"something whose repr raised {type(error).__name__}"
    return f"{text if len(text) <= 80 else text[:79] + '…'} ({type(value).__name__})"


def as_text(value: Any, what: str) -> str:
    """What `what` gave, if it is text. For what foreign code says of itself, where it comes in.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, str):
        raise ValueError(f"{what} gives text: got {shown(value)}")
    return value


def as_messages(value: Any, what: str) -> tuple[Message, ...]:
    """The messages as a tuple; a list of them is as good.

    Raises:
        ValueError: it is something else; `what` says what it was to be.
    """
    return _as_tuple(value, Message, f"{what} is a tuple of Messages, such as (user('…'),)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One problem: what the policy reads, and what only the grader knows.

    Raises:
        ValueError: the id is no text or empty, the prompt is not of messages or empty, or target or metadata hold
            something that JSON has not: a fingerprint and a result would differ from process to process. Tuples are as
            good as lists.
    """

    id: str  # stable over versions and machines: results are keyed by it
    prompt: tuple[Message, ...]
    target: Any = None  # the right answer in the environment's own form, made of JSON values; never shown to the policy
    metadata: Mapping[str, Any] = field(default_factory=dict)  # JSON values: family, level, source …

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise ValueError(f"a task's id is text that is not empty, results are keyed by it: got {shown(self.id)}")
        object.__setattr__(self, "prompt", as_messages(self.prompt, f"task {self.id}: a prompt"))
        if not self.prompt:
            raise ValueError(f"task {self.id}: the prompt needs at least one message")
        if not isinstance(self.metadata, Mapping):
            raise ValueError(f"task {self.id}: metadata is a dict of JSON values: got {shown(self.metadata)}")
        for name, value in (("target", self.target), ("metadata", dict(self.metadata))):
            problem = next(_not_json(value, name), None)
            if problem is not None:
                raise ValueError(f"task {self.id}: {problem}")

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits of a hash over id, prompt and target.

        Two trajectories are siblings (share a baseline) only if their tasks' fingerprints agree.
        """
        content = [self.id, [asdict(message) for message in self.prompt], self.target]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _not_json(value: Any, path: str) -> Iterator[str]:
    """A sentence for everything in `value` that JSON has not, with the way to it."""
    if hasattr(value, "dtype"):  # also where it is a subclass of float or str
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        how = ".tolist()" if getattr(value, "shape", ()) else ".item()"
        yield f"{path} is a {kind}; turn it into Python values with {how}"
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _not_json(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str:
                yield f"{path} has the key {key!r}, and the keys of JSON are text"
            yield from _not_json(item, f"{path}[{key!r}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path} is {value}, and the numbers of JSON are finite"
    elif not (value is None or isinstance(value, str | int | float)):
        yield f"{path} is a {type(value).__name__}, which JSON has not; a set, say, is written as a sorted list"


LARGEST_REWARD = 1e100
"""In size: of as many as there will ever be, sums and squares are still numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one reward function said of an episode."""

    name: str
    value: float  # as the function gave it
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"a part's name is text: got {shown(self.name)}")
        for field_name in ("value", "weight"):
            object.__setattr__(
                self, field_name, as_number(getattr(self, field_name), f"part {self.name!r}: {field_name}")
            )
        if not max(abs(self.value), abs(self.weighted)) <= LARGEST_REWARD or not math.isfinite(self.weight):
            size = f"finite, and at most {LARGEST_REWARD:g} in size"
            raise ValueError(
                f"part {self.name!r}: value and value times weight are {size}: got {self.value} and {self.weight}"
            )

    @property
    def weighted(self) -> float:
        """What it adds to the reward."""
        return self.value * self.weight


def as_number(value: Any, what: str) -> float:
    """The number as a float; NumPy's and torch's scalars are numbers.

    Raises:
        ValueError: it is something else; `what` says what it was to be.
    """
    try:
        if not isinstance(value, str | bytes):  # what float() would read
            return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{what} is a number: got {shown(value)}")


def as_count(value: Any, what: str) -> int:
    """The whole number as an int; NumPy's and torch's are whole numbers.

    Raises:
        ValueError: it is something else, a truth value too; `what` says what it was to be.
    """
    try:
        if not isinstance(value, bool):  # Python's is an int
            return operator.index(value)
    except TypeError:
        pass
    raise ValueError(f"{what}: got {shown(value)}")


def as_parts(value: Any, what: str) -> tuple[Part, ...]:
    """The named rewards as a tuple; a list of them is as good.

    Raises:
        ValueError: it is something else; `what` says what it was to be.
    """
    return _as_tuple(value, Part, f"{what} is a tuple of Parts, such as (Part(name='speed', value=0.5),)")


def _as_tuple(value: Any, kind: type[T], expected: str) -> tuple[T, ...]:
    if isinstance(value, list | tuple) and all(isinstance(each, kind) for each in value):
        return tuple(value)
    raise ValueError(f"{expected}: got {shown(value)}")


def value_of(parts: Iterable[Part]) -> float:
    """The weighted sum of named rewards."""
    return float(sum(part.weighted for part in parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How good an episode was, and why. There is no verdict where nothing could be judged: that is None."""

    parts: tuple[Part, ...]
    correct: float  # accuracy in [0, 1] whatever the reward: filters and evaluation read this, never the shaped reward

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", as_parts(self.parts, "a verdict's parts"))
        object.__setattr__(self, "correct", as_number(self.correct, "a verdict's correct"))
        names = [part.name for part in self.parts]
        if len(set(names)) != len(names):
            raise ValueError(f"a verdict's parts have different names: got {names}")
        if not 0.0 <= self.correct <= 1.0:
            raise ValueError(f"correct is an accuracy in [0, 1]: got {self.correct}")

    @property
    def reward(self) -> float:
        """The weighted sum of the parts."""
        return value_of(self.parts)
