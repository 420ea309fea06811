"""Which tasks an evaluation tries: the first ones whose questions differ.

An interval over tasks takes them for drawn independently. A question that is asked twice under two ids would count
twice, and make the interval narrower than what is known.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rlenvs.deadline import Workers
from rlenvs.env import TextEnv
from rlenvs.errors import foreign_code
from rlenvs.evaluation.suites import Target
from rlenvs.records import Task
from rlenvs.tasks import given_task

PATIENCE = 1000  # repeated questions in a row after which an environment without end is taken to have no others
MOST_HANGS = 3  # of `task_at`, after which the rest of the tasks are not waited for


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One task to try."""

    index: int  # in its environment
    task: Task | Exception  # an exception: the environment could not say what its task is


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The tasks of one target, no question twice."""

    found: tuple[Question, ...]  # by index
    num_repeated: int  # tasks passed over: an earlier one asks the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What one target stands for, and which of its tasks were tried."""

    env: str
    options: Mapping[str, Any]  # what it was made with, defaults included
    first_task: str  # its id
    last_task: str
    num_asked: int | None  # tasks; None: all that there are
    num_questions: int  # different ones, all of them tried
    num_repeated: int  # tasks passed over: an earlier one asks the same
    samples_per_task: int
    shared_ids: tuple[str, ...] = ()  # ids that several of the tasks tried have: one stands for all of these elsewhere

    def metrics(self) -> dict[str, float]:
        """Its counts as named numbers, beside a summary's."""
        asked = {} if self.num_asked is None else {"tasks/asked": float(self.num_asked)}
        return {**asked, "tasks/repeated": float(self.num_repeated)}


def tried(target: Target, num_asked: int | None, num_samples: int, questions: Questions) -> Tried:
    """What people need to know of the tasks behind a result."""
    ids = [question.task.id for question in questions.found if isinstance(question.task, Task)]
    return Tried(
        env=target.env,
        options=target.options,
        first_task=ids[0] if ids else "",
        last_task=ids[-1] if ids else "",
        num_asked=num_asked,
        num_questions=len(questions.found),
        num_repeated=questions.num_repeated,
        samples_per_task=num_samples,
        shared_ids=tuple(id for id, count in Counter(ids).items() if count > 1),
    )


async def distinct_questions(
    env: TextEnv, wanted: int | None, workers: Workers, deadline_s: float, told: Callable[[int], None]
) -> Questions:
    """The first `wanted` tasks that differ in their questions, fewer where the environment has no more.

    More of them begin with the same ones, so that an evaluation can be made longer.

    Args:
        wanted: None: all that a finite environment has.
        deadline_s: for each task. One that hangs, or that cannot be given, is tried and fails.
        told: called with the number of tasks read so far, after each.
    """
    reader = _Reader(env, workers, deadline_s)
    found: dict[str, Question] = {}
    index = repeated_in_a_row = 0
    while index != env.num_tasks and len(found) != wanted and repeated_in_a_row < PATIENCE:
        task = await reader.task_at(index)
        key = _question(task, has_hidden_world(env)) if isinstance(task, Task) else f"no task {index}"
        repeated_in_a_row = repeated_in_a_row + 1 if key in found and env.num_tasks is None else 0
        found.setdefault(key, Question(index=index, task=task))
        index += 1
        told(index)
    return Questions(found=tuple(found.values()), num_repeated=index - len(found))


def has_hidden_world(env: TextEnv) -> bool:
    """Whether there is more to a task than what its prompt says: its later messages may follow from its metadata."""
    return env.max_turns > 1


def _question(task: Task, with_metadata: bool) -> str:
    """A hash of what the policy reads and of what is right. The id is a name, and metadata says where it comes from."""
    content = [[asdict(message) for message in task.prompt], task.target]
    if with_metadata or task.target is None:  # then the metadata may be what is right
        content.append(dict(task.metadata))
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Reader:
    """Asks an environment for its tasks, one at a time: it need not be safe to ask it from several threads."""

    def __init__(self, env: TextEnv, workers: Workers, deadline_s: float) -> None:
        self.env, self.workers, self.deadline_s = env, workers, deadline_s
        self.num_hangs = 0

    async def task_at(self, index: int) -> Task | Exception:
        if self.num_hangs == MOST_HANGS:
            return TimeoutError(f"not asked: {self.num_hangs} tasks before gave no answer within {self.deadline_s:g} s")
        try:
            what = f"task_at({index}) of {type(self.env).__name__}"
            return await self.workers.call(lambda: self._read(index), self.deadline_s, what=what)
        except TimeoutError as error:
            self.num_hangs += 1
            return error
        except Exception as error:  # foreign code: what it raises is a failed sample
            return error

    def _read(self, index: int) -> Task:
        with foreign_code():
            return given_task(self.env.task_at, index)
