"""The decode loop: rows that come and go, the tokens they draw, what ends a message, monitors."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from rlenvs.policies.base import Sampling
from rlenvs_trainers.policy import LoadedPolicy, load_policy
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers import decode
from rlenvs_trainers.samplers.base import Sampled
from rlenvs_trainers.samplers.transformers import TransformersSampler

from .asked import PARAMS, forward_logprobs, ragged, request, sample, steered


@contextmanager
def forwards(policy: LoadedPolicy) -> Iterator[list[tuple[int, int]]]:
    """Rows and positions of every forward within: prompts first, then a position per row and step."""
    shapes: list[tuple[int, int]] = []
    embed: Any = policy.model.get_input_embeddings()
    hook = embed.register_forward_hook(lambda _, inputs, __: shapes.append(tuple(inputs[0].shape)))
    try:
        yield shapes
    finally:
        hook.remove()


def test_rows_are_as_many_as_fit_the_cache(tiny_policy: LoadedPolicy, renderer: Renderer) -> None:
    # 2 (keys, values) x 2 layers x 2 heads x 32 wide x 4 bytes = 1 KiB a position; 13 + 24 positions at most
    small = TransformersSampler(tiny_policy.model, renderer, max_cache_gib=80 * 1024 / 2**30)
    requests = ragged()
    assert small._rows_that_fit(tiny_policy.model, requests, [24] * len(requests)) == 80 // 37


@pytest.mark.parametrize("max_rows", [1, 2, 4])
def test_few_rows_that_are_refilled_write_the_same(
    tiny_policy: LoadedPolicy, renderer: Renderer, sampler: TransformersSampler, max_rows: int
) -> None:
    few = TransformersSampler(tiny_policy.model, renderer, max_rows=max_rows)
    requests = ragged()
    expected = [completion.token_ids for completion in sample(sampler, requests)]
    with forwards(tiny_policy) as shapes:
        assert [completion.token_ids for completion in sample(few, requests)] == expected
    assert max(rows for rows, positions in shapes if positions == 1) == max_rows


def test_prompts_are_prefilled_in_slices_without_a_difference(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompts of 1, 4, 7, 10 and 13 tokens, of which the last is read by a row's first step."""
    requests = ragged(attempts=1)
    with forwards(tiny_policy) as at_once:
        expected = [completion.token_ids for completion in sample(sampler, requests)]
    monkeypatch.setattr(decode, "PREFILL_TOKENS", 8)
    with forwards(tiny_policy) as in_slices:
        assert [completion.token_ids for completion in sample(sampler, requests)] == expected
    assert [shape for shape in at_once if shape[1] > 1] == [(5, 12)]
    assert [shape for shape in in_slices if shape[1] > 1] == [(2, 3), (1, 6), (1, 9), (1, 12)]


def test_a_shared_prompt_that_fills_a_slice_alone_is_computed_once(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decode, "PREFILL_TOKENS", 8)
    requests = [request(f"{prompt}/{n}", range(20, 40 + prompt), seed=n) for prompt in range(2) for n in range(3)]
    with forwards(tiny_policy) as shapes:
        sample(sampler, requests)
    assert [shape for shape in shapes if shape[1] > 1] == [(1, 19), (1, 20)]


def test_a_prompt_that_a_group_shares_is_computed_once_and_finished_rows_leave(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy
) -> None:
    params = [replace(PARAMS, max_tokens=length) for length in (2, 4, 4, 9)]
    with forwards(tiny_policy) as shapes:
        completions = sample(
            sampler, [request(str(n), range(20, 50), params=each, seed=n) for n, each in enumerate(params)]
        )
    lengths = [len(completion.token_ids) for completion in completions]
    assert shapes[0] == (1, 29)
    assert [rows for rows, _ in shapes[1:]] == [
        sum(length > step for length in lengths) for step in range(max(lengths))
    ]


