"""An environment whose tasks fail in every way, a policy that knows what to say, and one evaluated on the other."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rlenvs.env import Response, TextEnv
from rlenvs.evaluation.evaluate import Evaluation, evaluate
from rlenvs.evaluation.suites import Target
from rlenvs.policies.base import Policy, PolicyCapability, Reply, ReplyRequest
from rlenvs.records import Message, Part, Task, user
from rlenvs.rubric import RewardFunction, Rubric

ENV_ID = "tests/Trouble-v0"


class TroubleEnv(TextEnv):
    """Answer with the task's number. `trouble` says, by index, what goes wrong there."""

    def __init__(self, trouble: Mapping[str, str] | None = None, num_tasks: int = 10, turns: int = 1) -> None:
        super().__init__()
        self.trouble = {int(index): kind for index, kind in (trouble or {}).items()}
        self.num_tasks, self.max_turns = num_tasks, turns
        self.rubric = Rubric((RewardFunction("accuracy", self.accuracy), RewardFunction("there", there, weight=0.5)))

    def task_at(self, index: int) -> Task:
        if self.trouble.get(index) == "no_task":
            raise OSError("the data set is gone")
        if self.trouble.get(index) == "prompt_is_text":
            return Task(id=f"t{index}", prompt="say it")  # type: ignore[arg-type]
        metadata = {"level": "hard" if index % 2 else "easy", "index": index, "working": "long" * 20, "steps": [1, 2]}
        return Task(id=f"t{index}", prompt=(user(f"say {index}"),), target=str(index), metadata=metadata)

    def begin(self) -> None:
        if self.here == "cannot_start":
            raise RuntimeError("no start")

    def respond(self, action: str) -> Response:
        if self.here == "raises":
            raise RuntimeError("this environment is broken")
        if self.here == "hangs":
            time.sleep(30)
        is_last = self.num_turns + 1 == self.max_turns
        hint = (Part(name="hint", value=1.0, weight=0.25),)
        return Response(ending="completed") if is_last else Response(messages=(user("go on"),), rewards=hint)

    def answer_message(self, task: Task) -> str:
        return int(task.target) if self.here == "answer_is_number" else str(task.target)  # type: ignore[return-value]

    def accuracy(self, task: Task, transcript: Sequence[Message]) -> float | None:
        if self.here == "grader_raises":
            raise ValueError("bad gold")
        return None if self.here == "unscorable" else float(transcript[-1].content == task.target)

    @property
    def here(self) -> str | None:
        assert self.task is not None
        return self.trouble.get(int(self.task.target))


def there(task: Task, transcript: Sequence[Message]) -> float:
    return 1.0


@dataclass
class Scripted:
    """Says what `say(request)` gives; remembers the batches it was asked in."""

    say: Callable[[ReplyRequest], str | Reply]
    name: str = "scripted"
    settings: Mapping[str, Any] = field(default_factory=dict)
    capabilities: frozenset[PolicyCapability] = frozenset()
    batches: list[list[ReplyRequest]] = field(default_factory=list)

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        self.batches.append(list(requests))
        for place, request in enumerate(requests):
            said = self.say(request)
            yield place, said if isinstance(said, Reply) else Reply(text=said, num_tokens=len(said))

    @property
    def keys(self) -> list[str]:
        return [request.key for batch in self.batches for request in batch]


def where(request: ReplyRequest) -> tuple[int, int]:
    """(index of the task, sample)"""
    index, sample = request.key.removeprefix(ENV_ID + "/").split("/")[:2]
    return int(index), int(sample)


def answer(request: ReplyRequest) -> str:
    """What is right there."""
    return str(int(request.key.split("/")[-4]))


def right_if(is_right: Callable[[int, int], bool]) -> Callable[[ReplyRequest], str]:
    """The answer to those (task, sample) alone."""

    def say(request: ReplyRequest) -> str:
        return answer(request) if is_right(*where(request)) else "wrong"

    return say


def run(policy: Policy, *, trouble: Mapping[str, str] | None = None, turns: int = 1, **options: Any) -> Evaluation:
    target = Target(env=ENV_ID, kwargs={"trouble": dict(trouble or {}), "turns": turns})
    return evaluate(policy, [target], **options)


def endings(result: Evaluation) -> list[str]:
    return [sample.ending for sample in result.samples]
