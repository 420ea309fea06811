"""`write_report`: puts the page together and writes it. Nothing in it asks anything of the network."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from rlenvs.replacing import replace_content
from rlenvs.report import held_out, rollouts
from rlenvs.report.curves import chart
from rlenvs.report.facts import facts, status
from rlenvs.report.html import Safe, data, join, tag
from rlenvs.report.overlap import Overlap, overlaps
from rlenvs.report.series import Series, by_name, series_of
from rlenvs.report.settings import settings
from rlenvs.store import RunStore

Metrics = Mapping[int, Mapping[str, float]]

CHARTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Reward", "mean of the step's scored attempts", ("reward/mean", "reward/mean/")),
    ("Spread of rewards", "standard deviation within groups, their mean", ("reward/group_std", "reward/group_std/")),
    ("Accuracy in training", "share of right answers", ("accuracy", "accuracy/")),
    ("Tokens", "per attempt", ("tokens/mean", "tokens/max", "tokens/mean/")),
    ("Endings", "share of attempts", ("ending/",)),
    ("Clipping", "share of tokens whose ratio was clipped", ("clip/",)),
    ("Entropy", "of the policy, nats per token", ("policy/entropy",)),
    ("Gradient norm", "before it is clipped", ("grad_norm",)),
    ("KL", "nats per token: to the policy that sampled, and to the reference", ("ratio/kl", "kl/mean")),
    ("Mismatch", "sampler minus trainer, nats per token", ("mismatch/mean", "mismatch/max")),
    (
        "Groups without signal",
        "share whose attempts all earned the same",
        ("groups/zero_signal", "groups/zero_signal/"),
    ),
    ("Seconds", "per step", ("time/sample_s", "time/learn_s")),
    ("Learning rate", "", ("lr",)),
)
"""(title, what it shows, metrics): a name that ends in a slash stands for every metric that begins so."""


def write_report(run_dir: Path) -> Path:
    """Write `report.html` into a run's folder, from its run.sqlite alone, also while the run goes on.

    Raises:
        RlenvsError: the folder holds no run.
    """
    with RunStore(run_dir / "run.sqlite", "r") as store:
        page = build(run_dir.resolve().name, store)
    path = run_dir / "report.html"
    replace_content(path, page.encode(errors="replace"))  # whoever has the page open never sees half of it
    return path


def build(name: str, store: RunStore) -> str:
    """The page of the run in `store`."""
    metrics, evals, events = store.metrics(), store.evals(), store.events()
    title = tag("p", "rlenvs run", class_="kicker"), tag("h1", name)
    body = [tag("header", *title, _facts(metrics, events), settings(events))]
    known = overlaps(store, evals)
    if evals:
        body.append(_section("Before and after", _PASS_NOTE, held_out.table(store, evals, known)))
    body.append(_section("Curves", _CURVES_NOTE, *_charts(metrics, evals, known)))
    body.append(_rollouts(store, metrics))
    return _document(name, join(*body))


_PASS_NOTE = (
    "pass@1 of the run's evaluations with 95 % intervals over tasks. The change is paired, task by task. "
    "What could not be judged is in no rate. "
    "Trained on: tasks that occur, by id or by what is asked, among this run's rollouts too."
)
_CURVES_NOTE = (
    "Where a curve is noisy, faint is each step and strong the moving average over a tenth of the run. "
    "Dots: evaluations with 95 % intervals. Point at a curve for its values, or focus it and use the arrow keys."
)


def _facts(metrics: Metrics, events: Sequence[Any]) -> Safe:
    lines = [tag("div", tag("dt", fact.name), tag("dd", fact.value)) for fact in facts(metrics, events)]
    return tag("dl", *lines, class_="facts", data_status=status(events))


def _section(title: str, note: str, *children: Safe) -> Safe:
    return tag("section", tag("h2", title), tag("p", note, class_="note"), *children)


def _charts(metrics: Metrics, evals: Sequence[Any], known: Mapping[str, Overlap]) -> list[Safe]:
    drawn, used = [], set[str]()
    lines, dots = held_out.curves(evals)
    if dots:
        said = dict.fromkeys(str(overlap) for overlap in known.values())
        drawn.append(chart("pass@1 in evaluation", "; ".join(("share of right answers", *said)), lines, dots))
    for title, note, names in CHARTS:
        series = _series(metrics, names)
        used |= {curve.name for curve in series}
        if series:
            drawn.append(chart(title, note, series))
    if not drawn:
        return [tag("p", "No step is finished yet.", class_="note")]
    others = [curve for name in by_name(metrics) if name not in used and (curve := series_of(metrics, name))]
    rest = [chart(curve.name, "", [curve]) for curve in others]
    main = tag("div", *drawn, class_="charts")
    if not rest:
        return [main]
    return [main, tag("details", tag("summary", f"{len(rest)} other metrics"), tag("div", *rest, class_="charts"))]


def _series(metrics: Metrics, names: Sequence[str]) -> list[Series]:
    known, curves = by_name(metrics), []
    for wanted in names:
        is_family = wanted.endswith("/")
        matching = [name for name in known if name == wanted or (is_family and name.startswith(wanted))]
        absent = 0.0 if wanted == "ending/" else math.nan  # a step names only the endings that it had
        curves += [curve for name in matching if (curve := series_of(metrics, name, absent=absent)) is not None]
    return curves


def _rollouts(store: RunStore, metrics: Metrics) -> Safe:
    found = rollouts.sources(store, metrics)
    shown = rollouts.as_json(found)
    if not shown:
        return _section("Rollouts", "None were recorded.")
    steps_shown = sum(source.title.startswith("step ") for source in found)
    note = rollouts.left_out(shown, len(metrics), steps_shown) or "Everything that was recorded."
    viewer = tag("div", tag("noscript", "Rollouts need the page's own script."), id="viewer")
    return _section("Rollouts", note, viewer, data("rollouts", shown))


def _document(name: str, body: Safe) -> str:
    style, script = (Safe(_asset(file)) for file in ("page.css", "page.js"))
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Whatever a policy wrote: nothing is fetched, and no script runs but the one with this hash.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = join(
        Safe('<meta charset="utf-8">'),
        Safe(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Safe('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Safe('<meta name="color-scheme" content="light dark">'),
        tag("title", f"{name} · rlenvs"),
        tag("style", style),
    )
    html = tag("html", tag("head", head), tag("body", tag("main", body), tag("script", script)), lang="en")
    return f"<!doctype html>\n{html}\n"


def _asset(file: str) -> str:
    return files("rlenvs.report").joinpath(file).read_text(encoding="utf-8")
