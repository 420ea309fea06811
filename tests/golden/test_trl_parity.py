"""TRL's own loss function on the same random tensors, for every loss that both have. Needs TRL (the extra `dev`)."""

from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rlenvs_trainers.batch import Batch, Sample
from rlenvs_trainers.objective import Views, objective
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.surrogate import Clip, Soft, TruncatedWeight
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch

pytestmark = pytest.mark.trl

ROWS, WIDTH = 8, 12
TOKENS, TRAJECTORIES = Mean(over="token"), Mean(over="trajectory")

# name: what TRL's trainer is told, and the slots that say the same here
CASES = {
    "grpo": ({"loss_type": "grpo"}, {}),
    "dapo": ({"loss_type": "dapo", "epsilon_high": 0.28}, {"surrogate": Clip(high=0.28), "reduce": TOKENS}),
    "dapo with delta": ({"loss_type": "dapo", "delta": 3.0}, {"surrogate": Clip(cap=3.0), "reduce": TOKENS}),
    "dr_grpo": ({"loss_type": "dr_grpo"}, {"reduce": Mean(over="trajectory", inner="sum", constant=float(WIDTH))}),
    "cispo": (
        {"loss_type": "cispo", "epsilon_high": 1.5},
        {"surrogate": TruncatedWeight(highest=1.5), "reduce": TOKENS},
    ),
    "sapo": ({"loss_type": "sapo"}, {"surrogate": Soft()}),
    "gspo": (
        {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon_low": 0.02, "epsilon_high": 0.03},
        {"ratio": Ratio(unit="trajectory"), "surrogate": Clip(low=0.02, high=0.03)},
    ),
    "grpo with KL": ({"loss_type": "grpo", "beta": 0.04}, {"regularise": (KL(coefficient=0.04),)}),
    "dapo on uncertain tokens": (
        {"loss_type": "dapo", "top_entropy_quantile": 0.2},
        {"reduce": TOKENS, "weights": (HighEntropy(share=0.2, normalise_by="all"),)},
    ),
    "grpo with off-policy mask": (
        {"loss_type": "grpo", "off_policy_mask_threshold": 0.02},
        {"weights": (DropDrifted(threshold=0.02),)},
    ),
    "grpo with an entropy bonus": (
        {"loss_type": "grpo", "entropy_coef": 0.01, "_entropy_bonus_enabled": True},
        {"regularise": (EntropyBonus(coefficient=0.01, reduce=TOKENS),)},
    ),
    "grpo with mismatch weights and KL": (
        {"loss_type": "grpo", "beta": 0.1, "use_vllm": True, "vllm_importance_sampling_correction": True},
        {"weights": (Mismatch(unit="trajectory", mode="truncate", highest=1.1),), "regularise": (KL(coefficient=0.1),)},
    ),
}


@pytest.fixture(scope="module")
def tensors():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, WIDTH + 1, ROWS)
    old = -rng.gamma(2.0, 0.5, (ROWS, WIDTH))
    return {
        "mask": (np.arange(WIDTH) < lengths[:, None]).astype(np.int64),
        "old": old,
        "logprob": old + 0.3 * rng.standard_normal((ROWS, WIDTH)),
        "reference": old + 0.3 * rng.standard_normal((ROWS, WIDTH)),
        "sampler": old + 0.05 * rng.standard_normal((ROWS, WIDTH)),
        "entropy": rng.gamma(2.0, 0.5, (ROWS, WIDTH)),
        "advantage": rng.standard_normal(ROWS),
    }


def trl_loss(settings, tensors, leaf):
    grpo_trainer = pytest.importorskip("trl.trainer.grpo_trainer")
    args = {"delta": None, "use_bias_correction_kl": False, "sapo_temperature_pos": 1.0, "sapo_temperature_neg": 1.05}
    trainer = {
        "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None,
        "importance_sampling_level": "token",
        "beta": 0.0,
        "epsilon_low": 0.2,
        "epsilon_high": 0.2,
        "use_vllm": False,
        "vllm_importance_sampling_correction": False,
        "max_completion_length": WIDTH,
        "aux_loss_enabled": False,
        "_entropy_bonus_enabled": False,
        "use_adaptive_entropy": False,
        **settings,
    }
    args = {key: trainer.pop(key, value) for key, value in args.items()}
    entropy = torch.from_numpy(tensors["entropy"])
    accelerator = SimpleNamespace(
        num_processes=1,
        gather=lambda x: x,
        reduce=lambda x, reduction: x,
        pad_across_processes=lambda x, dim, pad_index: x,
    )
    stand_in = SimpleNamespace(
        **trainer,
        args=SimpleNamespace(**args),
        accelerator=accelerator,
        model=SimpleNamespace(training=False),
        _metrics={"eval": defaultdict(list)},
        _get_per_token_logps_and_entropies=lambda *_, **__: (leaf, entropy, None),
        get_off_policy_mask=grpo_trainer.GRPOTrainer.get_off_policy_mask,
    )
    stand_in.get_high_entropy_mask = lambda *given: grpo_trainer.GRPOTrainer.get_high_entropy_mask(stand_in, *given)
    mask, ids = torch.from_numpy(tensors["mask"]), torch.zeros(ROWS, WIDTH, dtype=torch.long)
    difference = torch.from_numpy((tensors["old"] - tensors["sampler"]) * tensors["mask"]).sum(-1, keepdim=True)
    inputs = {
        "prompt_ids": ids,
        "prompt_mask": torch.ones_like(ids),
        "completion_ids": ids,
        "completion_mask": mask,
        "advantages": torch.from_numpy(tensors["advantage"]),
        "old_per_token_logps": torch.from_numpy(tensors["old"]),
        "ref_per_token_logps": torch.from_numpy(tensors["reference"]),
        "sampling_per_token_logps": torch.from_numpy(tensors["sampler"]),
        "importance_sampling_ratio": difference.exp().clamp(max=1.1),
        "num_items_in_batch": mask.sum(),
    }
    return grpo_trainer.GRPOTrainer._compute_loss(stand_in, None, inputs)


def our_loss(algorithm, tensors, leaf):
    rows, columns = np.nonzero(tensors["mask"])
    flat = {name: tensors[name][rows, columns] for name in ("old", "reference", "sampler", "entropy")}
    batch = Batch(
        samples=tuple(Sample.of([0], range(int(length))) for length in tensors["mask"].sum(1)),
        sampler_N=flat["sampler"],
        advantage_N=tensors["advantage"][rows],
        weight_N=np.ones(len(rows)),
        **{f"{name}_N": rows for name in ("sample", "action", "trajectory", "group")},
        constants={"old": flat["old"], "reference": flat["reference"]},
        labels=tuple(str(row) for row in range(ROWS)),
    )
    signals = {"logprob": leaf[rows, columns], "entropy": torch.from_numpy(flat["entropy"])}
    return objective(algorithm, Views(batch, dtype=torch.float64).of(batch, signals)).value


@pytest.mark.parametrize("name", CASES)
def test_loss_and_gradient_equal_those_of_trl(name, tensors, made_of):
    settings, slots = CASES[name]
    results = []
    for loss in (
        lambda leaf: trl_loss(settings, tensors, leaf),
        lambda leaf: our_loss(made_of(**slots), tensors, leaf),
    ):
        leaf = torch.from_numpy(tensors["logprob"].copy()).requires_grad_()
        value = loss(leaf)
        value.backward()
        results.append((value.detach(), leaf.grad))
    torch.testing.assert_close(results[1], results[0], rtol=1e-6, atol=1e-9)
    assert results[0][1].norm() > 1e-3
