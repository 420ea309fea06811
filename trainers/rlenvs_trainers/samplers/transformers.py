"""The embedded sampler: any causal language model of transformers, on CPU or GPU, with its own decode loop.

It may share the trainer's module: then nothing is copied when weights are published, and weights that changed without
being published are an error. The loop itself is in `decode.py`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from rlenvs.conversion import build
from rlenvs.errors import RlenvsError, unknown
from rlenvs_trainers.records import Completion
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.attention import serving
from rlenvs_trainers.samplers.base import (
    BrokenWeightsError,
    Capability,
    SamplerContext,
    SampleRequest,
    ScoreRequest,
    StaleWeightsError,
    check_served,
)
from rlenvs_trainers.samplers.decode import Decoding, Written
from rlenvs_trainers.samplers.scoring import score, score_batches
from rlenvs_trainers.samplers.sizes import bytes_per_position, context_of, readable, text_config
from rlenvs_trainers.samplers.stops import StopTexts

SLICE_S = 0.25  # seconds of work before the event loop has its turn


@dataclass(slots=True)
class _Served:
    """A model and the version of its weights."""

    model: nn.Module
    version: int
    changes: int  # in-place changes that its weights had seen when they were published

    def count_changes(self) -> int:
        return sum(weight._version for weight in self.model.parameters())


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformersOptions:
    """`[sampler_options]` of the transformers sampler."""

    max_rows: int = 256  # completions decoded at a time
    max_cache_gib: float = 2.0  # GiB for keys and values


def from_context(context: SamplerContext) -> TransformersSampler:
    """The sampler of a training run: it shares the trainer's module."""
    options = build(TransformersOptions, context.options, "sampler_options")
    return TransformersSampler(
        context.model,
        context.renderer,
        dtype=torch.bfloat16 if context.dtype == "bfloat16" else None,
        max_rows=options.max_rows,
        max_cache_gib=options.max_cache_gib,
    )


