"""Verdicts on programs that others have run: how many of ours agree with theirs, and which do not.

    python -m benchmarks.graded_code [--data ../shared/data] [--source NAME] [--sandbox NAME] [--list]

For each source: the programs, the share of verdicts (passed or not) that agree, programs that pass here and did not
there, the reverse, and the seconds that it took. `--list` prints the disagreements. Where programs were run again by
whoever collected them, that verdict is the one to agree with.
"""

import argparse
import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from rlenvs.code import readers
from rlenvs.code.judging import judged
from rlenvs.code.records import FunctionTests, Tests
from rlenvs_sandbox import Limits, Outcome, Runner, open_runner

LIMITS = Limits(wall_s=9.0, cpu_s=3.0, mem_mb=2048)  # as the recorded runs had; a busy machine is no slow program


class Graded(NamedTuple):
    """A program and whether it passed elsewhere."""

    id: str
    program: str
    tests: Tests
    has_passed: bool
    recorded: str  # what was recorded of it, for people


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("RLENVS_DATA", "../shared/data")))
    parser.add_argument("--source", choices=SOURCES, action="append")
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("--list", action="store_true", help="print the disagreements")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print("| source | programs | agree | pass here alone | pass there alone | seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    num_all = num_agreed = 0
    with open_runner(options.sandbox, num_workers=cores) as runner:
        for source in options.source or SOURCES:
            rows = list(SOURCES[source](options.data))
            started = time.monotonic()
            outcomes = all_outcomes(rows, runner, cores)
            seconds = time.monotonic() - started
            others = [pair for pair in zip(rows, outcomes, strict=True) if pair[1].is_pass != pair[0].has_passed]
            here = sum(outcome.is_pass for _, outcome in others)
            agreed = len(rows) - len(others)
            num_all, num_agreed = num_all + len(rows), num_agreed + agreed
            share = f"{agreed / len(rows):.4f}"
            print(f"| {source} | {len(rows)} | {share} | {here} | {len(others) - here} | {seconds:.0f} |", flush=True)
            if options.list:
                for row, outcome in others:
                    print(f"{row.id}: {row.recorded} there, {outcome.status} here: {outcome.detail[:150]}")
    print(f"| all | {num_all} | {num_agreed / num_all:.4f} | | | |")


def all_outcomes(rows: list[Graded], runner: Runner, at_a_time: int) -> list[Outcome]:
    """What becomes of each program here, in their order."""
    with ThreadPoolExecutor(at_a_time) as threads:
        return list(threads.map(lambda row: judged(row.program, row.tests, runner, LIMITS), rows))


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def reflexion_humaneval(data: Path) -> Iterator[Graded]:
    """HumanEval solutions by GPT-4 and others."""
    problems = {
        row["task_id"]: readers.humaneval(row["task_id"], row) for row in rows_of(data / "humaneval/HumanEval.jsonl.gz")
    }
    for row in rows_of(data / "graded_code/reflexion_humaneval.jsonl.gz"):
        problem = problems[row["task_id"]]
        before = problem.stub if row["form"] == "body" else problem.stub.partition(f"def {problem.entry_point}")[0]
        passed = row["reexec_pass"]
        yield Graded(row["id"], before + row["solution"], problem.tests, passed, f"passed: {passed}")


def reflexion_mbpp(data: Path) -> Iterator[Graded]:
    """MBPP solutions by GPT-4 and others."""
    for row in rows_of(data / "graded_code/reflexion_mbpp.jsonl.gz"):
        text = row["test"].partition("def test_check")[0]
        tests = FunctionTests(text=text, entry_point=row["entry_point"], check="check")
        yield Graded(row["id"], row["solution"], tests, row["reexec_pass"], f"passed: {row['reexec_pass']}")


def codegen_humaneval(data: Path) -> Iterator[Graded]:
    """A hundred samples of CodeGen-16B for each of HumanEval's problems."""
    problems = {
        row["task_id"]: readers.humaneval(row["task_id"], row) for row in rows_of(data / "humaneval/HumanEval.jsonl.gz")
    }
    for row in rows_of(data / "graded_code/codet_humaneval_codegen16b.jsonl.gz"):
        tests = problems[row["task_id"]].tests
        for number, (sample, verdict) in enumerate(zip(row["samples"], row["verdicts"], strict=True)):
            yield Graded(f"{row['task_id']}#{number}", row["prompt"] + sample, tests, verdict == "passed", verdict)


def cruxeval(data: Path) -> Iterator[Graded]:
    """Outputs and inputs of short functions, predicted by CodeLlama-7B: each an expression, evaluated as a program."""
    for row in rows_of(data / "graded_code/cruxeval_codellama7b.jsonl.gz"):
        for number, (text, scored) in enumerate(zip(row["generations"], row["scored"], strict=True)):
            program = f"{row['code']}\n\ndef answer():\n    return ({text}\n)\n"
            tests = FunctionTests(text=f"assert answer() == {row['output']}", entry_point="answer")
            yield Graded(f"{row['id']}#{number}", program, tests, scored, f"passed: {scored}")


def apps(data: Path) -> Iterator[Graded]:
    """Programs by CodeRL for five problems of APPS."""
    for row in rows_of(data / "graded_code/apps_coderl_5problems.jsonl"):
        problem = readers.apps(row["id"], row)
        for number, each in enumerate(row["generated"]):
            passed = each["result"] is True
            yield Graded(
                f"{row['id']}#{number}", problem.whole(each["code"]), problem.tests, passed, each["error_type"]
            )


SOURCES: dict[str, Callable[[Path], Iterator[Graded]]] = {
    "Reflexion, HumanEval": reflexion_humaneval,
    "Reflexion, MBPP": reflexion_mbpp,
    "CodeGen-16B, HumanEval": codegen_humaneval,
    "CodeLlama-7B, CRUXEval": cruxeval,
    "CodeRL, APPS": apps,
}


if __name__ == "__main__":
    main()
