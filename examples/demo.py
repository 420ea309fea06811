"""From nothing to a policy that reasons better: the main job of rlenvs in one file, on two CPU cores.

A tiny policy (Llama architecture, character tokens) is warmed up on the demonstrations of a careless student: most of
them make a typical mistake, so the policy knows the right way and seldom takes it. GRPO then learns from rewards alone
which way that is. Held-out questions, which training never sees, are answered before and after.

    python -m examples.demo [--seed 0]
"""

import argparse
import shutil
from pathlib import Path

from rlenvs import plugins
from rlenvs.cli.progress import Progress
from rlenvs.policies.base import Sampling
from rlenvs.report import write_report
from rlenvs.store import RunStore
from rlenvs_trainers.config import EnvConfig, EvalConfig, LearnerConfig, RolloutConfig, TrainConfig
from rlenvs_trainers.interrupts import stop_on_signal
from rlenvs_trainers.loop import train
from rlenvs_trainers.run import Run

RUNS = Path("runs")
FAMILIES = ["add", "running_sum", "sort", "count", "largest", "reverse"]
LEVELS = [1, 2]
MISTAKES = 0.65  # the share of demonstrations that go wrong in the family's typical way


def arithmetic(**options: object) -> EnvConfig:
    """Questions of the six families. No question of the split "test" is ever in the split "train"."""
    kwargs = {"families": FAMILIES, "levels": LEVELS, "template": "tags", "format_weight": 0.0, **options}
    return EnvConfig(id="rlenvs/Arithmetic-v0", kwargs=kwargs)


def warm_up(seed: int) -> TrainConfig:
    """Imitation of the careless student."""
    return TrainConfig(
        name=f"demo-{seed}-warm-up",
        policy="tiny",
        algorithm="sft",
        env=(arithmetic(mistake_rate=MISTAKES),),
        rollout=RolloutConfig(tasks_per_step=32, group_size=1),
        learner=LearnerConfig(lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01, schedule="cosine", warmup_steps=40),
        steps=1200,
        checkpoint_every=10_000,
        runs_dir=RUNS,
        seed=seed,
    )


def reinforce(seed: int, policy: Path) -> TrainConfig:
    """GRPO on the same families, with held-out questions before and after."""
    return TrainConfig(
        name=f"demo-{seed}",
        policy=str(policy),
        algorithm="grpo",
        env=(arithmetic(),),
        sampling=Sampling(max_tokens=64),
        rollout=RolloutConfig(tasks_per_step=32, group_size=16),
        learner=LearnerConfig(lr=2e-4, betas=(0.9, 0.95), warmup_steps=5, tokens_per_microbatch=16384),
        eval=EvalConfig(env=(arithmetic(split="test"),), num_tasks=360, samples=4),
        steps=60,
        checkpoint_every=30,
        runs_dir=RUNS,
        seed=seed,
    )


def run(config: TrainConfig) -> Path:
    """Train, with a line that says how it goes; the run's folder."""
    folder = config.runs_dir / config.name
    shutil.rmtree(folder, ignore_errors=True)
    started = Run.new(config, plugins.load(config.plugins))
    with stop_on_signal() as stop, started, Progress(config.name, config.steps, "steps") as progress:
        for report in train(started, stop):
            progress.advance(note=f"accuracy {report.metrics.get('accuracy', 0):.2f}")
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
    trained = run(reinforce(seed, run(warm_up(seed))))
    before, after, greedy_before, greedy_after = figures(trained)
    print("held-out questions answered right, %, with 95 % intervals")
    print(f"  sampled at the training temperature  {before}  ->  {after}")
    print(f"  greedy                               {greedy_before}  ->  {greedy_after}")
    print(f"report: {write_report(trained)}")