def test_first_tokens_come_with_their_probability(sampler: TransformersSampler, tiny_policy: LoadedPolicy) -> None:
    draws, prompt = 4000, [20, 30, 40]
    params = Sampling(max_tokens=1, temperature=0.3)
    requests = [request(str(seed), prompt, params=params, seed=seed) for seed in range(draws)]
    tokens = [completion.token_ids[0] for completion in sample(sampler, requests)]
    with torch.no_grad():
        probs_V = torch.softmax(tiny_policy.model(torch.tensor([prompt])).logits[0, -1] / 0.3, -1).numpy()
    frequency_V = np.bincount(tokens, minlength=len(probs_V)) / draws
    sigma_V = np.sqrt(probs_V * (1 - probs_V) / draws)
    assert np.abs(frequency_V - probs_V).max() < 5 * sigma_V.max()


def test_greedy_writes_the_most_probable_tokens(sampler: TransformersSampler, tiny_policy: LoadedPolicy) -> None:
    each = request("a", [20, 30], params=Sampling(max_tokens=8, temperature=0))
    completion = sample(sampler, [each])[0]
    ids = list(each.prompt_ids)
    for token in completion.token_ids:
        with torch.no_grad():
            assert int(tiny_policy.model(torch.tensor([ids])).logits[0, -1].argmax()) == token
        ids.append(token)


def test_r14_draws_stay_inside_the_nucleus(sampler: TransformersSampler, tiny_policy: LoadedPolicy) -> None:
    params = Sampling(max_tokens=1, top_k=3)
    requests = [request(str(seed), [20, 30], params=params, seed=seed) for seed in range(100)]
    completions = sample(sampler, requests)
    with torch.no_grad():
        logprobs_V = torch.log_softmax(tiny_policy.model(torch.tensor([[20, 30]])).logits[0, -1], -1)
    assert {each.token_ids[0] for each in completions} == set(logprobs_V.topk(3).indices.tolist())
    for each in completions:
        assert each.logprobs[0] == pytest.approx(float(logprobs_V[each.token_ids[0]]), abs=1e-5)


def test_r10_the_end_of_sequence_is_written_once_and_padding_never(renderer: Renderer) -> None:
    end = renderer.tokenizer.eos_token_id
    on_and_on = steered(renderer, 20, 21, end, 50, 51, 50)  # would write 50 after the end, if it were asked
    short, long = sample(on_and_on, [request("a", [20]), request("b", [50], params=replace(PARAMS, max_tokens=9))])
    assert (short.token_ids, short.finish_reason) == ((21, end), "stop")
    assert (long.token_ids, long.finish_reason) == ((51, 50) * 4 + (51,), "length")


def test_r10_any_of_two_end_ids_ends_a_message(renderer: Renderer) -> None:
    two = Renderer(renderer.tokenizer, eos_ids=[33])
    completion = sample(steered(two, 20, 21, 33), [request("a", [20])])[0]
    assert completion.token_ids == (21, 33)
    assert completion.finish_reason == "stop"


def test_r10_where_padding_is_the_end_it_is_kept_once() -> None:
    policy = load_policy("tiny:hidden=64,layers=2,heads=2,mlp=128,context=64")
    policy.tokenizer.pad_token = policy.tokenizer.eos_token
    renderer = Renderer(policy.tokenizer)
    end = policy.tokenizer.eos_token_id
    completions = sample(steered(renderer, 20, 21, end), [request("a", [20]), request("b", [21, 20])])
    assert [completion.token_ids for completion in completions] == [(21, end), (21, end)]


def test_r12_a_prompt_that_fills_the_context_gets_an_empty_completion(renderer: Renderer) -> None:
    sampler = steered(renderer, 20, 21, 20)
    assert sampler.context_length == 64
    prompts = {"full": [20] * 64, "over": [20] * 70_000, "fits": [20] * 58}
    full, over, fits = sample(sampler, [request(key, prompt) for key, prompt in prompts.items()])
    assert [each.token_ids for each in (full, over, fits)] == [(), (), (21, 20) * 3]
    assert {each.finish_reason for each in (full, over, fits)} == {"length"}


