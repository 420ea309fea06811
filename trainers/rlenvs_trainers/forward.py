"""The policy as the learner computes it: log-probabilities and entropies of trained tokens, and of no others.

The model runs without dropout, so that the ratio of an unchanged policy is 1; padding is never attended to. What goes
into a forward pass is `layout.py`'s, what becomes of the numbers `objective.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, Literal

import torch
from torch import Tensor, nn

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Signal
from rlenvs_trainers.layout import Layout
from rlenvs_trainers.logits import token_statistics
from rlenvs_trainers.signal_modules import Reading

Signals = dict[str, Tensor]
"""[N] numbers per trained token, or [N, K], by name: "logprob", "entropy" and those that an algorithm brings along."""


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
        self._check_repeatable()
        self.has_linear_head = self._try_linear_head()
        self.shares_prefixes = packing == "prefix" and self._can_share_prefixes(gradient_checkpointing)
        self._brought: tuple[Signal, ...] = ()
        self.signals = nn.ModuleDict()

    def bring(self, signals: Iterable[Signal]) -> None:
        """Compute these from now on, wherever constants are given; what they learn is part of the parameters."""
        self._brought = tuple(signals)
        for signal in self._brought:
            module = signal.build(self)
            self.signals[signal.name] = module if signal.lr is not None else module.requires_grad_(False)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        device: torch.device = next(self.model.parameters()).device
        return device

    def forward(self, layout: Layout, constants: Mapping[str, Tensor] | None = None) -> Signals:
        """The signals of the layout's trained tokens, differentiable where gradients are on.

        Args:
            constants: what was noted on these tokens, for the signals that were brought along: those whose `needs` are
                there are computed. None: log-probability and entropy alone.
        """
        if self.model.training != self.is_checkpointing:  # whoever shares the model may have changed its mode
            self.model.train(self.is_checkpointing)
        targets_N = torch.from_numpy(layout.targets_N).to(self.device)
        features_NX = self._features(layout)
        if self.has_linear_head:
            head = self.model.get_output_embeddings()
            logprob_N, entropy_N = token_statistics(features_NX, head.weight, head.bias, targets_N, self.temperature)
        else:
            logprob_N, entropy_N = statistics_of_logits(features_NX, targets_N, self.temperature)
        found = {"logprob": logprob_N, "entropy": entropy_N}
        if constants is None:
            return found
        reading = Reading(
            policy=self,
            layout=layout,
            features_NX=features_NX,
            targets_N=targets_N,
            logprob_N=logprob_N,
            constants=constants,
        )
        ready = [signal.name for signal in self._brought if constants.keys() >= {*signal.needs}]
        return found | {name: _of_tokens(name, self.signals[name](reading), targets_N) for name in ready}

    def _features(self, layout: Layout) -> Tensor:
        """[N, …] last hidden states, or logits where the model makes them in a way of its own."""
        if self.has_linear_head:
            hidden_ND = self.hidden(layout, self.base)
            return hidden_ND.to(torch.bfloat16) if self.is_half else hidden_ND
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.is_half):
            blocks = [torch.from_numpy(block.ids_RL).to(self.device) for block in layout.blocks]
            return self._predictors(layout, [self.model(input_ids=ids, use_cache=False).logits for ids in blocks])

    def hidden(self, layout: Layout, base: Any) -> Tensor:
        """[N, D] last hidden states of the positions that predict the layout's trained tokens.

        Args:
            base: a decoder of the same architecture as the policy's: `base`, or a copy of it.
        """
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.is_half):
            blocks = [
                (torch.from_numpy(b.ids_RL).to(self.device), torch.from_numpy(b.prefix_of_R)) for b in layout.blocks
            ]
            if layout.prefixes_UP.size == 0:
                rows = [base(input_ids=ids_RL, use_cache=False).last_hidden_state for ids_RL, _ in blocks]
                return self._predictors(layout, rows)
            cache = self._read_prefixes(base, torch.from_numpy(layout.prefixes_UP).to(self.device))
            lengths_U, width = torch.from_numpy(layout.prefix_lengths_U), layout.prefixes_UP.shape[1]
            rows = [
                _go_on(base, cache, prefix_of_R, lengths_U[prefix_of_R], width, ids_RL)
                for ids_RL, prefix_of_R in blocks
            ]
            return self._predictors(layout, rows)

    def _predictors(self, layout: Layout, blocks: Iterable[Tensor]) -> Tensor:
        predictors_N = torch.from_numpy(layout.predictors_N).to(self.device)
        return torch.cat([block.flatten(0, 1) for block in blocks])[predictors_N]

    def logprobs_of(self, reading: Reading, ids_NK: Tensor) -> Tensor:
        """[N, K] log-probabilities of these ids in the place of each trained token, at the sampling temperature.

        They share the trained token's normaliser: log p(k) = log p(y) + (logit_k - logit_y) / temperature.
        """
        ids_NJ = torch.cat([reading.targets_N[:, None], ids_NK], dim=1)
        if self.has_linear_head:
            head = self.model.get_output_embeddings()
            rows_NJD = head.weight[ids_NJ].to(reading.features_NX.dtype)
            logits_NJ = torch.einsum("njd,nd->nj", rows_NJD, reading.features_NX)
            logits_NJ = logits_NJ.to(reading.logprob_N.dtype)
            if head.bias is not None:
                logits_NJ = logits_NJ + head.bias[ids_NJ]
        else:
            logits_NJ = reading.features_NX.to(reading.logprob_N.dtype).gather(1, ids_NJ)
        return reading.logprob_N[:, None] + (logits_NJ[:, 1:] - logits_NJ[:, :1]) / self.temperature

    def _read_prefixes(self, base: Any, prefixes_UP: Tensor) -> Any:
        from transformers import DynamicCache

        cache = DynamicCache(config=self.model.config)
        base(input_ids=prefixes_UP, past_key_values=cache, use_cache=True)
        return cache

    @property
    def base(self) -> Any:
        """The decoder without its head."""
        return getattr(self.model, self.model.base_model_prefix)

    @torch.no_grad()
    def _check_repeatable(self) -> None:
        """Refuse a model that says something else the second time: every ratio would be off, and nobody would know."""
        first, second = (self.model(input_ids=_trial_ids(self.model), use_cache=False).logits for _ in range(2))
        if (first - second).abs().max() > 1e-3 * first.std():
            raise RlenvsError(
                f"{type(self.model).__name__} gives other logits when it reads the same tokens again: it has a dropout "
                "that could not be turned off, and the ratio of an unchanged policy would not be 1. Set what its "
                "config has of dropout to 0, or train without learner.gradient_checkpointing, for which it is in "
                "training mode."
            )

    @torch.no_grad()
    def _try_linear_head(self) -> bool:
        """Whether logits are a linear map of the last hidden state: some models scale or cap them."""
        if not isinstance(self.model.get_output_embeddings(), nn.Linear):
            self.notes.append("logits are made whole: the output head is not a plain linear layer")
            return False
        ids = _trial_ids(self.model)
        hidden = self.base(input_ids=ids, use_cache=False).last_hidden_state
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
            expected = self.base(input_ids=ids, use_cache=False).last_hidden_state[:, 3:]
            try:
                cache = self._read_prefixes(self.base, ids[:, :3])
                got = self.base(input_ids=ids[:, 3:], past_key_values=cache, use_cache=True).last_hidden_state
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
        for name, value in vars(module).items():
            if "drop" in name and isinstance(value, float):  # what the module gives to functional dropout
                setattr(module, name, 0.0)
    model.train(gradient_checkpointing)
    if gradient_checkpointing:
        model.gradient_checkpointing_enable()


def statistics_of_logits(logits_NV: Tensor, targets_N: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """[N] log-probability of each target and [N] entropy, from whole logits."""
    logits_NV = logits_NV.to(torch.promote_types(logits_NV.dtype, torch.float32)) / temperature
    log_NV = logits_NV.log_softmax(-1)
    entropy_N = -(log_NV.exp() * log_NV).sum(-1)
    return log_NV.gather(1, targets_N[:, None])[:, 0], entropy_N


def _of_tokens(name: str, values: Tensor, targets_N: Tensor) -> Tensor:
    """The values of a signal, if there are as many as tokens."""
    if values.ndim not in (1, 2) or len(values) != len(targets_N):
        raise RlenvsError(
            f"the signal {name!r} has shape {list(values.shape)} for {len(targets_N)} tokens: it is a number or a row "
            f"of numbers for each, [{len(targets_N)}] or [{len(targets_N)}, K]"
        )
    return values


def _go_on(base: Any, cache: Any, prefix_of_R: Tensor, prefix_lengths_R: Tensor, width: int, ids_RL: Tensor) -> Tensor:
    """[R, L, D] hidden states of rows, each after its prefix. The cache stays as it is, for other blocks."""
    own = copy(cache)
    own.layers = [copy(layer) for layer in cache.layers]
    chosen_R = prefix_of_R.to(ids_RL.device)
    for layer in own.layers:  # not batch_select_indices: it indexes, whose gradient takes its time to be repeatable
        layer.keys, layer.values = (states.index_select(0, chosen_R) for states in (layer.keys, layer.values))
    lengths_R = prefix_lengths_R.to(ids_RL.device)
    hidden: Tensor = base(
        input_ids=ids_RL,
        position_ids=lengths_R[:, None] + torch.arange(ids_RL.shape[1], device=ids_RL.device),
        attention_mask=_visible(lengths_R, width, ids_RL),
        past_key_values=own,
        use_cache=True,
    ).last_hidden_state
    return hidden


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
