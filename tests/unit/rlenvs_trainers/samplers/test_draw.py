"""Draws and filters on distributions small enough to work out by hand."""

import math

import numpy as np
import pytest
import torch

from rlenvs_trainers.samplers.draw import draw, filtered, inverse_cdf

PROBS_V = torch.tensor([0.1, 0.5, 0.0, 0.4])


def one(temperature: float, uniform: float, **changes: object) -> tuple[int, float]:
    drawn = draw(
        PROBS_V.log()[None],
        torch.tensor([[temperature]]),
        torch.tensor([uniform], dtype=torch.float64),
        **changes,  # type: ignore[arg-type]
    )
    return int(drawn.tokens_B), float(drawn.logprobs_B)


@pytest.mark.parametrize(("uniform", "token"), [(0.0, 0), (0.099, 0), (0.101, 1), (0.599, 1), (0.601, 3), (0.9999, 3)])
def test_a_token_is_drawn_where_the_cumulative_share_passes_the_number(uniform: float, token: int) -> None:
    assert one(1.0, uniform) == (token, pytest.approx(math.log(PROBS_V[token]), abs=1e-6))


def test_an_impossible_token_is_never_drawn() -> None:
    weights_BV = torch.tensor([[0.0, 0.5, 0.0, 0.5, 0.0]])
    numbers = [0.0, 0.25, 0.5, 0.75, float(np.nextafter(1.0, 0.0))]
    assert [int(inverse_cdf(weights_BV, torch.tensor([u], dtype=torch.float64))) for u in numbers] == [1, 1, 3, 3, 3]


def test_log_probabilities_are_of_the_tempered_distribution() -> None:
    squared = PROBS_V**2 / (PROBS_V**2).sum()  # temperature 1/2
    assert one(0.5, 0.5)[1] == pytest.approx(math.log(squared[1]), abs=1e-6)


def test_greedy_takes_the_most_probable_and_reports_temperature_one() -> None:
    assert one(0.0, 0.99) == (1, pytest.approx(math.log(0.5), abs=1e-6))


def test_a_forced_id_is_set_and_keeps_its_own_log_probability() -> None:
    assert one(1.0, 0.5, forced_B=torch.tensor([3])) == (3, pytest.approx(math.log(0.4), abs=1e-6))
    assert one(1.0, 0.5, forced_B=torch.tensor([-1]))[0] == 1


def test_entropy_is_of_the_drawn_distribution() -> None:
    drawn = draw(PROBS_V.log()[None], torch.ones(1, 1), torch.zeros(1, dtype=torch.float64), with_entropy=True)
    expected = -sum(p * math.log(p) for p in (0.1, 0.5, 0.4))
    assert drawn.entropy_B is not None
    assert float(drawn.entropy_B) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("top_p", "top_k", "kept"),
    [
        (1.0, 0, [0.1, 0.5, 0.0, 0.4]),
        (1.0, 1, [0.0, 0.5, 0.0, 0.0]),
        (1.0, 2, [0.0, 0.5, 0.0, 0.4]),
        (0.4, 0, [0.0, 0.5, 0.0, 0.0]),
        (0.6, 0, [0.0, 0.5, 0.0, 0.4]),
        (0.95, 0, [0.1, 0.5, 0.0, 0.4]),
        (0.95, 2, [0.0, 0.5, 0.0, 0.4]),
        (0.01, 0, [0.0, 0.5, 0.0, 0.0]),
    ],
)
def test_filters_keep_the_smallest_most_probable_set(top_p: float, top_k: int, kept: list[float]) -> None:
    result = filtered(PROBS_V[None], torch.tensor([top_p], dtype=torch.float64), torch.tensor([top_k]))
    assert result[0].tolist() == pytest.approx(kept)


def test_r14_a_filter_changes_what_is_drawn_and_not_what_is_reported() -> None:
    filters = {"top_p_B": torch.tensor([0.4], dtype=torch.float64), "top_k_B": torch.tensor([0])}
    assert one(1.0, 0.99, **filters) == (1, pytest.approx(math.log(0.5), abs=1e-6))
