"""Diagnostics of an update are averages over the tokens that were computed, however a step was cut."""

import pytest

from rlenvs_trainers.objective import Loss
from rlenvs_trainers.tally import Tally


def loss(share: float, ratio: float, surrogate: float = 1.0) -> Loss:
    """A part with this share of the step's tokens; its mean is over all of the step's, as `objective` gives it."""
    return Loss(
        value=None,  # nobody asks
        terms={"surrogate": surrogate},
        means={"ratio/mean": share * ratio},
        share=share,
        maxima={"ratio/max": ratio},
    )


def test_tokens_that_were_not_computed_are_in_no_average():
    tally = Tally()
    tally.add_loss(loss(share=0.25, ratio=2.0))
    tally.add_loss(loss(share=0.25, ratio=4.0))
    tally.add_step({"": 1.0})
    assert tally.metrics()["ratio/mean"] == pytest.approx(3.0)
    assert tally.metrics()["ratio/max"] == 4.0


def test_a_loss_is_the_sum_of_its_parts_and_the_mean_of_its_steps():
    tally = Tally()
    for parts in ((0.5, 0.25), (1.25,)):
        for part in parts:
            tally.add_loss(loss(share=1 / len(parts), ratio=1.0, surrogate=part))
        tally.add_step({"": part, "value": 10 * part})
    metrics = tally.metrics()
    assert metrics["loss"] == metrics["loss/surrogate"] == pytest.approx(1.0)
    assert (metrics["grad_norm"], metrics["grad_norm/max"]) == (0.75, 1.25)
    assert (metrics["value/grad_norm"], metrics["value/grad_norm/max"]) == (7.5, 12.5)
