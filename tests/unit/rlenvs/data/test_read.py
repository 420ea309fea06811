import gzip
import json
import sys
import types
from collections import Counter
from pathlib import Path

import pytest

from rlenvs import verifiers
from rlenvs.data import DATA_SETS, DataError, load_problems

SIZES = {
    ("gsm8k", "train"): 7473,
    ("gsm8k", "test"): 1319,
    ("math_slice", "train"): 1000,
    ("math500", "test"): 500,
    ("aime24", "test"): 30,
    ("aime25", "test"): 30,
    ("amc23", "test"): 40,
    ("aimo_aime", "test"): 90,
    ("aimo_amc", "test"): 83,
    ("minerva", "test"): 272,
    ("olympiadbench", "test"): 675,
}


@pytest.mark.parametrize(("name", "split"), SIZES)
def test_every_gold_of_every_data_set_equals_itself_and_no_other_answer(
    name: str, split: str, data_folder: str
) -> None:
    problems = load_problems(name, split, data=data_folder)
    assert len(problems) == SIZES[name, split]
    verdicts = Counter(verifiers.verify(problem.gold, problem.gold, problem.question) for problem in problems)
    assert verdicts == {"equal": len(problems)}
    for problem in problems[:100]:
        wrong = [verifiers.verify(problem.gold, answer, problem.question) for answer in ("-73512", "")]
        assert wrong == ["bad_gold" if problem.id in UNREADABLE else "not_equal", "not_equal"], problem


def test_every_data_set_but_all_of_math_is_checked() -> None:
    splits = {(name, split) for name, data_set in DATA_SETS.items() for split in data_set.splits}
    assert splits - SIZES.keys() == {("math", "train")}


def test_the_slice_of_math_has_ids_of_its_own_and_is_not_on_the_hub(data_folder: str) -> None:
    assert load_problems("math_slice", data=data_folder)[0].id == "math_slice/train/0"
    with pytest.raises(DataError, match=r"math/math_train_slice_1000 is not on the hub: .*RLENVS_DATA"):
        load_problems("math_slice", data="hub")
    with pytest.raises(DataError, match=r"math_train_slice_1000.*Put it there\.$"):
        load_problems("math_slice", data=str(Path(__file__).parent))


def test_the_documentation_lists_every_file_and_repository() -> None:
    page = (Path(__file__).parents[4] / "docs/environments.md").read_text()
    for name, data_set in DATA_SETS.items():
        for split, source in data_set.splits.items():
            hub = f"`{' '.join(filter(None, (source.hub_id, source.hub_config, source.hub_split)))}`"
            assert f"| `{name}` | {split} | `{source.file}` | {hub if source.hub_id else 'not there'} |" in page


def test_ids_are_data_set_split_and_row(data_folder: str) -> None:
    problems = load_problems("gsm8k", "test", data=data_folder, limit=2)
    assert [problem.id for problem in problems] == ["gsm8k/test/0", "gsm8k/test/1"]
    assert [problem.gold for problem in problems] == ["18", "3"]
    assert "16 - 3 - 4 = 9" in problems[0].working


def test_the_first_split_is_the_default_and_a_split_is_read_once(data_folder: str) -> None:
    assert load_problems("gsm8k", data=data_folder)[0].id == "gsm8k/train/0"
    assert load_problems("aime24", data=data_folder)[0] is load_problems("aime24", "test", data=data_folder)[0]


def write(folder: Path, *rows: object, ending: str = ".jsonl") -> Path:
    path = folder / f"math/math500{ending}"
    path.parent.mkdir(exist_ok=True)
    lines = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode()) if ending.endswith("gz") else lines.encode())
    return path


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_a_file_may_be_compressed(tmp_path: Path, ending: str) -> None:
    write(tmp_path, {"problem": "1+1?", "answer": "2"}, ending=ending)
    assert load_problems("math500", data=str(tmp_path))[0].gold == "2"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"problem": "q", "answer": "1"}, {"problem": "q"}], "row 1: no field 'answer'; there is problem"),
        ([{"problem": "q", "answer": ""}], "row 0: .*the gold is empty"),
        (["{broken"], "line 1: not JSON"),
        (["[1]"], "line 1: expected an object, got list"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, rows: list[object], message: str) -> None:
    write(tmp_path, *rows)
    with pytest.raises(DataError, match=message):
        load_problems("math500", data=str(tmp_path))


