"""From nothing to a policy that reasons better: the main job of rlenvs in one file, on two CPU cores.

A tiny policy (Llama architecture, character tokens) is warmed up on the demonstrations of a student who first works
carefully, and then mostly makes the typical mistake: the policy knows the right way and seldom takes it. GRPO then
learns from rewards alone which way that is. Held-out questions, which training never sees, are answered before and
after.

    python -m examples.demo [--seed 0]
"""

import argparse
import shutil
from dataclasses import replace
from pathlib import Path

from rlenvs import plugins
from rlenvs.cli.progress import Progress
from rlenvs.policies.base import Sampling
from rlenvs.report import write_report
from rlenvs.store import RunStore
from rlenvs_trainers.assembly import new_run
from rlenvs_trainers.config import EnvConfig, EvalConfig, LearnerConfig, RolloutConfig, TrainConfig
from rlenvs_trainers.interrupts import stop_on_signal
from rlenvs_trainers.loop import train

RUNS = Path("runs")
HARD, EASY = ["count", "largest"], ["running_sum", "sort", "reverse"]  # families; the hard ones are demonstrated more
CAREFUL, CARELESS = 0.15, 0.65  # the share of demonstrations that make the family's typical mistake


def arithmetic(families: list[str], **options: object) -> EnvConfig:
    """Questions of these families. No question of the split "test" is ever in the split "train"."""
    kwargs = {"families": families, "levels": [1, 2], "template": "tags", "format_weight": 0.0, **options}
    return EnvConfig(id="rlenvs/Arithmetic-v0", kwargs=kwargs)


def warm_up(seed: int) -> TrainConfig:
    """Imitation of a careful student: the policy learns to work step by step."""
    return TrainConfig(
        name=f"demo-{seed}-careful",
        policy="tiny",
        algorithm="sft",
        env=(arithmetic(HARD, mistake_rate=CAREFUL), arithmetic(EASY, mistake_rate=CAREFUL)),
        rollout=RolloutConfig(tasks_per_step=32, group_size=1),
        learner=LearnerConfig(lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01, schedule="cosine", warmup_steps=40),
        steps=1000,
        checkpoint_every=10_000,
        runs_dir=RUNS,
        seed=seed,
    )


def slacken(seed: int, policy: Path) -> TrainConfig:
    """Imitation of the same student grown careless: the right way is still known, and seldom taken."""
    careful = warm_up(seed)
    return replace(
        careful,
        name=f"demo-{seed}-careless",
        policy=str(policy),
        env=(arithmetic(HARD, mistake_rate=CARELESS), arithmetic(EASY, mistake_rate=CARELESS)),
        learner=replace(careful.learner, lr=1e-3),
        steps=300,
    )


def reinforce(seed: int, policy: Path) -> TrainConfig:
    """GRPO on the same families, with held-out questions before and after."""
    return TrainConfig(
        name=f"demo-{seed}",
        policy=str(policy),
        algorithm="grpo",
        env=(arithmetic(HARD + EASY),),
        sampling=Sampling(max_tokens=64),
        rollout=RolloutConfig(tasks_per_step=32, group_size=16),
        learner=LearnerConfig(lr=2e-4, betas=(0.9, 0.95), warmup_steps=5, tokens_per_microbatch=16384),
        eval=EvalConfig(env=(arithmetic(HARD + EASY, split="test"),), num_tasks=360, samples=4),
        steps=60,
        checkpoint_every=30,
        runs_dir=RUNS,
        seed=seed,
    )


def run(config: TrainConfig) -> Path:
    """Train, with a line that says how it goes; the run's folder."""
    folder = config.runs_dir / config.name
    shutil.rmtree(folder, ignore_errors=True)
    started = new_run(config, plugins.load(config.plugins))
    with stop_on_signal() as stop, started, Progress(config.name, config.steps, "steps") as progress:
        for report in train(started, stop):
            progress.advance(note=f"accuracy {report.metrics.get('accuracy', 0):.2f}")
    if stop:
        raise SystemExit(stop.exit_code)
    return folder


def figures(folder: Path) -> list[str]:
    """Held-out pass@1 in per cent with its interval: sampled before and after, greedy before and after."""
    with RunStore(folder / "run.sqlite", "r") as store:
        evals = {(row.step, row.name.rpartition(" ")[2]): row.metrics for row in store.evals()}
    steps = [step for step, _ in evals]
    chosen = [evals[step, how] for how in ("sampled", "greedy") for step in (min(steps), max(steps))]
    return [
        f"{100 * row['pass@1']:.1f} ({100 * row['pass@1/low']:.0f}–{100 * row['pass@1/high']:.0f})" for row in chosen
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    policy = run(slacken(seed, run(warm_up(seed))))
    trained = run(reinforce(seed, policy))
    before, after, greedy_before, greedy_after = figures(trained)
    print("held-out questions answered right, %, with 95 % intervals")
    print(f"  sampled at the training temperature  {before}  ->  {after}")
    print(f"  greedy                               {greedy_before}  ->  {greedy_after}")
    print(f"report: {write_report(trained)}")
