"""Requests of many lines meet in one batch, however long each line takes."""

import asyncio
from collections.abc import Callable

import pytest

from rlenvs.policies.base import Sampling
from rlenvs_trainers.barrier import Barrier
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import SampleRequest, ScoreRequest
from rlenvs_trainers.samplers.scripted import ScriptedSampler


def request(key: str) -> SampleRequest:
    return SampleRequest(key=key, prompt_ids=(20,), params=Sampling(), seed=0)


def played(renderer: Renderer, main: Callable[[Barrier], object]) -> list[list[str]]:
    """The keys of every batch that the sampler saw."""
    sampler = ScriptedSampler(lambda _: "ok", renderer)
    asyncio.run(main(Barrier(sampler)))  # type: ignore[arg-type]
    return [[each.key for each in batch] for batch in sampler.batches]


def test_a_slow_line_is_waited_for_and_keys_order_the_batch(renderer: Renderer) -> None:
    async def line(barrier: Barrier, key: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await barrier.sample(request(f"{key}/0"))
        await barrier.sample(request(f"{key}/1"))

    async def main(barrier: Barrier) -> None:
        await barrier.together([line(barrier, "c", 0.02), line(barrier, "a", 0), line(barrier, "b", 0.01)])

    assert played(renderer, main) == [["a/0", "b/0", "c/0"], ["a/1", "b/1", "c/1"]]


def test_a_line_that_ends_is_not_waited_for(renderer: Renderer) -> None:
    async def line(barrier: Barrier, key: str, turns: int) -> None:
        for turn in range(turns):
            await barrier.sample(request(f"{key}/{turn}"))

    async def main(barrier: Barrier) -> None:
        await barrier.together(line(barrier, "abc"[turns - 1], turns) for turns in (1, 2, 3))

    assert played(renderer, main) == [["a/0", "b/0", "c/0"], ["b/1", "c/1"], ["c/2"]]


def test_lines_within_lines_share_batches_and_the_outer_one_goes_on_after_them(renderer: Renderer) -> None:
    async def branch(barrier: Barrier, key: str) -> str:
        await barrier.sample(request(key))
        return key

    async def tree(barrier: Barrier, name: str) -> None:
        await barrier.sample(request(f"{name}/root"))
        leaves = await barrier.together(branch(barrier, f"{name}/{leaf}") for leaf in "xy")
        assert leaves == [f"{name}/x", f"{name}/y"]
        await barrier.sample(request(f"{name}/z"))

    async def main(barrier: Barrier) -> None:
        await barrier.together(tree(barrier, name) for name in "ab")

    assert played(renderer, main) == [["a/root", "b/root"], ["a/x", "a/y", "b/x", "b/y"], ["a/z", "b/z"]]


def test_scores_and_samples_are_asked_for_together(renderer: Renderer) -> None:
    results: dict[str, object] = {}

    async def scorer(barrier: Barrier) -> None:
        results["score"] = await barrier.score(ScoreRequest(key="k", prefix_ids=(1, 2), continuation_ids=(3, 4)))

    async def writer(barrier: Barrier) -> None:
        results["ids"] = (await barrier.sample(request("a"))).token_ids

    async def main(barrier: Barrier) -> None:
        await barrier.together([scorer(barrier), writer(barrier)])
        assert barrier.num_batches == 1

    played(renderer, main)
    assert results == {"score": (-1.0, -1.0), "ids": (*renderer.encode("ok"), renderer.tokenizer.eos_token_id)}


def test_an_error_in_one_line_ends_the_others_and_is_raised(renderer: Renderer) -> None:
    async def fails() -> None:
        raise RuntimeError("no")

    async def waits(barrier: Barrier) -> None:
        await barrier.sample(request("a"))
        raise AssertionError("went on after another line failed")

    async def main(barrier: Barrier) -> None:
        with pytest.raises(RuntimeError, match="no"):
            await barrier.together([waits(barrier), fails()])

    played(renderer, main)


def test_a_sampler_that_raises_is_heard_by_who_waits(renderer: Renderer) -> None:
    def broken(_: SampleRequest) -> str:
        raise ValueError("out of memory")

    async def main() -> None:
        barrier = Barrier(ScriptedSampler(broken, renderer))
        with pytest.raises(ValueError, match="out of memory"):
            await barrier.together(barrier.sample(request(key)) for key in "ab")

    asyncio.run(main())


def test_a_sampler_that_batches_by_itself_gets_every_request_at_once(renderer: Renderer) -> None:
    async def line(barrier: Barrier, key: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await barrier.sample(request(key))

    async def main() -> list[list[str]]:
        sampler = ScriptedSampler(lambda _: "ok", renderer, capabilities=("concurrent",))
        barrier = Barrier(sampler)
        await barrier.together([line(barrier, "slow", 0.05), line(barrier, "quick", 0.0)])
        await barrier.score(ScoreRequest(key="k", prefix_ids=(1,), continuation_ids=(2,)))
        assert barrier.generated_tokens == 2 * 3
        return [[each.key for each in batch] for batch in sampler.batches]

    assert asyncio.run(main()) == [["quick"], ["slow"]]


def test_requests_of_one_batch_have_keys_of_their_own(renderer: Renderer) -> None:
    async def main(barrier: Barrier) -> None:
        with pytest.raises(AssertionError, match="have the same key"):
            await barrier.together(barrier.sample(request("a")) for _ in range(2))

    assert played(renderer, main) == []


def test_no_lines_give_no_results(renderer: Renderer) -> None:
    async def main(barrier: Barrier) -> None:
        assert await barrier.together([]) == []

    assert played(renderer, main) == []
