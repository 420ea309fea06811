"""Attention of one new position per row: query heads that share a key-value head stand in line as its queries.

transformers' SDPA copies keys and values once per query head as soon as there is a mask; here nothing is copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

NAME = "rlenvs_rows"
_PLAIN = frozenset({"position_ids", "use_cache", "is_causal", "cache_position", "output_attentions"})


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """[B, 1, heads, D] outputs for [B, heads, 1, D] queries; transformers' own SDPA for anything else.

    Query head h reads key-value head h // (heads / key-value heads), as in transformers' `repeat_kv`.
    """
    batch, heads, length, width = query.shape
    asks_more = any(value is not None for name, value in kwargs.items() if name not in _PLAIN)
    if length != 1 or heads == key.shape[1] or asks_more:
        output: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **kwargs
        )
        return output
    lined_up = query.view(batch, key.shape[1], -1, width)
    mixed = nn.functional.scaled_dot_product_attention(lined_up, key, value, attn_mask=attention_mask, scale=scaling)
    return mixed.reshape(batch, 1, heads, value.shape[-1]), None


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)


@contextmanager
def decoding(model: nn.Module) -> Iterator[None]:
    """For sampling: evaluation mode, no graph, `attend` instead of SDPA. Afterwards the model is as it was."""
    config: Any = model.config
    was_training = model.training
    swap = getattr(config, "_attn_implementation", None) == "sdpa"
    model.eval()
    if swap:
        config._attn_implementation = NAME
    try:
        with torch.inference_mode():
            yield
    finally:
        if swap:
            config._attn_implementation = "sdpa"
        model.train(was_training)
