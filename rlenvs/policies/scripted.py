"""Baselines that need no model: `oracle` knows every answer, `random` only knows how answers look."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import numpy as np

from rlenvs.policies.base import PolicyCapability, Reply, ReplyRequest


class Oracle:
    """Gives the environment's own answer: whatever it scores is the best that the grader lets pass."""

    name = "oracle"
    settings: Mapping[str, Any] = {}
    capabilities: frozenset[PolicyCapability] = frozenset({"concurrent"})  # an environment may take long to answer

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        """The right answer to each request; an error where the environment does not tell it."""
        for place, request in enumerate(requests):
            yield place, await self._one(request)

    @staticmethod
    async def _one(request: ReplyRequest) -> Reply:
        if request.answer is None:
            return Reply(error="the environment does not say how its answers look: it needs answer_message(task)")
        try:
            return Reply(text=await request.answer())
        except Exception as error:  # foreign code: an environment that cannot answer is an error of its own
            return Reply(error=f"the environment gave no answer: {type(error).__name__}: {error}")


class Random:
    """Gives a message in the right form whose digits are random: what guessing earns."""

    name = "random"
    settings: Mapping[str, Any] = {}
    capabilities: frozenset[PolicyCapability] = frozenset({"concurrent"})  # an environment may take long to answer

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        """Nonsense in the form of an answer, decided by each request's seed."""
        for place, request in enumerate(requests):
            yield place, Reply(text=await self._nonsense(request))

    @staticmethod
    async def _nonsense(request: ReplyRequest) -> str:
        rng = np.random.default_rng(request.seed)
        form = await _form(request)
        if not re.search(r"[0-9]", form):
            return str(rng.integers(1000))
        return re.sub(r"[0-9]+", lambda digits: _random_number(len(digits[0]), rng), form)


async def _form(request: ReplyRequest) -> str:
    """How an answer looks; empty where the environment does not say."""
    try:
        return await request.answer() if request.answer is not None else ""
    except Exception:  # foreign code; guessing goes on without it
        return ""


def _random_number(num_digits: int, rng: np.random.Generator) -> str:
    """Decimal digits without a leading zero (0 itself may be the one digit)."""
    first = int(rng.integers(0 if num_digits == 1 else 1, 10))
    return str(first) + "".join(str(digit) for digit in rng.integers(0, 10, size=num_digits - 1))
