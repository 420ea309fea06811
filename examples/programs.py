"""From nothing to a policy that writes better programs, on two CPU cores: the demo's recipe on CodeGen-v0.

A tiny policy (Llama architecture, character tokens) is warmed up on programs of which most make the family's typical
mistake. GRPO then learns from tests alone, which run in a sandbox, which programs are right. Held-out problems, which
training never sees, are solved before and after.

    python -m examples.programs [--seed 0]
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

from examples.demo import figures, run
from rlenvs.policies.base import Sampling
from rlenvs.report import write_report
from rlenvs_trainers.config import EnvConfig, EvalConfig, LearnerConfig, RolloutConfig, TrainConfig

RUNS = Path("runs")
SANDBOX = Path(__file__).with_name("timed_sandbox.py")
FAMILIES = ["formula", "division", "conditions"]
CAREFUL, CARELESS = 0.15, 0.7  # the share of demonstrations that make the family's typical mistake
LEARNER = LearnerConfig(lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01, schedule="cosine", warmup_steps=40)


def problems(**options: object) -> EnvConfig:
    """Problems of these families at their first level. None of the split "test" is ever in the split "train"."""
    kwargs = {"families": FAMILIES, "levels": [1], "template": "plain", "sandbox": "timed", **options}
    return EnvConfig(id="rlenvs/CodeGen-v0", kwargs=kwargs)


def warm_up(seed: int) -> TrainConfig:
    """Imitation of a careful programmer."""
    return TrainConfig(
        name=f"programs-{seed}-careful",
        policy="tiny",
        algorithm="sft",
        env=(problems(mistake_rate=CAREFUL),),
        rollout=RolloutConfig(tasks_per_step=32, group_size=1),
        learner=LEARNER,
        steps=500,
        checkpoint_every=10_000,
        runs_dir=RUNS,
        plugins=(str(SANDBOX),),
        seed=seed,
    )


def slacken(seed: int, policy: Path) -> TrainConfig:
    """Imitation of the same programmer grown careless: the right way is still known, and seldom taken."""
    careful = warm_up(seed)
    return replace(
        careful,
        name=f"programs-{seed}-careless",
        policy=str(policy),
        env=(problems(mistake_rate=CARELESS),),
        learner=replace(LEARNER, lr=1e-3),
        steps=150,
    )


def reinforce(seed: int, policy: Path) -> TrainConfig:
    """GRPO on the same families, with held-out problems before and after."""
    return TrainConfig(
        name=f"programs-{seed}",
        policy=str(policy),
        algorithm="grpo",
        env=(problems(),),
        sampling=Sampling(max_tokens=96),
        rollout=RolloutConfig(tasks_per_step=16, group_size=16),
        learner=LearnerConfig(lr=2e-4, betas=(0.9, 0.95), warmup_steps=5, tokens_per_microbatch=16384),
        eval=EvalConfig(env=(problems(split="test"),), num_tasks=200, samples=2),
        steps=60,
        checkpoint_every=60,
        runs_dir=RUNS,
        plugins=(str(SANDBOX),),
        seed=seed,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    begun = time.monotonic()
    policy = run(slacken(seed, run(warm_up(seed))))
    started = time.monotonic()
    trained = run(reinforce(seed, policy))
    before, after, greedy_before, greedy_after = figures(trained)
    print("held-out problems solved, %, with 95 % intervals")
    print(f"  sampled at the training temperature  {before}  ->  {after}")
    print(f"  greedy                               {greedy_before}  ->  {greedy_after}")
    clock = sys.modules["timed_sandbox"].CLOCK  # of the plug-in file, as it was loaded
    print(f"the warm start took {started - begun:.0f} s")
    print(f"GRPO took {time.monotonic() - started:.0f} s, evaluations included; {clock.num_runs} programs were run")
    print(f"a program was in the sandbox for {clock.share:.0%} of a training step")
    print(f"report: {write_report(trained)}")
