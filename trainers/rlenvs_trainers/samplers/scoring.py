"""Log-probabilities of given continuations: plain forwards over padded batches, no cache.

Axes: B rows, T padded length, K last positions whose logits are needed, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

LOGITS_PER_FORWARD = 2**25  # numbers: 128 MiB of float32
TOKENS_PER_FORWARD = 8192


Pair = tuple[tuple[int, ...], tuple[int, ...]]


def score_batches(pairs: Sequence[Pair], vocabulary: int) -> Iterator[list[int]]:
    """Which pairs to score together: rows of similar length, within the limits above (one at least).

    Those without a continuation are in none: there is nothing to score.
    """
    order = sorted((row for row, pair in enumerate(pairs) if pair[1]), key=lambda row: (sum(map(len, pairs[row])), row))
    batch: list[int] = []
    for row in order:
        tried = [*batch, row]
        length = max(sum(map(len, pairs[each])) for each in tried)
        kept = length - min(len(pairs[each][0]) for each in tried) + 1
        if batch and (len(tried) * length > TOKENS_PER_FORWARD or len(tried) * kept * vocabulary > LOGITS_PER_FORWARD):
            yield batch
            tried = [row]
        batch = tried
    if batch:
        yield batch


def score(model: Any, pairs: Sequence[Pair], *, device: torch.device) -> list[tuple[float, ...]]:
    """Give log p(continuation token | prefix, continuation before it) at temperature 1, in nats, float32.

    Args:
        pairs: of one forward: a prefix and its continuation, neither of which is empty.
    """
    length = max(len(prefix) + len(rest) for prefix, rest in pairs)
    first = min(len(prefix) for prefix, _ in pairs) - 1  # the position that says the earliest continuation token
    ids_BT = torch.zeros(len(pairs), length, dtype=torch.long)
    for row, (prefix, rest) in enumerate(pairs):  # padded on the right: causal attention never looks there
        ids_BT[row, : len(prefix) + len(rest)] = torch.tensor((*prefix, *rest))
    ids_BT = ids_BT.to(device)
    logits_BKV = model(input_ids=ids_BT, use_cache=False, logits_to_keep=length - first).logits[:, :-1].float()
    logprobs_BK = -torch.nn.functional.cross_entropy(
        logits_BKV.transpose(1, 2), ids_BT[:, first + 1 :], reduction="none"
    )
    return [
        tuple(logprobs_BK[row, len(prefix) - 1 - first :][: len(rest)].tolist())
        for row, (prefix, rest) in enumerate(pairs)
    ]
