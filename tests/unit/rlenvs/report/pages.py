"""Runs that were written as the trainer writes them, and their reports parsed as a browser would."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from rlenvs.report import write_report
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


def evil_run(store: RunStore) -> None:
    store.write_event(0, "run_started", {"config": {**CONFIG, "policy": EVIL}})
    evil = row(1, reply=EVIL, task_id=EVIL, error=EVIL, parts={EVIL: 1.0}, ending=EVIL, correct=None, reward=None)
    store.write_step(1, {"reward/mean": 1.0, EVIL: 1.0}, [evil, row(2, reply="\ud800 half a character")])
    store.write_eval(0, EVIL, {"pass@1": 0.5}, [evil])
