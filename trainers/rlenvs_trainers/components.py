"""The built-in components by name: what algorithms are made of. Light: no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlenvs.component_names import snake_case
from rlenvs.hooks import RegisterNamed
from rlenvs_trainers import credit, explore, ratio, reduce, regularise, select, sft, shape, signals, surrogate, weights

COMPONENTS: tuple[type, ...] = (
    explore.Chain,
    explore.Sample,
    sft.Demonstrate,
    select.NonConstant,
    select.WidestSpread,
    select.MaskTruncated,
    select.MaskStale,
    shape.Overlong,
    credit.GroupRelative,
    sft.Imitate,
    ratio.Ratio,
    surrogate.Clip,
    surrogate.TruncatedWeight,
    surrogate.Soft,
    surrogate.Geometric,
    surrogate.Likelihood,
    weights.HighEntropy,
    weights.Mismatch,
    weights.DropDrifted,
    regularise.KL,
    regularise.EntropyBonus,
    reduce.Mean,
    signals.Critic,
    signals.LogprobsOf,
)

PRESETS: Mapping[str, Any] = {
    "gspo_ratio": ratio.Ratio(unit="trajectory"),
    "capo_ratio": ratio.Ratio(unit="action", length_power=0.5, centre=True),
}
"""Components with a paper's values in place of the class's defaults: `--set ratio=gspo_ratio`."""


def register_components(register: RegisterNamed) -> None:
    """Every class under its name, in lower case and with underscores (`non_constant`), every preset under its own."""
    for component in COMPONENTS:
        register(snake_case(component.__name__), component)
    for name, preset in PRESETS.items():
        register(name, preset)
