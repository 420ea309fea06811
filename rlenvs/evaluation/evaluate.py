"""`evaluate`: a policy on the tasks of some environments, several samples each; resumable, with progress.

How numbers come of samples is in `summary` and `estimators`, how episodes are played in `rounds`, and where results
are kept in `results`.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rlenvs.closing import Closing
from rlenvs.deadline import Workers
from rlenvs.env import TextEnv
from rlenvs.errors import RlenvsError
from rlenvs.evaluation.estimators import Estimate, mean_of_estimates
from rlenvs.evaluation.play import Job
from rlenvs.evaluation.questions import Questions, Tried, distinct_questions, tried
from rlenvs.evaluation.results import Episode, ResultsFile, Sample, SampleKey
from rlenvs.evaluation.rounds import play
from rlenvs.evaluation.suites import Target
from rlenvs.evaluation.summary import Summary, summarise
from rlenvs.policies.base import Policy
from rlenvs.records import Task
from rlenvs.registration import make

READING_TOLD_S = 1.0  # seconds of reading tasks between two reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an evaluation is, in episodes."""

    done: int
    total: int | None  # None: tasks are still being read
    resumed: int  # of those done: found in the results file
    failed: int  # of those done: could not be judged
    read: int = 0  # tasks, while they are being read


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a policy achieved."""

    policy: str
    settings: Mapping[str, Any]
    seed: int
    num_samples: int  # per task; where targets differ, the most
    summaries: tuple[Summary, ...]  # in the order of the targets
    tried: tuple[Tried, ...]  # in the same order
    samples: tuple[Sample, ...]  # in the order of targets, tasks, samples, seats
    duration_s: float  # of this call alone, where it resumed another

    @property
    def mean_pass_at_1(self) -> Estimate | None:
        """The mean over targets of pass@1, each counting once; None where one has no judged sample."""
        estimates = [summary.pass_at_1 for summary in self.summaries]
        known = [estimate for estimate in estimates if estimate is not None]
        return mean_of_estimates(known) if len(known) == len(estimates) else None


def evaluate(
    policy: Policy,
    targets: Sequence[Target],
    *,
    num_tasks: int | None = None,
    samples: int | None = None,
    seed: int = 0,
    concurrency: int = 64,
    deadline_s: float = 60.0,
    results_path: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Evaluation:
    """Play the first `num_tasks` tasks of each target, each `samples` times. No global random state is touched.

    A task that asks what an earlier one asks is passed over, and `tried` says how many were: a question counts once.

    Args:
        num_tasks: of each target; None: what the target says, or all that a finite environment has.
        samples: of each task, each with a seed of its own; None: what the target says, or 1. pass@k is estimated for
            every k up to it.
        seed: the same policy, targets and seed make the same requests, in the same batches.
        concurrency: episodes in flight.
        deadline_s: for one step of an environment with its grader; past it the episode ends as "timeout".
        results_path: JSON lines, added as each episode ends. What is there is not played again, unless it had failed.
        progress: called at the start and after every episode, and each second before, while tasks are read. An
            exception that it raises ends the evaluation;
            results stay.

    Raises:
        RlenvsError: an environment cannot be made, or the results file is of another configuration.
    """
    if (samples is not None and samples < 1) or concurrency < 1 or not deadline_s > 0:
        raise ValueError(f"samples, concurrency >= 1 and deadline_s > 0: got {samples}, {concurrency}, {deadline_s}")
    titles = [target.title for target in targets]
    if not titles or len(set(titles)) != len(titles):
        raise ValueError(f"there is at least one target, and each has its own name: got {titles}")
    started = time.monotonic()
    work = _Work(policy, seed, concurrency, deadline_s, progress)
    num_samples = [samples or target.samples or 1 for target in targets]
    with ExitStack() as stack:
        envs = [make(target.env, **target.kwargs) for target in targets]
        for env in envs:
            stack.callback(Closing(env.close).close)
        counts = [_num_tasks(target, env, num_tasks) for target, env in zip(targets, envs, strict=True)]
        results = stack.enter_context(ResultsFile(results_path, header(policy, targets, seed)))
        subjects = list(map(_Subject, titles, envs, counts, num_samples))
        questions, found = asyncio.run(work.play_all(subjects, results))
    return Evaluation(
        policy=policy.name,
        settings=dict(policy.settings),
        seed=seed,
        num_samples=max(num_samples),
        summaries=tuple(summarise(title, [sample for sample in found if sample.target == title]) for title in titles),
        tried=tuple(map(tried, targets, counts, num_samples, questions)),
        samples=tuple(found),
        duration_s=time.monotonic() - started,
    )


def header(policy: Policy, targets: Sequence[Target], seed: int) -> dict[str, Any]:
    """What results depend on: a file of another header is another evaluation's."""
    return {
        "policy": policy.name,
        "settings": dict(policy.settings),
        "seed": seed,
        "targets": {target.title: {"env": target.env, "kwargs": dict(target.kwargs)} for target in targets},
    }


