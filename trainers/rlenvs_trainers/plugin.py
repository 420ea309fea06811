"""What the trainers add to rlenvs, through the door that anyone may use. Light: nothing here imports torch."""

from typing import TYPE_CHECKING

from rlenvs.hooks import RegisterNamed, RegisterPolicy, hookimpl

if TYPE_CHECKING:
    import typer

    from rlenvs.policies.base import Policy, PolicyContext
    from rlenvs_trainers.samplers.base import Sampler, SamplerContext


@hookimpl
def register_components(register: RegisterNamed) -> None:
    """The slots' built-in choices."""
    from rlenvs_trainers import components

    components.register_components(register)


@hookimpl
def register_samplers(register: RegisterNamed) -> None:
    """Who writes tokens in training."""
    register("transformers", _transformers)


@hookimpl
def register_policies(register: RegisterPolicy) -> None:
    """The policies with weights that evaluation asks for."""
    register("tokens", _token_policy)


@hookimpl
def register_commands(app: "typer.Typer") -> None:
    """`rlenvs train`, `rlenvs sft`, `rlenvs algorithms`."""
    from rlenvs_trainers import commands

    commands.add_to(app)


def _transformers(context: "SamplerContext") -> "Sampler":
    from rlenvs_trainers.samplers.transformers import from_context

    return from_context(context)


def _token_policy(context: "PolicyContext") -> "Policy":
    from rlenvs.policies.base import Placement
    from rlenvs_trainers.token_policy import load_token_policy

    return load_token_policy(context.spec, context.sampling, context.placement or Placement())
