"""What the components of an algorithm declare as attributes, those inside of others included."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlenvs_trainers.algorithm import Algorithm


def declared(part: Any, attribute: str) -> frozenset[str]:
    """The names that a component (or each of several) and those inside of it list in `attribute`."""
    inner = [getattr(part, each.name) for each in fields(part)] if is_dataclass(part) else part
    nested = inner if isinstance(inner, list | tuple) else ()
    return frozenset(getattr(part, attribute, ())).union(*(declared(each, attribute) for each in nested))


def noted_signals(algorithm: Algorithm) -> frozenset[str]:
    """The token signals that its explorer and annotators note and its other slots read: they go into the batch."""
    return algorithm.needs & declared((algorithm.explore, *algorithm.annotate), "token_signals")
