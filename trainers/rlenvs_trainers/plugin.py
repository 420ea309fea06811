"""What the trainers add to rlenvs, through the door that anyone may use. Light: nothing here imports torch."""

from typing import TYPE_CHECKING, Any

from rlenvs.hooks import RegisterNamed, hookimpl

if TYPE_CHECKING:
    import typer


@hookimpl
def register_components(register: RegisterNamed) -> None:
    """The slots' built-in choices."""
    from rlenvs_trainers import components

    components.register_components(register)


@hookimpl
def register_samplers(register: RegisterNamed) -> None:
    """Who writes tokens in training, and the policies with weights that evaluation asks for."""
    register("transformers", _transformers)
    register("tokens", _token_policy)


@hookimpl
def register_commands(app: "typer.Typer") -> None:
    """`rlenvs train`, `rlenvs sft`, `rlenvs algorithms`."""
    from rlenvs_trainers import commands

    commands.add_to(app)


def _transformers(*args: Any, **kwargs: Any) -> Any:
    from rlenvs_trainers.samplers.transformers import TransformersSampler

    return TransformersSampler(*args, **kwargs)


def _token_policy(*args: Any, **kwargs: Any) -> Any:
    from rlenvs_trainers.token_policy import load_token_policy

    return load_token_policy(*args, **kwargs)