class TransformersSampler:
    """Writes completions with a causal language model of transformers.

    A batch depends on the requests given together, never on their order of arrival: they are sorted by prompt length,
    prompt and key. A prompt that several share is computed once. Work is done in the calling thread, in slices of
    `SLICE_S`: between them the event loop runs, so that a deadline or a cancellation ends it.

    At temperature 0 a row takes the most probable token and reports log-probabilities at temperature 1. Top-p and
    top-k change what is drawn, and the reported log-probabilities stay those of the whole distribution.

    Args:
        model: served as policy `policy`, version `version`; not copied.
        renderer: of its tokenizer: says which ids end a message.
        dtype: torch.bfloat16 computes under autocast where the weights are float32; None: the weights' own.
        max_rows: completions decoded at a time.
        max_cache_gib: GiB for keys and values; fewer rows are decoded at a time where more would not fit.
        context_length: tokens of prompt and completion; None: what the model's config says, or its sliding window where
            that is less (then `notes` says so).
    """

    capabilities: frozenset[Capability] = frozenset({"token_ids", "logprobs", "score", "monitor", "load"})

    def __init__(
        self,
        model: nn.Module,
        renderer: Renderer,
        *,
        policy: str = "policy",
        version: int = 0,
        dtype: torch.dtype | None = None,
        max_rows: int = 256,
        max_cache_gib: float = 2.0,
        context_length: int | None = None,
    ) -> None:
        if max_rows < 1 or not max_cache_gib > 0:
            raise ValueError(f"max_rows is at least 1 and max_cache_gib positive: got {max_rows} and {max_cache_gib}")
        self.eos_ids, self.stops = tuple(sorted(renderer.eos_ids)), StopTexts(renderer.decode)
        self.dtype, self.max_rows, self.max_cache_gib = dtype, max_rows, max_cache_gib
        self.context_length, self.notes = (context_length, ()) if context_length else context_of(model)
        self._served: dict[str, _Served] = {}
        self.serve(model, policy=policy, version=version)

    def serve(self, model: nn.Module, *, policy: str, version: int = 0) -> None:
        """Serve one more policy (another seat's, a past self) beside the first."""
        served = _Served(model, version, 0)
        served.changes = served.count_changes()
        self._served[policy] = served

    async def sample(self, requests: Sequence[SampleRequest]) -> list[Completion]:
        """One completion per request, in the order of the requests.

        A prompt that fills the context gets an empty completion of finish reason "length".

        Raises:
            StaleWeightsError: other weights were asked for than are served, or they changed without being published.
        """
        completions: dict[int, Completion] = {}
        for policy, order in self._by_policy(requests):
            order.sort(key=lambda index: _batch_order(requests[index]))
            written = await self._written(policy, [requests[index] for index in order])
            completions |= {index: self._completion(policy, each) for index, each in zip(order, written, strict=True)}
        return [completions[index] for index in range(len(requests))]

    async def score(self, requests: Sequence[ScoreRequest]) -> list[tuple[float, ...]]:
        """Log-probability of every continuation token given its prefix, at temperature 1.

        Raises:
            RlenvsError: prefix and continuation are longer than what the model can read.
        """
        scores: list[tuple[float, ...]] = [()] * len(requests)
        for policy, order in self._by_policy(requests):
            model, version = self._served[policy].model, self.version(policy)
            for index in order:
                _check_readable(requests[index], readable(model))
            pairs = [(requests[index].prefix_ids, requests[index].continuation_ids) for index in order]
            for rows in score_batches(pairs, text_config(model).vocab_size):
                with self._at_work(model):
                    scored = score(model, [pairs[row] for row in rows], device=_device(model))
                for row, logprobs in zip(rows, scored, strict=True):
                    scores[order[row]] = logprobs
                await self._pause(policy, version)
        return scores

    def load(self, weights: Mapping[str, Tensor], version: int, policy: str = "policy") -> None:
        """Serve these weights from now on. Those that the module holds already (the trainer's) are not copied.

        Raises:
            ValueError: names or shapes are not the served model's.
        """
        served = self._find(policy)
        own = served.model.state_dict(keep_vars=True)
        tied = set(getattr(served.model, "all_tied_weights_keys", None) or {})
        strange, missing = set(weights) - set(own), set(own) - set(weights) - tied
        if strange or missing:
            raise ValueError(
                f"weights for {policy!r} do not fit the model: unknown {sorted(strange)}, missing {sorted(missing)}"
            )
        with torch.no_grad():
            for name, weight in weights.items():
                if weight.data_ptr() != own[name].data_ptr() or weight.device != own[name].device:
                    own[name].copy_(weight)
        served.version, served.changes = version, served.count_changes()

    def version(self, policy: str = "policy") -> int:
        """Which version is being served."""
        return self._find(policy).version

    def close(self) -> None:
        """Let go of the models."""
        self._served.clear()

    def _find(self, policy: str) -> _Served:
        if policy not in self._served:
            raise RlenvsError(unknown("policy in this sampler", policy, self._served))
        return self._served[policy]

    def _by_policy(self, requests: Sequence[SampleRequest | ScoreRequest]) -> list[tuple[str, list[int]]]:
        """Which requests are whose, once it is sure that all of them can be answered."""
        whose: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            check_served(request, self._find(request.policy).version)
            whose.setdefault(request.policy, []).append(index)
        for policy in whose:
            self._check_unchanged(policy)
        return sorted(whose.items())

    def _check_unchanged(self, policy: str) -> None:
        """PyTorch counts changes in place, so optimisers are seen: a change after the last `load` was not published."""
        served = self._find(policy)
        if served.count_changes() != served.changes:
            raise StaleWeightsError(policy, served.version, served.version + 1)

    async def _written(self, policy: str, requests: list[SampleRequest]) -> list[Written]:
        model, version = self._served[policy].model, self.version(policy)
        limits = [
            max(0, min(request.params.max_tokens, self.context_length - len(request.prompt_ids)))
            for request in requests
        ]
        decoding = Decoding(
            model,
            requests,
            limits,
            eos_ids=self.eos_ids,
            stops=self.stops,
            max_rows=min(self.max_rows, self._rows_that_fit(model, requests, limits)),
            device=_device(model),
        )
        while not decoding.is_over:
            with self._at_work(model):
                decoding.run(SLICE_S)
            await self._pause(policy, version)
        return decoding.written()

    @contextmanager
    def _at_work(self, model: nn.Module) -> Iterator[None]:
        with serving(model), self._autocast(model):
            yield

    async def _pause(self, policy: str, version: int) -> None:
        """Let the event loop run; weights that change meanwhile are an error, since the rest would be another's."""
        await asyncio.sleep(0)
        if (served := self.version(policy)) != version:
            raise StaleWeightsError(policy, version, served)
        self._check_unchanged(policy)

    def _rows_that_fit(self, model: nn.Module, requests: list[SampleRequest], limits: list[int]) -> int:
        longest = max(len(request.prompt_ids) + limit for request, limit in zip(requests, limits, strict=True))
        return max(1, int(self.max_cache_gib * 2**30 / (bytes_per_position(model) * longest)))

    def _autocast(self, model: nn.Module) -> Any:
        own = next(model.parameters()).dtype
        if self.dtype is None or self.dtype == own:
            return nullcontext()
        return torch.autocast(_device(model).type, dtype=self.dtype)

    def _completion(self, policy: str, written: Written) -> Completion:
        if any(math.isnan(logprob) for logprob in written.logprobs):
            raise BrokenWeightsError(policy, self._served[policy].version)
        return Completion(
            token_ids=written.token_ids,
            logprobs=written.logprobs,
            sampled=written.sampled,
            finish_reason=written.finish_reason,
            policy=policy,
            version=self._served[policy].version,
        )


def _batch_order(request: SampleRequest) -> tuple[int, tuple[int, ...], str]:
    """Similar lengths together, equal prompts side by side, and nothing that depends on arrival."""
    return len(request.prompt_ids), request.prompt_ids, request.key


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _check_readable(request: ScoreRequest, positions: int) -> None:
    length = len(request.prefix_ids) + len(request.continuation_ids)
    if length > positions:
        raise RlenvsError(
            f"score {request.key}: prefix and continuation have {length} tokens, and the model reads {positions}: "
            "leave this one out, or shorten its prefix"
        )
