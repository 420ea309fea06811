"""What a run was: its config and status from the events, its time and tokens from the metrics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rlenvs.store import EventRow

STARTED = "run_started"  # written at the start and at every resume; its payload has the config
ENDED = {"run_finished": "finished", "run_stopped": "stopped by a signal", "run_failed": "failed"}


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the summary."""

    name: str
    value: str


def facts(metrics: Mapping[int, Mapping[str, float]], events: Sequence[EventRow]) -> list[Fact]:
    """What is known; what is not is left out."""
    starts = [event for event in events if event.kind == STARTED]
    config: Mapping[str, Any] = last_start(events).get("config", {})
    lines = {
        "status": status(events),
        "policy": str(config.get("policy", "")),
        "algorithm": str(config.get("algorithm", "")),
        "environment": _environments(config),
        "steps": _steps(metrics, config),
        "training time": _duration(_total(metrics, ("time/sample_s", "time/learn_s"))),
        "tokens trained on": _count(_total(metrics, ("tokens/trained",))),
        "started": _date(starts[0].time_s) if starts else "",
        "resumed": _times(len(starts) - 1),
        "seed": str(config.get("seed", "")),
    }
    return [Fact(name, value) for name, value in lines.items() if value]


def last_start(events: Sequence[EventRow]) -> Mapping[str, Any]:
    """What the run wrote down when it started or resumed last: config, algorithm, notes; nothing where it did not."""
    return next((event.payload for event in reversed(events) if event.kind == STARTED), {})


def status(events: Sequence[EventRow]) -> str:
    """How the run stands, by the last event that says so."""
    for event in reversed(events):
        if event.kind == STARTED:
            break
        if event.kind in ENDED:
            error = str(event.payload.get("error", ""))
            return ENDED[event.kind] + (f": {error}" if error else "")
    return "running, or killed"


def _environments(config: Mapping[str, Any]) -> str:
    envs = [f"{env.get('id', '?')} {_options(env.get('kwargs', {}))}".strip() for env in config.get("env", ())]
    return ", ".join(envs)


def _options(kwargs: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}={value}' for name, value in kwargs.items())})" if kwargs else ""


def _steps(metrics: Mapping[int, object], config: Mapping[str, Any]) -> str:
    done = max(metrics, default=0)
    return f"{done} of {config['steps']}" if "steps" in config else str(done)


def _total(metrics: Mapping[int, Mapping[str, float]], names: Sequence[str]) -> float:
    values = [named[name] for named in metrics.values() for name in names if name in named]
    return math.fsum(value for value in values if math.isfinite(value))


def _duration(seconds: float) -> str:
    if seconds <= 0:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number else ""


def _date(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _times(number: int) -> str:
    return "" if number < 1 else "once" if number == 1 else f"{number} times"
