"""The sampler's protocol: token ids in, completions with log-probabilities and policy version out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rlenvs.policies.base import Sampling
from rlenvs_trainers.records import Completion

if TYPE_CHECKING:
    from torch import Tensor

    from rlenvs_trainers.render import Renderer

Capability = Literal[
    "token_ids",
    "logprobs",
    "score",
    "monitor",
    "load",
    "concurrent",  # it batches by itself, whatever arrives when: requests are passed on one by one, at once
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """One token as it was drawn, and what it was drawn from. Nats, at the sampling temperature, before filters."""

    token_id: int
    logprob: float
    entropy: float
    top_logprobs: tuple[tuple[int, float], ...] = ()  # (id, logprob) of the most probable tokens, in their order


class Monitor(Protocol):
    """Watches one action as it is written, and may stop it or force ids."""

    @property
    def top(self) -> int:
        """How many of the most probable tokens it wants to see."""

    def __call__(self, sampled: Sampled) -> Sequence[int] | None:
        """After each sampled token: None to go on, ids to force next, an empty sequence to stop the action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRequest:
    """One action to write."""

    key: str  # stable name of the request (step, task, attempt, seat, turn): orders a batch, whatever arrived first
    prompt_ids: tuple[int, ...]
    params: Sampling  # a trainer cannot replay top-p and top-k, and refuses them
    seed: int  # of this request alone: its draws do not depend on its neighbours
    policy: str = "policy"
    version: int | None = None  # the version it must be served by; None: whichever is there
    max_staleness: int = 0  # how many updates older the served version may be
    monitor: Monitor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRequest:
    """One continuation to be told the probability of."""

    key: str  # stable name, as a sample's
    prefix_ids: tuple[int, ...]  # at least one
    continuation_ids: tuple[int, ...]
    policy: str = "policy"
    version: int | None = None
    max_staleness: int = 0

    def __post_init__(self) -> None:
        if not self.prefix_ids:
            raise ValueError(f"request {self.key}: no empty prefix, its first token would have no distribution")


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplerContext:
    """What a sampler's factory is given: `register_samplers` registers functions from this to a `Sampler`."""

    model: Any  # the module that is trained; an embedded sampler may share it
    renderer: Renderer
    spec: str  # what the policy was loaded from, for samplers that load it themselves
    dtype: Literal["float32", "bfloat16"]
    options: Mapping[str, Any]  # the run's `sampler_options`


class StaleWeightsError(RuntimeError):
    """The sampler serves other weights than the ones asked for."""

    def __init__(self, policy: str, served: int, wanted: int) -> None:
        super().__init__(
            f"sampler weights of {policy!r} are version {served}, trainer {wanted}: the weights were not published "
            f"after the last update, or changed during a call. No completion was kept."
        )


class BrokenWeightsError(FloatingPointError):
    """A policy whose log-probabilities are no numbers any more."""

    def __init__(self, policy: str, version: int) -> None:
        super().__init__(
            f"the weights of {policy!r}, version {version}, give log-probabilities that are no numbers: they have run "
            "away. Go on from an earlier checkpoint, with a smaller learner.lr or learner.max_grad_norm."
        )


def check_served(request: SampleRequest | ScoreRequest, served: int) -> None:
    """Raise StaleWeightsError unless weights of version `served` may answer the request."""
    wanted = request.version
    if wanted is not None and not wanted - request.max_staleness <= served <= wanted:
        raise StaleWeightsError(request.policy, served, wanted)


class Sampler(Protocol):
    """Writes many actions at once."""

    capabilities: frozenset[Capability]
    context_length: int  # tokens of prompt and completion together
    notes: tuple[str, ...]  # what is odd of it but allowed, a sentence each: said when a run starts

    async def sample(self, requests: Sequence[SampleRequest]) -> Sequence[Completion]:
        """One completion per request, in the order of the requests.

        Raises:
            StaleWeightsError: a request asks for other weights than those that are loaded.
            BrokenWeightsError: a token's log-probability is NaN.
        """

    async def score(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        """Log-probability of every continuation token given its prefix, at temperature 1, in the order of the requests.

        Raises:
            StaleWeightsError: as `sample`.
        """

    def serve(self, model: Any, *, policy: str, version: int = 0) -> None:
        """Serve one more policy beside the first: another seat's, a past self."""

    def load(self, weights: Mapping[str, Tensor], version: int, policy: str = "policy") -> None:
        """Serve these weights from now on, under this version."""

    def version(self, policy: str = "policy") -> int:
        """Which version is being served."""

    def close(self) -> None:
        """Free what it holds."""
