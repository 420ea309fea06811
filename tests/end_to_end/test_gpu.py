"""The same run on a GPU: learner and sampler on CUDA, forward passes in bfloat16."""

import subprocess
import sys

import pytest

WITNESS = """
    import torch

    from rlenvs.hooks import hookimpl

    @hookimpl
    def on_run_end(status):
        print("bytes on CUDA:", torch.cuda.max_memory_allocated())
"""


@pytest.mark.gpu
def test_a_short_run_learns_on_cuda_in_bfloat16_and_its_sampler_agrees(run_of, plugin):
    sets = ["learner.device=cuda", "learner.dtype=bfloat16", "steps=3", "learner.lr=1e-3"]
    line = ["train", "tiny.toml", "--name", "run", "--plugin", plugin("witness", WITNESS)]
    words = [*line, *[word for change in sets for word in ("--set", change)]]
    done = subprocess.run([sys.executable, "-m", "rlenvs", *words], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    run = run_of("run")
    assert list(run.metrics) == [1, 2, 3]
    assert int(done.stdout.rpartition("bytes on CUDA: ")[2].split()[0]) > 100_000
    for values in run.metrics.values():
        assert values["grad_norm"] > 0
        assert abs(values["mismatch/mean"]) < 0.02, "nats per token; bfloat16 has 8 bits of mantissa"
        assert values["mismatch/max"] < 0.5
