import pytest
import torch

from rlenvs_trainers import logits
from rlenvs_trainers.forward import statistics_of_logits
from rlenvs_trainers.logits import token_statistics

VOCABULARY, WIDTH, TOKENS = 11, 5, 7


@pytest.fixture
def given():
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(TOKENS, WIDTH, dtype=torch.float64, generator=generator).requires_grad_()
    weight = torch.randn(VOCABULARY, WIDTH, dtype=torch.float64, generator=generator).requires_grad_()
    bias = torch.randn(VOCABULARY, dtype=torch.float64, generator=generator).requires_grad_()
    targets = torch.randint(VOCABULARY, (TOKENS,), generator=generator)
    return hidden, weight, bias, targets


@pytest.mark.parametrize("at_once", [VOCABULARY * TOKENS, VOCABULARY * 2, 1])
@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize("has_bias", [True, False])
def test_values_and_gradients_equal_those_of_whole_logits(at_once, temperature, has_bias, given, monkeypatch):
    monkeypatch.setattr(logits, "LOGITS_AT_ONCE", at_once)
    hidden, weight, bias, targets = given
    leaves = [hidden, weight, bias] if has_bias else [hidden, weight]
    bias = bias if has_bias else None
    got = token_statistics(hidden, weight, bias, targets, temperature)
    expected = statistics_of_logits(torch.nn.functional.linear(hidden, weight, bias), targets, temperature)
    slopes = torch.linspace(-1, 2, TOKENS, dtype=torch.float64)
    for pick in ([1.0, 0.0], [0.0, 1.0], [0.3, -2.0]):
        gradients = [
            torch.autograd.grad(
                sum(p * (slopes * s).sum() for p, s in zip(pick, pair, strict=True)), leaves, retain_graph=True
            )
            for pair in (got, expected)
        ]
        for ours, theirs in zip(*gradients, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(torch.stack(got), torch.stack(expected), rtol=1e-12, atol=1e-12)


def test_the_analytic_gradient_equals_the_numeric_one(given):
    hidden, weight, bias, targets = given
    assert torch.autograd.gradcheck(lambda h, w, b: token_statistics(h, w, b, targets, 0.8), (hidden, weight, bias))


def test_a_second_backward_through_the_same_numbers_gives_the_same_gradient(given):
    hidden, weight, bias, targets = given
    value = token_statistics(hidden, weight, bias, targets, 1.0)[0].sum()
    first, second = (torch.autograd.grad(value, [hidden, weight], retain_graph=True) for _ in range(2))
    torch.testing.assert_close(first, second)


def test_probabilities_of_zero_give_a_finite_entropy_and_gradient():
    hidden = torch.tensor([[1000.0]]).requires_grad_()
    weight = torch.tensor([[1.0], [-1.0], [0.0]])
    logprob, entropy = token_statistics(hidden, weight, None, torch.tensor([1]), 1.0)
    (gradient,) = torch.autograd.grad(logprob.sum() + entropy.sum(), [hidden])
    assert float(logprob.detach()) == -2000.0
    assert float(entropy.detach()) == 0.0
    assert torch.isfinite(gradient).all()


def test_no_more_logits_are_alive_than_one_chunk_of_them(monkeypatch):
    """The largest matrix that a forward and backward pass make is a chunk, however many tokens there are."""
    monkeypatch.setattr(logits, "LOGITS_AT_ONCE", 8 * 1000)
    made = []
    original = torch.nn.functional.linear

    def recorded(*args):
        result = original(*args)
        made.append(result.numel())
        return result

    monkeypatch.setattr(torch.nn.functional, "linear", recorded)
    hidden = torch.randn(100, 4).requires_grad_()
    weight = torch.randn(1000, 4).requires_grad_()
    logprob, _ = token_statistics(hidden, weight, None, torch.zeros(100, dtype=torch.long), 1.0)
    logprob.sum().backward()
    assert max(made) == 8 * 1000
    assert len(made) == 2 * 13
