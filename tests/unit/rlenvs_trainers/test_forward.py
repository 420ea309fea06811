import numpy as np
import pytest
import torch
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from rlenvs.errors import RlenvsError
from rlenvs_trainers.batch import Sample
from rlenvs_trainers.forward import Policy, statistics_of_logits
from rlenvs_trainers.layout import lay_out, shared_prefixes
from rlenvs_trainers.signals import Critic, LogprobsOf

SIZES = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}


def make(kind):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        match kind:
            case "llama":
                return LlamaForCausalLM(LlamaConfig(**SIZES, **HEADS, initializer_range=0.3))
            case "tied":
                return LlamaForCausalLM(LlamaConfig(**SIZES, **HEADS, initializer_range=0.3, tie_word_embeddings=True))
            case "qwen3":
                return Qwen3ForCausalLM(Qwen3Config(**SIZES, **HEADS, head_dim=8, initializer_range=0.3))
            case "gpt2":
                return GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=32, n_layer=2, n_head=4, n_positions=64))
            case "sliding":
                return MistralForCausalLM(MistralConfig(**SIZES, **HEADS, sliding_window=4, initializer_range=0.3))
            case "capped":
                config = Gemma2Config(**SIZES, **HEADS, head_dim=8, final_logit_softcapping=2.0, initializer_range=0.3)
                return Gemma2ForCausalLM(config)


@pytest.fixture(scope="module")
def samples():
    """Two families of three with prompts of 9 and 4 tokens, completions of 1 to 12."""
    rng = np.random.default_rng(0)
    prompts = [rng.integers(0, 50, 9), rng.integers(0, 50, 4)]
    return [
        Sample.of(prompt, rng.integers(0, 50, int(length))) for prompt in prompts for length in rng.integers(1, 13, 3)
    ]


FAMILIES = np.array([0, 0, 0, 1, 1, 1])


def one_by_one(model, samples, temperature):
    """Log-probabilities and entropies from whole logits of single, unpadded sequences."""
    parts = []
    for sample in samples:
        logits = model(torch.from_numpy(sample.ids)[None]).logits[0, sample.positions - 1]
        parts.append(torch.stack(statistics_of_logits(logits, torch.from_numpy(sample.targets), temperature)))
    return torch.cat(parts, dim=1)


KINDS = {"llama": True, "tied": True, "qwen3": True, "gpt2": True, "sliding": False, "capped": False}


@pytest.mark.parametrize("kind", KINDS)
def test_signals_that_are_brought_along_are_those_of_single_sequences(kind, samples):
    model = make(kind).eval()
    policy = Policy(model, temperature=0.7)
    policy.bring([Critic(), LogprobsOf(ids="ids", name="others")])
    critic = policy.signals["value"]
    critic.head.weight.data.fill_(0.5)
    total = sum(len(sample.targets) for sample in samples)
    ids_NK = torch.from_numpy(np.random.default_rng(1).integers(0, 50, (total, 3)))
    prefix_lengths = shared_prefixes(samples, FAMILIES) if policy.shares_prefixes else np.zeros(len(samples), int)
    with torch.no_grad():
        got = policy(lay_out(samples, prefix_lengths), {"ids": ids_NK})
        values, logits = [], []
        for sample in samples:
            before = sample.positions - 1
            ids = torch.from_numpy(sample.ids)[None]
            values.append(critic.base(input_ids=ids).last_hidden_state[0, before].sum(-1) / 2)
            logits.append(model(ids).logits[0, before] / 0.7)
    torch.testing.assert_close(got["value"], torch.cat(values), rtol=1e-4, atol=1e-4)
    expected_NK = torch.cat(logits).log_softmax(-1).gather(1, ids_NK)
    torch.testing.assert_close(got["others"], expected_NK, rtol=1e-4, atol=1e-4)
    assert not {"value", "others"} & policy(lay_out(samples, prefix_lengths)).keys()


