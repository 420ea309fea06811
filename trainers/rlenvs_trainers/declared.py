"""What components declare of themselves beside what their slot's protocol asks for. All of it is optional.

Only this module reads these attributes, so that what is assumed of a component that is silent stands in one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Signal
from rlenvs_trainers.scope import SCOPES, Scope, widest

if TYPE_CHECKING:
    import numpy as np

    from rlenvs_trainers.algorithm import Algorithm
    from rlenvs_trainers.records import Turn
    from rlenvs_trainers.samplers.base import Capability


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The attributes (class variables, fields or properties), and what is assumed of a component without them.

    What is assumed is always right; what is declared saves work, or lets mistakes be found before any work. Nothing
    here is believed blindly: `check_algorithm` compares the gradient with one that ignores `scope` and `vanishes`.
    """

    scope: Scope = "batch"
    """Ratio, surrogate, weights, regularisers, reductions: the widest set of tokens whose values it mixes. Where every
    slot stays within a trajectory, a step takes one pass through the model; otherwise two."""
    vanishes: bool = False
    """Surrogate: loss and gradient are exactly 0 wherever the advantage is. Samples without an advantage are then not
    computed, unless a regulariser looks at them."""
    clips: bool = False
    """Surrogate: it does nothing but bound ratios away from 1. With one update per step, where all are 1, a note says
    so."""
    targets: tuple[str, ...] = ()
    """Credit: names of the `TokenCredit.targets` that it gives. A slot finds them in `view.constants`; one that needs a
    name which nobody declares is refused."""
    needs_sampler: tuple[Capability, ...] = ()
    """Explorer, a part inside of one, annotator: what it asks of the sampler beside samples, such as ("score",). A
    sampler without it is refused."""
    token_signals: tuple[str, ...] = ()
    """Explorer, a part inside of one, annotator: names that it notes in `Turn.token_signals`, [L] or [L, K]. A slot
    that has one in its `needs` finds it in `view.constants`."""

    draws_samples: bool = True
    """Explorer: whether what it trains on comes from the sampler, whose limits and capabilities are then checked."""
    max_rounds: int = 10
    """A selector that refills: how many rounds of tasks a step draws at most, the first included (DAPO's
    `max_num_gen_batches`); of several selectors, the smallest counts."""
    min_groups: int = 1
    """Selector: how many groups it must be given to keep any. A step that can never have as many is refused."""


@runtime_checkable
class Objects(Protocol):
    """A slot of the objective that knows of combinations which make no sense. Without: it goes with everything."""

    def objection(self, algorithm: Algorithm) -> str | None:
        """A sentence that says what does not fit and what to do; None where all is well."""


@runtime_checkable
class ShowsNotes(Protocol):
    """An explorer, a part inside of one, or an annotator that shows `check_algorithm` how its notes look.

    Without: made-up real numbers, one per token, for each of its `token_signals`.
    """

    def example_notes(self, turn: Turn, rng: np.random.Generator) -> Turn:
        """The turn as it would be with its notes (signals, token signals, belief), made up; no model is asked."""


def declaration(slot: object) -> Declaration:
    """What a component declares, and what is assumed where it is silent.

    Raises:
        RlenvsError: it declares what has no meaning.
    """
    said: dict[str, Any] = {each.name: getattr(slot, each.name, each.default) for each in fields(Declaration)}
    if said["scope"] not in SCOPES:
        raise RlenvsError(f"{_kind(slot)} has scope {said['scope']!r}: it is one of {', '.join(SCOPES)}")
    declared_here(slot, "targets")
    return Declaration(**said)


def declared(part: Any, attribute: str) -> frozenset[str]:
    """The names that a component (or each of several) and those inside of it list in `attribute`."""
    return frozenset[str]().union(*(declared_here(each, attribute) for each in parts(part)))


def declared_here(slot: object, attribute: str) -> frozenset[str]:
    """The names that a component lists in `attribute`, without those inside of it.

    Raises:
        RlenvsError: it is a lone name, which would be read as its letters.
    """
    names = getattr(slot, attribute, ())
    if isinstance(names, str):
        raise RlenvsError(f"{_kind(slot)} has {attribute} {names!r}: names come in a tuple, ({names!r},)")
    return frozenset(names)


def parts(part: Any) -> Iterator[Any]:
    """A component (or each of several) and all that is inside of it."""
    yield part
    inner = [getattr(part, each.name) for each in fields(part)] if is_dataclass(part) else part
    for each in inner if isinstance(inner, list | tuple) else ():
        yield from parts(each)


def brought_signals(algorithm: Algorithm) -> tuple[Signal, ...]:
    """The signals that are parts of its slots, at any depth; equal ones are one."""
    found: list[Signal] = []
    for part in parts(algorithm):
        if isinstance(part, Signal) and part not in found:
            found.append(part)
    return tuple(found)


def read_by_signals(algorithm: Algorithm) -> frozenset[str]:
    """Names of the token signals that the signals it brings along are made from."""
    return frozenset[str]().union(*(declared_here(signal, "needs") for signal in brought_signals(algorithm)))


def noted_signals(algorithm: Algorithm) -> frozenset[str]:
    """The token signals that its explorer and annotators note and its other parts read: they go into the batch."""
    read = algorithm.needs | read_by_signals(algorithm)
    return read & declared((algorithm.explore, *algorithm.annotate), "token_signals")


def notes_on_scope(name: str, slots: Sequence[object]) -> Iterator[str]:
    """What it costs that some of an algorithm's objective slots do not say how far they look."""
    silent = [_kind(slot) for slot in slots if not hasattr(slot, "scope")]
    if silent and widest("token", *(declaration(slot).scope for slot in slots if hasattr(slot, "scope"))) != "batch":
        yield (
            f"{name}: {', '.join(silent)} without `scope` is taken to mix the tokens of the whole step, which costs a "
            "second pass through the model. If it mixes no more than a token's, an action's or a trajectory's values, "
            'say so, as in scope: ClassVar = "token"; check_algorithm finds out if that is not true'
        )


def _kind(slot: object) -> str:
    return type(slot).__name__
