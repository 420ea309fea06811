"""The embedded sampler lets the event loop run between slices of work: deadlines hold, and nothing else changes."""

import asyncio
from dataclasses import replace

import pytest
import torch

from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.samplers import transformers
from rlenvs_trainers.samplers.base import StaleWeightsError
from rlenvs_trainers.samplers.transformers import TransformersSampler

from .asked import PARAMS, ragged, sample, score, scored


@pytest.fixture
def every_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers, "SLICE_S", 0.0)


def test_a_deadline_ends_a_call_and_leaves_the_sampler_and_the_model_as_they_were(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy, every_token: None
) -> None:
    before = sample(sampler, ragged())
    tiny_policy.model.train()
    attention = tiny_policy.model.config._attn_implementation
    endless = ragged(params=replace(PARAMS, max_tokens=100))
    steps = []
    hook = tiny_policy.model.register_forward_hook(lambda *_: steps.append(1))

    async def in_time() -> None:
        async with asyncio.timeout(0):
            await sampler.sample(endless)

    with pytest.raises(TimeoutError):
        asyncio.run(in_time())
    hook.remove()
    assert len(steps) <= 3  # the prompts and a token, of a hundred
    assert tiny_policy.model.training
    assert tiny_policy.model.config._attn_implementation == attention
    assert not torch.is_inference_mode_enabled()
    tiny_policy.model.eval()
    assert sample(sampler, ragged()) == before


def test_what_is_written_does_not_depend_on_the_slices(
    sampler: TransformersSampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_one_piece = sample(sampler, ragged())
    monkeypatch.setattr(transformers, "SLICE_S", 0.0)
    assert sample(sampler, ragged()) == in_one_piece


def test_weights_that_change_between_slices_stop_the_call(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy, every_token: None
) -> None:
    async def meddle() -> None:
        await asyncio.sleep(0)
        with torch.no_grad():
            next(tiny_policy.model.parameters()).mul_(1.0)  # a change in place, whatever it comes to

    async def both() -> None:
        await asyncio.gather(sampler.sample(ragged()), meddle())

    with pytest.raises(StaleWeightsError):
        asyncio.run(both())


def test_weights_that_are_published_between_slices_stop_the_call(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy, every_token: None
) -> None:
    async def publish() -> None:
        await asyncio.sleep(0)
        sampler.load(tiny_policy.model.state_dict(), version=7)

    async def both() -> None:
        await asyncio.gather(sampler.sample(ragged()), publish())

    with pytest.raises(StaleWeightsError, match="7"):
        asyncio.run(both())


def test_a_call_for_scores_lets_the_loop_run_too(sampler: TransformersSampler, every_token: None) -> None:
    turns = []

    async def count() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    async def both() -> list[tuple[float, ...]]:
        counting = asyncio.create_task(count())
        await asyncio.sleep(0)
        answers = await sampler.score([scored((1, 2), (3, 4)), scored((5,), ())])
        counting.cancel()
        return answers

    answers = asyncio.run(both())
    assert len(turns) >= 2
    assert answers == score(sampler, [scored((1, 2), (3, 4)), scored((5,), ())])
    assert [len(each) for each in answers] == [2, 0]
