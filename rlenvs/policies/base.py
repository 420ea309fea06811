"""`Policy`: whoever writes the replies when an environment is played in words, many at once.

Policies in tokens (with log-probabilities, for training) are the samplers of `rlenvs_trainers`.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from rlenvs.errors import RlenvsError
from rlenvs.records import Message

Finish = Literal[
    "stop",  # the policy ended its message
    "length",  # its token limit cut the message off: the environment never receives it
    "overflow",  # the conversation does not fit the policy's context: nothing was written
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRequest:
    """One message to write."""

    key: str  # stable name (target, task, sample, seat, turn): orders a batch, whatever arrived first
    messages: tuple[Message, ...]  # the whole conversation as this seat sees it, its own messages as "assistant"
    seed: int  # of this request alone, 63 bits: its draws do not depend on its neighbours
    # How a right answer would look now, for scripted baselines alone. The environment is asked in a thread, with the
    # evaluation's deadline: TimeoutError past it, and whatever else an environment may raise.
    answer: Callable[[], Awaitable[str]] | None = None

    def __post_init__(self) -> None:
        if not self.messages:
            raise ValueError(f"request {self.key}: a reply needs at least one message to reply to")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back. One with an error is not a wrong answer: it is left out of every rate and counted."""

    text: str = ""
    num_tokens: int | None = None  # that the policy wrote; None: it does not say
    finish: Finish = "stop"
    error: str = ""  # why there is no reply: time-out, refused connection …; empty: there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a policy draws what it writes, one message or action at a time."""

    temperature: float = 1.0  # 0: greedy
    top_p: float = 1.0
    top_k: int = 0  # 0: all
    max_tokens: int = 256  # per message
    stop: tuple[str, ...] = ()  # texts that end a message, and are the end of it: "</search>" …

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise ValueError(f"sampling.temperature is at least 0 (0 is greedy): got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"sampling.top_p is in (0, 1]: got {self.top_p}")
        if self.top_k < 0:
            raise ValueError(f"sampling.top_k is at least 0 (0 is off): got {self.top_k}")
        if self.max_tokens < 1:
            raise ValueError(f"sampling.max_tokens is at least 1: got {self.max_tokens}")
        if isinstance(self.stop, str) or not all(self.stop):
            raise ValueError(f"sampling.stop is a tuple of texts, none of them empty: got {self.stop!r}")

    def ended(self, text: str) -> str:
        """The text up to the end of the first stop text in it; all of it where there is none."""
        ends = [place + len(stop) for stop in self.stop if (place := text.find(stop)) >= 0]
        return text[: min(ends, default=len(text))]


def check_device(setting: str, name: str) -> None:
    """Raise ValueError unless `name` is a device's; `setting` is what people call it."""
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", name):
        raise ValueError(f"{setting} is 'auto', 'cpu', 'cuda' or 'cuda:1': got {name!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a policy with weights computes, and in which numbers: as `[learner]` has it in training."""

    device: str = "auto"  # "cpu", "cuda", "cuda:1"; auto: cuda where there is one
    dtype: Literal["float32", "bfloat16"] = "float32"  # of the forward passes; weights stay in float32

    def __post_init__(self) -> None:
        check_device("device", self.device)
        if self.dtype not in ("float32", "bfloat16"):
            raise ValueError(f"dtype is 'float32' or 'bfloat16': got {self.dtype!r}")


PolicyCapability = Literal[
    "concurrent",  # it answers each request by itself, whenever it comes: requests are passed on one by one, at once
    "placed",  # it computes where and as the `Placement` says
]


class Policy(Protocol):
    """Writes many replies at once."""

    @property
    def name(self) -> str:
        """What people call it: "oracle", "openai:gpt-x@http://…", a checkpoint's path."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """JSON values: all else that its replies depend on (sampling, weights). Results are keyed by it."""

    @property
    def capabilities(self) -> frozenset[PolicyCapability]:
        """What it can do beyond that; nothing, for most."""

    def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        """(place of the request, its reply), once for each request and as soon as there is one: an async generator.

        All requests are there at once, to be answered in one batch or at the same time. What fails for one request is
        that reply's `error`. One that is "concurrent" is called again while it still answers.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """What a policy's factory is given."""

    spec: str  # what follows the kind and its colon: of "mine:a/b", "a/b"
    samplings: tuple[Sampling, ...] = (Sampling(),)  # as the suites want it, which may differ
    placement: Placement | None = None  # where to compute; None: nobody asked for anything in particular
    concurrency: int = 16  # requests in flight, for what is served elsewhere

    @property
    def sampling(self) -> Sampling:
        """How to draw. What does not draw has no need to ask.

        Raises:
            RlenvsError: the suites differ.
        """
        if len(set(self.samplings)) > 1:
            raise RlenvsError(
                "the suites sample differently: evaluate them apart, or say --temperature, --max-tokens, --top-p …"
            )
        return self.samplings[0]


class PolicyFactory(Protocol):
    """Makes the policies of one kind, for the hook `register_policies`.

    The kind is the name it is registered under: `kind:rest` on the command line is `factory(context)` with the rest as
    `context.spec`, and `kind` alone has an empty one. What names no kind is a folder, checkpoint, hub id or built-in
    model, and goes to the kind "tokens", which the trainers register.
    """

    def __call__(self, context: PolicyContext, /) -> Policy:
        """The policy. A mistake in `context` is an RlenvsError."""
