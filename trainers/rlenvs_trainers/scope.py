"""How many tokens a slot must see together. From it the learner knows whether one pass over the data is enough."""

from __future__ import annotations

from typing import Literal

from rlenvs_trainers.records import Level

Scope = Level | Literal["batch"]
"""The widest set of tokens whose values a slot mixes: "batch" is the whole optimiser step."""

SCOPES: tuple[Scope, ...] = ("token", "action", "trajectory", "batch")  # from narrow to wide


def widest(*scopes: Scope) -> Scope:
    """The widest of several."""
    return max(scopes, key=SCOPES.index)
