"""Attention in parts equals attention in one piece, and rows come and go without a trace."""

import numpy as np
import pytest
import torch

from rlenvs.errors import RlenvsError
from rlenvs_trainers.samplers.attention import HIDDEN, attention_part, join, reading
from rlenvs_trainers.samplers.cache import Prompts, RowCache

CPU = torch.device("cpu")
HEADS, WIDTH = 2, 4


def tensors(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_two_joined_parts_are_attention_over_both() -> None:
    query, keys, values = (
        tensors(3, HEADS, 5, WIDTH),
        tensors(3, HEADS, 9, WIDTH, seed=1),
        tensors(3, HEADS, 9, WIDTH, seed=2),
    )
    bias = torch.zeros(3, 1, 1, 9)
    bias[1, ..., 6:] = HIDDEN
    whole, _ = attention_part(query, keys, values, bias)
    parts = [
        attention_part(query, keys[:, :, cut], values[:, :, cut], bias[..., cut]) for cut in (slice(0, 4), slice(4, 9))
    ]
    reference = torch.nn.functional.scaled_dot_product_attention(query, keys, values, bias, scale=1.0)
    assert torch.allclose(whole, reference, atol=1e-6)
    assert torch.allclose(join(parts[0], parts[1]), reference, atol=1e-6)


def test_a_part_with_nothing_in_it_changes_nothing() -> None:
    query, keys, values = tensors(1, HEADS, 1, WIDTH), tensors(1, HEADS, 3, WIDTH), tensors(1, HEADS, 3, WIDTH, seed=1)
    one = attention_part(query, keys, values, None)
    nothing = attention_part(query, keys, values, torch.full((1, 1, 1, 3), HIDDEN))
    assert torch.equal(join(one, nothing), one[0])
    assert torch.allclose(join(nothing, one), one[0], atol=1e-6)


class Reference:
    """What each row has read, kept in plain lists."""

    def __init__(self) -> None:
        self.rows: list[tuple[torch.Tensor, torch.Tensor]] = []  # [H, T, D] keys and values

    def attend(self, query_BHGD: torch.Tensor) -> torch.Tensor:
        return torch.stack(
            [
                torch.nn.functional.scaled_dot_product_attention(query[None], keys[None], values[None], scale=1.0)[0]
                for query, (keys, values) in zip(query_BHGD, self.rows, strict=True)
            ]
        )


def admit(cache: RowCache, reference: Reference, lengths: list[int], prompts: list[int], seed: int) -> None:
    block = Prompts(lengths, CPU) if max(lengths) else None
    keys, values = (tensors(len(lengths), HEADS, max(lengths), WIDTH, seed=seed + each) for each in (0, 1))
    if block is not None:
        block.update(keys.clone(), values.clone(), 0)
    cache.admit(block, prompts)
    reference.rows += [(keys[each, :, : lengths[each]], values[each, :, : lengths[each]]) for each in prompts]


def step(cache: RowCache, reference: Reference, written: list[int], seed: int) -> None:
    """Every row writes a cell and reads; the reference agrees."""
    count = len(written)
    query = tensors(count, HEADS, 3, WIDTH, seed=seed)
    keys, values = (tensors(count, HEADS, 1, WIDTH, seed=seed + each) for each in (1, 2))
    cache.aim(np.asarray(written))
    with reading(cache):
        cache.update(keys, values, 0)
        output = cache.attend(0, query)
    reference.rows = [
        (torch.cat([old[0], new], 1), torch.cat([old[1], other], 1))
        for old, new, other in zip(reference.rows, keys, values, strict=True)
    ]
    assert torch.allclose(output, reference.attend(query), atol=1e-5)


def retire(cache: RowCache, reference: Reference, kept: list[int], holes: list[int], sources: list[int]) -> None:
    cache.retire(*(np.asarray(each, dtype=np.int64) for each in (kept, holes, sources)))
    reference.rows = [reference.rows[row] for row in kept]


def test_rows_that_come_and_go_read_their_prompt_and_their_own_cells() -> None:
    cache, reference = RowCache(max_rows=6, max_cells=8, device=CPU), Reference()
    admit(cache, reference, [3, 5, 2], [0, 0, 1, 2], seed=10)
    step(cache, reference, [0, 0, 0, 0], seed=20)
    step(cache, reference, [1, 1, 1, 1], seed=30)
    retire(cache, reference, [3, 1], [0], [3])  # prompt 1 goes with row 2, and row 3 moves to the place of row 0
    assert next(iter(cache.blocks.values())).count == 2
    step(cache, reference, [2, 2], seed=40)
    admit(cache, reference, [4], [0, 0], seed=50)  # a second block, two rows of one prompt
    admit(cache, reference, [0], [0], seed=60)  # a prompt without a head
    step(cache, reference, [3, 3, 0, 0, 0], seed=70)
    retire(cache, reference, [0, 3, 4], [1, 2], [3, 4])
    assert sorted(block.count for block in cache.blocks.values()) == [1, 1]


def test_a_block_without_rows_is_let_go() -> None:
    cache, reference = RowCache(max_rows=2, max_cells=4, device=CPU), Reference()
    admit(cache, reference, [2], [0], seed=1)
    step(cache, reference, [0], seed=2)
    retire(cache, reference, [], [], [])
    assert cache.blocks == {}


def test_a_model_that_attends_by_other_means_is_refused() -> None:
    cache, reference = RowCache(max_rows=1, max_cells=4, device=CPU), Reference()
    admit(cache, reference, [2], [0], seed=1)
    cache.aim(np.asarray([0]))
    with pytest.raises(RlenvsError, match="does not attend through"), reading(cache):
        cache.update(tensors(1, HEADS, 1, WIDTH), tensors(1, HEADS, 1, WIDTH), 0)
