"""A policy in words over any sampler in tokens: how checkpoints and folders are evaluated.

The conversation is rendered afresh for every request: an evaluation keeps no state between turns.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rlenvs.policies.base import Finish, Placement, PolicyCapability, Reply, ReplyRequest, Sampling
from rlenvs_trainers.policy import load_policy
from rlenvs_trainers.records import Completion
from rlenvs_trainers.render import Renderer, TemplateError
from rlenvs_trainers.samplers.base import Sampler, SamplerContext, SampleRequest


class TokenPolicy:
    """Replies with what a sampler writes.

    Args:
        name: what people call it.
        settings: what else its replies depend on, as JSON values (weights, dtype, say); the sampling is added.
        policy: which of the sampler's policies; `version`: of its weights, None for whichever is there.
    """

    def __init__(
        self,
        sampler: Sampler,
        renderer: Renderer,
        sampling: Sampling,
        *,
        name: str,
        settings: Mapping[str, Any] | None = None,
        policy: str = "policy",
        version: int | None = None,
    ) -> None:
        self.sampler, self.renderer, self.name = sampler, renderer, name
        self.settings: Mapping[str, Any] = {**asdict(sampling), **(settings or {})}
        self.capabilities: frozenset[PolicyCapability] = frozenset({"placed"})
        if "concurrent" in sampler.capabilities:
            self.capabilities |= {"concurrent"}
        self._sampling = sampling
        self._policy, self._version = policy, version

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        """One reply per request, sampled as one batch; conversations that cannot be rendered or do not fit say so."""
        asked: dict[int, SampleRequest] = {}
        for place, request in enumerate(requests):
            rendered = self._rendered(request)
            if isinstance(rendered, Reply):
                yield place, rendered
            else:
                asked[place] = rendered
        completions = await self.sampler.sample(list(asked.values())) if asked else ()
        for place, completion in zip(asked, completions, strict=True):
            yield place, self._reply(completion)

    def _rendered(self, request: ReplyRequest) -> SampleRequest | Reply:
        """What to ask of the sampler, or the reply where there is nothing to ask."""
        try:
            ids = self.renderer.start(request.messages).ids
        except TemplateError as error:
            return Reply(error=str(error))
        if len(ids) >= self.sampler.context_length:
            return Reply(finish="overflow", num_tokens=0)
        return SampleRequest(
            key=request.key,
            prompt_ids=ids,
            params=self._sampling,
            seed=request.seed,
            policy=self._policy,
            version=self._version,
        )

    def _reply(self, completion: Completion) -> Reply:
        finish: Finish = "length" if completion.finish_reason == "length" else "stop"
        text = self.renderer.decode(completion.token_ids)
        return Reply(text=text, num_tokens=len(completion.token_ids), finish=finish)


def load_token_policy(spec: str, sampling: Sampling, placement: Placement = Placement()) -> TokenPolicy:
    """The policy that `spec` names (see `load_policy`), sampled by `transformers` as in training.

    Raises:
        RlenvsError: it cannot be read, or there is no such device.
    """
    from rlenvs_trainers.devices import device_named
    from rlenvs_trainers.samplers.transformers import from_context

    policy = load_policy(spec, device=device_named(placement.device))
    renderer = Renderer(policy.tokenizer, eos_ids=policy.eos_ids)
    sampler = from_context(
        SamplerContext(model=policy.model, renderer=renderer, spec=spec, dtype=placement.dtype, options={})
    )
    settings = {"sampler": "transformers", "dtype": placement.dtype, "weights": policy.fingerprint}
    return TokenPolicy(sampler, renderer, sampling, name=spec, settings=settings)
