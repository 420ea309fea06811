"""One whole GRPO step against TRL's `GRPOTrainer`: sampling, rewards, loss, backward, optimiser.

    python -m benchmarks.grpo_step [--model tiny] [--prompts 8] [--group 8] [--max-tokens 128] [--rows 16] [--rounds 3]

Both sides: the same prompts (Arithmetic-v0 in the R1-Zero template), group, limit of tokens, temperature 1, float32,
one update per step, no KL, no gradient checkpointing, the same number of rows per forward pass, AdamW. A step's time is
the median over the steps after the first. The reward is the last bit of the reply's length: it costs nothing, and gives
every group a signal.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.side_by_side import compare, measured, show

OURS, THEIRS = "rlenvs", "TRL"


def main() -> None:
    """Measure both sides, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny:hidden=256,layers=6")
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--rows", type=int, default=16, help="completions in one forward pass of the trainer")
    parser.add_argument("--steps", type=int, default=4, help="the first is not counted")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", choices=(OURS, THEIRS))
    options = parser.parse_args()
    if options.side:
        measured(_ours(options) if options.side == OURS else _theirs(options))
        return
    names = ("model", "prompts", "group", "max_tokens", "rows", "steps")
    arguments = [word for name in names for word in (f"--{name.replace('_', '-')}", str(getattr(options, name)))]
    medians = compare("benchmarks.grpo_step", (OURS, THEIRS), arguments, options.rounds)
    show(
        f"{options.prompts} prompts × {options.group}, up to {options.max_tokens} tokens, {options.model}",
        medians,
        OURS,
        THEIRS,
    )


def reward_of(text: str) -> float:
    """0 or 1, about half of each."""
    return float(len(text) % 2)


def tasks(count: int) -> Sequence[Any]:
    """The prompts of both sides."""
    import rlenvs

    env = rlenvs.make("rlenvs/Arithmetic-v0")
    return [env.task_at(index) for index in range(count)]


def _ours(options: argparse.Namespace) -> Callable[[], float]:
    from functools import partial

    import rlenvs
    from rlenvs.episode import start
    from rlenvs.policies.base import Sampling
    from rlenvs.rubric import RewardFunction, Rubric
    from rlenvs_plugins.grpo import GRPO
    from rlenvs_trainers.algorithm import Progress
    from rlenvs_trainers.batch import pack
    from rlenvs_trainers.collect import collect
    from rlenvs_trainers.config import LearnerConfig, RolloutConfig
    from rlenvs_trainers.jobs import Job
    from rlenvs_trainers.learner import Learner
    from rlenvs_trainers.policy import load_policy
    from rlenvs_trainers.render import Renderer
    from rlenvs_trainers.samplers.transformers import TransformersSampler

    policy = load_policy(options.model)
    renderer = Renderer(policy.tokenizer)
    env = rlenvs.make("rlenvs/Arithmetic-v0")
    env.rubric = Rubric((RewardFunction("bit", lambda _, transcript: reward_of(transcript[-1].content)),))
    drawn = tasks(options.prompts)
    width = max(len(renderer.start(task.prompt).ids) for task in drawn) + options.max_tokens
    config = LearnerConfig(lr=1e-6, tokens_per_microbatch=options.rows * width, device="cpu")
    learner = Learner(policy.model, config, GRPO, num_steps=options.steps)
    sampler = TransformersSampler(policy.model, renderer)

    def step(number: int) -> float:
        started = time.perf_counter()
        attempts = collect(
            [Job(task=task, begin=partial(start, env, task)) for task in drawn],
            explore=GRPO.explore,
            sampler=sampler,
            renderer=renderer,
            params=Sampling(max_tokens=options.max_tokens),
            config=RolloutConfig(group_size=options.group),
            version=learner.version,
            step=number,
            seed=0,
        )
        result = asyncio.run(attempts)
        credit = GRPO.credit(result.groups, Progress(step=number, num_steps=options.steps))
        learner.update(pack(result.groups, credit))
        sampler.load(learner.weights(), learner.version)
        return time.perf_counter() - started

    return lambda: statistics.median([step(number) for number in range(options.steps)][1:])


def _theirs(options: argparse.Namespace) -> Callable[[], float]:
    import tempfile

    from datasets import Dataset
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    from rlenvs_trainers.policy import load_policy

    policy = load_policy(options.model)
    rows = options.prompts * options.group
    prompts = [
        [{"role": each.role, "content": each.content} for each in task.prompt] for task in tasks(options.prompts)
    ]
    times: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_begin(self, *_: Any, **__: Any) -> None:
            self.started = time.perf_counter()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            times.append(time.perf_counter() - self.started)

    def reward(completions: Any, **_: Any) -> list[float]:
        return [reward_of(completion[0]["content"]) for completion in completions]

    folder = tempfile.TemporaryDirectory()
    config = GRPOConfig(
        output_dir=folder.name,
        per_device_train_batch_size=options.rows,
        gradient_accumulation_steps=rows // options.rows,
        num_generations=options.group,
        max_completion_length=options.max_tokens,
        max_steps=options.steps,
        learning_rate=1e-6,
        loss_type="grpo",
        beta=0.0,
        temperature=1.0,
        gradient_checkpointing=False,
        bf16=False,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=policy.model,
        reward_funcs=reward,
        args=config,
        train_dataset=Dataset.from_list([{"prompt": prompt} for prompt in prompts]),
        processing_class=policy.tokenizer,
        callbacks=[Clock()],
    )

    def work() -> float:
        with folder:
            trainer.train()
        return statistics.median(times[1:])

    return work


if __name__ == "__main__":
    main()
