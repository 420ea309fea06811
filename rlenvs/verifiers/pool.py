"""The processes that compare expressions: what they compute is in `worker`, their limits are `rlenvs.isolation`'s."""

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from rlenvs.isolation.pool import LateError, Limits, ProcessPool, RaisedInWorkerError, StoppedError
from rlenvs.verifiers.compare import Judgement

_KIND = Path(__file__).with_name("worker.py")
_PATIENCE = 3  # times the limit on waiting, for what a busy machine did not get done in it
_TOTAL_S = 8.0  # of processor time at most, for one answer: many slow items must not take the limit for each


class VerifierPool:
    """Worker processes that compare expressions.

    Args:
        size: how many at most; one per core, four at most, by default.
        cpu_s: processor time that one comparison may use; the kernel counts whole seconds, so up to one more.
        wall_s: how long to wait for a reply. Only a busy machine makes this the limit that acts: then a comparison is
            made once more, with three times as long to wait, so that the limit on processor time can decide.
        memory_bytes: address space of a worker.
    """

    def __init__(
        self, size: int | None = None, *, cpu_s: int = 2, wall_s: float = 8.0, memory_bytes: int = 2**30
    ) -> None:
        self.size = size or min(4, os.cpu_count() or 1)
        limits = Limits(wall_s=wall_s, cpu_s=cpu_s, memory_bytes=memory_bytes)
        self.most_wait_s = (1 + _PATIENCE) * wall_s  # by one answer: after it no more comparison is begun
        self.processes = ProcessPool(_KIND, limits, size=self.size)
        self.patient = ProcessPool(_KIND, replace(limits, wall_s=_PATIENCE * wall_s), size=self.size)

    def algebra(self, gold: str, answer: str) -> Judgement:
        """Whether two LaTeX expressions are equal. Waits for a free worker for a minute and more."""
        return Comparisons(self).alone(gold, answer)

    def close(self) -> None:
        """End the idle workers; the next request starts new ones."""
        self.processes.close()
        self.patient.close()


class Comparisons:
    """The comparisons that one answer takes, which share its limits.

    Processor time is the answer's doing, and the worker counts it. Waiting is the machine's: for a free worker, for a
    busy processor. It is bounded too, so that many items do not outlast whoever waits for the verdict, and whatever
    comes of it is an error and no wrong answer.
    """

    def __init__(self, pool: VerifierPool) -> None:
        self._pool = pool
        self._used_s = self._waited_s = 0.0
        self._is_late = False  # the machine is busy: what is left is asked of the patient workers at once

    def algebra(self, gold: str, answer: str) -> Judgement:
        """Whether two LaTeX expressions are equal, unless the comparisons before used up the answer's limits."""
        if self._used_s >= _TOTAL_S:
            why = f"more than {_TOTAL_S:g} s of processor time in all"
            return Judgement("error", why, by_answer=not self._is_late)
        return self.alone(gold, answer)

    def alone(self, gold: str, answer: str) -> Judgement:
        """The same, whatever processor time the comparisons before have used."""
        if self._waited_s >= self._pool.most_wait_s:
            return Judgement("error", f"more than {self._pool.most_wait_s:g} s of waiting: the machine is busy")
        started = time.monotonic()
        try:
            verdict, reason, used_s = self._asked({"gold": gold, "answer": answer})
        except StoppedError as stopped:
            return Judgement("error", str(stopped), stopped.by_request)
        except (RaisedInWorkerError, TimeoutError) as raised:  # whatever sympy raises in a comparison
            return Judgement("error", str(raised).partition("\n")[0], True)
        finally:
            self._waited_s += time.monotonic() - started
        self._used_s += used_s
        return Judgement(verdict, reason)

    def _asked(self, request: Any) -> Any:
        if not self._is_late:
            try:
                return self._pool.processes.ask(request)
            except LateError:
                self._is_late = True
        return self._pool.patient.ask(request)


DEFAULT_POOL = VerifierPool()
"""The workers that `verify` and the environments share in this process."""
