"""What may stand after `--policy`, and the sentences for what may not."""

from pathlib import Path

import pytest
import torch
from transformers import Gemma2Config, Gemma2ForCausalLM

from rlenvs_trainers import checkpoint
from rlenvs_trainers.policy import LoadedPolicy, PolicyError, load_policy, tiny_options
from rlenvs_trainers.tiny import TinyOptions


def test_options_of_a_tiny_policy_are_read_from_its_name() -> None:
    assert tiny_options("tiny") == TinyOptions()
    assert tiny_options("tiny:hidden=64, layers=2,tied=false") == TinyOptions(hidden=64, layers=2, tied=False)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("tiny:hiden=64", "Did you mean 'hidden'"),
        ("tiny:hidden=wide", "hidden is a whole number, got 'wide'"),
        ("tiny:tied=1", "tied is true or false, got '1'"),
        ("tiny:hidden=9", "multiple of 2 x heads"),
        ("./nowhere", "there is no such folder"),
        ("nowhere", "hub id like 'owner/name'"),
        ("./model.gguf", "no file model.gguf"),
    ],
)
def test_a_policy_that_is_not_there_gets_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(PolicyError, match=sentence):
        load_policy(spec)


@pytest.mark.parametrize("layout", ["folder", "checkpoint"])
def test_what_is_saved_is_what_is_loaded(tiny_policy: LoadedPolicy, tmp_path: Path, layout: str) -> None:
    folder = tmp_path / "step-000003"
    tiny_policy.save(folder if layout == "folder" else folder / "policy")
    loaded = load_policy(str(folder))
    ids = torch.tensor([[1, 4, 30, 31, 5]])
    with torch.no_grad():
        assert torch.equal(loaded.model(ids).logits, tiny_policy.model(ids).logits)
    assert loaded.tokenizer.chat_template == tiny_policy.tokenizer.chat_template
    assert loaded.tokenizer("a <think>").input_ids == tiny_policy.tokenizer("a <think>").input_ids
    assert loaded.eos_ids == tiny_policy.eos_ids == (tiny_policy.tokenizer.eos_token_id,)
    assert loaded.name == "step-000003"
    assert loaded.model.config._attn_implementation == "sdpa"


def test_a_model_that_caps_its_attention_scores_is_refused(tiny_policy: LoadedPolicy, tmp_path: Path) -> None:
    """SDPA in transformers is handed the cap and leaves it out."""
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "head_dim": 4}
    for cap in (50.0, None):
        config = Gemma2Config(vocab_size=119, num_key_value_heads=1, attn_logit_softcapping=cap, **sizes)
        Gemma2ForCausalLM(config).save_pretrained(tmp_path / str(cap))
        tiny_policy.tokenizer.save_pretrained(tmp_path / str(cap))
    load_policy(str(tmp_path / "None"))
    with pytest.raises(PolicyError, match=r"attn_logit_softcapping = 50 in its config\.json"):
        load_policy(str(tmp_path / "50.0"))


def test_a_run_is_the_policy_of_its_newest_complete_checkpoint(tiny_policy: LoadedPolicy, tmp_path: Path) -> None:
    for step in (3, 7):
        checkpoint.save(tmp_path / "checkpoints", step, tensors={}, state={}, write_policy=tiny_policy.save)
    (tmp_path / "checkpoints" / "step-000007" / "state.json").unlink()
    loaded = load_policy(str(tmp_path))
    assert loaded.model.config._name_or_path.endswith("step-000003/policy")


def test_a_run_without_a_complete_checkpoint_holds_no_policy(tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / "step-000007").mkdir(parents=True)
    with pytest.raises(PolicyError, match="nor a complete checkpoint in checkpoints/"):
        load_policy(str(tmp_path))


def test_a_gguf_file_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.gguf").touch()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(PolicyError, match=r"rlenvs-llm\[gguf\]"):
        load_policy(str(tmp_path / "model.gguf"))


def test_a_hub_id_that_cannot_be_reached_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(PolicyError, match=r"'owner/no-such-model' cannot be read.*local folder"):
        load_policy("owner/no-such-model")


def test_a_hub_that_does_not_answer_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def unreachable(id: str, timeout: float) -> None:
        asked.append((id, timeout))
        raise ConnectionError("no such host")

    monkeypatch.setattr("huggingface_hub.model_info", unreachable)
    with pytest.raises(PolicyError, match=r"'owner/no-such-model' cannot be read.*check the name and the connection"):
        load_policy("owner/no-such-model")
    assert asked == [("owner/no-such-model", 10)]
    assert capfd.readouterr().err == "", "nothing is said of retries"


def test_a_mistyped_run_is_told_its_neighbour_and_not_only_that_the_hub_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)
    for name in ("warm", "grpo"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    with pytest.raises(PolicyError, match=r"no policy 'wram'\. Did you mean 'warm'\? There is: grpo, warm"):
        load_policy("runs/wram")


def test_a_dtype_is_the_weights_dtype() -> None:
    policy = load_policy("tiny:hidden=16,layers=1,heads=2,mlp=16", dtype=torch.bfloat16)
    assert {weight.dtype for weight in policy.model.parameters()} == {torch.bfloat16}
