"""The policy as the learner computes it: log-probabilities and entropies of trained tokens, and of no others.

The model runs without dropout, so that the ratio of an unchanged policy is 1; padding is never attended to. What goes
into a forward pass is `layout.py`'s, what becomes of the numbers `objective.py`'s.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Literal

import torch
from torch import Tensor, nn

from rlenvs_trainers.layout import Layout
from rlenvs_trainers.logits import token_statistics

Signals = dict[str, Tensor]
"""[N] numbers per trained token, by name: "logprob" and "entropy"."""


class Policy(nn.Module):
    """A causal language model of `transformers` as one module whose forward gives signals, not logits.

    Prefixes are shared where the model's attention reaches the whole context through an ordinary key-value cache and a
    trial on a few tokens agrees; logits are made in chunks where they are a linear map of the last hidden state.
    `notes` says what is not possible with this model.

    Args:
        model: a causal language model of `transformers`; its dropout is turned off for good.
        dtype: of the forward passes; the weights keep theirs.
    """

    def __init__(
        self,
        model: Any,
        *,
        temperature: float,
        packing: Literal["none", "prefix"] = "prefix",
        dtype: torch.dtype = torch.float32,
        gradient_checkpointing: bool = False,
    ) -> None:
        super().__init__()
        self.model: Any = model
        self.temperature, self.is_half = temperature, dtype == torch.bfloat16
        self.is_checkpointing = gradient_checkpointing
        self.notes: list[str] = []
        prepare_for_training(model, gradient_checkpointing)
        self.has_linear_head = self._try_linear_head()
        self.shares_prefixes = packing == "prefix" and self._can_share_prefixes(gradient_checkpointing)

    def forward(self, layout: Layout) -> Signals:
        """The signals of the layout's trained tokens, differentiable where gradients are on."""
        device = next(self.model.parameters()).device
        if self.model.training != self.is_checkpointing:  # whoever shares the model may have changed its mode
            self.model.train(self.is_checkpointing)
        predictors_N = torch.from_numpy(layout.predictors_N).to(device)
        targets_N = torch.from_numpy(layout.targets_N).to(device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self.is_half):
            features = [block.flatten(0, 1) for block in self._features(layout, device)]
            features_NX = torch.cat(features)[predictors_N]
        if self.has_linear_head:
            head = self.model.get_output_embeddings()
            hidden_ND = features_NX.to(torch.bfloat16) if self.is_half else features_NX
            logprob_N, entropy_N = token_statistics(hidden_ND, head.weight, head.bias, targets_N, self.temperature)
        else:
            logprob_N, entropy_N = statistics_of_logits(features_NX, targets_N, self.temperature)
        return {"logprob": logprob_N, "entropy": entropy_N}

    def _features(self, layout: Layout, device: torch.device) -> list[Tensor]:
        """[R, L, …] per block: last hidden states, or logits where the model makes them in a way of its own."""
        blocks = [(torch.from_numpy(b.ids_RL).to(device), torch.from_numpy(b.prefix_of_R)) for b in layout.blocks]
        if not self.has_linear_head:
            return [self.model(input_ids=ids_RL, use_cache=False).logits for ids_RL, _ in blocks]
        if layout.prefixes_UP.size == 0:
            return [self._base(input_ids=ids_RL, use_cache=False).last_hidden_state for ids_RL, _ in blocks]
        cache = self._read_prefixes(torch.from_numpy(layout.prefixes_UP).to(device))
        lengths_U, width = torch.from_numpy(layout.prefix_lengths_U), layout.prefixes_UP.shape[1]
        return [
            self._go_on(cache, prefix_of_R, lengths_U[prefix_of_R], width, ids_RL) for ids_RL, prefix_of_R in blocks
        ]

    def _go_on(self, cache: Any, prefix_of_R: Tensor, prefix_lengths_R: Tensor, width: int, ids_RL: Tensor) -> Tensor:
        """[R, L, D] hidden states of rows, each after its prefix. The cache stays as it is, for other blocks."""
        own = copy(cache)
        own.layers = [copy(layer) for layer in cache.layers]
        own.batch_select_indices(prefix_of_R.to(ids_RL.device))
        lengths_R = prefix_lengths_R.to(ids_RL.device)
        hidden: Tensor = self._base(
            input_ids=ids_RL,
            position_ids=lengths_R[:, None] + torch.arange(ids_RL.shape[1], device=ids_RL.device),
            attention_mask=_visible(lengths_R, width, ids_RL),
            past_key_values=own,
            use_cache=True,
        ).last_hidden_state
        return hidden

    def _read_prefixes(self, prefixes_UP: Tensor) -> Any:
        from transformers import DynamicCache

        cache = DynamicCache(config=self.model.config)
        self._base(input_ids=prefixes_UP, past_key_values=cache, use_cache=True)
        return cache

    @property
    def _base(self) -> Any:
        """The decoder without its head."""
        return getattr(self.model, self.model.base_model_prefix)

    @torch.no_grad()
    def _try_linear_head(self) -> bool:
        """Whether logits are a linear map of the last hidden state: some models scale or cap them."""
        if not isinstance(self.model.get_output_embeddings(), nn.Linear):
            self.notes.append("logits are made whole: the output head is not a plain linear layer")
            return False
        ids = _trial_ids(self.model)
        hidden = self._base(input_ids=ids, use_cache=False).last_hidden_state
        expected = self.model(input_ids=ids, use_cache=False).logits
        if torch.allclose(self.model.get_output_embeddings()(hidden), expected, rtol=1e-3, atol=1e-3):
            return True
        self.notes.append("logits are made whole: this model does more than a linear map after its last hidden state")
        return False

    @torch.no_grad()
    def _can_share_prefixes(self, gradient_checkpointing: bool) -> bool:
        reason = _obstacle(self.model.config, gradient_checkpointing, self.has_linear_head)
        if reason is None:
            ids = _trial_ids(self.model)
            expected = self._base(input_ids=ids, use_cache=False).last_hidden_state[:, 3:]
            try:
                cache = self._read_prefixes(ids[:, :3])
                got = self._base(input_ids=ids[:, 3:], past_key_values=cache, use_cache=True).last_hidden_state
            except (TypeError, ValueError, AttributeError, NotImplementedError, RuntimeError) as error:
                reason = f"the model does not take a key-value cache ({error})"
            else:
                if not torch.allclose(got, expected, rtol=1e-2, atol=1e-2):
                    reason = "its hidden states differ when it goes on from a key-value cache"
        if reason is not None:
            self.notes.append(f"prompts are computed once per completion: {reason}")
        return reason is None


