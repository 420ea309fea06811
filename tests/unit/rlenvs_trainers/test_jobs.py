"""Tasks where they are made, and whether attempts meet the task that they were given."""

import asyncio
import threading
from functools import partial
from typing import Any

import pytest

from rlenvs.deadline import Workers
from rlenvs.episode import start
from rlenvs.errors import RlenvsError
from rlenvs.records import Task
from rlenvs_trainers.jobs import Job, job_at
from rlenvs_trainers.render import Renderer

from .asking import CONFIG, AskEnv, collected, run, scripted


def test_r27_attempts_meet_the_task_they_were_given(renderer: Renderer) -> None:
    env = AskEnv()
    given, other = env.task_at(0), env.task_at(1)
    strays = [Job(task=given, begin=partial(start, env, other))]
    with pytest.raises(RlenvsError, match=r"given task ask/0 and started ask/1.*options\['task'\]"):
        collected(strays, scripted(renderer, "yes"), renderer, config=CONFIG)


def test_r27_an_environment_that_ignores_the_task_it_is_given_ends_the_run_with_a_sentence(renderer: Renderer) -> None:
    class Stubborn(AskEnv):
        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            return super().reset(seed=seed, options={"index": 1})

    with pytest.raises(RlenvsError, match=r"given task ask/0 and started ask/1.*options\['task'\]"):
        run(Stubborn(), scripted(renderer, "yes"), renderer, (0,))


@pytest.mark.parametrize("what", ["raises", "hangs"])
def test_r25_a_task_that_cannot_be_made_is_a_failure_with_a_sentence(renderer: Renderer, what: str) -> None:
    release = threading.Event()

    class Taskless(AskEnv):
        def task_at(self, index: int) -> Task:
            if what == "hangs":
                release.wait(60)
            raise OSError("no such row")

    async def job() -> Job:
        return await job_at(Taskless(), 7, name="x/Ask-v0", seats=None, workers=Workers(), timeout_s=0.2)

    try:
        lost = asyncio.run(job())
    finally:
        release.set()
    result = collected([lost], scripted(renderer, "yes"), renderer)
    assert result.groups == ()
    ending, why = (
        ("env_error", "OSError: no such row") if what == "raises" else ("timeout", "task 7 of x/Ask-v0 was not")
    )
    assert {each.ending for each in result.failures} == {ending}
    assert (result.failures[0].task_id, why in result.failures[0].error) == ("x/Ask-v0#7", True)
