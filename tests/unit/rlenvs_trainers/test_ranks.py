"""Two processes that share the data train like one that has all of it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("ranks_program.py")


def start(name, rank=None, port=0):
    ranks = {} if rank is None else {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1"}
    variables = {key: str(value) for key, value in {**ranks, "MASTER_PORT": port, "OMP_NUM_THREADS": 1}.items()}
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), name], env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True
    )


def finished(process):
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return json.loads(output.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one_pass", "two_passes"])
def test_r07_gradients_do_not_depend_on_the_number_of_ranks(name):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first, second, alone = (finished(p) for p in [start(name, 0, port), start(name, 1, port), start(name)])
    for rank in (first, second):
        np.testing.assert_allclose(rank["head"], alone["head"], atol=1e-6 * alone["norm"])
    assert first["metrics"] == second["metrics"]
    if name == "two_passes":  # with minibatches, ranks divide the data among the optimiser steps in another way
        kept = set(alone["metrics"]) - {"tokens/computed", "learner/microbatches"}
        assert {key: first["metrics"][key] for key in kept} == pytest.approx(
            {k: alone["metrics"][k] for k in kept}, rel=1e-4
        )