def prepare_for_training(model: Any, gradient_checkpointing: bool) -> None:
    """Dropout off, whatever the mode: the ratio of an unchanged policy must be 1.

    transformers checkpoints only in training mode, so that mode is on exactly with checkpointing.
    """
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if hasattr(module, "attention_dropout"):
            module.attention_dropout = 0.0
    model.train(gradient_checkpointing)
    if gradient_checkpointing:
        model.gradient_checkpointing_enable()


def statistics_of_logits(logits_NV: Tensor, targets_N: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """[N] log-probability of each target and [N] entropy, from whole logits."""
    logits_NV = logits_NV.to(torch.promote_types(logits_NV.dtype, torch.float32)) / temperature
    log_NV = logits_NV.log_softmax(-1)
    entropy_N = -(log_NV.exp() * log_NV).sum(-1)
    return log_NV.gather(1, targets_N[:, None])[:, 0], entropy_N


def _visible(prefix_lengths_R: Tensor, width: int, rows_RL: Tensor) -> Tensor | None:
    """[R, P + L] which columns may be seen at all: not the padding between a short prefix and its row."""
    if bool((prefix_lengths_R == width).all()):
        return None
    prefix_RP = torch.arange(width, device=rows_RL.device) < prefix_lengths_R[:, None]
    return torch.cat([prefix_RP.long(), torch.ones_like(rows_RL)], dim=1)


def _obstacle(config: Any, gradient_checkpointing: bool, has_linear_head: bool) -> str | None:
    """Why this model cannot share prefixes, if its config says so."""
    if gradient_checkpointing:
        return "gradient checkpointing leaves no key-value cache"
    if not has_linear_head:
        return "its logits are made whole"
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"} or getattr(config, "sliding_window", None):
        return "not all of its layers attend to the whole context"
    return None


def _trial_ids(model: Any) -> Tensor:
    """[1, 8] ids to try things on."""
    device = next(model.parameters()).device
    ids: Tensor = torch.arange(8, device=device)[None] % len(model.get_output_embeddings().weight)
    return ids
