"""The built-in policy: sizes, alphabet, and what is saved is what is read."""

import pytest
import torch

from rlenvs_trainers.tiny import ALPHABET, TAGS, TinyOptions, tiny_model, tiny_tokenizer


def test_the_default_has_fewer_than_half_a_million_parameters() -> None:
    model = tiny_model(TinyOptions(), tiny_tokenizer(), seed=0)
    assert sum(weight.numel() for weight in model.parameters()) == 441_856


def test_weights_follow_from_the_seed_and_leave_the_global_random_state_alone() -> None:
    options, tokenizer = TinyOptions(hidden=16, layers=1, heads=2, mlp=16), tiny_tokenizer()
    before = torch.random.get_rng_state()
    first, again, other = (tiny_model(options, tokenizer, seed=seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    name = "model.layers.0.mlp.up_proj.weight"
    assert torch.equal(first[name], again[name])
    assert not torch.equal(first[name], other[name])


@pytest.mark.parametrize("tied", [True, False])
def test_input_and_output_embeddings_are_one_matrix_only_where_tied(tied: bool) -> None:
    options = TinyOptions(hidden=16, layers=1, heads=2, mlp=16, tied=tied)
    model = tiny_model(options, tiny_tokenizer(), seed=0)
    same = model.get_input_embeddings().weight is model.get_output_embeddings().weight  # type: ignore[operator]
    assert same is tied


def test_every_character_and_tag_is_one_token_and_comes_back() -> None:
    tokenizer = tiny_tokenizer()
    text = ALPHABET + "".join(TAGS)
    ids = tokenizer(text, add_special_tokens=False).input_ids
    assert len(ids) == len(ALPHABET) + len(TAGS)
    assert tokenizer.decode(ids) == text


def test_tags_survive_decoding_without_special_tokens() -> None:
    tokenizer = tiny_tokenizer()
    text = "<think>1 + 1\n</think><answer>\\boxed{2}</answer>"
    assert tokenizer.decode(tokenizer(text + "<|end|>").input_ids, skip_special_tokens=True) == text


def test_a_sign_outside_the_alphabet_is_one_unknown_token() -> None:
    tokenizer = tiny_tokenizer()
    assert tokenizer("aéb").input_ids == [*tokenizer("a").input_ids, tokenizer.unk_token_id, *tokenizer("b").input_ids]


def test_begin_end_and_padding_are_three_different_ids() -> None:
    tokenizer = tiny_tokenizer()
    assert len({tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id}) == 3


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"hidden is a multiple of 2 x heads.*hidden=10, heads=4"):
        TinyOptions(hidden=10, heads=4)
    with pytest.raises(ValueError, match=r"at least 1.*layers"):
        TinyOptions(layers=0)
