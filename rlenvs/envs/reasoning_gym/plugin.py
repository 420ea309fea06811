"""Registers reasoning_gym's generators, where the library is installed (extra `reasoning-gym`)."""

from importlib.util import find_spec

from rlenvs.envs.reasoning_gym.generators import GENERATORS
from rlenvs.hooks import Register, RegisterEnvironment, hookimpl


def environment_id(generator: str) -> str:
    """The id of a generator's environment."""
    return f"reasoning_gym/{generator}-v0"


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    """An environment for each generator."""
    if find_spec("reasoning_gym") is None:
        return
    for generator, description in GENERATORS.items():
        register(
            environment_id(generator),
            "rlenvs.envs.reasoning_gym.env:ReasoningGymEnv",
            kwargs={"generator": generator},
            description=description,
        )


@hookimpl
def register_suites(register: Register) -> None:
    """Ten held-out tasks of each generator."""
    from rlenvs.evaluation.suites import Suite, Target
    from rlenvs.policies.base import Sampling

    if find_spec("reasoning_gym") is None:
        return
    targets = (
        Target(env=environment_id(name), kwargs={"split": "test"}, name=name, num_tasks=10) for name in GENERATORS
    )
    register(
        Suite(
            name="reasoning-gym",
            description="ten held-out tasks of every generator of reasoning_gym, each scored by its own scorer",
            targets=tuple(targets),
            sampling=Sampling(temperature=0.6, top_p=0.95, max_tokens=16_384),
        )
    )
