"""Problems as recorded by print_codegen_tasks.py, in another process whose texts hash otherwise."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPT, RECORDED = HERE / "print_codegen_tasks.py", HERE / "codegen_tasks.jsonl"


def test_an_index_gives_the_recorded_problem_in_a_process_with_other_hash_seeds() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    printed = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True, env=environment)
    now, then = printed.stdout.splitlines(), RECORDED.read_text().splitlines()
    assert len(now) == len(then)
    for line, recorded in zip(now, then, strict=True):
        assert json.loads(line) == json.loads(recorded)
