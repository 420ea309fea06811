"""What `rlenvs envs check` finds in every data set of Math-v0 that is there, each compared with all others.

RLENVS_DATA=FOLDER python -m benchmarks.data_sets [--list]
"""

import argparse
from collections import Counter
from collections.abc import Mapping

from rlenvs import TextEnv, make
from rlenvs.checks.data import check_data
from rlenvs.checks.findings import DataReport, Kind
from rlenvs.cli.output import print_table
from rlenvs.cli.progress import Progress
from rlenvs.data import DATA_SETS, DataError

COLUMNS: tuple[Kind, ...] = ("bad_gold", "own_answer", "wrong_answer", "contradiction", "duplicate", "near_duplicate")
ELSEWHERE: tuple[Kind, ...] = ("leak", "near_leak", "variant")


def data_sets() -> Mapping[str, TextEnv]:
    """All that are in the folder, by data set and split."""
    found = {}
    for name, data_set in DATA_SETS.items():
        for split in data_set.splits:
            try:
                found[f"{name} {split}"] = make("rlenvs/Math-v0", dataset=name, split=split)
            except DataError as error:
                print(f"left out: {error}")
    return found


def reports(envs: Mapping[str, TextEnv]) -> Mapping[str, DataReport]:
    """What is found in each."""
    checked = {}
    with Progress("checking", len(envs), "data sets") as line:
        for name, env in envs.items():
            others = {other: each for other, each in envs.items() if other != name}
            checked[name] = check_data(env, others)
            line.advance(note=name)
    return checked


def places(report: DataReport, kind: Kind) -> str:
    """How many there are in which other data set."""
    counted = Counter(finding.where for finding in report.of(kind))
    return ", ".join(f"{count} in {where}" for where, count in counted.items()) or "0"


def main() -> None:
    """Print the table, and with --list every finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="every finding, too")
    arguments = parser.parse_args()
    found = reports(data_sets())
    print_table(
        ("data set", "tasks", *COLUMNS, *ELSEWHERE),
        [
            (
                name,
                report.num_tasks,
                *(report.counts[kind] for kind in COLUMNS),
                *(places(report, kind) for kind in ELSEWHERE),
            )
            for name, report in found.items()
        ],
    )
    if arguments.list:
        for report in found.values():
            for each in report.findings:
                print(each.kind, each.task_id, each.other_id, repr(each.text[:300]), each.why, sep="\t")


if __name__ == "__main__":
    main()
