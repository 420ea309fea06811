"""Attention of one new position per row, in parts: over what rows share, and over what is each row's own.

Query heads that share a key-value head, and rows that share a prompt, stand in line as queries of one matrix product,
so that keys and values are read once; transformers' SDPA would copy them for every head and row.

Axes: N independent key-value heads of rows or prompts (two leading ones), Q queries, T keys, D width of a head.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from rlenvs.errors import RlenvsError

if TYPE_CHECKING:
    from rlenvs_trainers.samplers.cache import RowCache

NAME = "rlenvs_rows"
HIDDEN = -1e30  # added to scores of padding: exp gives 0, and a row of nothing but padding stays finite

UNSERVED = {
    "position_bias": "adds a bias per position",
    "softcap": "caps its attention scores",
    "s_aux": "has attention sinks",
}
"""What a model may ask of its attention, by transformers' names, that `attend` or the SDPA of a prefill leaves out."""


def attention_part(query: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Attention over a part of the positions.

    Args:
        query: [N.., Q, D], scaled.
        keys: [N.., T, D]
        values: [N.., T, D]
        bias: [N.., 1, T] added to the scores, or None.

    Returns:
        [N.., Q, D] softmax-weighted values of this part alone, and [N.., Q, 1] the log of its normaliser, float32.
    """
    scores = torch.matmul(query, keys.transpose(-1, -2)).float()
    if bias is not None:
        scores = scores + bias
    most = scores.amax(-1, keepdim=True)
    weights = scores.sub_(most).exp_()
    total = weights.sum(-1, keepdim=True)
    return torch.matmul(weights.to(values.dtype), values) / total.to(values.dtype), most + total.log()


def join(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> Tensor:
    """The output over two disjoint parts: each part's, weighted by its share of the normaliser."""
    share = torch.sigmoid(other[1] - one[1]).to(one[0].dtype)
    return torch.lerp(one[0], other[0], share)


_decoding: ContextVar[RowCache | None] = ContextVar("the row cache that is being decoded", default=None)


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
    """[B, 1, heads, D] outputs for [B, heads, 1, D] queries, from the row cache; in a prefill, transformers' own SDPA.

    Query head h reads key-value head h // (heads / key-value heads), as in transformers' `repeat_kv`.

    Raises:
        RlenvsError: the model asks for what would be left out: its numbers would be another model's.
    """
    for name, deed in UNSERVED.items():
        if kwargs.get(name) is not None:
            raise RlenvsError(f"{type(module).__name__} {deed} ({name}): the transformers sampler cannot serve it")
    cache = _decoding.get()
    if cache is None:
        output: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **kwargs
        )
        return output
    batch, heads, _, width = query.shape
    scaled = query * (width**-0.5 if scaling is None else scaling)
    mixed = cache.attend(int(module.layer_idx), scaled.view(batch, key.shape[1], -1, width))  # type: ignore[arg-type]
    return mixed.reshape(batch, 1, heads, value.shape[-1]), None


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)


@contextmanager
def serving(model: nn.Module) -> Iterator[None]:
    """For sampling: evaluation mode, no graph, `attend` for attention. Afterwards the model is as it was."""
    config: Any = model.config
    was_training, implementation = model.training, config._attn_implementation
    model.eval()
    config._attn_implementation = NAME
    try:
        with torch.inference_mode():
            yield
    finally:
        config._attn_implementation = implementation
        model.train(was_training)


@contextmanager
def reading(cache: RowCache) -> Iterator[None]:
    """For one decode step: attention reads this cache.

    Raises:
        RlenvsError: the model wrote to the cache and attended by other means: its numbers would be wrong.
    """
    token = _decoding.set(cache)
    try:
        yield
    finally:
        _decoding.reset(token)
    if cache.num_unread:
        raise RlenvsError(
            "this model does not attend through transformers' attention interface: the transformers sampler cannot "
            "serve it"
        )
