"""What a model's config says of how much it can read, and what that takes."""

from __future__ import annotations

from typing import Any

from torch import nn

from rlenvs.errors import RlenvsError

ATTENTION = ("full_attention", "sliding_attention")  # transformers' names of layers that the sampler can cache
UNBOUNDED_CONTEXT = 1 << 20  # tokens, for a model whose config names no limit


def text_config(model: nn.Module) -> Any:
    """The config of the part that writes text."""
    return model.config.get_text_config()  # type: ignore[union-attr, operator]


def readable(model: nn.Module) -> int:
    """Tokens that the model can read."""
    return int(getattr(text_config(model), "max_position_embeddings", None) or UNBOUNDED_CONTEXT)


def context_of(model: nn.Module) -> tuple[int, tuple[str, ...]]:
    """What the config allows; no further than a sliding window, inside of which it is plain attention. And a note."""
    config = text_config(model)
    kinds = sorted({kind for kind in getattr(config, "layer_types", None) or () if kind not in ATTENTION})
    if kinds:
        raise RlenvsError(f"the transformers sampler needs attention in every layer: this model has {kinds}")
    allowed = readable(model)
    window = getattr(config, "sliding_window", None) if getattr(config, "use_sliding_window", True) else None
    if not window or window >= allowed:
        return allowed, ()
    return int(window), (
        f"the context is {window} tokens of the {allowed} that the model has, since some of its layers see no further "
        f"(sliding_window = {window} in its config.json) and the transformers sampler lets every layer see everything",
    )


def bytes_per_position(model: nn.Module) -> int:
    """Of keys and values, all layers together."""
    config = text_config(model)
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return int(2 * config.num_hidden_layers * heads * width * next(model.parameters()).element_size())
