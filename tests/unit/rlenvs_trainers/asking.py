"""An environment that asks until it hears yes, and attempts at it by a policy that says what it is told."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rlenvs.env import Response, TextEnv
from rlenvs.episode import start
from rlenvs.policies.base import Sampling
from rlenvs.records import Message, Part, Task, user
from rlenvs.rubric import RewardFunction, Rubric
from rlenvs_trainers.collect import collect
from rlenvs_trainers.config import RolloutConfig
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.grouping import RolloutResult
from rlenvs_trainers.jobs import Job
from rlenvs_trainers.play import Play
from rlenvs_trainers.records import Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import Sampler, SampleRequest
from rlenvs_trainers.samplers.scripted import ScriptedSampler

CONFIG = RolloutConfig(group_size=3, retries=0, action_timeout_s=5.0)


def says_yes(task: Task, transcript: Sequence[Message]) -> float:
    return float(any(message.role == "assistant" and "yes" in message.content for message in transcript))


class AskEnv(TextEnv):
    """Answers "again" until the policy says yes; a turn earns 0.25 times a weight of 2."""

    num_tasks = 4
    max_turns = 3

    def __init__(self, grader: Callable[..., Any] = says_yes, on_step: Callable[[str], None] = lambda _: None) -> None:
        super().__init__()
        self.rubric = Rubric((RewardFunction("yes", grader, weight=3.0),))
        self.on_step = on_step

    def task_at(self, index: int) -> Task:
        return Task(id=f"ask/{index}", prompt=(user(f"question {index}"),), target="yes")

    def respond(self, action: str) -> Response:
        self.on_step(action)
        stop = action.find("]") + 1 or None  # what comes after a bracket is not used
        if "yes" in action:
            return Response(ending="completed", consumed=stop)
        return Response(messages=(user("again"),), consumed=stop, rewards=(Part(name="try", value=0.25, weight=2.0),))

    def __deepcopy__(self, memo: dict[int, Any]) -> "AskEnv":
        copy = type(self)(self.rubric.functions[0].function, self.on_step)
        copy.__dict__.update({**self.__dict__, "transcript": list(self.transcript)})
        return copy


class LongEnv(AskEnv):
    """Goes on for three turns, whatever is said, cut off or not."""

    def respond(self, action: str) -> Response:
        self.on_step(action)
        return Response(messages=(user("again"),))

    def complete(self, action: str) -> int | None:
        return len(action)


def jobs(env: TextEnv, indices: Sequence[int] = (0,)) -> list[Job]:
    return [Job(task=env.task_at(index), begin=partial(start, env, env.task_at(index))) for index in indices]


def collected(jobs: Sequence[Job], sampler: Sampler, renderer: Renderer, **changes: Any) -> RolloutResult:
    given: dict[str, Any] = {
        "explore": Chain(),
        "params": Sampling(max_tokens=40),
        "config": CONFIG,
        "version": 0,
        "step": 1,
        "seed": 0,
    }
    return asyncio.run(collect(jobs, sampler=sampler, renderer=renderer, **{**given, **changes}))


def run(
    env: TextEnv, sampler: Sampler, renderer: Renderer, indices: Sequence[int] = (0,), **changes: Any
) -> RolloutResult:
    return collected(jobs(env, indices), sampler, renderer, **changes)


def scripted(renderer: Renderer, *texts: str, **options: Any) -> ScriptedSampler:
    """Says the texts in turn; the last one for ever."""

    def script(request: SampleRequest) -> str:
        turn = int(request.key.rsplit("/", 1)[1].split(".")[0])
        return texts[min(turn, len(texts) - 1)]

    return ScriptedSampler(script, renderer, **options)


def only(result: RolloutResult) -> Trajectory:
    """The first of trajectories that are all alike."""
    return result.groups[0].trajectories[0]


async def step(play: Play) -> None:
    completion = await play.write()
    if completion is not None:
        await play.act(completion)


def break_attempts(*numbers: int) -> Callable[[str], None]:
    """Raises in the environment's steps of these numbers, counted over all attempts."""
    count, lock = iter(range(1000)), threading.Lock()

    def on_step(_: str) -> None:
        with lock:
            number = next(count)
        if number in numbers:
            raise OSError("the simulator went away")

    return on_step


def raising(*_: Any) -> float:
    raise ZeroDivisionError("grader")
