"""`ReasoningGymEnv`: the tasks of one generator, one reply each, scored by the generator's own scorer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from rlenvs.env import TextEnv
from rlenvs.envs.reasoning_gym.generators import GENERATORS, WITHHELD
from rlenvs.envs.reasoning_gym.workers import Place, check, checked_config, own_answer_of, score, task_of
from rlenvs.errors import NoAnswerError, unknown
from rlenvs.options import typed_options
from rlenvs.records import Message, Task, Verdict
from rlenvs.rewards import Template, format_reward, policy_reply, template_named
from rlenvs.rubric import RewardFunction, Rubric

Split = Literal["train", "test"]

LARGEST_SIZE = 100_000
SPLIT_STRIDE = 2**17  # between the first seeds of two splits: more than the largest size
NUM_SEEDS = 2**14  # as many as fit into reasoning_gym's own, which are below 2**32


class ReasoningGymEnv(TextEnv):
    """One question of a reasoning_gym generator, one reply, scored by the generator's own scorer.

    Task `index` is item `index` of `reasoning_gym.create_dataset(generator, seed=library_seed, size=size, **config)`,
    the same at every call and on every machine. In reasoning_gym item `i` of a seed is item `i - 1` of the next one,
    so the seeds of this environment are `2 * SPLIT_STRIDE` apart there, and those of the test split lie halfway: no
    draw is in two splits, or belongs to two seeds. The reward is score + format_weight * format; `correct` is 1 for
    full marks only.

    Args:
        generator: its name in reasoning_gym.
        config: options of the generator, as its configuration in reasoning_gym has them.
        seed: which tasks: 0 to 16383.
        split: "train" or "test".
        size: how many tasks, at most 100,000.
        template: how a question is asked and an answer given; a name of `rlenvs.rewards.TEMPLATES`.
        format_weight: what keeping to the template's format is worth, beside 1 for full marks.
    """

    @typed_options
    def __init__(
        self,
        *,
        generator: str,
        config: Mapping[str, Any] | None = None,
        seed: int = 0,
        split: Split = "train",
        size: int = 10_000,
        template: str = "r1_zero",
        format_weight: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode=render_mode)
        if generator in WITHHELD:
            raise ValueError(f"{generator} of reasoning_gym is not given as an environment: {WITHHELD[generator]}")
        if generator not in GENERATORS:
            raise ValueError(unknown("generator of reasoning_gym", generator, GENERATORS))
        if not (0 <= seed < NUM_SEEDS and 1 <= size <= LARGEST_SIZE):
            raise ValueError(f"seed is 0 to {NUM_SEEDS - 1} and size 1 to {LARGEST_SIZE}: got {seed} and {size}")
        checked_config(generator, config or {})
        self.generator, self.seed, self.split, self.num_tasks = generator, seed, split, size
        self.config = json.dumps(dict(config or {}), sort_keys=True, default=str)
        self.library_seed = SPLIT_STRIDE * (2 * seed + (split == "test"))
        check(self._place(0))
        self.template: Template = template_named(template)
        self.rubric = _rubric(self.template, format_weight)

    def task_at(self, index: int) -> Task:
        """Task number `index`. Its id: generator/split/index, with the seed before the index if it is not 0."""
        if not 0 <= index < (self.num_tasks or 0):
            raise ValueError(f"a task's index is 0 to {(self.num_tasks or 0) - 1}: got {index}")
        place = self._place(index)
        made = task_of(place)
        where = f"{self.generator}/{self.split}" + (f"/{self.seed}" if self.seed else "")
        return Task(
            id=f"{where}/{index}",
            prompt=self.template.wrap(made["question"]),
            target=made["answer"],
            metadata={"question": made["question"], "difficulty": made["difficulty"], "place": _as_json(place)},
        )

    def answer_message(self, task: Task) -> str:
        """An answer that the generator says is right, in the template's form.

        Raises:
            NoAnswerError: it says none, as boxnet and rush_hour.
        """
        answer = own_answer_of(_place_of(task))
        if answer is None:
            raise NoAnswerError(f"reasoning_gym's {self.generator}")
        return self.template.render_answer(answer)

    def judge(self) -> Verdict | None:
        """Full marks are right; part of them is not."""
        verdict = super().judge()
        if verdict is None:
            return None
        full = next(part.value for part in verdict.parts if part.name == "score") == 1.0
        return replace(verdict, correct=float(full))

    def _place(self, index: int) -> Place:
        size = self.num_tasks
        assert size is not None
        return Place(generator=self.generator, config=self.config, seed=self.library_seed, size=size, index=index)


def _rubric(template: Template, format_weight: float) -> Rubric:
    parts = (
        RewardFunction("score", partial(_score, template)),
        RewardFunction("format", format_reward(template), format_weight),
    )
    return Rubric(parts, correct="score")


def _score(template: Template, task: Task, transcript: Sequence[Message]) -> float:
    """What the scorer gives for the final answer; no answer is worth nothing."""
    answer = template.extract(policy_reply(task, transcript) or "")
    return 0.0 if answer is None else score(_place_of(task), answer)


def _as_json(place: Place) -> dict[str, Any]:
    return {name: getattr(place, name) for name in Place.__slots__}


def _place_of(task: Task) -> Place:
    return Place(**task.metadata["place"])
