"""The bank of programs with verdicts as a file to grade, nearly as it stands: `rlenvs grade code` agrees with it."""

import json
from pathlib import Path
from typing import Any

import pytest

from rlenvs.cli.main import main


def row_of(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A case as a row: what the bank abbreviates is written out, and the paths that it wants are filled in."""
    row = dict(case)
    row["stdin"] = case.get("stdin", "") * case.get("stdin_repeat", 1)
    if "expected_stdout" in case:
        row["expected_stdout"] = case["expected_stdout"] * case.get("expected_repeat", 1)
    else:
        del row["stdin"]
    if "pad_program_bytes" in case:
        line = "# " + "x" * 77 + "\n"
        row["program"] += "\n" + line * (case["pad_program_bytes"] // len(line))
    canary = str(folder / "canary")
    row["program"] = row["program"].replace("{CANARY_DIR}", str(folder)).replace("{CANARY}", canary)
    return row


@pytest.mark.slow
def test_the_command_agrees_with_the_bank(
    cases_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (cases_folder / "code_cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    assert cases
    canaries = tmp_path / "canaries"
    canaries.mkdir()
    (canaries / "canary").write_text("SECRET-5512")
    monkeypatch.setenv("FAKE_API_KEY", "canary-1")
    monkeypatch.setenv("FAKE_SECRET_TOKEN", "canary-2")
    source, out = tmp_path / "bank.jsonl", tmp_path / "verdicts.jsonl"
    source.write_text("".join(json.dumps(row_of(case, canaries)) + "\n" for case in cases))

    # One at a time, as the bank asks for: it holds programs that take all the memory and the processor they can get.
    assert main(["grade", "code", str(source), "--out", str(out), "--processes", "1", "--json"]) == 0

    graded = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in graded] == [case["id"] for case in cases]
    wrong = {
        line["id"]: (line["verdict"], line["detail"])
        for case, line in zip(cases, graded, strict=True)
        if line["verdict"] not in {case["expect"], *case.get("also_ok", [])} - set(case.get("never", []))
    }
    assert wrong == {}
    counted = {case["id"]: (case["passed"], case["total"]) for case in cases if "passed" in case}
    assert {line["id"]: (line["passed"], line["total"]) for line in graded if line["id"] in counted} == counted
    told = json.loads(capsys.readouterr().out)
    passed = sum(line["verdict"] == "pass" for line in graded)
    assert (told["verdicts"]["pass"], told["pass_rate"]) == (passed, passed / len(cases))
    assert (canaries / "canary").read_text() == "SECRET-5512"
    assert [path.name for path in canaries.iterdir()] == ["canary"]