@dataclass(frozen=True, slots=True)
class _Subject:
    """What to play of one target."""

    title: str
    env: TextEnv
    num_tasks: int | None  # None: all of a finite environment's
    num_samples: int


@dataclass(frozen=True, slots=True)
class _Work:
    """What to do with every target."""

    policy: Policy
    seed: int
    concurrency: int
    deadline_s: float
    progress: Callable[[Progress], None] | None

    async def play_all(
        self, subjects: Sequence[_Subject], results: ResultsFile
    ) -> tuple[list[Questions], list[Sample]]:
        """Play what the results lack; each target's questions, and the samples of every job in their order."""
        workers = Workers()
        questions = await self._questions(subjects, workers)
        jobs = [job for subject, asked in zip(subjects, questions, strict=True) for job in _jobs(subject, asked)]
        done = _played(results, jobs)
        now = Progress(done=len(done), total=len(jobs), resumed=len(done), failed=0)
        self._report(now)

        def keep(episode: Episode) -> None:
            nonlocal now
            results.append(episode)
            done[episode[0].key] = episode
            has_failed = any(sample.is_failed for sample in episode)
            now = replace(now, done=len(done), failed=now.failed + has_failed)
            self._report(now)

        await play(
            self.policy,
            [job for job in jobs if job.key not in done],
            keep,
            seed=self.seed,
            in_flight=self.concurrency,
            deadline_s=self.deadline_s,
            workers=workers,
        )
        return questions, [sample for job in jobs for sample in done[job.key]]

    async def _questions(self, subjects: Sequence[_Subject], workers: Workers) -> list[Questions]:
        told_s, read_before = time.monotonic(), 0

        def told(num_read: int) -> None:
            nonlocal told_s
            if time.monotonic() - told_s >= READING_TOLD_S:
                told_s = time.monotonic()
                self._report(Progress(done=0, total=None, resumed=0, failed=0, read=read_before + num_read))

        questions = []
        for subject in subjects:
            found = await distinct_questions(subject.env, subject.num_tasks, workers, self.deadline_s, told)
            questions.append(found)
            read_before += len(questions[-1].found) + questions[-1].num_repeated
        return questions

    def _report(self, now: Progress) -> None:
        if self.progress is not None:
            self.progress(now)


def _jobs(subject: _Subject, questions: Questions) -> list[Job]:
    return [
        Job(target=subject.title, env=subject.env, index=question.index, task=question.task, sample=sample)
        for question in questions.found
        for sample in range(subject.num_samples)
    ]


def _num_tasks(target: Target, env: TextEnv, asked: int | None) -> int | None:
    """How many tasks are wanted; None: all of a finite environment's."""
    wanted = target.num_tasks if asked is None else asked
    if wanted is None and env.num_tasks is None:
        raise RlenvsError(
            f"{target.title} has tasks without end: say how many to evaluate on, with --num-tasks or num_tasks="
        )
    return wanted


def _played(results: ResultsFile, jobs: Sequence[Job]) -> dict[SampleKey, Episode]:
    """The episodes that need not be played: judged, and of the task as it is now."""
    found = results.found
    played = {job.key: found[job.key] for job in jobs if job.key in found and _is_of(found[job.key], job.task)}
    return {key: episode for key, episode in played.items() if not any(sample.is_failed for sample in episode)}


def _is_of(episode: Episode, task: Task | Exception) -> bool:
    return isinstance(task, Task) and all(sample.fingerprint == task.fingerprint for sample in episode)
