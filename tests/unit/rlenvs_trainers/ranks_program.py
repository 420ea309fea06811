"""One rank of two, run by `test_ranks.py`: trains on its share of each case's data and prints what it has then."""

import json
import os
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
import torch.distributed as dist
from accelerate import PartialState

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.batch import pack
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.reference import random_model
from rlenvs_trainers.regularise import KL
from rlenvs_trainers.synthetic import varied_groups
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch

from .critics import ValueLoss


class LastTurn(GroupRelative):
    """The last turn's doing, and a target for each token: where a history was rewritten, other samples have nothing."""

    targets = ("share",)

    @property
    def unit(self):
        return "action"

    def __call__(self, groups, progress):
        return {key: self._last(credit) for key, credit in super().__call__(groups, progress).items()}

    def _last(self, credit):
        *early, last = credit.advantage
        share = tuple(np.full(len(turn), 0.5) for turn in credit.advantage)
        return replace(credit, advantage=(*(0.0 * turn for turn in early), last), targets={"share": share})


@dataclass(frozen=True)
class Halved:
    """Reads what the credit rule gave, over the whole step."""

    needs: ClassVar[tuple[str, ...]] = ("share",)

    def __call__(self, view, log_ratio_N):
        return view.constants["share"], {}


TOKENS = Mean(over="token")
MIXED = Ratio(unit="action", length_power=0.5, centre=True)
LATE = replace(GRPO, credit=LastTurn(), ratio=Ratio(unit="trajectory"))
VALUED = replace(GRPO, credit=LastTurn(), regularise=(ValueLoss(target="share"),))
DRIFT = (Mismatch(unit="trajectory"), DropDrifted(threshold=0.0))
ALGORITHMS = {
    "one_pass": replace(GRPO, reduce=TOKENS, updates=(1, 2)),
    "two_passes": replace(GRPO, ratio=MIXED, reduce=TOKENS, weights=(HighEntropy(),)),
    "trajectory": replace(LATE, weights=DRIFT),
    "critic": VALUED,
    "critic_two_passes": replace(VALUED, reduce=TOKENS, weights=(HighEntropy(),)),
    "trajectory_two_passes": replace(LATE, weights=(*DRIFT, Halved()), regularise=(KL(coefficient=0.1),)),
}
# How many of the four groups rank 0 has; rank 1 has the others. In the first group all earned the same.
SHARES = {"both": 2, "one_without_a_signal": 1, "one_without_data": 4}


def main() -> None:
    """Every case, on this rank's groups; without ranks, on all of them."""
    PartialState(cpu=True)  # what a learner would do: from here on it is known whether there are ranks
    groups = varied_groups(np.random.default_rng(0), vocabulary=64)
    for name, algorithm in ALGORITHMS.items():
        for share, count in SHARES.items():
            own = [groups[:count], groups[count:]][dist.get_rank()] if dist.is_initialized() else groups
            print(json.dumps({"case": [name, share]} | _trained(algorithm, own)), flush=True)
    if dist.is_initialized():
        dist.barrier()
        os._exit(0)  # tearing gloo down hangs now and then, long after everything was said


def _trained(algorithm, own):
    config = LearnerConfig(device="cpu", tokens_per_microbatch=60, lr=1e-2)
    learner = Learner(random_model(64), config, algorithm)
    batch = pack(own, algorithm.credit(own, Progress(step=0, num_steps=1)))
    old = {"old": batch.sampler_N + 0.1 * np.sin(1e3 * batch.sampler_N)} if own else {}
    gradient = torch.cat(
        [v.flatten() for v in learner.gradient(replace(batch, constants=batch.constants | old)).values()]
    )
    metrics = learner.update(batch)
    return {"norm": float(gradient.norm()), "head": gradient[::97].tolist(), "metrics": metrics}


if __name__ == "__main__":
    main()
