"""A plug-in file: a sandbox that is lost with every program whose function is asked for with two arguments."""

import importlib.util
from pathlib import Path

from rlenvs.hooks import RegisterNamed, hookimpl
from rlenvs_sandbox import Assertions, Limits, Outcome, Program

EXAMPLE = Path(__file__).parents[2] / "examples" / "timed_sandbox.py"
spec = importlib.util.spec_from_file_location("timed_sandbox_of_example", EXAMPLE)
timed_sandbox = importlib.util.module_from_spec(spec)
spec.loader.exec_module(timed_sandbox)


class LossyRunner(timed_sandbox.TimedRunner):
    def judge(self, program: Program, tests: Assertions, limits: Limits = timed_sandbox.DEFAULT) -> Outcome:
        if "(a, b)" in program.text:
            return Outcome(status="sandbox_error", detail="three workers in a row were lost")
        return super().judge(program, tests, limits)


@hookimpl
def register_sandboxes(register: RegisterNamed) -> None:
    register("lossy", LossyRunner)
