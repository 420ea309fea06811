"""A sampler that says what it is told: for tests, and for baselines in tokens.

It keeps the protocol's promises (versions, limits, capabilities) without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rlenvs.errors import RlenvsError, unknown
from rlenvs_trainers.records import Completion, FinishReason
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import Capability, SampleRequest, ScoreRequest, check_served
from rlenvs_trainers.samplers.stops import StopTexts

if TYPE_CHECKING:
    from torch import Tensor

Script = Callable[[SampleRequest], str | Sequence[int]]
"""What to write for a request: text (an end-of-sequence token is added), or ids exactly as they are."""


class ScriptedSampler:
    """Writes what `script` says.

    Args:
        script: a function of the request.
        renderer: encodes the texts and names the ends of sequence.
        logprob: of every token, nats.
        capabilities: what it claims to be able to do.
    """

    def __init__(
        self,
        script: Script,
        renderer: Renderer,
        *,
        logprob: float = -1.0,
        version: int = 0,
        context_length: int = 1 << 20,
        capabilities: Iterable[Capability] = ("token_ids", "logprobs", "score", "load"),
    ) -> None:
        self.script, self.renderer, self.logprob = script, renderer, logprob
        self.context_length, self.notes = context_length, ()
        self.capabilities: frozenset[Capability] = frozenset(capabilities)
        self._stops = StopTexts(renderer.decode)
        self._versions = {"policy": version}
        self.batches: list[tuple[SampleRequest, ...]] = []  # every call's requests

    async def sample(self, requests: Sequence[SampleRequest]) -> list[Completion]:
        """The scripted completions, cut at each request's limit."""
        for request in requests:
            check_served(request, self.version(request.policy))
        self.batches.append(tuple(requests))
        return [self._completion(request) for request in requests]

    async def score(self, requests: Sequence[ScoreRequest]) -> list[tuple[float, ...]]:
        """The same log-probability for every token."""
        for request in requests:
            check_served(request, self.version(request.policy))
        return [(self.logprob,) * len(request.continuation_ids) for request in requests]

    def serve(self, model: Any, *, policy: str, version: int = 0) -> None:  # noqa: ARG002
        """Count as one more policy."""
        self._versions[policy] = version

    def load(self, weights: Mapping[str, Tensor], version: int, policy: str = "policy") -> None:  # noqa: ARG002
        """Count as this version from now on."""
        self._versions[policy] = version

    def version(self, policy: str = "policy") -> int:
        """Which version it counts as."""
        if policy not in self._versions:
            raise RlenvsError(unknown("policy in this sampler", policy, self._versions))
        return self._versions[policy]

    def close(self) -> None:
        """Nothing to free."""

    def _completion(self, request: SampleRequest) -> Completion:
        said = self.script(request)
        ids = (*self.renderer.encode(said), min(self.renderer.eos_ids)) if isinstance(said, str) else tuple(said)
        ids = ids[: max(0, min(request.params.max_tokens, self.context_length - len(request.prompt_ids)))]
        lengths = range(1, len(ids) + 1) if request.params.stop else ()
        end = next((length for length in lengths if self._stops.has_ended(ids[:length], request.params.stop)), None)
        reason: FinishReason = "stop" if ids and ids[-1] in self.renderer.eos_ids else "length"
        if end is not None:
            ids, reason = ids[:end], "stop_string"
        return Completion(
            token_ids=ids,
            logprobs=(self.logprob,) * len(ids),
            sampled=(True,) * len(ids),
            finish_reason=reason,
            policy=request.policy,
            version=self.version(request.policy),
        )
