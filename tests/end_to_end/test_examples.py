"""A stranger's environment and a stranger's algorithm train from the installed command line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = Path(sys.executable).with_name("rlenvs")
SMALL = ["steps=2", "rollout.tasks_per_step=2", "rollout.group_size=3", "sampling.max_tokens=3"]
SETS = [word for each in SMALL for word in ("--set", each)]


def run(*arguments, path=""):
    """What a person types, in a shell of its own where PYTHONPATH begins with `path`."""
    line = [str(argument) for argument in arguments]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (path, os.environ.get("PYTHONPATH"))))}
    return subprocess.run(line, capture_output=True, text=True, env=variables, timeout=120)


def test_an_environment_in_one_file_is_checked_and_trained_on(warm, run_of):
    file = EXAMPLES / "my_env.py"
    checked = run(COMMAND, "envs", "check", "my/Vowels-v0", "--plugin", file)
    assert (checked.returncode, checked.stdout) == (0, "my/Vowels-v0 keeps the contract.\n"), checked.stderr
    line = ["train", "--plugin", file, "--env", "my/Vowels-v0", "--policy", warm, "--name", "vowels", *SETS]
    trained = run(COMMAND, *line)
    assert (trained.returncode, trained.stdout) == (0, "runs/vowels: 2 of 2 steps\n"), trained.stderr
    vowels = run_of("vowels")
    assert [len(vowels.rollouts_of(step)) for step in (1, 2)] == [6, 6]
    assert all(row.task_id.startswith("vowels/") for row in vowels.rollouts)
    assert all("How many of a, e, i, o, u are in" in row.messages[0]["content"] for row in vowels.rollouts)
    assert {row.reward for row in vowels.rollouts} <= {0.0, 1.0}
    assert vowels.checkpoints == ["step-000002"]
    resumed = run(COMMAND, "train", "--resume", "runs/vowels", "--steps", 3)
    assert resumed.returncode == 0, resumed.stderr
    assert list(run_of("vowels").metrics) == [1, 2, 3]


def test_the_environment_of_the_example_is_thirty_lines():
    assert len((EXAMPLES / "my_env.py").read_text().splitlines()) <= 50
    code = (EXAMPLES / "my_env.py").read_text().split('"""', 2)[2]
    assert len([line for line in code.splitlines() if line.strip()]) <= 30


@pytest.fixture
def site(tmp_path):
    """A folder that `pip install` put the example's distribution into."""
    source = shutil.copytree(EXAMPLES / "my_algorithm", tmp_path / "my_algorithm")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    installed = run(sys.executable, "-m", "pip", "install", *offline, "--target", tmp_path / "site", source)
    assert installed.returncode == 0, installed.stderr
    return str(tmp_path / "site")


def test_an_algorithm_in_a_distribution_of_its_own_is_listed_and_trains(site, warm, run_of):
    listed = run(COMMAND, "algorithms", path=site)
    assert "pass_at_k" in listed.stdout
    assert "my-algorithm 0.1.0" in listed.stdout
    trained = run(COMMAND, "train", "tiny.toml", "--algorithm", "pass_at_k", "--name", "best", *SETS, path=site)
    assert trained.returncode == 0, trained.stderr
    best = run_of("best")
    assert 'algorithm = "pass_at_k"' in (best.path / "config.toml").read_text()
    assert all(values["grad_norm"] > 0 for values in best.metrics.values())
    assert len(best.rollouts) == 12
    without = run(COMMAND, "train", "--resume", "runs/best", "--steps", 4)
    assert (without.returncode, without.stdout) == (2, "")
    assert "no algorithm 'pass_at_k'" in without.stderr
    assert run(COMMAND, "train", "--resume", "runs/best", "--steps", 4, path=site).returncode == 0
    assert list(run_of("best").metrics) == [1, 2, 3, 4]
