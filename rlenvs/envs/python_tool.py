"""`PythonTool-v0`: the tasks of another environment, with Python to run before the answer is given."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rlenvs.actions import escaped, first_action
from rlenvs.code.sandboxes import Sandbox
from rlenvs.code.tool import TOOL_LIMITS, PythonTool
from rlenvs.env import Response, TextEnv
from rlenvs.errors import MakingError
from rlenvs.options import typed_options
from rlenvs.records import Task, Verdict, user
from rlenvs.registration import make
from rlenvs.rewards import policy_reply
from rlenvs_sandbox.levels import Level

_TAGS = ("python", "output")
INSTRUCTIONS = (
    "You may run Python {count} before you answer: write the code between <python> and </python>, and end your message"
    " there. What it prints comes back between <output> and </output>. Each run starts anew. A message without"
    " <python> is your answer."
)


class PythonToolEnv(TextEnv):
    """One question of another environment, several messages: runs of Python, then the answer, which alone is scored.

    Of a message the first whole `<python>…</python>` outside thinking is run, and what comes after it is not used. When
    the runs are used up the policy is told so; a message that asks for one more is then taken as its answer.

    Args:
        env: an environment with one turn, by its id.
        options: what it is made with.
        max_runs: of Python, in one episode.
        max_chars: of what a run is told to have printed, head and tail.
        time_limit_s: processor time of one run.
        sandbox: bubblewrap, docker, process, or what a plug-in registers.
        level: what the sandbox must hold on this machine: limits, isolated or strict.

    Raises:
        MakingError: the environment has several turns, or the sandbox cannot be opened or does not hold what it has to.
    """

    @typed_options
    def __init__(
        self,
        *,
        env: str = "rlenvs/Math-v0",
        options: Mapping[str, Any] | None = None,
        max_runs: int = 3,
        max_chars: int = 2000,
        time_limit_s: float = 5.0,
        sandbox: str = "bubblewrap",
        level: Level = "isolated",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode=render_mode)
        if max_runs < 1:
            raise ValueError(f"max_runs is at least 1: got {max_runs}")
        self.inner = make(env, **(options or {}))
        if self.inner.max_turns != 1:
            raise MakingError(
                f"PythonTool-v0 asks questions with one answer, and {env} has {self.inner.max_turns} turns"
            )
        chosen = Sandbox(name=sandbox, level=level)
        chosen.check()
        limits = replace(TOOL_LIMITS, cpu_s=time_limit_s, wall_s=2 * time_limit_s)
        self.tool = PythonTool(sandbox=chosen, limits=limits, max_chars=max_chars)
        self.num_tasks = self.inner.num_tasks
        self.rubric = self.inner.rubric
        self.max_runs = max_runs
        self.max_turns = max_runs + 1

    def task_at(self, index: int) -> Task:
        """The other environment's task, with what is to be known of the tool at the end of its prompt."""
        task = self.inner.task_at(index)
        *before, last = task.prompt
        count = "once" if self.max_runs == 1 else f"up to {self.max_runs} times"
        told = replace(last, content=f"{last.content}\n\n{INSTRUCTIONS.format(count=count)}")
        return replace(task, prompt=(*before, told))

    def respond(self, action: str) -> Response:
        """What the program printed, or the end."""
        run = first_action(action, ("python",))
        if run is None or self.num_turns >= self.max_runs:
            return Response(ending="completed")
        printed = escaped(self.tool.run(run.content.strip("\n")), _TAGS)
        left = self.max_runs - self.num_turns - 1
        note = "" if left else "\nThat was the last run. Give your answer now."
        return Response(messages=(user(f"<output>\n{printed}\n</output>{note}"),), consumed=run.end)

    def complete(self, text: str) -> int | None:
        """Where the first run that is closed ends."""
        run = first_action(text, ("python",))
        return None if run is None else run.end

    def judge(self) -> Verdict | None:
        """The other environment's verdict on the last message."""
        assert self.task is not None
        self.inner.reset(options={"task": self.task})
        *_, info = self.inner.step(policy_reply(self.task, self.transcript) or "")
        verdict: Verdict | None = info["verdict"]
        return verdict

    def answer_message(self, task: Task) -> str:
        """The other environment's answer, without a run."""
        return self.inner.answer_message(task)

    def demonstrate(self, rng: np.random.Generator) -> str:
        """The other environment's demonstration, without a run."""
        assert self.task is not None
        self.inner.reset(options={"task": self.task})
        return self.inner.demonstrate(rng)
