"""Many lines of play, one sampler: their requests are answered together, as soon as every line waits.

Which requests share a batch is therefore decided by the tasks, never by the clock: a slow environment is waited for,
up to its deadline. A *line* is a coroutine that plays; concurrent lines are started with `together`, which knows how
many there are.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from rlenvs_trainers.records import Completion
from rlenvs_trainers.samplers.base import Sampler, SampleRequest, ScoreRequest

T = TypeVar("T")


class Barrier:
    """Collects requests until no line is running, then asks the sampler once. For one event loop."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.num_batches, self.seconds = 0, 0.0  # calls of the sampler, and the time they took
        self._running = 1  # the line that called `together` first
        self._samples: list[tuple[SampleRequest, asyncio.Future[Completion]]] = []
        self._scores: list[tuple[ScoreRequest, asyncio.Future[tuple[float, ...]]]] = []
        self._answering: asyncio.Task[None] | None = None

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
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._samples.append((request, future))
        self._pause()
        return await future

    async def score(self, request: ScoreRequest) -> tuple[float, ...]:
        """Log-probabilities of the continuation, once every line waits."""
        future: asyncio.Future[tuple[float, ...]] = asyncio.get_running_loop().create_future()
        self._scores.append((request, future))
        self._pause()
        return await future

    def _pause(self) -> None:
        self._running -= 1
        assert self._running >= 0, "a line waits for two things at once: start concurrent lines with together()"
        if self._running == 0 and (self._samples or self._scores):
            self._answering = asyncio.get_running_loop().create_task(self._answer())

    async def _answer(self) -> None:
        samples, self._samples = sorted(self._samples, key=lambda asked: asked[0].key), []
        scores, self._scores = sorted(self._scores, key=lambda asked: asked[0].key), []
        waiting: list[asyncio.Future[Any]] = [*(asked[-1] for asked in samples), *(asked[-1] for asked in scores)]
        started = time.monotonic()
        try:
            answers: list[Any] = []
            if samples:
                answers += await self.sampler.sample([request for request, _ in samples])
            if scores:
                answers += await self.sampler.score([request for request, _ in scores])
        except BaseException as error:  # whoever waits must hear of it
            self._running += len(waiting)
            for future in waiting:
                if not future.done():
                    future.set_exception(error)
            return
        self.num_batches, self.seconds = self.num_batches + 1, self.seconds + time.monotonic() - started
        assert len(answers) == len(waiting), f"the sampler answered {len(answers)} of {len(waiting)} requests"
        self._running += len(waiting)
        for future, answer in zip(waiting, answers, strict=True):
            if not future.done():
                future.set_result(answer)
