"""The embedded sampler against a plain forward pass: numbers, models, versions."""

import random
from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MistralConfig,
    MistralForCausalLM,
)

from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Sampling
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.config import EnvConfig, TrainConfig
from rlenvs_trainers.policy import LoadedPolicy, load_policy
from rlenvs_trainers.preflight import check_sampler
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.attention import NAME, UNSERVED, attend
from rlenvs_trainers.samplers.base import StaleWeightsError
from rlenvs_trainers.samplers.transformers import TransformersSampler

from .asked import PARAMS, forward_logprobs, ragged, request, sample, score, scored


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


def test_sampling_leaves_the_trainers_module_as_it_was(renderer: Renderer) -> None:
    model = grouped_query_model().train()
    for layer in model.model.layers:
        layer.self_attn.attention_dropout = 0.5
    ids = torch.tensor([range(20, 40)])
    assert not torch.equal(model(ids).logits, model(ids).logits)
    sampler = TransformersSampler(model, renderer)
    requests = ragged(2, 2)
    assert sample(sampler, requests) == sample(sampler, requests)  # no dropout
    assert model.training
    assert model.config._attn_implementation == "sdpa" != NAME


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


def sliding_window_model(window: int) -> Any:
    torch.manual_seed(0)
    config = MistralConfig(
        vocab_size=119, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, sliding_window=window, max_position_embeddings=400,
    )  # fmt: skip
    return MistralForCausalLM(config).eval()


def test_a_sliding_window_bounds_the_context(renderer: Renderer) -> None:
    model = sliding_window_model(40)
    sampler = TransformersSampler(model, renderer)
    assert sampler.context_length == 40
    each = request("a", list(range(20, 50)))
    completion = sample(sampler, [each])[0]
    expected = forward_logprobs(model, each.prompt_ids, completion.token_ids)
    assert torch.tensor(completion.logprobs).sub(expected).abs().max() < 1e-5


def test_what_is_longer_than_the_model_reads_is_not_scored(renderer: Renderer) -> None:
    sampler = TransformersSampler(sliding_window_model(40), renderer)
    assert len(score(sampler, [scored((1,) * 398, (2, 3))])[0]) == 2
    with pytest.raises(RlenvsError, match="prefix and continuation have 401 tokens, and the model reads 400"):
        score(sampler, [scored((1,) * 399, (2, 3))])


def test_a_window_shorter_than_the_models_context_is_named_in_a_note_and_in_the_refusal(renderer: Renderer) -> None:
    config = TrainConfig(env=(EnvConfig(id="test/Env-v0"),), sampling=Sampling(max_tokens=64))
    sampler = TransformersSampler(sliding_window_model(40), renderer)
    (note,) = sampler.notes
    assert "the context is 40 tokens of the 400 that the model has" in note
    with pytest.raises(RlenvsError, match=r"in a context of 40 tokens \(.*sliding_window = 40 in its config\.json"):
        check_sampler(GRPO, sampler, config)
    wide = TransformersSampler(sliding_window_model(400), renderer)
    assert (wide.context_length, wide.notes) == (400, ())
    check_sampler(GRPO, wide, config)


def test_a_model_whose_attention_would_be_another_is_refused(renderer: Renderer) -> None:
    config = Gemma2Config(
        vocab_size=119, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, head_dim=8, attn_logit_softcapping=50.0, attn_implementation="sdpa",
    )  # fmt: skip
    sampler = TransformersSampler(Gemma2ForCausalLM(config).eval(), renderer)
    with pytest.raises(RlenvsError, match=r"Gemma2Attention caps its attention scores \(softcap\): the transformers"):
        sample(sampler, [request("a", [20, 21])])


@pytest.mark.parametrize("name", UNSERVED)
def test_what_attention_would_leave_out_is_refused_by_name(name: str) -> None:
    query = torch.ones(1, 2, 1, 4)
    attend(torch.nn.Identity(), query, query, query, None, **{name: None})
    with pytest.raises(RlenvsError, match=rf"^Identity .*\({name}\)"):
        attend(torch.nn.Identity(), query, query, query, None, **{name: torch.ones(2)})


def test_a_model_without_attention_is_refused(renderer: Renderer) -> None:
    from transformers import MambaForCausalLM

    config = MambaConfig(vocab_size=119, hidden_size=16, num_hidden_layers=1, state_size=4)
    with pytest.raises(RlenvsError, match="needs attention in every layer"):
        TransformersSampler(MambaForCausalLM(config), renderer)
