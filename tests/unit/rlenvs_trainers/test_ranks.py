"""Two processes that share the data train like one that has all of it, also where one of them has none."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from .ranks_program import ALGORITHMS, SHARES

PROGRAM, ROOT = "tests.unit.rlenvs_trainers.ranks_program", Path(__file__).parents[3]
CUT = {"tokens/computed", "learner/microbatches"}  # depend on how the data is cut


def start(said, rank=None, port=0):
    """A process that writes to a file: a full pipe would hold up one rank, and the other would wait for it."""
    ranks = {} if rank is None else {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1"}
    variables = {key: str(value) for key, value in {**ranks, "MASTER_PORT": port, "OMP_NUM_THREADS": 1}.items()}
    with said.open("w") as output:
        return subprocess.Popen(
            [sys.executable, "-m", PROGRAM], cwd=ROOT, env={**os.environ, **variables}, stdout=output
        )


def finished(process, said):
    try:
        assert process.wait(timeout=180) == 0
    finally:
        process.kill()
    lines = [json.loads(line) for line in said.read_text().splitlines() if line.startswith("{")]
    return {tuple(each["case"]): each for each in lines}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """By case, what rank 0, rank 1 and a process alone have: all cases in one launch."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    files = [tmp_path_factory.mktemp("ranks") / name for name in ("first", "second", "alone")]
    processes = [start(files[0], 0, port), start(files[1], 1, port), start(files[2])]
    everyone = [finished(*each) for each in zip(processes, files, strict=True)]
    return {case: [each[case] for each in everyone] for case in everyone[2]}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("share", SHARES)
def test_r07_gradients_do_not_depend_on_the_number_of_ranks(name, share, trained):
    first, second, alone = trained[name, share]
    assert alone["norm"] > 1e-3
    for rank in (first, second):
        np.testing.assert_allclose(rank["head"], alone["head"], atol=1e-6 * alone["norm"])
    assert first["metrics"] == second["metrics"]
    if name != "one_pass":  # with minibatches, ranks divide the data among the optimiser steps in another way
        kept = set(alone["metrics"]) - CUT
        assert {key: first["metrics"][key] for key in kept} == pytest.approx(
            {k: alone["metrics"][k] for k in kept}, rel=1e-4
        )
