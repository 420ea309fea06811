"""Runs untrusted programs, and judges them. Imports nothing of ours, so that it can be used alone.

A name is imported when it is first asked for: who only catches a `SandboxError` does not wait for asyncio.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlenvs_sandbox.backends import BACKENDS, open_runner
    from rlenvs_sandbox.errors import SandboxError
    from rlenvs_sandbox.judged import Assertions, judge_output
    from rlenvs_sandbox.outputs import Comparison
    from rlenvs_sandbox.records import Limits, Outcome, Program, Status
    from rlenvs_sandbox.runner import Runner, WarmRunner

__all__ = [
    "BACKENDS",
    "Assertions",
    "Comparison",
    "Limits",
    "Outcome",
    "Program",
    "Runner",
    "SandboxError",
    "Status",
    "WarmRunner",
    "judge_output",
    "open_runner",
]

_MODULES = {
    "backends": ("BACKENDS", "open_runner"),
    "errors": ("SandboxError",),
    "judged": ("Assertions", "judge_output"),
    "outputs": ("Comparison",),
    "records": ("Limits", "Outcome", "Program", "Status"),
    "runner": ("Runner", "WarmRunner"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
