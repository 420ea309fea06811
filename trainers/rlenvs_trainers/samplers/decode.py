"""The decode loop: rows of a batch come, get a token per step and go when they are finished.

Prompts are prefilled once each, whatever number of requests share them; finished rows leave at once, and waiting
requests take their places. Weights, versions and the protocol are `transformers.py`'s.

Axes: N requests, B rows in use, R rows there is room for, V vocabulary, P positions of a prompt.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rlenvs_trainers.records import FinishReason
from rlenvs_trainers.samplers.attention import reading
from rlenvs_trainers.samplers.base import Sampled, SampleRequest
from rlenvs_trainers.samplers.cache import Prompts, RowCache
from rlenvs_trainers.samplers.draw import Draw, draw
from rlenvs_trainers.samplers.stops import StopTexts

PREFILL_TOKENS = 8192  # padded tokens in one forward over prompts

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What one request got, before it is known which policy wrote it."""

    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    sampled: tuple[bool, ...]
    finish_reason: FinishReason


@dataclass(slots=True)
class _Watch:
    """A monitor, and the ids that it still has to force."""

    request: SampleRequest
    queue: deque[int] = field(default_factory=deque)
    is_stopped: bool = False


class Decoding:
    """Writes completions for a list of requests, in the order given.

    Which requests share a step depends on their order and lengths alone.

    Args:
        limits: tokens that each request may get; 0: none, it finishes as "length" at once.
        max_rows: rows decoded at a time.
    """

    def __init__(
        self,
        model: Any,
        requests: Sequence[SampleRequest],
        limits: Sequence[int],
        *,
        eos_ids: Sequence[int],
        stops: StopTexts,
        max_rows: int,
        device: torch.device,
    ) -> None:
        self.model, self.requests, self.stops, self.device = model, requests, stops, device
        self.limits = np.asarray(limits, dtype=np.int64)
        self.eos = np.asarray(sorted(eos_ids), dtype=np.int64)
        self.finish: list[FinishReason] = ["length"] * len(requests)
        self.waiting = deque(index for index, limit in enumerate(limits) if limit > 0)
        self.max_rows = max(1, min(max_rows, len(self.waiting)))
        self.cache = RowCache(max_rows=self.max_rows, max_cells=max(1, *limits), device=device)
        self.any_mask = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=device)
        params = [request.params for request in requests]
        self.temperature = np.asarray([each.temperature for each in params], dtype=np.float32)
        self.top_p = np.asarray([each.top_p for each in params], dtype=np.float64)
        self.top_k = np.asarray([each.top_k for each in params], dtype=np.int64)
        uniforms = [_uniforms(request.seed, limit) for request, limit in zip(requests, limits, strict=True)]
        self.uniform = np.concatenate([*uniforms, np.empty(0)])  # of all requests, one after the other
        self.first_uniform = np.cumsum([0, *self.limits])
        self.watches = {index: _Watch(requests[index]) for index in self.waiting if requests[index].monitor is not None}
        self.top = max(
            (watch.request.monitor.top for watch in self.watches.values() if watch.request.monitor), default=0
        )
        self.texts: dict[int, list[int]] = {index: [] for index in self.waiting if params[index].stop}  # ids so far
        self.history: list[tuple[Ints, Ints, Floats, Flags]] = []
        # One entry per row in use: which request, the cell it writes next, the id it reads next, tokens written.
        self.request_B = self.position_B = self.token_B = self.written_B = np.empty(0, dtype=np.int64)

    @property
    def is_over(self) -> bool:
        """Whether every request has its completion."""
        return not self.waiting and not len(self.request_B)

    def run(self, seconds: float) -> None:
        """Decode for about that long: at least a step, and what is written does not depend on it."""
        until = time.monotonic() + seconds
        while not self.is_over:
            free = self.max_rows - len(self.request_B)
            if self.waiting and free >= min(len(self.waiting), max(1, self.max_rows // 4)):
                self._admit([self.waiting.popleft() for _ in range(min(free, len(self.waiting)))])
            self._step()
            if time.monotonic() >= until:
                return

    # Coming: prompts without their last token are prefilled, which the row's first step then reads.

    def _admit(self, indices: list[int]) -> None:
        prompts = [self.requests[index].prompt_ids for index in indices]
        for start, stop in _prefill_chunks(prompts):
            self._prefill(prompts[start:stop])
        self.request_B = np.append(self.request_B, indices)
        self.position_B = np.append(self.position_B, [len(prompt) - 1 for prompt in prompts])
        self.token_B = np.append(self.token_B, [prompt[-1] for prompt in prompts])
        self.written_B = np.append(self.written_B, np.zeros(len(indices), dtype=np.int64))

    def _prefill(self, prompts: list[tuple[int, ...]]) -> None:
        heads = list(dict.fromkeys(prompt[:-1] for prompt in prompts))
        numbers = {head: number for number, head in enumerate(heads)}
        lengths = [len(head) for head in heads]
        block = None
        if max(lengths) > 0:
            ids_UP = torch.zeros(len(heads), max(lengths), dtype=torch.long)
            for number, head in enumerate(heads):  # padded on the right: causal attention never looks there
                ids_UP[number, : len(head)] = torch.tensor(head, dtype=torch.long)
            block = Prompts(lengths, self.device)
            self.model(input_ids=ids_UP.to(self.device), past_key_values=block, use_cache=True, logits_to_keep=1)
        self.cache.admit(block, [numbers[prompt[:-1]] for prompt in prompts])

    # One step: every row reads an id and gets the next.

    def _step(self) -> None:
        drawn = self._draw(self._forward())
        tokens_B = drawn.tokens_B.cpu().numpy()
        logprobs_B = drawn.logprobs_B.cpu().numpy()
        sampled_B = self._watch(tokens_B, logprobs_B, drawn)
        self.history.append((self.request_B, tokens_B, logprobs_B, sampled_B))
        self.token_B = tokens_B
        self.position_B = self.position_B + 1
        self.written_B = self.written_B + 1
        self._retire()

    def _forward(self) -> Tensor:
        self.cache.aim(self.written_B)
        with reading(self.cache):
            output = self.model(
                input_ids=self._tensor(self.token_B)[:, None],
                position_ids=self._tensor(self.position_B)[:, None],
                attention_mask=self.any_mask,  # never read: without one, transformers makes its own
                past_key_values=self.cache,
                use_cache=True,
                logits_to_keep=1,
            )
        logits_BV: Tensor = output.logits[:, -1]
        return logits_BV

    def _draw(self, logits_BV: Tensor) -> Draw:
        rows = self.request_B
        is_filtered = bool((self.top_p[rows] < 1).any() or (self.top_k[rows] > 0).any())
        return draw(
            logits_BV,
            self._tensor(self.temperature[rows])[:, None],
            self._tensor(self.uniform[self.first_uniform[rows] + self.written_B]),
            top_p_B=self._tensor(self.top_p[rows]) if is_filtered else None,
            top_k_B=self._tensor(self.top_k[rows]) if is_filtered else None,
            forced_B=self._tensor(self._forced()) if self.watches else None,
            with_entropy=bool(self.watches),
            top=self.top,
        )

    def _tensor(self, values: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(values).to(self.device)

    # Monitors.

    def _forced(self) -> Ints:
        watches = [self.watches.get(index) for index in self.request_B.tolist()]
        return np.asarray([watch.queue[0] if watch is not None and watch.queue else -1 for watch in watches])

    def _watch(self, tokens_B: Ints, logprobs_B: Floats, drawn: Draw) -> Flags:
        """Which of the new tokens were sampled; the others were forced. Tells the monitors of the sampled ones."""
        sampled_B = np.ones(len(tokens_B), dtype=np.bool_)
        if drawn.entropy_B is None:
            return sampled_B
        entropies = drawn.entropy_B.tolist()
        top_ids, top_logprobs = drawn.top_ids_BK.tolist(), drawn.top_logprobs_BK.tolist()
        for row, index in enumerate(self.request_B.tolist()):
            watch = self.watches.get(index)
            if watch is None:
                continue
            if watch.queue:
                watch.queue.popleft()
                sampled_B[row] = False
                continue
            monitor = watch.request.monitor
            assert monitor is not None
            wish = monitor(
                Sampled(
                    token_id=int(tokens_B[row]),
                    logprob=float(logprobs_B[row]),
                    entropy=entropies[row],
                    top_logprobs=tuple(zip(top_ids[row], top_logprobs[row], strict=True))[: monitor.top],
                )
            )
            watch.is_stopped = wish is not None and len(wish) == 0
            watch.queue.extend(wish or ())
        return sampled_B

    # Stop texts.

    def _at_stop_text(self) -> Flags:
        """Which rows' last token completes a text that ends the message."""
        ended_B = np.zeros(len(self.token_B), dtype=np.bool_)
        for row, index in enumerate(self.request_B.tolist() if self.texts else ()):
            if index in self.texts:
                self.texts[index].append(int(self.token_B[row]))
                ended_B[row] = self.stops.has_ended(self.texts[index], self.requests[index].params.stop)
        return ended_B

    # Going: the last rows fill the places of finished ones.

    def _retire(self) -> None:
        ended_B = (self.token_B[:, None] == self.eos).any(1)
        spent_B = self.written_B >= self.limits[self.request_B]
        stopped_B = np.zeros_like(ended_B)
        if self.watches:
            stopped = {index for index, watch in self.watches.items() if watch.is_stopped}
            stopped_B = np.fromiter((index in stopped for index in self.request_B.tolist()), np.bool_, len(ended_B))
        text_B = self._at_stop_text()
        done_B = ended_B | spent_B | stopped_B | text_B
        if not done_B.any():
            return
        reasons: dict[FinishReason, Flags] = {"stop": ended_B, "stop_string": text_B, "monitor": stopped_B}
        for row in np.flatnonzero(done_B):
            self.finish[self.request_B[row]] = next((why for why, is_so_B in reasons.items() if is_so_B[row]), "length")
        count = int((~done_B).sum())
        holes = np.flatnonzero(done_B[:count])
        sources = count + np.flatnonzero(~done_B[count:])
        kept = np.arange(count)
        kept[holes] = sources
        self.cache.retire(kept, holes, sources)
        self.request_B, self.position_B = self.request_B[kept], self.position_B[kept]
        self.token_B, self.written_B = self.token_B[kept], self.written_B[kept]

    def written(self) -> list[Written]:
        """The completions, once it is over."""
        if not self.history:
            return [Written(token_ids=(), logprobs=(), sampled=(), finish_reason=reason) for reason in self.finish]
        request, tokens, logprobs, sampled = (np.concatenate(column) for column in zip(*self.history, strict=True))
        order = np.argsort(request, kind="stable")
        bounds = np.searchsorted(request[order], np.arange(len(self.requests) + 1))
        return [
            Written(
                token_ids=tuple(tokens[order[start:stop]].tolist()),
                logprobs=tuple(logprobs[order[start:stop]].tolist()),
                sampled=tuple(sampled[order[start:stop]].tolist()),
                finish_reason=reason,
            )
            for start, stop, reason in zip(bounds[:-1], bounds[1:], self.finish, strict=True)
        ]


def _uniforms(seed: int, count: int) -> npt.NDArray[np.float64]:
    """[count] numbers in [0, 1) that depend on the request's seed alone."""
    return np.random.Generator(np.random.Philox(seed)).random(count)


def _prefill_chunks(prompts: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Slices of the prompts whose different ones, padded, stay within `PREFILL_TOKENS` (one at least)."""
    chunks, start = [], 0
    different: set[tuple[int, ...]] = set()
    longest = 0
    for index, prompt in enumerate(prompts):
        cells = len(different | {prompt}) * max(longest, len(prompt))
        if index > start and prompt not in different and cells > PREFILL_TOKENS:
            chunks.append((start, index))
            start, different, longest = index, set(), 0
        different.add(prompt)
        longest = max(longest, len(prompt))
    return [*chunks, (start, len(prompts))]
