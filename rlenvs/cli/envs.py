"""`rlenvs envs`: which environments there are, what one is like, and whether it keeps the contract."""

import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table

if TYPE_CHECKING:
    from rlenvs.env import TextEnv
    from rlenvs.plugins import Plugins
    from rlenvs.records import Task

app = typer.Typer(
    invoke_without_command=True, help="List environments, show one, or check that one keeps the contract."
)

IdArgument = Annotated[str, typer.Argument(help="An environment's id, for example rlenvs/Arithmetic-v0.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="An option of the environment, name=value in TOML. Repeatable.")
]


@app.callback(cls=Group, invoke_without_command=True)
def list_environments(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List environments, show one, or check that one keeps the contract."""
    if ctx.invoked_subcommand is not None:
        return
    from rlenvs.registration import registered

    rows = [
        {"id": env.id, "description": env.description, "entry_point": env.entry_point, "from": _origin(ctx.obj, env.id)}
        for env in registered()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(("id", "description", "from"), [(row["id"], row["description"], row["from"]) for row in rows])
    for sentence in ctx.obj.environments.conflicts.values():
        typer.echo(f"rlenvs: {sentence}", err=True)


@app.command("show")
def show(ctx: typer.Context, id: IdArgument, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Show what an environment is like: its options, and one task with its answer."""
    env = _made(ctx.obj, id, sets or [])
    facts = _facts(env, id) | {"from": _origin(ctx.obj, id)}
    if as_json:
        print_json(facts)
        return
    typer.echo(f"{id}  (from {facts['from']})\n\n{facts['description']}\n")
    typer.echo(
        f"tasks: {'unlimited' if facts['num_tasks'] is None else facts['num_tasks']}, turns: {facts['max_turns']}"
    )
    if facts["options"]:
        typer.echo("\noptions (--set name=value):")
        for name, default in facts["options"].items():
            typer.echo(f"  {name} = {default}")
    typer.echo(f"\ntask 0 ({facts['example']['task_id']}):")
    for message in facts["example"]["messages"]:
        typer.echo(f"\n[{message['role']}]\n{message['content']}")
    answer = "(it does not say)" if facts["example"]["answer"] is None else facts["example"]["answer"]
    typer.echo(f"\n[a right answer]\n{answer}")


@app.command("check")
def check(ctx: typer.Context, id: IdArgument, sets: SetOption = None) -> None:
    """Check that an environment keeps the contract: seeds, clones, right and wrong answers, no global randomness."""
    from rlenvs.checks import CheckWarning, check_env
    from rlenvs.errors import CheckError

    env = _made(ctx.obj, id, sets or [])
    failure: CheckError | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CheckWarning)
        try:
            check_env(env)
        except CheckError as error:
            failure = error
    notes = [str(warning.message) for warning in caught if issubclass(warning.category, CheckWarning)]
    for note in notes:
        typer.echo(f"rlenvs: {id}: {note}", err=True)
    if failure:
        typer.echo(f"rlenvs: {id} does not keep the contract: {failure}", err=True)
        raise typer.Exit(1) from failure
    typer.echo(f"{id} keeps the contract{', apart from what is noted' if notes else ''}.")


def _made(plugins: "Plugins", id: str, sets: list[str]) -> "TextEnv":
    from rlenvs.overrides import overridden
    from rlenvs.registration import make

    options: dict[str, Any] = {}
    for text in sets:
        options = overridden(options, text)
    plugins.environments.check_unambiguous(id)
    return make(id, **options)


def _facts(env: "TextEnv", id: str) -> dict[str, Any]:
    task = env.task_at(0)
    _, info = env.reset(options={"task": task})
    return {
        "id": id,
        "description": inspect.getdoc(_creator(id)) or "",
        "num_tasks": env.num_tasks,
        "max_turns": env.max_turns,
        "options": _options(id),
        "example": {
            "task_id": task.id,
            "messages": [{"role": message.role, "content": message.content} for message in info["messages"]],
            "answer": _answer(env, task),
        },
    }


def _answer(env: "TextEnv", task: "Task") -> str | None:
    """None where the environment does not say how an answer looks."""
    try:
        return env.answer_message(task)
    except NotImplementedError:
        return None


def _creator(id: str) -> Callable[..., Any]:
    """The class or function that makes the environment."""
    from gymnasium.envs.registration import load_env_creator, spec

    entry_point = spec(id).entry_point
    creator = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
    assert creator is not None
    return creator


def _options(id: str) -> dict[str, str]:
    """What `make` takes besides the id, with the defaults as Python writes them."""
    parameters = inspect.signature(_creator(id)).parameters.values()
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return {each.name: "(required)" if each.default is each.empty else repr(each.default) for each in named}


def _origin(plugins: "Plugins", id: str) -> str:
    return plugins.environments.origin(id).distribution if id in list(plugins.environments) else ""
