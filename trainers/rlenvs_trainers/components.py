"""The built-in components by name: what algorithms are made of. Light: no torch."""

from __future__ import annotations

from rlenvs.config import snake_case
from rlenvs.hooks import RegisterNamed
from rlenvs_trainers import credit, explore, ratio, reduce, regularise, select, sft, shape, surrogate, weights

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
)


def register_components(register: RegisterNamed) -> None:
    """Every one under its class's name, in lower case and with underscores: `register("non_constant", NonConstant)`."""
    for component in COMPONENTS:
        register(snake_case(component.__name__), component)
