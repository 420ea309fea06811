"""`Group`: a group of commands in which a mistyped command gets the sentence that every other mistyped name gets."""

from typing import Any

from typer.core import TyperGroup

from rlenvs.errors import RlenvsError, unknown


class Group(TyperGroup):
    """For `typer.Typer(cls=Group)`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first argument names."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise RlenvsError(
                unknown("command", f"{ctx.command_path} {name}".removeprefix("rlenvs "), self._paths(ctx))
            )
        return super().resolve_command(ctx, args)

    def _paths(self, ctx: Any) -> list[str]:
        return [f"{ctx.command_path} {name}".removeprefix("rlenvs ") for name in self.list_commands(ctx)]
