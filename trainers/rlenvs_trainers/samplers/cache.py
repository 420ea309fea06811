"""Keys and values of the rows being decoded: preallocated, ragged, compacted in place.

Implements the cache interface of transformers 5. A row's cell j always holds position j, whatever its neighbours'
lengths, so rows come and go without shifting. Which rows there are is `decode.py`'s decision.

Axes: R rows there is room for, B rows in use, H key-value heads, C columns there is room for, T columns in use,
P positions of a prompt, D width of a head.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin


class _Layer(CacheLayerMixin):  # type: ignore[misc]
    """What both kinds of layer share: transformers asks for sizes only when no mask is given."""

    keys: Any  # [R, H, C, D] tensors, None before the first update
    values: Any

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing: room is made on the first update."""

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """(keys in use, offset)."""
        return self.get_seq_length() + query_length, 0

    def get_seq_length(self) -> int:
        """Positions before the present query."""
        return 0

    def get_max_length(self) -> int:
        """No maximum."""
        return -1


class _PrefixLayer(_Layer):
    """Keeps what a prefill computes."""

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        self.keys, self.values = key_states, value_states
        return key_states, value_states


class PrefixCache(Cache):  # type: ignore[misc]
    """The cache of one prefill, from position 0: each layer keeps its [B, H, P, D] keys and values."""

    def __init__(self) -> None:
        super().__init__(layer_class_to_replicate=_PrefixLayer)


class _RowLayer(_Layer):
    def __init__(self, rows: RowCache) -> None:
        super().__init__()
        self.rows = rows

    def get_seq_length(self) -> int:
        return self.rows.width - 1

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        """Write one new cell in each row in use; the rows as far as the longest reaches."""
        rows = self.rows
        if self.keys is None:
            self.make_room(key_states, value_states)
        for store, new in ((self.keys, key_states), (self.values, value_states)):
            if rows.is_level:
                store[: rows.count, :, rows.width - 1] = new[:, :, 0]
            else:
                store[rows.index_B, :, rows.positions_B] = new[:, :, 0]
        return self.keys[: rows.count, :, : rows.width], self.values[: rows.count, :, : rows.width]

    def make_room(self, key_states: Tensor, value_states: Tensor) -> None:
        """Zeros for every row and column there may be: what a mask hides must still be finite."""
        rows, columns = self.rows.max_rows, self.rows.max_columns
        self.keys, self.values = (
            _zeros((rows, like.shape[1], columns, like.shape[3]), like) for like in (key_states, value_states)
        )


class RowCache(Cache):  # type: ignore[misc]
    """The cache of a decode batch.

    Args:
        max_rows: rows there is room for.
        max_columns: the longest that prompt and completion together may get.
    """

    def __init__(self, *, max_rows: int, max_columns: int) -> None:
        super().__init__(layer_class_to_replicate=lambda: _RowLayer(self))
        self.max_rows, self.max_columns = max_rows, max_columns
        self.count, self.width, self.is_level = 0, 1, True
        self.positions_B = self.index_B = torch.empty(0, dtype=torch.long)

    def aim(self, positions_B: Tensor, *, width: int, is_level: bool) -> None:
        """Say where the next update writes: one position per row in use.

        Args:
            positions_B: the cell that each row writes next.
            width: the largest of them, plus one.
            is_level: whether all are equal, so that a slice does.
        """
        self.positions_B, self.width, self.is_level = positions_B, width, is_level
        if self.count != len(positions_B) or self.index_B.device != positions_B.device:
            self.count = len(positions_B)
            self.index_B = torch.arange(self.count, device=positions_B.device)

    def admit(self, prefix: PrefixCache, sources: Tensor, first_row: int) -> None:
        """Copy prefilled prompts (`sources`: which of them, in order) into new rows from `first_row` on."""
        for index, source in enumerate(prefix.layers):
            if index == len(self.layers):
                self.layers.append(_RowLayer(self))
            layer, length = self.layers[index], source.keys.shape[2]
            if layer.keys is None:
                layer.make_room(source.keys, source.values)
            layer.keys[first_row : first_row + len(sources), :, :length] = source.keys[sources]
            layer.values[first_row : first_row + len(sources), :, :length] = source.values[sources]

    def move(self, sources: list[int], holes: list[int]) -> None:
        """Copy rows `sources` over finished rows `holes`: the rows in use stay the first ones."""
        if sources:
            for layer in self.layers:
                layer.keys[holes, :, : self.width] = layer.keys[sources, :, : self.width]
                layer.values[holes, :, : self.width] = layer.values[sources, :, : self.width]


def _zeros(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Zeros of this shape, on the device and of the type of `like`. On a CPU pages are taken when first written."""
    if like.device.type != "cpu":
        return like.new_zeros(shape)
    memory = np.zeros(math.prod(shape) * like.element_size(), dtype=np.uint8)
    return torch.from_numpy(memory).view(like.dtype).view(shape)