def test_an_action_ends_with_its_stop_text(renderer: Renderer) -> None:
    path = renderer.encode("ab)c")
    assert len(path) == 4
    sampler, prompt = steered(renderer, 20, *path), [20]
    stopped, other, free = sample(
        sampler,
        [
            request(str(number), prompt, params=replace(PARAMS, max_tokens=4, stop=stop))
            for number, stop in enumerate([("x", "b)"), ("(", "d"), ()])
        ],
    )
    assert (stopped.token_ids, stopped.finish_reason) == (path[:3], "stop_string")
    assert stopped.logprobs == free.logprobs[:3]
    assert (other.token_ids, other.finish_reason) == (free.token_ids, free.finish_reason) == (path, "length")


def test_a_stop_text_in_the_last_token_that_was_allowed_is_no_overrun(renderer: Renderer) -> None:
    path = renderer.encode("ab)c")
    params = replace(PARAMS, max_tokens=3, stop=("b)",))
    (completion,) = sample(steered(renderer, 20, *path), [request("a", [20], params=params)])
    assert (completion.token_ids, completion.finish_reason) == (path[:3], "stop_string")


@dataclass
class Watch:
    wish: Callable[[Sampled], Sequence[int] | None]
    top: int = 0

    def __call__(self, sampled: Sampled) -> Sequence[int] | None:
        return self.wish(sampled)


def test_a_monitor_stops_an_action(sampler: TransformersSampler) -> None:
    seen: list[tuple[int, float, float]] = []

    def stop_after_three(sampled: Sampled) -> list[int] | None:
        seen.append((sampled.token_id, sampled.logprob, sampled.entropy))
        assert sampled.top_logprobs == ()
        return [] if len(seen) == 3 else None

    watched, free = sample(
        sampler, [request("a", [20, 21], monitor=Watch(stop_after_three), seed=1), request("b", [20, 21], seed=1)]
    )
    assert watched.finish_reason == "monitor"
    assert watched.token_ids == free.token_ids[:3]
    assert [token for token, _, _ in seen] == list(watched.token_ids)
    assert [logprob for _, logprob, _ in seen] == pytest.approx(watched.logprobs)
    assert all(0 < entropy <= np.log(119) for _, _, entropy in seen)


def test_ids_that_a_monitor_forces_are_marked_and_keep_the_policys_log_probability(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy
) -> None:
    wishes = iter([None, [50, 51], None])
    params = replace(PARAMS, max_tokens=5)
    completion = sample(
        sampler, [request("a", [20, 21], params=params, monitor=Watch(lambda _: next(wishes, None)), seed=1)]
    )[0]
    assert completion.token_ids[2:4] == (50, 51)
    assert completion.sampled == (True, True, False, False, True)
    expected = forward_logprobs(tiny_policy.model, [20, 21], completion.token_ids)
    assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def test_a_monitor_sees_as_many_of_the_most_probable_tokens_as_it_wants(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy
) -> None:
    seen: list[Sampled] = []
    few: list[Sampled] = []
    watches = [Watch(lambda each: seen.append(each), top=3), Watch(lambda each: few.append(each), top=1)]
    params = replace(PARAMS, max_tokens=1, temperature=0.5)
    sample(sampler, [request(str(n), [20, 21], params=params, monitor=each) for n, each in enumerate(watches)])
    with torch.no_grad():
        logprobs_V = torch.log_softmax(tiny_policy.model(torch.tensor([[20, 21]])).logits[0, -1] / 0.5, -1)
    top = logprobs_V.topk(3)
    assert [token for token, _ in seen[0].top_logprobs] == top.indices.tolist()
    assert [logprob for _, logprob in seen[0].top_logprobs] == pytest.approx(top.values.tolist(), abs=1e-5)
    assert few[0].top_logprobs == seen[0].top_logprobs[:1]
