"""The hooks: how a distribution adds to rlenvs, and how it is told what happened.

Put `[project.entry-points."rlenvs.plugins"] name = "my_package.module"` in a package's metadata and write functions
with these names, marked `@hookimpl`. pluggy finds plug-ins and tells them what happened; it never runs the maths.
Hook parameters have no defaults. `API_VERSION` is what a plug-in may state as its own `RLENVS_API`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pluggy

if TYPE_CHECKING:
    import typer

    from rlenvs.policies.base import PolicyFactory

API_VERSION = 1
PROJECT = "rlenvs"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

Register = Callable[[Any], None]
RegisterNamed = Callable[[str, Any], None]


class RegisterEnvironment(Protocol):
    """What `register_environments` is given: `rlenvs.register`, and the same parameters."""

    def __call__(
        self,
        id: str,
        entry_point: Any,
        *,
        kwargs: Mapping[str, Any] | None = None,
        nondeterministic: bool = False,
        description: str = "",
    ) -> None:
        """Register an environment; see `rlenvs.registration.register`."""


class RegisterPolicy(Protocol):
    """What `register_policies` is given."""

    def __call__(self, kind: str, factory: PolicyFactory, /) -> None:
        """Register a kind of policies; see `rlenvs.policies.base.PolicyFactory`."""


@hookspec
def register_environments(register: RegisterEnvironment) -> None:
    """Register environments: `register("my/Env-v0", "my_package.envs:Env")`, Gymnasium's id and entry point."""


@hookspec
def register_suites(register: Register) -> None:
    """Register evaluation suites: `register(Suite(...))`."""


@hookspec
def register_algorithms(register: Register) -> None:
    """Register algorithms: `register(Algorithm(...))`. Their names are what `--algorithm` takes."""


@hookspec
def register_components(register: RegisterNamed) -> None:
    """Register components that algorithms are made of: `register("my_clip", MyClip)`."""


@hookspec
def register_samplers(register: RegisterNamed) -> None:
    """Register samplers to train with: `register("vllm", factory)`; `factory(context)` gives one."""


@hookspec
def register_policies(register: RegisterPolicy) -> None:
    """Register kinds of policies to evaluate: `register("mine", factory)`.

    `--policy mine:REST` is then `factory(context)` with REST as `context.spec`: see `rlenvs.policies.base`.
    """


@hookspec
def register_sandboxes(register: RegisterNamed) -> None:
    """Register sandboxes: `register("docker", factory)`."""


@hookspec
def register_retrievers(register: RegisterNamed) -> None:
    """Register retrievers: `register("bm25", factory)`."""


@hookspec
def register_commands(app: typer.Typer) -> None:
    """Add commands to the command line: `app.command("name")(function)`."""


@hookspec
def on_run_start(run_dir: Path, config: dict[str, Any], step: int) -> None:
    """A run starts, or resumes after `step` steps: what was told of later ones is forgotten, and comes again."""


@hookspec
def after_rollouts(step: int, trajectories: list[dict[str, Any]]) -> None:
    """The rollouts of a step are in: one record per trajectory, as stored in run.sqlite."""


@hookspec
def after_step(step: int, metrics: dict[str, float]) -> None:
    """A step is done, with its metrics."""


@hookspec
def on_evaluation(step: int, name: str, metrics: dict[str, float]) -> None:
    """Held-out tasks were tried after `step` steps: `name` says which and how, "rlenvs/Arithmetic-v0 greedy"."""


@hookspec
def on_checkpoint(step: int, path: Path) -> None:
    """A checkpoint is complete on disk."""


@hookspec
def on_run_end(run_dir: Path, status: str) -> None:
    """A run ended: "finished", "stopped" (by a signal) or "failed"."""
