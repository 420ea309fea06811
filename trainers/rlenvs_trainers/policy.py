"""From what a person writes after `--policy` to a model and its tokenizer: tiny, folder, checkpoint, GGUF or hub id.

Rendering is `render.py`'s, sampling the samplers', training the learner's.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from rlenvs.errors import RlenvsError, unknown
from rlenvs_trainers import checkpoint
from rlenvs_trainers.tiny import TinyOptions, tiny_model, tiny_tokenizer

if TYPE_CHECKING:
    import torch
    from torch import nn


class PolicyError(RlenvsError):
    """A policy that cannot be read, and what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPolicy:
    """A language model with the tokenizer that goes with it."""

    model: nn.Module  # a transformers causal language model, in evaluation mode
    tokenizer: Any  # a PreTrainedTokenizerBase
    name: str  # short, for tables and folder names
    spec: str  # what it was loaded from

    @property
    def eos_ids(self) -> tuple[int, ...]:
        """The ids that end a message according to the generation config; the `Renderer` adds the tokenizer's own."""
        config: Any = getattr(self.model, "generation_config", None)
        ids = getattr(config, "eos_token_id", None)
        return () if ids is None else (ids,) if isinstance(ids, int) else tuple(ids)

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits of a hash over the weights and their names: other weights, other results."""
        import torch

        digest = hashlib.sha256()
        for name, weight in sorted(self.model.state_dict().items()):
            digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
            digest.update(weight.detach().contiguous().cpu().flatten().view(torch.uint8).numpy())
        return digest.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """Write both in Hugging Face's layout: safetensors, readable by transformers, vLLM and `load_policy`."""
        self.model.save_pretrained(folder)  # type: ignore[operator]
        self.tokenizer.save_pretrained(folder)


def load_policy(
    spec: str, *, seed: int = 0, device: torch.device | str = "cpu", dtype: torch.dtype | None = None
) -> LoadedPolicy:
    """The policy that `spec` names, with SDPA attention.

    Args:
        spec: "tiny" or "tiny:hidden=64,layers=2" (fresh weights from `seed`); a folder in Hugging Face's layout; a run
            (its newest complete checkpoint) or a checkpoint (its `policy/`); a file `….gguf`; or a hub id "owner/name".
        dtype: of the weights; None: float32.

    Raises:
        PolicyError: it is none of these, or cannot be read; the sentence says which and what to do.
    """
    import torch
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # its bars for single files tell nothing, and reach logs that are not terminals
    name, model, tokenizer = _read(spec, seed, dtype or torch.float32)
    _check_attention(spec, model)
    return LoadedPolicy(model=model.to(device).eval(), tokenizer=tokenizer, name=name, spec=spec)


def _check_attention(spec: str, model: Any) -> None:
    """Refuse a model of which SDPA would leave something out, without a word."""
    cap = getattr(model.config.get_text_config(), "attn_logit_softcapping", None)
    if cap is not None:
        raise PolicyError(
            f"the policy {spec!r} caps its attention scores (attn_logit_softcapping = {cap:g} in its config.json), and "
            "SDPA attention would leave the cap out: log-probabilities would not be the model's own. Choose a model "
            "without one; of Gemma, 1 and 3 have none."
        )


def _read(spec: str, seed: int, dtype: torch.dtype) -> tuple[str, nn.Module, Any]:
    if spec == "tiny" or spec.startswith("tiny:"):
        options = tiny_options(spec)
        tokenizer = tiny_tokenizer(options.context)
        return "tiny", tiny_model(options, tokenizer, seed=seed).to(dtype), tokenizer
    path = Path(spec).expanduser()
    if path.suffix == ".gguf":
        return path.stem, *_from_gguf(path, dtype)
    if path.is_dir():
        return path.resolve().name, *_from_pretrained(str(_model_folder(path)), dtype)
    if path.is_absolute() or spec.startswith((".", "~")) or spec.count("/") != 1:
        raise PolicyError(
            f"no policy {spec!r}: there is no such folder. A policy is 'tiny', a folder in Hugging Face's layout, "
            f"a run, a checkpoint, a .gguf file, or a hub id like 'owner/name'."
        )
    try:
        return path.name, *_from_hub(spec, dtype)
    except PolicyError as error:
        raise PolicyError(f"{_near_folder(path)}{error}") from error


