"""A policy in words over any sampler in tokens: how checkpoints and folders are evaluated.

The conversation is rendered afresh for every request: an evaluation keeps no state between turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rlenvs.policies.base import Finish, Reply, ReplyRequest, Sampling
from rlenvs_trainers.records import Completion
from rlenvs_trainers.render import Renderer, TemplateError
from rlenvs_trainers.samplers.base import Sampler, SampleRequest


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
        self._sampling = sampling
        self._policy, self._version = policy, version

    async def reply(self, requests: Sequence[ReplyRequest]) -> list[Reply]:
        """One reply per request, in their order; conversations that cannot be rendered or do not fit say so."""
        replies: dict[int, Reply] = {}
        asked: dict[int, SampleRequest] = {}
        for index, request in enumerate(requests):
            try:
                ids = self.renderer.start(request.messages).ids
            except TemplateError as error:
                replies[index] = Reply(error=str(error))
                continue
            if len(ids) >= self.sampler.context_length:
                replies[index] = Reply(finish="overflow", num_tokens=0)
                continue
            asked[index] = SampleRequest(
                key=request.key,
                prompt_ids=ids,
                params=self._sampling,
                seed=request.seed,
                policy=self._policy,
                version=self._version,
            )
        completions = await self.sampler.sample(list(asked.values())) if asked else ()
        replies |= {index: self._reply(each) for index, each in zip(asked, completions, strict=True)}
        return [replies[index] for index in range(len(requests))]

    def _reply(self, completion: Completion) -> Reply:
        finish: Finish = "length" if completion.finish_reason == "length" else "stop"
        text = self.renderer.decode(completion.token_ids)
        return Reply(text=text, num_tokens=len(completion.token_ids), finish=finish)


def load_token_policy(spec: str, sampling: Sampling) -> TokenPolicy:
    """The policy that `spec` names (see `load_policy`), on the GPU where there is one, sampled by `transformers`."""
    import torch

    from rlenvs_trainers.policy import load_policy
    from rlenvs_trainers.samplers.transformers import TransformersSampler

    device = "cuda" if torch.cuda.is_available() else "cpu"
    policy = load_policy(spec, device=device)
    renderer = Renderer(policy.tokenizer, eos_ids=policy.eos_ids)
    sampler = TransformersSampler(policy.model, renderer)
    settings = {"sampler": "transformers", "weights": policy.fingerprint}
    return TokenPolicy(sampler, renderer, sampling, name=spec, settings=settings)
