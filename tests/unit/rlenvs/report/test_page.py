"""The report of a run that was written as the trainer writes it, parsed as a browser would, and opened in one."""

import json
import math
import re
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from rlenvs.errors import RlenvsError
from rlenvs.report import write_report
from rlenvs.report.held_out import change
from rlenvs.report.overlap import opening, overlap
from rlenvs.report.rollouts import MOST_CHARACTERS, MOST_ON_PAGE, MOST_PER_SOURCE, MOST_STEPS, spread
from rlenvs.store import RolloutRow, RunStore

EVIL = "</script><script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">\x00\u2028"
CONFIG = {
    "policy": "tiny",
    "algorithm": "grpo",
    "env": [{"id": "rlenvs/Arithmetic-v0", "kwargs": {"levels": [1, 2]}}],
    "steps": 30,
    "seed": 7,
}


class Page(HTMLParser):
    """What is on a page: elements with their attributes, text by element, JSON by id."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.json, self.open = "", dict[str, Any](), list[str]()
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} is not closed where it should be"

    def handle_data(self, data: str) -> None:
        name, attributes = self.elements[-1] if self.elements else ("", {})
        if name == "script" and attributes.get("type") == "application/json":
            self.json[str(attributes["id"])] = json.loads(data)
        elif self.open and self.open[-1] not in ("script", "style"):
            self.text += data + " "

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def charts(self) -> dict[str, str]:
        labels = [str(svg["aria-label"]) for svg in self.all("svg") if svg.get("aria-label")]
        return {label.partition(". ")[0]: label for label in labels}


def row(index: int, attempt: int = 0, *, correct: float | None = 1.0, reply: str = "42", **facts: Any) -> RolloutRow:
    values: dict[str, Any] = {
        **{"group": index, "attempt": attempt, "episode": f"{index}/{attempt}", "task_id": f"t{index}"},
        **{"seat": "policy", "ending": "completed", "correct": correct, "reward": correct, "num_tokens": 5},
        "messages": ({"role": "user", "content": "six times seven?"}, {"role": "assistant", "content": reply}),
    }
    return RolloutRow(**{**values, **facts})


def write_run(folder: Path, write: Callable[[RunStore], None]) -> Path:
    folder.mkdir(exist_ok=True)
    with RunStore(folder / "run.sqlite") as store:
        write(store)
    return write_report(folder)


def whole_run(store: RunStore) -> None:
    store.write_event(0, "run_started", {"config": CONFIG})
    for step, right in ((0, 2), (30, 9)):
        rows = [row(index, correct=float(index < right)) for index in range(10)]
        numbers = {
            "tasks": 10.0,
            "pass@1": right / 10,
            "pass@1/low": right / 10 - 0.05,
            "pass@1/high": right / 10 + 0.05,
        }
        store.write_eval(step, "held out", numbers, rows)
    for step in range(1, 31):
        metrics = {"reward/mean": step / 30, "accuracy": step / 60, "clip/low": 0.01, "clip/high": 0.02, "odd/one": 3.0}
        metrics |= {"time/sample_s": 4.0, "time/learn_s": 2.0, "tokens/trained": 100.0, "ending/completed": 1.0}
        store.write_step(step, metrics, [row(step, attempt, correct=float(attempt < 2)) for attempt in range(4)])
    store.write_event(30, "run_finished", {"error": ""})


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


def test_before_and_after_stand_side_by_side_with_intervals(tmp_path: Path) -> None:
    text = Page(write_run(tmp_path, whole_run)).text
    assert "20.0% 15.0 – 25.0, step 0" in re.sub(r"\s+", " ", text)
    assert "90.0% 85.0 – 95.0, step 30" in re.sub(r"\s+", " ", text)
    # seven tasks of ten went from wrong to right: 70 ± t(9) * 48.3 / sqrt(10)
    assert "+70.0 +35.4 – +104.6" in re.sub(r"\s+", " ", text)


def test_every_metric_has_a_curve_whose_ends_are_told_in_words(tmp_path: Path) -> None:
    charts = Page(write_run(tmp_path, whole_run)).charts
    assert charts["Reward"] == "Reward. reward/mean from 0.03333 to 1."
    title = "pass@1 in evaluation"
    assert charts[title].startswith(f"{title}. held out from 0.2 to 0.9; held out at step 0: 0.2")
    assert charts["Clipping"] == "Clipping. clip/high from 0.02 to 0.02; clip/low from 0.01 to 0.01."
    assert charts["odd/one"] == "odd/one. odd/one from 3 to 3."


def asks(index: int, task_id: str, question: str, **facts: Any) -> RolloutRow:
    return row(index, task_id=task_id, messages=({"role": "user", "content": question},), **facts)


@pytest.mark.parametrize(
    ("trained", "said"),
    [
        ([asks(0, "other/0", "another one?")], "none of 3 tasks was trained on in this run"),
        ([asks(0, "e0", "in another template: q0?")], "1 of 3 tasks were also trained on in this run"),
        ([asks(0, "other/0", "q1?"), asks(1, "e1", "q1?")], "1 of 3 tasks were also trained on in this run"),
        ([asks(i, f"other/{i}", f"q{i}?") for i in range(9)], "3 of 3 tasks were also trained on in this run"),
    ],
)
def test_what_was_trained_on_is_found_by_id_and_by_question(
    tmp_path: Path, trained: list[RolloutRow], said: str
) -> None:
    def write(store: RunStore) -> None:
        numbers = {"pass@1": 0.5, "tasks": 3.0, "tasks/asked": 9.0}
        store.write_eval(0, "held out", numbers, [asks(i, f"e{i}", f"q{i}?") for i in range(3)])
        store.write_step(1, {"reward/mean": 1.0}, trained[:1])
        store.write_step(2, {"reward/mean": 1.0}, trained[1:])

    text = re.sub(r"\s+", " ", Page(write_run(tmp_path, write)).text)
    assert f"share of right answers; {said}" in text
    assert f"held out 3 of 9 asked for: it has no other questions {said[0].replace('n', '0')} 50.0%" in text


def test_tasks_that_all_begin_alike_are_told_apart_by_id_alone() -> None:
    rows = [asks(i, f"e{i}", "find the way out") for i in range(3)]
    assert overlap(rows, {"e2", "x"}, {opening(asks(0, "x", "find the way out"))}).num_trained == 1


def test_an_episode_that_never_began_is_not_like_others_that_never_began() -> None:
    lost = [row(i, task_id=f"e{i}", messages=()) for i in range(3)]
    assert overlap(lost, {"e1"}, {opening(row(7, messages=()))}).num_trained == 1


def test_nothing_is_said_of_training_where_an_evaluation_kept_no_rollouts(tmp_path: Path) -> None:
    page = Page(write_run(tmp_path, lambda store: store.write_eval(0, "held out", {"pass@1": 0.5, "tasks": 3.0})))
    assert "in this run" not in page.text.replace("this run's rollouts", "")
    assert "never trained on" not in page.text


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


def test_rollouts_are_there_to_be_read_latest_step_first(tmp_path: Path) -> None:
    sources = Page(write_run(tmp_path, whole_run)).json["rollouts"]
    assert sources[0]["title"] == "step 30"
    assert [source["title"] for source in sources[-2:]] == [
        "evaluation at step 0: held out",
        "evaluation at step 30: held out",
    ]
    first = sources[0]["rows"][0]
    assert (first["task"], first["correct"], first["ending"], first["tokens"]) == ("t30", 1.0, "completed", 5)
    assert first["messages"][1] == {"role": "assistant", "content": "42"}


def evil_run(store: RunStore) -> None:
    store.write_event(0, "run_started", {"config": {**CONFIG, "policy": EVIL}})
    evil = row(1, reply=EVIL, task_id=EVIL, error=EVIL, parts={EVIL: 1.0}, ending=EVIL, correct=None, reward=None)
    store.write_step(1, {"reward/mean": 1.0, EVIL: 1.0}, [evil, row(2, reply="\ud800 half a character")])
    store.write_eval(0, EVIL, {"pass@1": 0.5}, [evil])


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


def long_run(store: RunStore) -> None:
    for step in range(1, 41):
        rows = [row(index, reply="x" * 30_000) for index in range(MOST_PER_SOURCE + 10)]
        store.write_step(step, {"reward/mean": 1.0}, rows)


def test_the_page_of_a_long_run_stays_small_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = write_run(tmp_path, long_run)
    page = Page(path)
    sources = page.json["rollouts"]
    assert len(sources) == MOST_STEPS
    assert [sources[0]["title"], sources[-1]["title"]] == ["step 40", "step 1"]
    assert path.stat().st_size < MOST_ON_PAGE * 1.2
    assert {len(source["rows"]) for source in sources} == {MOST_PER_SOURCE}
    assert len(sources[0]["rows"][0]["messages"][1]["content"]) < MOST_CHARACTERS + 100
    assert "[… 26,000 characters left out …]" in sources[0]["rows"][0]["messages"][1]["content"]
    assert "rollouts of 12 of 40 steps, 576 of these 696; all of them are in run.sqlite" in page.text


def test_rollouts_that_do_not_fit_the_page_leave_room_for_those_of_every_step(tmp_path: Path) -> None:
    def write(store: RunStore) -> None:
        messages = tuple({"role": "assistant", "content": "y" * 4000} for _ in range(100))
        for step in range(1, 13):
            store.write_step(step, {"reward/mean": 1.0}, [row(i, messages=messages) for i in range(20)])

    path = write_run(tmp_path, write)
    assert path.stat().st_size < MOST_ON_PAGE * 1.2
    assert len(Page(path).json["rollouts"]) == 12


def test_steps_are_spread_with_both_ends() -> None:
    assert spread([3, 4, 5], 12) == [3, 4, 5]
    assert spread(list(range(1, 101)), 4) == [1, 34, 67, 100]


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


def test_the_change_is_paired_task_by_task_on_those_that_both_have() -> None:
    before = [row(0, 0, correct=0.0), row(0, 1, correct=1.0), row(1, correct=0.0), row(2, correct=0.0), row(5)]
    after = [row(0, correct=1.0), row(1, correct=1.0), row(2, correct=None), row(3, correct=1.0), row(5)]
    estimate = change(before, after)  # tasks 0, 1 and 5 rose by 0.5, 1 and 0
    assert estimate is not None
    assert estimate.value == pytest.approx(0.5)
    assert estimate.high - estimate.value == pytest.approx(4.302653 * 0.5 / math.sqrt(3), rel=1e-5)
    assert change(before[:1], after) is None


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
