"""`Target` and `Suite`: what to evaluate on, by name. Plug-ins add suites with the hook `register_suites`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import gymnasium

from rlenvs.evaluation.published import Published
from rlenvs.policies.base import Sampling
from rlenvs.registration import creator_of, registered_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Tasks of one environment: the first ones, always the same."""

    env: str  # a registered id
    kwargs: Mapping[str, Any] = field(default_factory=dict)  # JSON values, for `rlenvs.make`
    name: str = ""  # how results call it; empty: the id
    num_tasks: int | None = None  # unless the caller asks for another number; None: all of them
    samples: int | None = (
        None  # of each task, unless the caller asks for another number; None: what the suite says, or 1
    )
    published: Published | None = None  # how others ask, sample and score, for people to compare by

    def __post_init__(self) -> None:
        if not self.env:
            raise ValueError("a target names an environment, like rlenvs/Math-v0")
        if self.num_tasks is not None and self.num_tasks < 1:
            raise ValueError(f"target {self.title}: num_tasks is at least 1, got {self.num_tasks}")
        if self.samples is not None and self.samples < 1:
            raise ValueError(f"target {self.title}: samples is at least 1, got {self.samples}")

    @property
    def title(self) -> str:
        """Its name in results."""
        return self.name or self.env

    @property
    def options(self) -> dict[str, Any]:
        """JSON values: what its environment is made with, the defaults too, which may change between versions."""
        spec = gymnasium.spec(registered_name(self.env))
        parameters = signature(creator_of(self.env)).parameters.values()
        defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
        options = {**defaults, **spec.kwargs, **self.kwargs}
        options.pop("render_mode", None)  # how it is shown, and nobody looks
        return dict(json.loads(json.dumps(options, default=repr)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Targets that belong together, and how they are usually sampled."""

    name: str
    description: str
    targets: tuple[Target, ...]
    samples: int = 1  # of each task, for targets that do not say how many
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        if not self.name or not self.targets:
            raise ValueError(f"a suite has a name and at least one target: got {self.name!r} with {self.targets}")
        titles = [target.title for target in self.targets]
        if len(set(titles)) != len(titles):
            raise ValueError(f"suite {self.name!r}: results are kept by target, each needs its own name: got {titles}")
        if self.samples < 1:
            raise ValueError(f"suite {self.name!r}: samples is at least 1, got {self.samples}")

    def samples_of(self, target: Target) -> int:
        """How many samples of each task of one of its targets are drawn, unless the caller asks for another number."""
        return target.samples or self.samples
