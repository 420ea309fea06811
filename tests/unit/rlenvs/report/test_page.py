"""The report of a run: what it says, what it draws, and what it lets no policy do to it."""

import json
import math
import re
import subprocess
from pathlib import Path

import pytest

from rlenvs.errors import RlenvsError
from rlenvs.report import write_report
from rlenvs.store import RunStore

from .pages import CONFIG, EVIL, Page, evil_run, whole_run, write_run


def test_the_page_says_what_the_run_was(tmp_path: Path) -> None:
    page = Page(write_run(tmp_path / "my-run", whole_run))
    assert not page.open
    for words in (
        "my-run",
        "finished",
        "tiny",
        "grpo",
        "rlenvs/Arithmetic-v0 (levels=[1, 2])",
        "30 of 30",
        "3 min 0 s",
    ):
        assert words in page.text
    assert "3,000" in page.text  # tokens


def test_every_metric_has_a_curve_whose_ends_are_told_in_words(tmp_path: Path) -> None:
    charts = Page(write_run(tmp_path, whole_run)).charts
    assert charts["Reward"] == "Reward. reward/mean from 0.03333 to 1."
    title = "pass@1 in evaluation"
    assert charts[title].startswith(f"{title}. held out from 0.2 to 0.9; held out at step 0: 0.2")
    assert charts["Clipping"] == "Clipping. clip/high from 0.02 to 0.02; clip/low from 0.01 to 0.01."
    assert charts["odd/one"] == "odd/one. odd/one from 3 to 3."


def test_a_curve_is_drawn_where_its_values_are(tmp_path: Path) -> None:
    page = Page(write_run(tmp_path, whole_run))
    [hover] = [svg for svg in page.all("svg") if str(svg.get("aria-label")).startswith("Reward.")]
    data = json.loads(str(hover["data-curves"]))
    assert [point[1] for point in data["points"]] == list(range(1, 31))
    assert data["points"][14] == [pytest.approx(56 + 350 * 14 / 29, abs=0.1), 15, [[0, "reward/mean", "0.5"]]]
    path = next(str(p["d"]) for p in page.all("path") if str(p["d"]).count("L") == 29)
    points = [tuple(map(float, point.split())) for point in re.split("[ML]", path)[1:]]
    assert points[0][0] == 56.0
    assert points[-1][0] == 406.0
    assert points[-1][1] == pytest.approx(12.0)  # 1.0 is the top of the axis
    assert points[0][1] == pytest.approx(182 - 170 / 30, abs=0.1)


def test_what_a_policy_writes_is_text_and_nothing_else(tmp_path: Path) -> None:
    path = write_run(tmp_path, evil_run)
    page = Page(path)
    assert not page.all("img")
    assert [script.get("type") for script in page.all("script")] == ["application/json", None]
    assert page.json["rollouts"][0]["rows"][0]["messages"][1]["content"] == EVIL
    assert EVIL in page.text  # the policy's name, the evaluation's, the metric's


def test_the_page_asks_nothing_of_the_network(tmp_path: Path) -> None:
    path = write_run(tmp_path, whole_run)
    page, text = Page(path), path.read_text()
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bfetch\b|XMLHttpRequest|import\(", text)
    assert not [a for _, a in page.elements if "src" in a or "href" in a]
    [rule] = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert str(rule).startswith("default-src 'none'")
    assert re.search(r"script-src 'sha256-[^']+'$", str(rule))


def test_a_run_that_has_only_begun_has_a_page_too(tmp_path: Path) -> None:
    page = Page(write_run(tmp_path, lambda store: store.write_event(0, "run_started", {"config": CONFIG})))
    assert "running, or killed" in page.text
    assert "No step is finished yet." in page.text


def test_a_resumed_run_that_failed_says_so(tmp_path: Path) -> None:
    def write(store: RunStore) -> None:
        store.write_event(0, "run_started", {"config": CONFIG})
        store.write_event(3, "run_stopped", {"error": ""})
        store.write_event(3, "run_started", {"config": CONFIG})
        store.write_step(4, {"reward/mean": math.nan}, [])
        store.write_event(4, "run_failed", {"error": "the gradient is NaN"})

    text = Page(write_run(tmp_path, write)).text
    assert "failed: the gradient is NaN" in text
    assert "once" in text


def test_a_folder_without_a_run_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RlenvsError, match="no run at"):
        write_report(tmp_path)


def test_a_page_written_again_is_the_same_page(tmp_path: Path) -> None:
    first = write_run(tmp_path, whole_run).read_bytes()
    assert write_report(tmp_path).read_bytes() == first
    assert [path.name for path in tmp_path.iterdir() if "html" in path.name] == ["report.html"]


@pytest.mark.slow
def test_a_browser_shows_the_rollouts_and_runs_nothing_that_a_policy_wrote(tmp_path: Path, chromium: str) -> None:
    path = write_run(tmp_path, evil_run)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command = [chromium, *flags, f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    shown = done.stdout
    assert f"<title>{tmp_path.name} · rlenvs</title>" in shown
    assert shown.count("<article>") == 2
    assert "<img" not in shown
    assert "not judged" in shown
    assert "onerror=" in shown  # as text