def _near_folder(path: Path) -> str:
    """What to say first of a hub id whose owner is a folder here: "runs/wram" was never meant for the hub."""
    if not path.parent.is_dir():
        return ""
    folders = [each.name for each in path.parent.iterdir() if each.is_dir()]
    return f"in the folder {path.parent}: {unknown('policy', path.name, folders)} Taken as a hub id: "


def tiny_options(spec: str) -> TinyOptions:
    """The sizes written in "tiny:hidden=64,layers=2"."""
    known = get_type_hints(TinyOptions)
    chosen: dict[str, Any] = {}
    for item in filter(None, spec.partition(":")[2].split(",")):
        name, _, text = (part.strip() for part in item.partition("="))
        if name not in known:
            raise PolicyError(f"in {spec!r}: " + unknown("option of a tiny policy", name, known))
        chosen[name] = _option(spec, name, text, known[name])
    try:
        return replace(TinyOptions(), **chosen)
    except ValueError as error:
        raise PolicyError(f"in {spec!r}: {error}") from error


def _option(spec: str, name: str, text: str, kind: type) -> int | bool:
    truth = {"true": True, "false": False}
    if kind is bool and text.lower() in truth:
        return truth[text.lower()]
    if kind is int and text.isascii() and text.isdigit():
        return int(text)
    expected = "true or false" if kind is bool else "a whole number"
    raise PolicyError(f"in {spec!r}: {name} is {expected}, got {text!r}")


def _model_folder(path: Path) -> Path:
    if (path / checkpoint.MANIFEST).is_file() and (defect := checkpoint.defect(path)) is not None:
        raise PolicyError(f"checkpoint {path} cannot be used: {defect}")
    newest = checkpoint.newest(path / "checkpoints").path
    for folder in (path, path / "policy", *([newest / "policy"] if newest else [])):
        if (folder / "config.json").is_file():
            return folder
    raise PolicyError(
        f"{path} has neither config.json (a model), nor policy/config.json (a checkpoint), nor a complete checkpoint "
        "in checkpoints/ (a run): there is no policy in it."
    )


def _from_hub(id: str, dtype: torch.dtype) -> tuple[nn.Module, Any]:
    """From the hub; where it does not answer, from what was downloaded before.

    It is asked once beforehand: reading asks six times for every file, for a minute, before it gives up.
    """
    from huggingface_hub import model_info
    from huggingface_hub.errors import HfHubHTTPError

    try:
        model_info(id, timeout=10)
        is_there = True
    except HfHubHTTPError:
        is_there = True  # it answers: reading says what is wrong with the model
    except Exception:  # the network library's own errors, whichever that is
        is_there = False
    return _from_pretrained(id, dtype, local_files_only=not is_there)


def _from_pretrained(source: str, dtype: torch.dtype, *, local_files_only: bool = False) -> tuple[nn.Module, Any]:
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=local_files_only)
        model = AutoModelForCausalLM.from_pretrained(
            source, dtype=dtype, attn_implementation="sdpa", local_files_only=local_files_only
        )
    except (OSError, RuntimeError, ValueError, SafetensorError) as error:
        reason = str(error).strip().splitlines()[0]
        raise PolicyError(
            f"the policy {source!r} cannot be read: {reason} If it is a hub id, check the name and the connection; "
            f"without a connection give a local folder in Hugging Face's layout."
        ) from error
    return model, tokenizer


def _from_gguf(path: Path, dtype: torch.dtype) -> tuple[nn.Module, Any]:
    """De-quantised: a plain model of the same architecture, that trains and saves like any other."""
    from importlib.util import find_spec

    from transformers import AutoModelForCausalLM, AutoTokenizer

    if not path.is_file():
        raise PolicyError(f"no file {path}")
    if find_spec("gguf") is None:
        raise PolicyError(f"{path} is a GGUF file: reading it needs `pip install rlenvs-llm[gguf]`")
    folder, file = str(path.parent), path.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    quantised = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=dtype)
    config = type(quantised.config).from_dict(
        {name: value for name, value in quantised.config.to_dict().items() if name != "quantization_config"}
    )
    config._attn_implementation = "sdpa"
    model = type(quantised)(config).to(dtype)
    model.load_state_dict(quantised.state_dict())
    model.generation_config = quantised.generation_config
    return model, tokenizer
