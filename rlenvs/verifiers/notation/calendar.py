"""Dates and times of day: `1 January 2024` as `January 1, 2024`, `2:30 PM` as `14:30`."""

import re
from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]}|t?\.?)" for month in _MONTHS)
_DATE = re.compile(
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>{_MONTH})"
    r"(?:\s+(?P<other>\d{1,2})(?:st|nd|rd|th)?)?(?:,?\s+(?P<year>\d{4}))?",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})|\d{1,2}([-/.])\d{1,2}\4\d{4}|\d{1,2}/\d{1,2}/\d{2}"
)
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>[ap])\.?\s*m\.?", re.IGNORECASE)
_NAMED_HOURS = {"noon": 12, "midnight": 0}
_HOURS, _LAST_MINUTE, _LAST_DAY = 12, 59, 31


def dated(text: str) -> Node | None:
    """A date as words in one form, a time of day as a ratio of hours to minutes; None for anything else."""
    text = text.strip(" .")
    if date := _DATE.fullmatch(text):
        return _date(date)
    if date := _NUMERIC_DATE.fullmatch(text):
        return tree.Words(f"{date['year']}-{int(date['month'])}-{int(date['day'])}" if date["year"] else date[0])
    if text.lower() in _NAMED_HOURS:
        return _time(_NAMED_HOURS[text.lower()], 0)
    if clock := _CLOCK.fullmatch(text):
        hour, minute = int(clock["hour"]), int(clock["minute"] or 0)
        if 1 <= hour <= _HOURS and minute <= _LAST_MINUTE:
            return _time(hour % _HOURS + (_HOURS if clock["half"].lower() == "p" else 0), minute)
        return tree.Words(text.lower())
    return None


def _date(found: re.Match[str]) -> Node | None:
    if found["day"] and found["other"]:
        return None
    day = (found["day"] or found["other"] or "").lstrip("0")
    if (found["day"] or found["other"]) and not (day and int(day) <= _LAST_DAY):
        return None
    month = next(number for number, name in enumerate(_MONTHS, start=1) if name.startswith(found["month"][:3].lower()))
    return tree.Words(f"{found['year'] or ''}-{month}-{day}")


def _time(hour: int, minute: int) -> Node:
    return tree.Ratio((tree.Number(Fraction(hour)), tree.Number(Fraction(minute))), is_clock=True)
