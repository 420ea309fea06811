"""Tasks as recorded by print_arithmetic_tasks.py, in this and in another process."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPT, RECORDED = HERE / "print_arithmetic_tasks.py", HERE / "arithmetic_tasks.jsonl"


def test_an_index_gives_the_recorded_task_in_a_process_with_other_hash_seeds() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    printed = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True, env=environment)
    now, then = printed.stdout.splitlines(), RECORDED.read_text().splitlines()
    assert len(now) == len(then)
    for line, recorded in zip(now, then, strict=True):
        assert json.loads(line) == json.loads(recorded)
