"""Which device a name in a config means, with any number of them."""

import pytest
import torch

from rlenvs.errors import RlenvsError
from rlenvs_trainers.devices import device_named


def with_gpus(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)


@pytest.mark.parametrize(
    ("num_gpus", "rank", "asked", "meant"),
    [
        (0, "0", "auto", "cpu"),
        (2, "0", "auto", "cuda:0"),
        (2, "1", "auto", "cuda:1"),
        (2, "0", "cpu", "cpu"),
        (2, "1", "cuda", "cuda:1"),
        (2, "1", "cuda:0", "cuda:0"),
    ],
)
def test_a_name_means_a_device_and_cuda_alone_this_ranks_own(
    monkeypatch: pytest.MonkeyPatch, num_gpus: int, rank: str, asked: str, meant: str
) -> None:
    with_gpus(monkeypatch, num_gpus)
    monkeypatch.setenv("LOCAL_RANK", rank)
    assert device_named(asked) == torch.device(meant)


@pytest.mark.parametrize(("num_gpus", "rank", "asked"), [(0, "0", "cuda"), (2, "0", "cuda:2"), (2, "2", "auto")])
def test_a_device_that_is_not_there_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, num_gpus: int, rank: str, asked: str
) -> None:
    with_gpus(monkeypatch, num_gpus)
    monkeypatch.setenv("LOCAL_RANK", rank)
    with pytest.raises(RlenvsError, match=f"eval.device is '{asked}', and PyTorch .* sees {num_gpus} CUDA devices"):
        device_named(asked, "eval.device")
