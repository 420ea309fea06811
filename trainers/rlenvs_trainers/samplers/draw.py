"""From logits to the next token of every row: tempered log-probabilities, inverse-CDF draws, filters.

Axes: B rows, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One token per row."""

    tokens_B: Tensor  # [B] ids
    logprobs_B: Tensor  # [B] nats, float32, of the tempered and unfiltered distribution
    entropy_B: Tensor | None  # [B] nats, of the same distribution, where asked for
    top_ids_BK: Tensor  # [B, K] the most probable ids, and
    top_logprobs_BK: Tensor  # their log-probabilities in the same distribution


def draw(
    logits_BV: Tensor,
    temperature_B: Tensor,
    uniform_B: Tensor,
    *,
    top_p_B: Tensor | None = None,
    top_k_B: Tensor | None = None,
    forced_B: Tensor | None = None,
    with_entropy: bool = False,
    top: int = 0,
) -> Draw:
    """The token at which the cumulative probability first exceeds the row's uniform number.

    Log-probabilities are float32 log-softmax of logits / temperature. A greedy row (temperature 0) takes the most
    probable token, its log-probability at temperature 1. Filters (top-p, top-k) change what is drawn, not what is
    reported: that is why training refuses them.

    Args:
        logits_BV: [B, V], any floating type.
        temperature_B: [B, 1] at least 0.
        uniform_B: [B] in [0, 1), float64.
        top_p_B: [B] in (0, 1]; None: all 1.
        top_k_B: [B] integers, 0 for off; None: all off.
        forced_B: [B] ids that are not drawn but set, -1 where a row is free; None: all free.
        top: K, how many of the most probable tokens to tell.
    """
    greedy_B1 = temperature_B == 0
    scaled_BV = logits_BV.float() / torch.where(greedy_B1, 1.0, temperature_B)
    logprobs_BV = torch.log_softmax(scaled_BV, dim=-1)
    probs_BV = logprobs_BV.exp()
    entropy_B = -torch.special.xlogy(probs_BV, probs_BV).sum(-1) if with_entropy else None
    kept_BV = probs_BV if top_p_B is None or top_k_B is None else filtered(probs_BV, top_p_B, top_k_B)
    tokens_B = torch.where(greedy_B1[:, 0], logprobs_BV.argmax(-1), inverse_cdf(kept_BV, uniform_B))
    if forced_B is not None:
        tokens_B = torch.where(forced_B >= 0, forced_B, tokens_B)
    top_logprobs_BK, top_ids_BK = logprobs_BV.topk(min(top, logprobs_BV.shape[-1]))
    return Draw(
        tokens_B=tokens_B,
        logprobs_B=logprobs_BV.gather(-1, tokens_B[:, None])[:, 0],
        entropy_B=entropy_B,
        top_ids_BK=top_ids_BK,
        top_logprobs_BK=top_logprobs_BK,
    )


def inverse_cdf(weights_BV: Tensor, uniform_B: Tensor) -> Tensor:
    """[B] the first index whose cumulative share of the row's weight exceeds the row's number. float64 sums."""
    cumulative_BV = weights_BV.cumsum(-1, dtype=torch.float64)
    threshold_B1 = uniform_B[:, None] * cumulative_BV[:, -1:]
    tokens_B1 = torch.searchsorted(cumulative_BV, threshold_B1, right=True)
    return tokens_B1[:, 0].clamp_(max=weights_BV.shape[-1] - 1)


def filtered(probs_BV: Tensor, top_p_B: Tensor, top_k_B: Tensor) -> Tensor:
    """[B, V] probabilities with 0 outside the filters.

    Kept are the k most probable tokens, and of them the smallest set whose probability (before renormalising over
    the k) reaches p. The most probable token always stays.
    """
    sorted_BV, order_BV = probs_BV.sort(dim=-1, descending=True, stable=True)
    rank_V = torch.arange(probs_BV.shape[-1], device=probs_BV.device)
    before_BV = sorted_BV.cumsum(-1, dtype=torch.float64) - sorted_BV  # mass of the more probable ones
    in_k_BV = (rank_V < top_k_B[:, None]) | (top_k_B[:, None] == 0)
    in_p_BV = (before_BV < top_p_B[:, None]) | (top_p_B[:, None] >= 1)
    keep_BV = (in_k_BV & in_p_BV) | (rank_V == 0)
    return torch.zeros_like(probs_BV).scatter(-1, order_BV, sorted_BV * keep_BV)
