"""Keys and values of the rows being decoded: prompts once each, what was written after them per row.

Implements the cache interface of transformers 5. Attempts at one prompt read the same keys (`Prompts`); cell j of a
row holds the j-th token after its prompt's head, whatever its neighbours' lengths, so rows come and go without
shifting. Which rows there are is `decode.py`'s decision, the arithmetic of attention `attention.py`'s.

Axes: R rows there is room for, B rows in use, U prompts, M rows of one prompt, H key-value heads, G query heads that
share one, T cells in use, P positions of a prompt, D width of a head.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

from rlenvs_trainers.samplers.attention import HIDDEN, attention_part, join

Ints = npt.NDArray[np.int64]


class _Layer(CacheLayerMixin):  # type: ignore[misc]
    """What both kinds of layer share: transformers is always given a mask, and never asks for sizes that matter."""

    keys: Any  # a tensor, None before the first update
    values: Any

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing: room is made on the first update."""

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """(keys in use, offset)."""
        return query_length, 0

    def get_seq_length(self) -> int:
        """Positions before the present query."""
        return 0

    def get_max_length(self) -> int:
        """No maximum."""
        return -1


class _PromptLayer(_Layer):
    """Keeps what a prefill computes: [U, H, P, D] keys and values."""

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        self.keys, self.values = key_states.contiguous(), value_states.contiguous()
        return key_states, value_states