@pytest.mark.parametrize("overhead", [0, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_padded_and_shared_rows_give_what_single_sequences_give(kind, overhead, samples):
    """With no overhead rows are in many blocks, with a large one in a single one."""
    model = make(kind).eval()
    policy = Policy(model, temperature=0.7)
    assert policy.shares_prefixes == KINDS[kind], policy.notes
    prefixes = shared_prefixes(samples, FAMILIES)
    assert set(prefixes.tolist()) == {8, 3}
    lengths = prefixes if policy.shares_prefixes else np.zeros_like(prefixes)
    signals = policy(lay_out(samples, lengths, overhead=overhead))
    expected = one_by_one(model, samples, 0.7)
    torch.testing.assert_close(torch.stack([signals["logprob"], signals["entropy"]]), expected, rtol=1e-4, atol=2e-5)


def test_a_model_that_caps_its_logits_is_read_through_its_own_head(samples):
    policy = Policy(make("capped").eval(), temperature=1.0)
    assert not policy.has_linear_head
    assert any("more than a linear map" in note for note in policy.notes)


def test_a_model_that_does_not_attend_to_everything_shares_no_prefixes():
    policy = Policy(make("sliding").eval(), temperature=1.0)
    assert policy.notes == [
        "prompts are computed once per completion: not all of its layers attend to the whole context"
    ]


def test_what_the_layout_counts_is_what_the_model_reads(samples):
    read = []
    model = make("llama").eval()
    policy = Policy(model, temperature=1.0)
    handle = model.model.embed_tokens.register_forward_hook(lambda _, inputs, output: read.append(inputs[0].numel()))
    layout = lay_out(samples, shared_prefixes(samples, FAMILIES))
    policy(layout)
    handle.remove()
    assert sum(read) == layout.num_tokens
    longest = max(len(sample.positions) for sample in samples)
    assert layout.num_tokens == 2 * 8 + 6 * longest


def gpt2_with_dropout():
    return GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.5, attn_pdrop=0.5))


def opt_with_dropout():
    """Its layers call functional dropout with numbers of their own."""
    sizes = {"vocab_size": 50, "hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    dropout = {"dropout": 0.5, "attention_dropout": 0.5, "activation_dropout": 0.5, "layerdrop": 0.5}
    return OPTForCausalLM(OPTConfig(**sizes, **dropout, word_embed_proj_dim=32))


@pytest.mark.parametrize("checkpointing", [False, True])  # which is in training mode
@pytest.mark.parametrize("make_model", [gpt2_with_dropout, opt_with_dropout])
def test_dropout_is_off_for_good(make_model, checkpointing):
    with torch.random.fork_rng(devices=[]):
        policy = Policy(make_model(), temperature=1.0, gradient_checkpointing=checkpointing)
    layout = lay_out([Sample.of([1, 2], [3, 4, 5])], np.zeros(1, dtype=np.int64))
    policy.train()
    torch.testing.assert_close(policy(layout)["logprob"], policy(layout)["logprob"], rtol=0, atol=0)


def test_a_model_with_a_dropout_of_its_own_making_is_refused():
    model = make("llama")
    noisy = torch.nn.functional.dropout
    model.model.norm.register_forward_hook(lambda norm, _, output: noisy(output, 0.5, training=norm.training))
    assert Policy(model, temperature=1.0).has_linear_head
    with pytest.raises(RlenvsError, match="LlamaForCausalLM gives other logits when it reads the same tokens again"):
        Policy(model, temperature=1.0, gradient_checkpointing=True)


def test_gradient_checkpointing_changes_memory_and_not_the_gradient(samples):
    """Memory is saved by computing a layer again where its values are needed for the gradient."""
    gradients = []
    for checkpointing in (False, True):
        model, computed = make("llama"), []
        policy = Policy(model, temperature=1.0, gradient_checkpointing=checkpointing)
        model.model.layers[0].register_forward_pre_hook(lambda *_, computed=computed: computed.append(1))
        assert policy.shares_prefixes != checkpointing
        policy(lay_out(samples, np.zeros(6, dtype=np.int64), overhead=1000))["logprob"].sum().backward()
        assert len(computed) == (2 if checkpointing else 1)
        gradients.append(torch.cat([p.grad.flatten() for p in policy.parameters()]))
    torch.testing.assert_close(*gradients, rtol=1e-5, atol=1e-5)


def test_bfloat16_stays_near_float32_and_leaves_the_weights_alone(samples):
    full, half = (Policy(make("llama"), temperature=1.0, dtype=d) for d in (torch.float32, torch.bfloat16))
    layout = lay_out(samples, shared_prefixes(samples, FAMILIES))
    expected, got = full(layout)["logprob"], half(layout)["logprob"]
    assert got.dtype == torch.float32
    assert {p.dtype for p in half.parameters()} == {torch.float32}
    assert 1e-5 < float((got - expected).detach().abs().max()) < 0.3
    got.sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in half.parameters())
