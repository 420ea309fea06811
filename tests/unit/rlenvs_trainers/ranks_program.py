"""One rank of two, run by `test_ranks.py`: trains on its share of the data and prints what it has then."""

import json
import os
import sys
from dataclasses import replace

import numpy as np
import torch
import torch.distributed as dist

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.batch import pack
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.reference import random_model
from rlenvs_trainers.synthetic import varied_groups
from rlenvs_trainers.weights import HighEntropy

ALGORITHMS = {
    "one_pass": replace(GRPO, reduce=Mean(over="token"), updates=(1, 2)),
    "two_passes": replace(GRPO, ratio=Ratio(unit="action", length_power=0.5, centre=True), weights=(HighEntropy(),)),
}


def main(name: str) -> None:
    """Rank 0 has one group of four, rank 1 the other three; without ranks, all of them."""
    algorithm = ALGORITHMS[name]
    config = LearnerConfig(device="cpu", tokens_per_microbatch=60, lr=1e-2)
    learner = Learner(random_model(64), config, algorithm)
    groups = varied_groups(np.random.default_rng(0), vocabulary=64)
    shares = [groups[:1], groups[1:]] if dist.is_initialized() else [groups]
    own = shares[dist.get_rank() if dist.is_initialized() else 0]
    batch = pack(own, algorithm.credit(own, Progress(step=0, num_steps=1)))
    batch = replace(batch, constants={"old": batch.sampler_N + 0.1 * np.sin(1e3 * batch.sampler_N)})
    gradient = torch.cat([value.flatten() for value in learner.gradient(batch).values()])
    metrics = learner.update(replace(batch, constants={}))
    print(json.dumps({"norm": float(gradient.norm()), "head": gradient[::97].tolist(), "metrics": metrics}), flush=True)
    if dist.is_initialized():
        dist.barrier()
        os._exit(0)  # tearing gloo down hangs now and then, long after everything was said


if __name__ == "__main__":
    main(sys.argv[1])
