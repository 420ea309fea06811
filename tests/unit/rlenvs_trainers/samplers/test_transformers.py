"""The embedded sampler against a plain forward pass: numbers, versions, limits, batches."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MambaConfig, MistralConfig

from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Sampling
from rlenvs_trainers.policy import LoadedPolicy, load_policy
from rlenvs_trainers.records import Completion
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers import decode
from rlenvs_trainers.samplers.attention import NAME
from rlenvs_trainers.samplers.base import Sampled, SampleRequest, ScoreRequest, StaleWeightsError
from rlenvs_trainers.samplers.transformers import TransformersSampler

PARAMS = Sampling(max_tokens=24)


def request(key: str, prompt: Sequence[int], **changes: Any) -> SampleRequest:
    given = {"key": key, "prompt_ids": tuple(prompt), "params": PARAMS, "seed": 0}
    return SampleRequest(**{**given, **changes})


def ragged(num_prompts: int = 5, attempts: int = 3, params: Sampling = PARAMS) -> list[SampleRequest]:
    """Prompts of 1, 4, 7 … tokens, several attempts at each."""
    rng = np.random.default_rng(0)
    prompts = [tuple(rng.integers(12, 110, size=1 + 3 * number).tolist()) for number in range(num_prompts)]
    return [
        request(f"{number}/{attempt}", prompt, params=params, seed=100 * number + attempt)
        for number, prompt in enumerate(prompts)
        for attempt in range(attempts)
    ]


def sample(sampler: TransformersSampler, requests: Sequence[SampleRequest]) -> list[Completion]:
    return asyncio.run(sampler.sample(requests))


def scored(prefix: tuple[int, ...], continuation: tuple[int, ...], **changes: Any) -> ScoreRequest:
    return ScoreRequest(key=f"{prefix}", prefix_ids=prefix, continuation_ids=continuation, **changes)


def score(sampler: TransformersSampler, requests: Sequence[ScoreRequest]) -> list[tuple[float, ...]]:
    return asyncio.run(sampler.score(requests))


def forward_logprobs(model: Any, prompt: Sequence[int], ids: Sequence[int], temperature: float = 1.0) -> torch.Tensor:
    with torch.no_grad():
        logits_TV = model(torch.tensor([[*prompt, *ids]])).logits[0].float() / temperature
    logprobs_TV = torch.log_softmax(logits_TV[len(prompt) - 1 : -1], -1)
    return logprobs_TV.gather(1, torch.tensor(ids)[:, None])[:, 0]


@pytest.fixture
def sampler(tiny_policy: LoadedPolicy, renderer: Renderer) -> TransformersSampler:
    return TransformersSampler(tiny_policy.model, renderer)


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_log_probabilities_are_those_of_a_plain_forward_pass(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy, temperature: float
) -> None:
    requests = ragged(params=replace(PARAMS, temperature=temperature))
    for each, completion in zip(requests, sample(sampler, requests), strict=True):
        expected = forward_logprobs(tiny_policy.model, each.prompt_ids, completion.token_ids, temperature)
        assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def grouped_query_model() -> Any:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=119,
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=8,
        num_key_value_heads=2,
        max_position_embeddings=128,
        attn_implementation="sdpa",
    )
    return LlamaForCausalLM(config).eval()


def learned_positions_model() -> Any:
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=119, n_embd=32, n_layer=2, n_head=2, n_positions=128)).eval()


@pytest.mark.parametrize("make", [grouped_query_model, learned_positions_model])
def test_other_architectures_agree_with_their_forward_pass_too(make: Any, renderer: Renderer) -> None:
    model = make()
    requests = ragged()
    for each, completion in zip(requests, sample(TransformersSampler(model, renderer), requests), strict=True):
        expected = forward_logprobs(model, each.prompt_ids, completion.token_ids)
        assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def test_the_order_of_requests_changes_nothing(sampler: TransformersSampler) -> None:
    requests = ragged()
    shuffled = random.Random(1).sample(requests, len(requests))
    by_key = {each.key: completion for each, completion in zip(shuffled, sample(sampler, shuffled), strict=True)}
    assert [by_key[each.key] for each in requests] == sample(sampler, requests)


def test_a_requests_tokens_do_not_depend_on_its_neighbours(sampler: TransformersSampler) -> None:
    requests = ragged()
    alone = [sample(sampler, [each])[0].token_ids for each in requests]
    assert alone == [completion.token_ids for completion in sample(sampler, requests)]


def test_siblings_differ_and_equal_seeds_agree(sampler: TransformersSampler) -> None:
    first, second, again = sample(
        sampler, [request("a", [20, 30], seed=1), request("b", [20, 30], seed=2), request("c", [20, 30], seed=1)]
    )
    assert first.token_ids == again.token_ids
    assert first.token_ids != second.token_ids


@pytest.mark.parametrize("max_rows", [1, 2, 4])
def test_few_rows_that_are_refilled_write_the_same(
    tiny_policy: LoadedPolicy, renderer: Renderer, sampler: TransformersSampler, max_rows: int
) -> None:
    few = TransformersSampler(tiny_policy.model, renderer, max_rows=max_rows)
    requests = ragged()
    expected = [completion.token_ids for completion in sample(sampler, requests)]
    assert [completion.token_ids for completion in sample(few, requests)] == expected


def test_rows_are_as_many_as_fit_the_cache(tiny_policy: LoadedPolicy, renderer: Renderer) -> None:
    # 2 (keys, values) x 2 layers x 2 heads x 32 wide x 4 bytes = 1 KiB a position; 13 + 24 positions at most
    small = TransformersSampler(tiny_policy.model, renderer, max_cache_gib=80 * 1024 / 2**30)
    requests = ragged()
    assert small._rows_that_fit(tiny_policy.model, requests, [24] * len(requests)) == 80 // 37


def test_prompts_are_prefilled_in_slices_without_a_difference(
    sampler: TransformersSampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = ragged()
    expected = [completion.token_ids for completion in sample(sampler, requests)]
    monkeypatch.setattr(decode, "PREFILL_TOKENS", 8)
    assert [completion.token_ids for completion in sample(sampler, requests)] == expected


def test_a_prompt_that_a_group_shares_is_computed_once_and_finished_rows_leave(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy
) -> None:
    shapes: list[tuple[int, ...]] = []
    model: Any = tiny_policy.model
    hook = model.model.embed_tokens.register_forward_hook(lambda _, inputs, __: shapes.append(tuple(inputs[0].shape)))
    try:
        params = [replace(PARAMS, max_tokens=length) for length in (2, 4, 4, 9)]
        completions = sample(
            sampler, [request(str(n), range(20, 50), params=each, seed=n) for n, each in enumerate(params)]
        )
    finally:
        hook.remove()
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


def test_scores_are_log_probabilities_at_temperature_one(
    sampler: TransformersSampler, tiny_policy: LoadedPolicy
) -> None:
    prefixes, continuations = [(20,), (30, 40, 50), (60, 61)], [(21, 22, 23), (24,), ()]
    scores = score(sampler, [scored(prefix, rest) for prefix, rest in zip(prefixes, continuations, strict=True)])
    for prefix, rest, logprobs in zip(prefixes[:2], continuations[:2], scores[:2], strict=True):
        expected = forward_logprobs(tiny_policy.model, prefix, rest)
        assert logprobs == pytest.approx(expected.tolist(), abs=1e-5)
    assert scores[2] == ()
    with pytest.raises(ValueError, match="no empty prefix"):
        scored((), (1,))


# Ends and limits.


def steered(renderer: Renderer, *path: int) -> Any:
    """A policy that after id n of the path (or any other) writes the next, almost surely."""
    policy = load_policy("tiny:hidden=64,layers=2,heads=2,mlp=128,context=64,tied=false", seed=0)
    model: Any = policy.model
    with torch.no_grad():
        for weight in model.model.layers.parameters():
            weight.zero_()
        model.model.embed_tokens.weight.zero_()
        model.lm_head.weight.zero_()
        for here, following in pairwise(path):
            model.model.embed_tokens.weight[here, here % 64] = 1.0
            model.lm_head.weight[following, here % 64] = 50.0
    return TransformersSampler(model, renderer)


def test_r10_the_end_of_sequence_is_written_once_and_padding_never(renderer: Renderer) -> None:
    end, pad = renderer.tokenizer.eos_token_id, renderer.tokenizer.pad_token_id
    short, long = sample(
        steered(renderer, 20, 21, end),
        [request("a", [20]), request("b", [50, 51], params=replace(PARAMS, max_tokens=9))],
    )
    assert short.token_ids == (21, end)
    assert short.finish_reason == "stop"
    assert len(long.token_ids) <= 9
    assert pad not in short.token_ids


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


def test_r12_a_prompt_that_fills_the_context_gets_an_empty_completion(sampler: TransformersSampler) -> None:
    full, over, fits = sample(
        sampler,
        [request("full", [20] * 256), request("over", [20] * 70_000), request("fits", [20] * 250)],
    )
    assert [len(each.token_ids) for each in (full, over)] == [0, 0]
    assert full.finish_reason == over.finish_reason == "length"
    assert len(fits.token_ids) <= 6


def test_r14_draws_stay_inside_the_nucleus(sampler: TransformersSampler, tiny_policy: LoadedPolicy) -> None:
    params = Sampling(max_tokens=1, top_k=3)
    requests = [request(str(seed), [20, 30], params=params, seed=seed) for seed in range(100)]
    completions = sample(sampler, requests)
    with torch.no_grad():
        logprobs_V = torch.log_softmax(tiny_policy.model(torch.tensor([[20, 30]])).logits[0, -1], -1)
    assert {each.token_ids[0] for each in completions} == set(logprobs_V.topk(3).indices.tolist())
    for each in completions:
        assert each.logprobs[0] == pytest.approx(float(logprobs_V[each.token_ids[0]]), abs=1e-5)


# Stop texts.


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


# Versions.


def test_r19_another_version_than_the_one_asked_for_is_an_error(sampler: TransformersSampler) -> None:
    with pytest.raises(StaleWeightsError, match="sampler weights of 'policy' are version 0, trainer 1"):
        sample(sampler, [request("a", [20]), request("b", [20], version=1)])
    with pytest.raises(StaleWeightsError, match="sampler weights of 'policy' are version 0, trainer 1"):
        score(sampler, [scored((20,), (21,), version=1)])


def test_r19_weights_may_lag_as_far_as_the_request_allows_and_never_lead(sampler: TransformersSampler) -> None:
    sampler.load(sampler._find("policy").model.state_dict(), 3)
    (completion,) = sample(sampler, [request("a", [20], version=5, max_staleness=2)])
    assert completion.version == 3
    for version in (6, 2):
        with pytest.raises(StaleWeightsError, match=f"are version 3, trainer {version}"):
            sample(sampler, [request("a", [20], version=version, max_staleness=2)])


def test_r19_shared_weights_that_changed_without_being_published_are_an_error(renderer: Renderer) -> None:
    policy = load_policy("tiny:hidden=64,layers=2,heads=2,mlp=128")
    sampler = TransformersSampler(policy.model, renderer)
    optimizer = torch.optim.SGD(policy.model.parameters(), lr=0.5)
    policy.model(torch.tensor([[20, 21]])).logits.sum().backward()
    optimizer.step()
    with pytest.raises(StaleWeightsError, match="are version 0, trainer 1"):
        sample(sampler, [request("a", [20], version=0)])
    sampler.load(policy.model.state_dict(), 1)
    completion = sample(sampler, [request("a", [20], version=1)])[0]
    assert completion.version == sampler.version() == 1
    expected = forward_logprobs(policy.model, [20], completion.token_ids)
    assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def test_r19_published_weights_are_the_ones_that_write(renderer: Renderer) -> None:
    trained, served = (load_policy("tiny:hidden=64,layers=2,heads=2,mlp=128", seed=seed) for seed in (1, 2))
    sampler = TransformersSampler(served.model, renderer)
    sampler.load({name: value.clone() for name, value in trained.model.state_dict().items()}, 5)
    completion = sample(sampler, [request("a", [20], version=5)])[0]
    expected = forward_logprobs(trained.model, [20], completion.token_ids)
    assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def test_weights_of_another_model_are_refused(sampler: TransformersSampler) -> None:
    with pytest.raises(ValueError, match=r"unknown \['strange'\], missing \["):
        sampler.load({"strange": torch.zeros(1)}, 1)


def test_several_policies_have_names(tiny_policy: LoadedPolicy, renderer: Renderer) -> None:
    past = load_policy("tiny:hidden=64,layers=2,heads=2,mlp=128", seed=9)
    sampler = TransformersSampler(tiny_policy.model, renderer)
    sampler.serve(past.model, policy="past", version=7)
    now, then = sample(sampler, [request("a", [20], seed=1), request("b", [20], seed=1, policy="past")])
    assert (now.policy, now.version, then.policy, then.version) == ("policy", 0, "past", 7)
    assert now.logprobs != then.logprobs
    ours, its = score(sampler, [scored((20,), (21,)), scored((20,), (21,), policy="past", version=7)])
    assert its == pytest.approx(forward_logprobs(past.model, [20], [21]).tolist(), abs=1e-5)
    assert ours != its
    with pytest.raises(RlenvsError, match=r"no policy in this sampler 'pats'. Did you mean 'past'"):
        sample(sampler, [request("a", [20], policy="pats")])


def test_sampling_leaves_the_trainers_module_as_it_was(renderer: Renderer) -> None:
    model = grouped_query_model()
    model.config.attention_dropout = 0.5
    model.train()
    sampler = TransformersSampler(model, renderer)
    requests = ragged(2, 2)
    assert sample(sampler, requests) == sample(sampler, requests)  # no dropout
    assert model.training
    assert model.config._attn_implementation == "sdpa" != NAME


# Monitors.


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


# Models that are served only in part, or not at all.


def test_a_sliding_window_bounds_the_context(renderer: Renderer) -> None:
    config = MistralConfig(
        vocab_size=119, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, sliding_window=40, max_position_embeddings=400,
    )  # fmt: skip
    from transformers import MistralForCausalLM

    model = MistralForCausalLM(config).eval()
    sampler = TransformersSampler(model, renderer)
    assert sampler.context_length == 40
    each = request("a", list(range(20, 50)))
    completion = sample(sampler, [each])[0]
    expected = forward_logprobs(model, each.prompt_ids, completion.token_ids)
    assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def test_a_model_without_attention_is_refused(renderer: Renderer) -> None:
    from transformers import MambaForCausalLM

    config = MambaConfig(vocab_size=119, hidden_size=16, num_hidden_layers=1, state_size=4)
    with pytest.raises(RlenvsError, match="needs attention in every layer"):
        TransformersSampler(MambaForCausalLM(config), renderer)
