"""Many lines of play, one sampler: their requests are answered together, as soon as every line waits.

Which requests share a batch is therefore decided by the tasks, never by the clock: a slow environment is waited for,
up to its deadline. A *line* is a coroutine that plays; concurrent lines are started with `together`, which knows how
many there are. A sampler that batches by itself (capability "concurrent") is given every request at once instead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from rlenvs.errors import RlenvsError
from rlenvs_trainers.records import Completion
from rlenvs_trainers.samplers.base import Sampler, SampleRequest, ScoreRequest

T = TypeVar("T")
R = TypeVar("R", SampleRequest, ScoreRequest)


class SamplerTimeoutError(RlenvsError):
    """The sampler gave no answer in time."""


class Barrier:
    """Collects requests until no line is running, then asks the sampler once. For one event loop.

    Args:
        timeout_s: for one call of the sampler.
    """

    def __init__(self, sampler: Sampler, timeout_s: float | None = None) -> None:
        self.sampler, self.timeout_s = sampler, timeout_s
        self.num_batches, self.seconds = 0, 0.0  # calls of the sampler, and the time in which there was one
        self.generated_tokens = 0  # all that were written, whatever became of them
        self._is_straight = "concurrent" in sampler.capabilities
        self._running = 1  # the line that called `together` first
        self._samples: list[tuple[SampleRequest, asyncio.Future[Completion]]] = []
        self._scores: list[tuple[ScoreRequest, asyncio.Future[tuple[float, ...]]]] = []
        self._answering: asyncio.Task[None] | None = None
        self._num_calls, self._since = 0, 0.0  # in flight, and since when there is one

    async def together(self, lines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """What the lines return, in their order. The first to raise ends them all."""
        remaining = 0

        async def line(coroutine: Coroutine[Any, Any, T]) -> T:
            nonlocal remaining
            try:
                return await coroutine
            finally:
                remaining -= 1
                if remaining:  # the last one's place goes to the line that waits for all of them
                    self._pause()

        tasks = [asyncio.create_task(line(coroutine)) for coroutine in lines]
        if not tasks:
            return []
        remaining = len(tasks)
        self._running += remaining - 1
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def sample(self, request: SampleRequest) -> Completion:
        """The completion, once every line waits."""
        if self._is_straight:
            return (await self._sampled([request]))[0]
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._samples.append((request, future))
        self._pause()
        return await future

    async def score(self, request: ScoreRequest) -> tuple[float, ...]:
        """Log-probabilities of the continuation, once every line waits."""
        if self._is_straight:
            return (await self._scored([request]))[0]
        future: asyncio.Future[tuple[float, ...]] = asyncio.get_running_loop().create_future()
        self._scores.append((request, future))
        self._pause()
        return await future

    def stop(self) -> None:
        """Ask for nothing more: whoever waited has been cancelled."""
        if self._answering is not None:
            self._answering.cancel()

    def _pause(self) -> None:
        self._running -= 1
        assert self._running >= 0, "a line waits for two things at once: start concurrent lines with together()"
        if self._running == 0 and (self._samples or self._scores):
            self._answering = asyncio.get_running_loop().create_task(self._answer())

    async def _answer(self) -> None:
        samples, self._samples = sorted(self._samples, key=lambda asked: asked[0].key), []
        scores, self._scores = sorted(self._scores, key=lambda asked: asked[0].key), []
        waiting: list[asyncio.Future[Any]] = [*(asked[-1] for asked in samples), *(asked[-1] for asked in scores)]
        try:
            with self._counted():
                answers = [
                    *await self._sampled([request for request, _ in samples]),
                    *await self._scored([request for request, _ in scores]),
                ]
        except BaseException as error:  # whoever waits must hear of it
            self._running += len(waiting)
            for future in waiting:
                if not future.done():
                    future.set_exception(error)
            return
        self._running += len(waiting)
        for future, answer in zip(waiting, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _sampled(self, requests: Sequence[SampleRequest]) -> Sequence[Completion]:
        completions = await self._asked(self.sampler.sample, requests) if requests else ()
        self.generated_tokens += sum(len(completion.token_ids) for completion in completions)
        return completions

    async def _scored(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        return await self._asked(self.sampler.score, requests) if requests else ()

    async def _asked(self, ask: Callable[[Sequence[R]], Awaitable[Sequence[T]]], requests: Sequence[R]) -> Sequence[T]:
        keys = {request.key for request in requests}
        assert len(keys) == len(requests), "two requests of one batch have the same key: draws would be the same"
        try:
            with self._counted():
                async with asyncio.timeout(self.timeout_s) as deadline:
                    answers = await ask(requests)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise SamplerTimeoutError(
                f"the sampler gave no answer to {len(requests)} requests within {self.timeout_s:g} s "
                f"(rollout.sampler_timeout_s); the first was {requests[0].key}"
            ) from error
        assert len(answers) == len(requests), f"the sampler answered {len(answers)} of {len(requests)} requests"
        return answers

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """The time in which a call is in flight; calls at the same time count once."""
        if self._num_calls == 0:
            self._since = time.monotonic()
            self.num_batches += 1
        self._num_calls += 1
        try:
            yield
        finally:
            self._num_calls -= 1
            if self._num_calls == 0:
                self.seconds += time.monotonic() - self._since
