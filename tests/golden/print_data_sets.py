"""Prints what is found in the data sets of Math-v0, one JSON object a line: errors and pairs by task, leaks by number.

RLENVS_DATA=../shared/data python tests/golden/print_data_sets.py > tests/golden/data_sets.jsonl

References that cannot be read, and wrong answers that score, are fewer where the verifier has learned something.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rlenvs import make
from rlenvs.checks.data import check_data
from rlenvs.checks.findings import Finding

# Without GSM8K's training split, whose 7,473 references take half a minute; its questions are compared.
COMPARED = {
    "gsm8k/test": ("gsm8k/train", "math500/test"),
    "math_slice/train": ("math500/test",),
    "math500/test": ("math_slice/train",),
    "aime24/test": ("aimo_aime/test",),
    "aime25/test": ("aimo_aime/test",),
    "amc23/test": ("aimo_amc/test",),
    "aimo_aime/test": ("aime24/test", "aime25/test"),
    "aimo_amc/test": ("amc23/test",),
    "minerva/test": (),
    "olympiadbench/test": ("aimo_aime/test",),
}


def recorded() -> Iterator[dict[str, Any]]:
    for name, others in COMPARED.items():
        report = check_data(made(name), {other: made(other) for other in others})
        told = [finding for finding in report.findings if finding.kind not in ("leak", "other_answer")]
        leaks = Counter(finding.where for finding in report.of("leak"))
        yield {"data": name, "tasks": report.num_tasks, "found": list(map(line, told)), "leaks": dict(leaks)}


def made(name: str) -> Any:
    dataset, split = name.split("/")
    return make("rlenvs/Math-v0", dataset=dataset, split=split)


def line(finding: Finding) -> list[str]:
    return [part for part in (finding.kind, finding.task_id, finding.other_id) if part]


if __name__ == "__main__":
    for record in recorded():
        print(json.dumps(record))
