"""The processes that compare expressions: what they compute is in `worker`, their limits are `rlenvs.isolation`'s."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from rlenvs.isolation.pool import LateError, Limits, ProcessPool, RaisedInWorkerError, StoppedError
from rlenvs.verifiers.compare import Judgement

_KIND = Path(__file__).with_name("worker.py")
_PATIENCE = 3  # times the limit on waiting, for what a busy machine did not get done in it


class VerifierPool:
    """Worker processes that compare expressions.

    Args:
        size: how many at most; one per core, four at most, by default.
        cpu_s: processor time that one comparison may use; the kernel counts whole seconds, so up to one more.
        wall_s: how long to wait for an answer. Only a busy machine makes this the limit that acts: then a comparison is
            made once more, with three times as long to wait, so that the limit on processor time can decide.
        memory_bytes: address space of a worker.
    """

    def __init__(
        self, size: int | None = None, *, cpu_s: int = 2, wall_s: float = 8.0, memory_bytes: int = 2**30
    ) -> None:
        self.size = size or min(4, os.cpu_count() or 1)
        limits = Limits(wall_s=wall_s, cpu_s=cpu_s, memory_bytes=memory_bytes)
        self.most_s = cpu_s + 1.0  # of processor time, for one comparison
        self.processes = ProcessPool(_KIND, limits, size=self.size)
        self.patient = ProcessPool(_KIND, replace(limits, wall_s=_PATIENCE * wall_s), size=self.size)

    def algebra(self, gold: str, answer: str) -> Judgement:
        """Whether two LaTeX expressions are equal. Waits for a free worker as long as it takes."""
        try:
            verdict, reason = self._asked({"gold": gold, "answer": answer})
        except StoppedError as stopped:
            return Judgement("error", str(stopped), stopped.by_request)
        except (RaisedInWorkerError, TimeoutError) as raised:  # whatever sympy raises in a comparison
            return Judgement("error", str(raised).partition("\n")[0], True)
        return Judgement(verdict, reason)

    def _asked(self, request: Any) -> Any:
        try:
            return self.processes.ask(request)
        except LateError:
            return self.patient.ask(request)

    def close(self) -> None:
        """End the idle workers; the next request starts new ones."""
        self.processes.close()
        self.patient.close()


DEFAULT_POOL = VerifierPool()
"""The workers that `verify` and the environments share in this process."""
