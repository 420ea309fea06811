"""Prints tasks of Arithmetic-v0, one JSON object a line: a question of every family, level and split, then whole tasks.

python tests/golden/print_arithmetic_tasks.py > tests/golden/arithmetic_tasks.jsonl
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rlenvs.envs.arithmetic import ArithmeticEnv
from rlenvs.envs.arithmetic.source import FAMILIES, Place, problem_at


def recorded() -> Iterator[dict[str, Any]]:
    for name in sorted(FAMILIES):
        for level in range(1, len(FAMILIES[name].levels) + 1):
            for index, split in ((0, "train"), (7, "test")):
                problem = problem_at(Place(name, level, index), split)  # type: ignore[arg-type]
                answers = {"answer": problem.answer, "wrong": problem.wrong.answer}
                yield {"family": name, "level": level, "split": split, "question": problem.question, **answers}
    for index in (0, 1, 2, 1_000_000, 2**40):
        yield asdict(ArithmeticEnv(template="plain").task_at(index))


if __name__ == "__main__":
    for record in recorded():
        print(json.dumps(record))
