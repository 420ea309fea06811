"""How many tokens a slot must see together. From it the learner knows whether one pass over the data is enough."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from rlenvs_trainers.records import Level

Scope = Level | Literal["batch"]
"""The widest set of tokens whose values a slot mixes: "batch" is the whole optimiser step."""

SCOPES: tuple[Scope, ...] = ("token", "action", "trajectory", "batch")  # from narrow to wide


@runtime_checkable
class HasScope(Protocol):
    """A slot that says how many tokens it must see together. One that does not is taken to mix the whole step."""

    @property
    def scope(self) -> Scope:
        """The widest set of tokens whose values it mixes."""


def scope_of(slot: object) -> Scope:
    """What a slot mixes; "batch", which is always right, where it does not say."""
    return slot.scope if isinstance(slot, HasScope) else "batch"


def widest(*scopes: Scope) -> Scope:
    """The widest of several."""
    return max(scopes, key=SCOPES.index)
