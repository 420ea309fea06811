"""`rlenvs report`: a run's page, and where it is."""

from pathlib import Path

from rlenvs.cli.main import main
from rlenvs.store import RolloutRow, RunStore


def test_the_page_is_written_and_its_place_printed(tmp_path: Path, capsys):
    row = RolloutRow(
        group=0,
        attempt=0,
        episode="1/0/0",
        task_id="sum/1",
        seat="policy",
        ending="completed",
        reward=1.0,
        correct=1.0,
        messages=({"role": "user", "content": "What is 17 + 25?"}, {"role": "assistant", "content": "It is 42."}),
    )
    with RunStore(tmp_path / "run.sqlite") as store:
        store.write_step(1, {"reward/mean": 0.5}, [row])
        store.write_step(2, {"reward/mean": 0.75}, [row])
    assert main(["report", str(tmp_path)]) == 0
    page = Path(capsys.readouterr().out.strip())
    assert page.parent == tmp_path
    assert "What is 17 + 25?" in page.read_text()


def test_a_folder_without_a_run_is_refused(tmp_path: Path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "run.sqlite" in capsys.readouterr().err
