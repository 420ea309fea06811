"""Gradients the slow way, to compare the learner with: one sample at a time, whole logits, all tokens in one view."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.batch import Batch
from rlenvs_trainers.declared import brought_signals, read_by_signals
from rlenvs_trainers.forward import Policy, statistics_of_logits
from rlenvs_trainers.layout import lay_out
from rlenvs_trainers.objective import Views, as_tensor, objective


def reference_gradient(algorithm: Algorithm, model: Any, batch: Batch, *, temperature: float) -> dict[str, Tensor]:
    """By the learner's names of parameters, the gradient of a step on all of the batch, in the model's own type.

    What the algorithm brings along is computed by its own modules, a sample at a time.
    """
    policy = Policy(model, temperature=temperature, packing="none")
    policy.bring(brought_signals(algorithm))
    signals = [_signals(policy, batch.take([index]), algorithm) for index in range(len(batch.samples))]
    joined = {name: torch.cat([one[name] for one in signals]) for name in signals[0]}
    views = Views(batch, dtype=joined["logprob"].dtype)
    value = objective(algorithm, views.of(batch, joined), batch.where).value
    named = {name: parameter for name, parameter in policy.named_parameters() if parameter.requires_grad}
    gradients = torch.autograd.grad(value, list(named.values()), materialize_grads=True, allow_unused=True)
    return dict(zip(named, gradients, strict=True))


def random_model(vocabulary: int, *, seed: int = 0, dtype: torch.dtype = torch.float64) -> Any:
    """A Llama of two small layers with random weights; the global random state stays as it was."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.2,
        attn_implementation="sdpa",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(config).to(dtype).eval()


def _signals(policy: Policy, one: Batch, algorithm: Algorithm) -> dict[str, Tensor]:
    """Of a batch of one sample."""
    (sample,) = one.samples
    logits_TV = policy.model(input_ids=torch.from_numpy(sample.ids)[None]).logits[0]
    targets_N, predictors_N = torch.from_numpy(sample.targets), torch.from_numpy(sample.positions - 1)
    logprob_N, entropy_N = statistics_of_logits(logits_TV[predictors_N], targets_N, policy.temperature)
    read = {name: one.constants[name] for name in read_by_signals(algorithm)}
    noted = {name: as_tensor(values, torch.device("cpu"), logprob_N.dtype) for name, values in read.items()}
    brought = policy(lay_out([sample], np.zeros(1, dtype=np.int64)), noted)
    return {**brought, "logprob": logprob_N, "entropy": entropy_N}
