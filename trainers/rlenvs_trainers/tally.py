"""What the optimiser steps of one update are remembered by: sums over micro-batches and ranks, then metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from rlenvs_trainers.algorithm import Floats
from rlenvs_trainers.objective import Loss
from rlenvs_trainers.ranks import gather_over_ranks

LOG_BOUND = 20.0  # of a log-weight, before its exponential


class Tally:
    """Adds up what happens during an update. Parts of a loss add up to it, so sums need no weights."""

    def __init__(self) -> None:
        self._losses: dict[str, float] = defaultdict(float)  # to be averaged over the optimiser steps
        self._means: dict[str, float] = defaultdict(float)  # to be averaged over the tokens that were computed
        self._share = 0.0  # of the tokens that were computed, summed over the optimiser steps
        self._sums: dict[str, float] = defaultdict(float)  # of the whole update
        self._maxima: dict[str, float] = {}
        self._grad_norms: dict[str, list[float]] = defaultdict(list)  # by what was clipped together; "": the policy

    def add_loss(self, loss: Loss) -> None:
        """A loss, or a part of one."""
        terms = {f"loss/{name}": value for name, value in loss.terms.items()}
        _add(self._losses, {"loss": sum(loss.terms.values()), **terms})
        _add(self._means, loss.means)
        self._share += loss.share
        self._raise(loss.maxima)

    def add_step(self, grad_norms: Mapping[str, float]) -> None:
        """An optimiser step was taken. The norms, of the policy ("") and by signal, are from before clipping."""
        for name, norm in grad_norms.items():
            self._grad_norms[name].append(norm)

    def add_mismatch(self, sampler_N: Floats, trainer_N: Floats) -> None:
        """Log-probabilities of the same tokens under the same weights, by sampler and trainer."""
        difference_N = sampler_N - trainer_N
        weight_N = np.exp(np.clip(-difference_N, -LOG_BOUND, LOG_BOUND))
        self.count("mismatch/tokens", len(difference_N))
        self.count("mismatch/difference", difference_N.sum())
        self.count("mismatch/weight", weight_N.sum())
        self.count("mismatch/square", (weight_N**2).sum())
        if len(difference_N):
            self._raise({"mismatch/max": float(np.abs(difference_N).max())})

    def add_probe(self, weight_N: Floats, entropy_N: Floats) -> None:
        """Entropies from a look at tokens that nothing else was computed of."""
        self.count("probe/weight", weight_N.sum())
        self.count("probe/entropy", (weight_N * entropy_N).sum())

    def count(self, name: str, number: float) -> None:
        """Something that is summed over the update."""
        self._sums[name] += float(number)

    def metrics(self) -> dict[str, float]:
        """All of it, over all ranks. Diagnostics are averages over the tokens that were computed.

        Attempts without a signal mostly are not, so that `policy/entropy` and `mismatch/…` speak of the others, in an
        update without any signal of a few attempts. `mismatch/tokens` says of how many tokens; `mismatch/mean` is of
        sampler minus trainer, in nats; `mismatch/ess` the effective sample size of the weights exp(trainer - sampler),
        as a share of the tokens: 1 where both agree.
        """
        merged = self._over_ranks()
        steps, sums = max(1, len(self._grad_norms[""])), merged._sums
        metrics = {"loss": 0.0} | {name: value / steps for name, value in merged._losses.items()} | merged._maxima
        if merged._share:
            metrics |= {name: value / merged._share for name, value in merged._means.items()}
        tokens = sums.pop("mismatch/tokens", 0.0)
        difference, weight, square = (sums.pop(f"mismatch/{key}", 0.0) for key in ("difference", "weight", "square"))
        weighed, entropy = (sums.pop(f"probe/{key}", 0.0) for key in ("weight", "entropy"))
        if weighed:
            metrics.setdefault("policy/entropy", entropy / weighed)
        if tokens:
            metrics["mismatch/tokens"] = tokens
            metrics |= {"mismatch/mean": difference / tokens, "mismatch/ess": weight**2 / (tokens * square)}
        for name, norms in self._grad_norms.items():
            if norms:
                key = f"{name}/grad_norm" if name else "grad_norm"
                metrics |= {key: float(np.mean(norms)), f"{key}/max": max(norms)}
        return metrics | sums

    def _over_ranks(self) -> Tally:
        merged = Tally()
        mine = (dict(self._losses), dict(self._means), dict(self._sums), self._maxima, self._share)
        for losses, means, sums, maxima, share in gather_over_ranks(mine):
            _add(merged._losses, losses)
            _add(merged._means, means)
            _add(merged._sums, sums)
            merged._raise(maxima)
            merged._share += share
        return merged

    def _raise(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._maxima[name] = max(value, self._maxima.get(name, value))


def _add(totals: dict[str, float], values: Mapping[str, float]) -> None:
    for name, value in values.items():
        totals[name] += value
