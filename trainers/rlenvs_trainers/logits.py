"""Log-probabilities and entropies of tokens from hidden states, a chunk of the vocabulary's logits at a time, exactly.

Memory is O(chunk × vocabulary) forwards and backwards: what does not fit in one chunk is computed again for the
gradient. Axes: N tokens, D hidden width, V vocabulary, C tokens of a chunk.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

LOGITS_AT_ONCE = 2**26  # numbers in a chunk: 256 MiB in float32


def token_statistics(
    hidden_ND: Tensor, weight_VD: Tensor, bias_V: Tensor | None, targets_N: Tensor, temperature: float
) -> tuple[Tensor, Tensor]:
    """[N] log-probability of each target, and [N] entropy of its distribution, in nats, at this temperature.

    The products are in the hidden states' type, everything after them at least in float32. Differentiable once.
    """
    statistics: tuple[Tensor, Tensor] = _Statistics.apply(hidden_ND, weight_VD, bias_V, targets_N, temperature)  # type: ignore[no-untyped-call]
    return statistics


class _Statistics(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden_ND: Tensor, weight_VD: Tensor, bias_V: Tensor | None, targets_N: Tensor, temperature: float
    ) -> tuple[Tensor, Tensor]:
        chunks = _chunks(len(hidden_ND), len(weight_VD))
        parts = [_statistics(_logits(hidden_ND[c], weight_VD, bias_V, temperature), targets_N[c]) for c in chunks]
        entropy_N = torch.cat([part[1] for part in parts])
        ctx.save_for_backward(hidden_ND, weight_VD, bias_V, targets_N, entropy_N)
        ctx.temperature = temperature
        ctx.probabilities = parts[0][2] if len(chunks) == 1 and any(ctx.needs_input_grad) else None
        ctx.set_materialize_grads(False)
        return torch.cat([part[0] for part in parts]), entropy_N

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, logprob_grad_N: Tensor | None, entropy_grad_N: Tensor | None) -> Any:
        hidden_ND, weight_VD, bias_V, targets_N, entropy_N = ctx.saved_tensors
        if logprob_grad_N is None:
            logprob_grad_N = torch.zeros_like(entropy_N)
        kept, ctx.probabilities = ctx.probabilities, None  # overwritten below: a second backward computes them again
        hidden_grads: list[Tensor] = []
        weight_grad_VD: Tensor | None = None
        bias_grad_V: Tensor | None = None
        for c in _chunks(len(hidden_ND), len(weight_VD)):
            if kept is None:
                logits_CV = _logits(hidden_ND[c], weight_VD, bias_V, ctx.temperature)
                kept = _statistics(logits_CV, targets_N[c])[2]
            entropy_grad_C = None if entropy_grad_N is None else entropy_grad_N[c]
            slope_CV = _slopes(kept, targets_N[c], entropy_N[c], logprob_grad_N[c], entropy_grad_C)
            if ctx.temperature != 1.0:
                slope_CV /= ctx.temperature
            slope_CV = slope_CV.to(hidden_ND.dtype)
            hidden_grads.append(slope_CV @ weight_VD.to(hidden_ND.dtype))
            if ctx.needs_input_grad[1]:
                weight_grad_VD = _plus(weight_grad_VD, (slope_CV.T @ hidden_ND[c]).to(weight_VD.dtype))
            if ctx.needs_input_grad[2]:
                bias_grad_V = _plus(bias_grad_V, slope_CV.sum(0).to(bias_V.dtype))
            kept = None
        return torch.cat(hidden_grads), weight_grad_VD, bias_grad_V, None, None


def _plus(total: Tensor | None, term: Tensor) -> Tensor:
    return term if total is None else total.add_(term)


def _chunks(tokens: int, vocabulary: int) -> list[slice]:
    size = max(1, LOGITS_AT_ONCE // vocabulary)
    return [slice(start, start + size) for start in range(0, max(tokens, 1), size)]


def _logits(hidden_CD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, temperature: float) -> Tensor:
    """[C, V] in float32 or better, divided by the temperature there."""
    bias = None if bias_V is None else bias_V.to(hidden_CD.dtype)
    logits_CV = torch.nn.functional.linear(hidden_CD, weight_VD.to(hidden_CD.dtype), bias)
    logits_CV = logits_CV.to(torch.promote_types(logits_CV.dtype, torch.float32))
    return logits_CV if temperature == 1.0 else logits_CV.div_(temperature)


def _statistics(logits_CV: Tensor, targets_C: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """[C] log-probabilities, [C] entropies, [C, V] probabilities. Overwrites the logits."""
    logits_CV -= logits_CV.amax(-1, keepdim=True)
    target_C = logits_CV.gather(1, targets_C[:, None])[:, 0]
    probabilities_CV = logits_CV.exp()
    total_C1 = probabilities_CV.sum(-1, keepdim=True)
    probabilities_CV /= total_C1
    mean_C = torch.linalg.vecdot(probabilities_CV, logits_CV)
    log_total_C = total_C1[:, 0].log()
    return target_C - log_total_C, log_total_C - mean_C, probabilities_CV


def _slopes(
    probabilities_CV: Tensor,
    targets_C: Tensor,
    entropy_C: Tensor,
    logprob_grad_C: Tensor,
    entropy_grad_C: Tensor | None,
) -> Tensor:
    """[C, V] derivative by the tempered logits: g (1[target] - p) - h p (log p + H). Overwrites the probabilities."""
    entropy_slope_CV = None
    if entropy_grad_C is not None:
        entropy_slope_CV = torch.xlogy(probabilities_CV, probabilities_CV).addcmul_(
            probabilities_CV, entropy_C[:, None]
        )
        entropy_slope_CV *= entropy_grad_C[:, None]
    slope_CV = probabilities_CV.mul_(-logprob_grad_C[:, None])
    slope_CV.scatter_add_(1, targets_C[:, None], logprob_grad_C[:, None])
    return slope_CV if entropy_slope_CV is None else slope_CV.sub_(entropy_slope_CV)
