import gzip
import json
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from rlenvs import verifiers
from rlenvs.data import DATA_SETS, DataError, Source, load_problems
from rlenvs.data.golds import why_unreadable

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


def wrappings(gold: str) -> list[str | None]:
    """The same answer as replies have it."""
    found = [
        gold,
        f" {gold} ",
        gold if gold.endswith(".") else f"{gold}.",
        verifiers.extract(f"So we are done.\n\n\\boxed{{{gold}}}"),
    ]
    if "$" in gold:
        return found
    formulas = [f"${gold}$", f"${gold}$.", f"\\[{gold}\\]", f"\\({gold}\\)"]
    return [*found, *formulas, f"**{gold}**", f"\\mathbf{{{gold}}}", f"$\\boldsymbol{{{gold}}}$"]


@pytest.mark.parametrize(("name", "split"), SIZES)
def test_every_gold_of_every_data_set_equals_itself_and_no_other_answer(
    name: str, split: str, data_folder: str
) -> None:
    problems = load_problems(name, split, data=data_folder)
    assert len(problems) == SIZES[name, split]
    unequal = [
        (problem.id, wrapped)
        for problem in problems
        for wrapped in wrappings(problem.gold)
        if verifiers.verify(problem.gold, wrapped, problem.question) != "equal"
    ]
    assert unequal == []
    assert {problem.id for problem in problems if why_unreadable(problem.gold, problem.question)} <= UNREADABLE
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
        ([{"problem": "q", "answer": "1"}, {"problem": "q"}], "line 2: no field 'answer'; there is problem"),
        (["", {"problem": " ", "answer": "1"}], "line 2: .*the question is empty"),
        (["{broken"], "line 1: not JSON"),
        (["[1]"], "line 1: expected an object, got list"),
        (["[" * 100_000], "line 1: not JSON"),
        (['{"problem": ' + "9" * 5000 + "}"], "line 1: not JSON"),
        ([], "math500.jsonl has no problems"),
        (["", " "], "math500.jsonl has no problems"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, rows: list[object], message: str) -> None:
    write(tmp_path, *rows)
    with pytest.raises(DataError, match=message):
        load_problems("math500", data=str(tmp_path))


PACKED = gzip.compress(b'{"problem": "q", "answer": "1"}\n' * 2000, mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PACKED[:-20], r"cannot be read \(EOFError: "),
        (PACKED[:30] + b"\0" * 9 + PACKED[39:], r"cannot be read \(\w*[eE]rror: "),
        (PACKED[:-8] + b"\0" * 8, r"cannot be read \(BadGzipFile: "),
        (b"no gzip at all", r"cannot be read \(BadGzipFile: "),
        (gzip.compress(b'{"problem": "\xff\xfe"}', mtime=0), r"not text in UTF-8 \("),
    ],
    ids=["cut off", "damaged inside", "wrong checksum", "not packed", "not UTF-8"],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path, ending=".jsonl.gz")
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"^{path}, after line \d+: " + message):
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


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with repositories in the hub's layout, which `datasets` reads where the hub would be asked."""
    import datasets

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    read_anew()
    yield tmp_path
    read_anew()


def publish(source: Source, folder: Path, rows: list[str]) -> None:
    """A repository as it is on the hub: a file per split, and a card that names them where there is a configuration."""
    repository = folder / source.hub_id
    data = repository / (source.hub_config or "") / f"{source.hub_split}.jsonl"
    data.parent.mkdir(parents=True)
    data.write_text("".join(rows))
    if source.hub_config:
        split = f"  - split: {source.hub_split}\n    path: {data.relative_to(repository)}\n"
        card = f"---\nconfigs:\n- config_name: {source.hub_config}\n  data_files:\n{split}---\n"
        (repository / "README.md").write_text(card)


@pytest.mark.parametrize(("name", "split"), sorted(SIZES.keys() - {("math_slice", "train")}))
def test_the_hub_gives_the_problems_that_a_folder_gives(name: str, split: str, data_folder: str, hub: Path) -> None:
    source = DATA_SETS[name].splits[split]
    (path,) = Path(data_folder).glob(f"{source.file}.jsonl*")
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        publish(source, hub, list(islice(lines, 5)))
    from_hub = load_problems(name, split, data="hub")
    assert from_hub == load_problems(name, split, data=data_folder, limit=5)
    assert from_hub[4].id == f"{name}/{split}/4"


def test_a_hub_that_lacks_the_split_is_a_sentence(hub: Path) -> None:
    publish(replace(DATA_SETS["gsm8k"].splits["test"], hub_split="dev"), hub, ['{"question": "q"}\n'])
    with pytest.raises(DataError, match=r"the hub did not give openai/gsm8k \(ValueError: Unknown split \"test\""):
        load_problems("gsm8k", "test", data="hub")


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
