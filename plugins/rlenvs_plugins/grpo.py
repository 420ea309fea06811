"""GRPO: group relative policy optimisation (DeepSeekMath, arXiv:2402.03300; the recipe of DeepSeek-R1, 2501.12948).

Several attempts at the same task are each other's baseline, so there is no critic: an attempt's advantage is its reward
less the group's mean, in standard deviations of the group, the same on all its tokens. The loss is PPO's clipped
surrogate per token, averaged over each attempt and then over attempts.

As in the paper: token ratios clipped at 0.2, one update per step. With one update all ratios are 1 and the clip is
idle until `--set updates=[1,4]`. The paper adds a KL term to the starting policy (k3, 0.04; R1 used 0.001). Here its
coefficient is 0, as in most later work, and then no reference is computed: `--set regularise.kl.coefficient=0.001`.
"""

from rlenvs.hooks import Register, hookimpl
from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL
from rlenvs_trainers.surrogate import Clip

GRPO = Algorithm(
    name="grpo",
    explore=Chain(),
    credit=GroupRelative(scale="group"),
    ratio=Ratio(unit="token"),
    surrogate=Clip(low=0.2, high=0.2),
    regularise=(KL(coefficient=0.0, estimator="k3"),),
    reduce=Mean(over="trajectory", inner="mean"),
    updates=(1, 1),
)


@hookimpl
def register_algorithms(register: Register) -> None:
    """Add GRPO."""
    register(GRPO)
