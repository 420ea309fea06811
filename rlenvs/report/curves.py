"""Curves as inline SVG, drawn here: raw values faint, moving average strong, dots with whiskers for evaluations.

Colours and hover are the page's style and script; the numbers they show travel in `data-curves`.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rlenvs.report.html import Safe, join, tag
from rlenvs.report.series import Series, is_noisy, labels, short, smoothed, ticks

WIDTH, HEIGHT = 420.0, 210.0  # user units; the page scales them
LEFT, RIGHT, TOP, BOTTOM = 56.0, 14.0, 12.0, 28.0
NUM_COLOURS = 6  # that the style sheet has


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """An evaluation in a chart: a value with its interval."""

    name: str
    step: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Frame:
    """From steps and values to user units."""

    x_ticks: Sequence[float]
    y_ticks: Sequence[float]
    first: float  # step
    last: float

    def x(self, step: float) -> float:
        """Where a step is."""
        return LEFT + (step - self.first) / ((self.last - self.first) or 1.0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Where a value is."""
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def chart(title: str, note: str, series: Sequence[Series], dots: Sequence[Dot] = ()) -> Safe:
    """A figure with a title, its curves, a legend where there are several, and the numbers in words for who listens."""
    names = list(dict.fromkeys([*(curve.name for curve in series), *(dot.name for dot in dots)]))
    frame = _frame(series, dots)
    drawing = [_grid(frame)]
    drawing += [_curve(frame, curve, _colour(names, curve.name)) for curve in series]
    drawing += [_whisker(frame, dot, _colour(names, dot.name)) for dot in dots]
    drawing.append(tag("line", class_="cursor", y1=TOP, y2=HEIGHT - BOTTOM, visibility="hidden"))
    picture = tag(
        "svg",
        *drawing,
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        tabindex="0",
        aria_label=f"{title}. {spoken(series, dots)}",
        data_curves=_hover_data(frame, series, dots, names),
    )
    heading = tag("figcaption", tag("strong", title), " ", tag("span", note, class_="note"))
    return tag("figure", heading, picture, _legend(names), class_="chart")


def spoken(series: Iterable[Series], dots: Sequence[Dot] = ()) -> str:
    """The chart in a sentence or two: where each curve begins and ends."""
    sentences = []
    for curve in series:
        finite = [value for value in curve.values if math.isfinite(value)]
        sentences.append(f"{curve.name} from {short(finite[0])} to {short(finite[-1])}")
    sentences += [f"{dot.name} at step {dot.step:g}: {short(dot.value)}" for dot in dots]
    return "; ".join(sentences) + "."


def _frame(series: Sequence[Series], dots: Sequence[Dot]) -> Frame:
    steps = [step for curve in series for step in curve.steps] + [dot.step for dot in dots]
    values = [value for curve in series for value in curve.values if math.isfinite(value)]
    values += [limit for dot in dots for limit in (dot.low, dot.high)]
    first, last = min(steps), max(steps)
    inside = [tick for tick in ticks(first, last, most=6) if first <= tick <= last and tick == int(tick)]
    return Frame(x_ticks=inside or [first], y_ticks=ticks(min(values), max(values)), first=first, last=last)


def _grid(frame: Frame) -> Safe:
    lines = []
    for tick, label in zip(frame.y_ticks, labels(frame.y_ticks), strict=True):
        y = frame.y(tick)
        lines.append(tag("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}"))
        lines.append(tag("text", label, x=LEFT - 7, y=f"{y + 4:.1f}", text_anchor="end"))
    for tick in frame.x_ticks:
        lines.append(tag("text", f"{tick:,.0f}", x=f"{frame.x(tick):.1f}", y=HEIGHT - 8, text_anchor="middle"))
    return join(*lines)


def _curve(frame: Frame, curve: Series, colour: int) -> Safe:
    is_smoothed = is_noisy(curve.values)
    raw = tag("path", class_=f"raw c{colour}" if is_smoothed else f"line c{colour}", d=path(frame, curve, curve.values))
    if not is_smoothed:
        return join(raw, *_lone_points(frame, curve, colour))
    return join(raw, tag("path", class_=f"line c{colour}", d=path(frame, curve, smoothed(curve.values))))


def path(frame: Frame, curve: Series, values: Sequence[float]) -> str:
    """SVG's path through the points; a gap begins it anew."""
    commands, pen = [], "M"
    for step, value in zip(curve.steps, values, strict=True):
        if math.isnan(value):
            pen = "M"
            continue
        commands.append(f"{pen}{frame.x(step):.1f} {frame.y(value):.1f}")
        pen = "L"
    return "".join(commands)


def _lone_points(frame: Frame, curve: Series, colour: int) -> list[Safe]:
    """Points without neighbours, of which a line shows nothing."""
    padded = [math.nan, *curve.values, math.nan]
    lone = [
        (step, value)
        for step, before, value, after in zip(curve.steps, padded, padded[1:], padded[2:], strict=False)
        if math.isnan(before) and math.isnan(after) and not math.isnan(value)
    ]
    return [_circle(frame.x(step), frame.y(value), colour) for step, value in lone]


def _whisker(frame: Frame, dot: Dot, colour: int) -> Safe:
    x = f"{frame.x(dot.step):.1f}"
    limits = {"y1": f"{frame.y(dot.low):.1f}", "y2": f"{frame.y(dot.high):.1f}"}
    return join(
        tag("line", class_=f"whisker c{colour}", x1=x, x2=x, **limits), _circle(float(x), frame.y(dot.value), colour)
    )


def _circle(x: float, y: float, colour: int) -> Safe:
    return tag("circle", class_=f"dot c{colour}", cx=f"{x:.1f}", cy=f"{y:.1f}", r="3.2")


def _colour(names: Sequence[str], name: str) -> int:
    return names.index(name) % NUM_COLOURS


def _legend(names: Sequence[str]) -> Safe:
    if len(names) < 2:
        return Safe("")
    keys = [tag("li", tag("i", class_=f"c{_colour(names, name)}"), name) for name in names]
    return tag("ul", *keys, class_="legend")


def _hover_data(frame: Frame, series: Sequence[Series], dots: Sequence[Dot], names: Sequence[str]) -> str:
    """Positions along x, and for each the lines to show."""
    shown: dict[float, list[list[str | int]]] = {}
    for curve in series:
        for step, value in zip(curve.steps, curve.values, strict=True):
            if math.isfinite(value):
                shown.setdefault(step, []).append([_colour(names, curve.name), curve.name, short(value)])
    for dot in dots:
        text = f"{short(dot.value)} ({short(dot.low)} – {short(dot.high)})"
        shown.setdefault(dot.step, []).append([_colour(names, dot.name), dot.name, text])
    points = [[round(frame.x(step), 1), step, lines] for step, lines in sorted(shown.items())]
    return json.dumps({"width": WIDTH, "points": points}, separators=(",", ":"), ensure_ascii=False)