def test_what_is_missing_is_said_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLENVS_DATA", raising=False)
    with pytest.raises(DataError, match=r"set the variable RLENVS_DATA or pass data=FOLDER.*data='hub'"):
        load_problems("gsm8k")
    with pytest.raises(DataError, match=r"no folder .*nowhere.*openai/gsm8k"):
        load_problems("gsm8k", data=str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"no .*gsm8k/train\.jsonl, with or without \.gz"):
        load_problems("gsm8k", data=str(tmp_path))
    with pytest.raises(DataError, match="Did you mean 'gsm8k'"):
        load_problems("gsm8", data=str(tmp_path))
    with pytest.raises(DataError, match=r"no split of math500 'train'.*test"):
        load_problems("math500", "train", data=str(tmp_path))
    with pytest.raises(DataError, match="at least 1: got 0"):
        load_problems("gsm8k", data=str(tmp_path), limit=0)


UNREADABLE = {"olympiadbench/test/96"}  # published as "t(0,4]"
HUB_ROWS: dict[str, dict[str, object]] = {
    "openai/gsm8k": {"question": "q", "answer": "work\n#### 1,000"},
    "HuggingFaceH4/MATH-500": {"problem": "q", "solution": "s", "answer": "\\frac{1}{2}", "level": 1},
    "HuggingFaceH4/aime_2024": {"id": 60, "problem": "q", "solution": "s", "answer": "025", "year": "2024"},
    "math-ai/aime25": {"problem": "q", "answer": "70", "id": "0"},
    "math-ai/amc23": {"id": 0, "question": "q", "answer": "27.0", "url": "u"},
    "math-ai/minervamath": {"question": "q", "answer": "4.5e33"},
}


@pytest.mark.parametrize(
    ("name", "split", "asked", "gold"),
    [
        ("gsm8k", "test", ("openai/gsm8k", "main", "test"), "1000"),
        ("math500", "test", ("HuggingFaceH4/MATH-500", None, "test"), "\\frac{1}{2}"),
        ("aime24", "test", ("HuggingFaceH4/aime_2024", None, "train"), "25"),
        ("aime25", "test", ("math-ai/aime25", None, "test"), "70"),
        ("amc23", "test", ("math-ai/amc23", None, "test"), "27"),
        ("minerva", "test", ("math-ai/minervamath", None, "test"), "4.5e33"),
    ],
)
def test_the_hub_is_asked_for_the_usual_ids_and_its_rows_are_read(
    name: str, split: str, asked: tuple[str, str | None, str], gold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def load_dataset(hub_id: str, config: str | None, *, split: str) -> list[dict[str, object]]:
        calls.append((hub_id, config, split))
        return [dict(HUB_ROWS[hub_id])]

    library = types.ModuleType("datasets")
    library.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", library)
    read_anew()
    (problem,) = load_problems(name, split, data="hub")
    read_anew()
    assert calls == [asked]
    assert (problem.id, problem.gold) == (f"{name}/{split}/0", gold)


def test_a_hub_that_cannot_be_reached_and_a_missing_library_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_dataset(hub_id: str, config: str | None, *, split: str) -> list[dict[str, object]]:
        raise ConnectionError("offline")

    library = types.ModuleType("datasets")
    library.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", library)
    with pytest.raises(DataError, match=r"did not give math-ai/aime25 \(ConnectionError: offline\)"):
        load_problems("aime25", data="hub")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError, match=r"rlenvs-llm\[hub\]"):
        load_problems("aime25", data="hub")


def read_anew() -> None:
    from rlenvs.data import read

    read._all_problems.cache_clear()