class Prompts(Cache):  # type: ignore[misc]
    """The cache of one prefill, from position 0. Prompts that no row reads any more make way.

    Args:
        lengths: positions of each prompt that count; the others, up to the longest, are padding on the right.
    """

    def __init__(self, lengths: list[int], device: torch.device) -> None:
        super().__init__(layer_class_to_replicate=_PromptLayer)
        self.count = len(lengths)
        positions_P = torch.arange(max(lengths), device=device)
        is_padding_UP = positions_P >= torch.tensor(lengths, device=device)[:, None]
        self.bias_U11P: Tensor = torch.zeros(is_padding_UP.shape, device=device).masked_fill(is_padding_UP, HIDDEN)[
            :, None, None
        ]
        self.rows_B = self.place_B = self.seats_UM = torch.empty(0, dtype=torch.long)

    def drop(self, prompt: int) -> int:
        """Forget a prompt: the last one takes its place. Returns the number that moved."""
        self.count -= 1
        for layer in self.layers:
            layer.keys[prompt], layer.values[prompt] = layer.keys[self.count], layer.values[self.count]
        self.bias_U11P[prompt] = self.bias_U11P[self.count]
        return self.count

    def seat(self, rows: Ints, prompts: Ints) -> None:
        """Say which rows read which prompts."""
        members = [rows[prompts == prompt] for prompt in range(self.count)]
        most = max(map(len, members))
        seats_UM = np.stack([np.pad(each, (0, most - len(each)), mode="edge") for each in members])
        place_B = np.concatenate([number * most + np.arange(len(each)) for number, each in enumerate(members)])
        device = self.bias_U11P.device
        self.seats_UM = torch.from_numpy(seats_UM).to(device)
        self.rows_B = torch.from_numpy(np.concatenate(members)).to(device)
        self.place_B = torch.from_numpy(place_B).to(device)

    def attend(self, layer: int, query_BHGD: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs and log-normalisers of `rows_B`, over the prompts' positions; a prompt's rows ask side by side."""
        (prompts, most), (_, heads, shared, width) = self.seats_UM.shape, query_BHGD.shape
        asked = query_BHGD[self.seats_UM].transpose(1, 2).reshape(prompts, heads, most * shared, width)
        keys, values = self.layers[layer].keys[: self.count], self.layers[layer].values[: self.count]
        output, normaliser = attention_part(asked, keys, values, self.bias_U11P[: self.count])

        def back(answer: Tensor) -> Tensor:
            each = answer.view(prompts, heads, most, shared, -1).transpose(1, 2)
            return each.reshape(prompts * most, heads, shared, -1)[self.place_B]

        return back(output), back(normaliser)


class _RowLayer(_Layer):
    def __init__(self, rows: RowCache) -> None:
        super().__init__()
        self.rows = rows

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        """Write one new cell in each row in use. What is returned only tells transformers that it was done."""
        rows = self.rows
        rows.num_unread += 1
        if self.keys is None:
            self.keys, self.values = (
                _zeros((rows.max_rows, each.shape[1], rows.max_cells, each.shape[3]), each)
                for each in (key_states, value_states)
            )
        for store, new in ((self.keys, key_states), (self.values, value_states)):
            if rows.bias_B11T is None:
                store[: rows.count, :, rows.width - 1] = new[:, :, 0]
            else:
                store[rows.index_B, :, rows.cells_B] = new[:, :, 0]
        return key_states, value_states


class RowCache(Cache):  # type: ignore[misc]
    """The cache of a decode batch.

    Args:
        max_rows: rows there is room for.
        max_cells: the most that any row may write.
    """

    def __init__(self, *, max_rows: int, max_cells: int, device: torch.device) -> None:
        super().__init__(layer_class_to_replicate=lambda: _RowLayer(self))
        self.max_rows, self.max_cells, self.device = max_rows, max_cells, device
        self.count, self.width = 0, 1
        self.num_unread = 0  # layers that have written and not been read yet
        self.index_B = self.cells_B = torch.empty(0, dtype=torch.long)
        self.bias_B11T: Tensor | None = None
        self.blocks: dict[int, Prompts] = {}  # by number; -1 is no block
        self.block_B: Ints = np.empty(0, dtype=np.int64)  # which block, and which prompt in it, a row reads
        self.prompt_B: Ints = np.empty(0, dtype=np.int64)
        self._num_blocks = 0

    def admit(self, block: Prompts | None, prompts: list[int]) -> None:
        """New rows after the last, each reading a prompt of `block`; None: prompts of a single token have no head."""
        number = -1
        if block is not None:
            number, self._num_blocks = self._num_blocks, self._num_blocks + 1
            self.blocks[number] = block
        self.block_B = np.append(self.block_B, np.full(len(prompts), number))
        self.prompt_B = np.append(self.prompt_B, np.asarray(prompts, dtype=np.int64))
        self.count += len(prompts)
        self._seat()

    def retire(self, kept: Ints, holes: Ints, sources: Ints) -> None:
        """Keep these rows: each of `sources` has moved to a place among `holes`, the others stay where they are."""
        if len(sources):
            for layer in self.layers:
                for store in (layer.keys, layer.values):
                    store[holes, :, : self.width] = store[sources, :, : self.width]
        self.block_B, self.prompt_B = self.block_B[kept], self.prompt_B[kept]
        self.count = len(kept)
        for number, block in list(self.blocks.items()):
            self._drop_unread(number, block)
        self._seat()

    def _drop_unread(self, number: int, block: Prompts) -> None:
        is_mine_B = self.block_B == number
        if not is_mine_B.any():
            del self.blocks[number]
            return
        for prompt in sorted(set(range(block.count)) - set(self.prompt_B[is_mine_B].tolist()), reverse=True):
            moved = block.drop(prompt)
            self.prompt_B[is_mine_B & (self.prompt_B == moved)] = prompt

    def _seat(self) -> None:
        for number, block in self.blocks.items():
            rows = np.flatnonzero(self.block_B == number)
            block.seat(rows, self.prompt_B[rows])

    def aim(self, cells_B: Ints) -> None:
        """Say which cell each row writes next; it then reads its cells as far as that one."""
        self.width = int(cells_B.max()) + 1
        self.bias_B11T = None
        if int(cells_B.min()) + 1 < self.width:
            self.cells_B = torch.from_numpy(cells_B).to(self.device)
            self.index_B = torch.arange(self.count, device=self.device)
            is_hidden_BT = torch.arange(self.width, device=self.device) > self.cells_B[:, None]
            self.bias_B11T = torch.zeros(is_hidden_BT.shape, device=self.device).masked_fill(is_hidden_BT, HIDDEN)[
                :, None, None
            ]

    def attend(self, layer: int, query_BHGD: Tensor) -> Tensor:
        """[B, H, G, D] what each row reads in its prompt and its own cells. The query is scaled already."""
        own = self.layers[layer]
        self.num_unread -= 1
        keys, values = (store[: self.count, :, : self.width] for store in (own.keys, own.values))
        output, normaliser = attention_part(query_BHGD, keys, values, self.bias_B11T)
        for block in self.blocks.values():
            rows_B = block.rows_B
            output[rows_B] = join((output[rows_B], normaliser[rows_B]), block.attend(layer, query_BHGD))
        return output


def _zeros(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Zeros of this shape, on the device and of the type of `like`. On a CPU pages are taken when first written."""
    if like.device.type != "cpu":
        return like.new_zeros(shape)
    memory = np.zeros(math.prod(shape) * like.element_size(), dtype=np.uint8)
    return torch.from_numpy(memory).view(like.dtype).view(shape)
