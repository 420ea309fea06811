"""What models really wrote: functions and bodies of HumanEval come back as they would run behind the prompt."""

import ast
import gzip
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rlenvs.code.programs import program_of

DEFAULT = Path(__file__).parents[5] / "shared" / "data"


@pytest.fixture(scope="module")
def data(shared_folder: Callable[[str, Path, str], Path]) -> Path:
    return shared_folder("RLENVS_DATA", DEFAULT, "the data sets")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def tree(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text)
    except SyntaxError:
        return None


def definitions(module: ast.Module, name: str) -> list[str]:
    return [ast.dump(node) for node in module.body if getattr(node, "name", "") == name]


def kind_of(stub: str, sample: str, entry_point: str, reply: str) -> str:
    """How the program that comes back compares with the published one, the prompt and the sample."""
    given = program_of(reply, entry_point=entry_point, stub=stub)
    published = tree(stub + sample)
    if given is None:
        return "none, and published does not run" if published is None else "none"
    ours = tree(given)
    if published is None or ours is None:
        return "published does not parse" if published is None else "broken"
    if ast.dump(ours) == ast.dump(published):
        return "the same"
    mine, theirs = definitions(ours, entry_point), definitions(published, entry_point)
    if mine[-1:] == theirs[:1]:
        return "the same function"  # without what the sample goes on with
    return "the sample's function" if mine[-1:] == theirs[-1:] else "another"


SAME = {"the same", "the same function", "the sample's function", "published does not parse"}
MISSING = {"none, and published does not run"}


@pytest.mark.parametrize("wrapped", ["{}", "Here it is:\n\n```python\n{}\n```\n\nIt works."])
def test_bodies_that_a_base_model_wrote_keep_their_meaning(data: Path, wrapped: str) -> None:
    kinds: Counter[str] = Counter()
    for number, row in enumerate(rows(data / "graded_code" / "codet_humaneval_codegen16b.jsonl.gz")):
        for sample in row["samples"][number % 7 :: 7]:
            if sample.strip():
                kinds[kind_of(row["prompt"], sample, row["entry_point"], wrapped.replace("{}", sample))] += 1
    assert kinds.total() > 1000
    # Indented as a whole it is the function, not one within itself; an import alone is no program.
    assert kinds.keys() - SAME - MISSING <= {"another", "none"}
    assert kinds["another"] + kinds["none"] <= 0.002 * kinds.total(), kinds
    assert kinds["the same"] >= 0.9 * kinds.total()
    assert kinds["none, and published does not run"] <= 0.01 * kinds.total()


def test_what_chat_models_wrote_for_humaneval_keeps_its_meaning(data: Path) -> None:
    problems = {row["task_id"]: row for row in rows(data / "humaneval" / "HumanEval.jsonl.gz")}
    kinds: Counter[str] = Counter()
    for row in rows(data / "graded_code" / "reflexion_humaneval.jsonl.gz"):
        problem = problems[row["task_id"]]
        stub = problem["prompt"] if row["form"] == "body" else ""
        if row["solution"].strip():
            kinds[kind_of(stub, row["solution"], problem["entry_point"], row["solution"])] += 1
    assert kinds == {"the same": kinds.total()}
    assert kinds.total() > 300


def test_what_chat_models_wrote_for_mbpp_comes_back_the_same(data: Path) -> None:
    solutions = list(rows(data / "graded_code" / "reflexion_mbpp.jsonl.gz"))
    assert len(solutions) > 500
    for row in solutions:
        assert program_of(row["solution"], entry_point=row["entry_point"]) == row["solution"].strip("\n") + "\n"
