"""Requests to the embedded sampler, and what a plain forward pass says of its answers."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from rlenvs.policies.base import Sampling
from rlenvs_trainers.policy import load_policy
from rlenvs_trainers.records import Completion
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import SampleRequest, ScoreRequest
from rlenvs_trainers.samplers.transformers import TransformersSampler

PARAMS = Sampling(max_tokens=24)


def request(key: str, prompt: Sequence[int], **changes: Any) -> SampleRequest:
    given = {"key": key, "prompt_ids": tuple(prompt), "params": PARAMS, "seed": 0}
    return SampleRequest(**{**given, **changes})


def ragged(num_prompts: int = 5, attempts: int = 3, params: Sampling = PARAMS) -> list[SampleRequest]:
    """Prompts of 1, 4, 7 … tokens, several attempts at each."""
    rng = np.random.default_rng(0)
    prompts = [tuple(rng.integers(12, 110, size=1 + 3 * number).tolist()) for number in range(num_prompts)]
    return [
        request(f"{number}/{attempt}", prompt, params=params, seed=100 * number + attempt)
        for number, prompt in enumerate(prompts)
        for attempt in range(attempts)
    ]


def sample(sampler: TransformersSampler, requests: Sequence[SampleRequest]) -> list[Completion]:
    return asyncio.run(sampler.sample(requests))


def scored(prefix: tuple[int, ...], continuation: tuple[int, ...], **changes: Any) -> ScoreRequest:
    return ScoreRequest(key=f"{prefix}", prefix_ids=prefix, continuation_ids=continuation, **changes)


def score(sampler: TransformersSampler, requests: Sequence[ScoreRequest]) -> list[tuple[float, ...]]:
    return asyncio.run(sampler.score(requests))


def forward_logprobs(model: Any, prompt: Sequence[int], ids: Sequence[int], temperature: float = 1.0) -> torch.Tensor:
    with torch.no_grad():
        logits_TV = model(torch.tensor([[*prompt, *ids]])).logits[0].float() / temperature
    logprobs_TV = torch.log_softmax(logits_TV[len(prompt) - 1 : -1], -1)
    return logprobs_TV.gather(1, torch.tensor(ids)[:, None])[:, 0]


def steered(renderer: Renderer, *path: int) -> Any:
    """A policy that after id n of the path (or any other) writes the next, almost surely."""
    policy = load_policy("tiny:hidden=64,layers=2,heads=2,mlp=128,context=64,tied=false", seed=0)
    model: Any = policy.model
    with torch.no_grad():
        for weight in model.model.layers.parameters():
            weight.zero_()
        model.model.embed_tokens.weight.zero_()
        model.lm_head.weight.zero_()
        for here, following in pairwise(path):
            model.model.embed_tokens.weight[here, here % 64] = 1.0
            model.lm_head.weight[following, here % 64] = 50.0
    return TransformersSampler(model, renderer)
