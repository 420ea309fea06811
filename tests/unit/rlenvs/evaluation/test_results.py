"""The results file: what is no such file is left alone, what is written comes back."""

import errno
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rlenvs.errors import RlenvsError
from rlenvs.evaluation.results import ResultsFile, Sample
from rlenvs.policies.scripted import Oracle

from .trouble import Scripted, run


@pytest.mark.parametrize("content", ["my notes\n", '{"a": 1}\n', "[]\n", '"x"\n'])
def test_a_file_of_something_else_is_not_written_to(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(RlenvsError, match="not a results file"):
        run(Oracle(), results_path=path)
    assert path.read_text() == content


def test_a_file_without_a_line_end_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("precious notes without a line end")
    with pytest.raises(RlenvsError, match="not a results file"):
        run(Oracle(), results_path=path)
    assert path.read_text() == "precious notes without a line end"


@pytest.mark.parametrize("length", [0, 5, 60])
def test_a_file_whose_header_was_half_written_is_begun_again(tmp_path: Path, length: int) -> None:
    path = tmp_path / "r.jsonl"
    run(Oracle(), num_tasks=1, results_path=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    run(Oracle(), num_tasks=1, results_path=path)
    assert path.read_bytes() == whole


def test_a_line_that_is_no_sample_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    run(Oracle(), num_tasks=2, results_path=path)
    path.write_bytes(path.read_bytes() + b'{"half": 1}\n')
    with pytest.raises(RlenvsError, match="line 4 is not a sample"):
        run(Oracle(), num_tasks=2, results_path=path)


def test_odd_characters_survive_the_results_file(tmp_path: Path) -> None:
    path, text = tmp_path / "r.jsonl", "a\u2028b\x85c\x1d\r\n\x00é😀"
    policy = Scripted(lambda request: text)
    run(policy, num_tasks=2, results_path=path)
    again = run(policy, num_tasks=2, results_path=path)
    assert len(policy.keys) == 2
    assert again.samples[0].messages[-1]["content"] == text
    run(Scripted(lambda request: "\ud800"), num_tasks=3, results_path=path)  # half a character cannot be stored
    assert run(policy, num_tasks=3, results_path=path).samples[2].messages[-1]["content"] == "?"


WRITER = """
import sys, time
from pathlib import Path
from rlenvs.evaluation.results import ResultsFile

with ResultsFile(Path(sys.argv[1]), {}):
    print("open", flush=True)
    time.sleep(60)
"""


def test_a_file_that_another_evaluation_writes_to_is_left_alone_until_that_one_ends(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    run(Oracle(), num_tasks=2, results_path=path)
    header = json.loads(path.read_bytes().splitlines()[0])
    del header["rlenvs_eval"]
    program = WRITER.replace("{}", repr(header))
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"open\n"
        with path.open("ab") as file:
            file.write(b'{"half a li')  # as the writer has it for a moment
        before = path.read_bytes()
        with pytest.raises(RlenvsError, match=r"another evaluation is writing to .*r\.jsonl"):
            run(Oracle(), num_tasks=3, results_path=path)
        assert path.read_bytes() == before
        writer.kill()
    assert run(Oracle(), num_tasks=3, results_path=path).summaries[0].num_tasks == 3
    assert path.read_bytes().count(b"\n") == 4


def test_a_results_file_that_cannot_be_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, Path("/dev/null"), Path("/dev/full")):
        with pytest.raises(RlenvsError, match=f"the results file {path} cannot be written: it is no file but a folder"):
            run(Oracle(), results_path=path)
    with pytest.raises(RlenvsError, match=r"the results file /proc/none/r\.jsonl cannot be written: No such file"):
        run(Oracle(), results_path=Path("/proc/none/r.jsonl"))
    with pytest.raises(RlenvsError, match=r"the results file .*xxx/file cannot be written: File name too long"):
        run(Oracle(), results_path=tmp_path / ("x" * 300) / "file")


def test_a_disk_that_is_full_is_a_sentence_that_names_the_file(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    results = ResultsFile(tmp_path / "r.jsonl", {})
    assert results._file is not None
    results._file.close()
    results._file = Full()
    says = r"the results file .*r\.jsonl cannot be written: No space left on device\. Make room there and run the same"
    with pytest.raises(RlenvsError, match=says):
        results.append(())


def test_a_sample_without_a_verdict_is_a_failure_unless_it_was_said_to_have_none() -> None:
    facts: dict[str, Any] = {
        **{"target": "t", "index": 0, "task_id": "t0", "fingerprint": "f", "sample": 0, "seat": "policy"},
        **{"num_seats": 1, "correct": None, "reward": None},
    }
    assert Sample(**facts, ending="timeout").is_failed
    assert not Sample(**facts, ending="unscored").is_failed
