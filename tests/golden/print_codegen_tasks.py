"""Prints problems of CodeGen-v0, one JSON object a line: one of every family, level and split.

python tests/golden/print_codegen_tasks.py > tests/golden/codegen_tasks.jsonl
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from rlenvs.envs.codegen.problem import literal
from rlenvs.envs.codegen.source import FAMILIES, Place, problem_at


def recorded() -> Iterator[dict[str, Any]]:
    for name in sorted(FAMILIES):
        for level in range(1, len(FAMILIES[name].levels) + 1):
            for index, split in ((0, "train"), (7, "test")):
                problem = problem_at(Place(name, level, index), split)  # type: ignore[arg-type]
                trials = literal([[list(trial.arguments), trial.result] for trial in problem.trials])
                texts = {"question": problem.question, "right": problem.right, "wrong": problem.wrong}
                digest = hashlib.sha256(trials.encode()).hexdigest()[:16]
                yield {"family": name, "level": level, "split": split, **texts, "tests": digest}


if __name__ == "__main__":
    for record in recorded():
        print(json.dumps(record))
