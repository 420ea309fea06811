"""The tiny built-in policy: a small Llama with a character tokenizer, made on the spot, nothing downloaded.

It is saved and read in Hugging Face's layout like any other policy; reading a specification is `policy.py`'s.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

BOS, EOS, PAD, UNKNOWN = "<|begin|>", "<|end|>", "<|pad|>", "\N{REPLACEMENT CHARACTER}"
ROLE_MARKS = ("<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")
TAGS = ("<think>", "</think>", "<answer>", "</answer>", "\\boxed")  # one token each, and part of the text
ALPHABET = string.digits + string.ascii_letters + string.punctuation + " \n×÷−≤≥≠√π·°"

# Both let a model of this size learn to copy and compare characters within hundreds of updates instead of thousands:
# weights as wide as a narrow model wants them, and positions that tell neighbours apart (its distances are tens).
INITIALIZER_RANGE, ROPE_THETA = 0.1, 100.0

CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] + eos_token }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyOptions:
    """The sizes of a tiny policy; by default about 0.45 million parameters."""

    hidden: int = 128  # width
    layers: int = 2
    heads: int = 4
    mlp: int = 384  # width of the feed-forward layers
    context: int = 2048  # tokens
    tied: bool = True  # input and output embeddings are one matrix

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in ("hidden", "layers", "heads", "mlp", "context")}
        too_small = {name: size for name, size in sizes.items() if size < 1}
        if too_small:
            raise ValueError(f"sizes of a tiny policy are at least 1: got {too_small}")
        if self.hidden % (2 * self.heads):
            raise ValueError(
                f"tiny: hidden is a multiple of 2 x heads (rotary positions come in pairs): "
                f"got hidden={self.hidden}, heads={self.heads}"
            )


def tiny_tokenizer(context: int = 2048) -> Any:
    """A `PreTrainedTokenizerFast` of one token per character, the tags and role marks one token each."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    special = (PAD, BOS, EOS, *ROLE_MARKS)
    vocabulary = {token: index for index, token in enumerate((*special, UNKNOWN, *TAGS, *ALPHABET))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    tokenizer.add_tokens([AddedToken(tag, special=False, normalized=False) for tag in TAGS])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BOS,
        eos_token=EOS,
        pad_token=PAD,
        unk_token=UNKNOWN,
        extra_special_tokens=list(ROLE_MARKS),
        chat_template=CHAT_TEMPLATE,
        model_max_length=context,
        clean_up_tokenization_spaces=False,
    )


def tiny_model(options: TinyOptions, tokenizer: Any, *, seed: int) -> nn.Module:
    """A Llama of these sizes in float32, its weights drawn from `seed`; the global random state stays as it was."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=options.hidden,
        intermediate_size=options.mlp,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        num_key_value_heads=options.heads,
        max_position_embeddings=options.context,
        tie_word_embeddings=options.tied,
        initializer_range=INITIALIZER_RANGE,
        rope_parameters={"rope_type": "default", "rope_theta": ROPE_THETA},
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        attn_implementation="sdpa",
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: nn.Module = LlamaForCausalLM(config)
    return model
