"""`rlenvs envs`: which environments there are, what one is like, and whether it keeps the contract."""

import inspect
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table

if TYPE_CHECKING:
    from rlenvs.env import TextEnv
    from rlenvs.plugins import Plugins
    from rlenvs.records import Task

app = typer.Typer(invoke_without_command=True, help="List environments, show one, or check one.")

IdArgument = Annotated[str, typer.Argument(help="An environment's id, for example rlenvs/Arithmetic-v0.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="An option of the environment, name=value in TOML. Repeatable.")
]
AgainstOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Options of a split or data set to look for the same questions in, separated by blanks: 'dataset=math500'."
        " Those that are not named are as in --set. After an id, those of another environment. Repeatable."
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="All tasks, also of a generator that takes long: else those of its first seconds.")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="The contract alone, on twenty tasks: no data.")]


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
    """Show an environment: its options, and one task.

    With the task comes how its answer would look.
    """
    from rlenvs.errors import RlenvsError
    from rlenvs.registration import registered_ids, registered_name

    ctx.obj.environments.check_unambiguous(id)
    facts = _facts(id) | {"from": _origin(ctx.obj, id)}
    problem: RlenvsError | None = None
    try:
        facts |= _facts_when_made(_made(ctx.obj, id, sets or []), id)
    except RlenvsError as error:  # what can be known without making it is shown first, of one of ours
        if registered_name(id) not in registered_ids():
            raise
        problem = error
    if as_json:
        print_json(facts)
    else:
        _print(facts)
    if problem is not None:
        raise problem


def _print(facts: dict[str, Any]) -> None:
    typer.echo(f"{facts['id']}  (from {facts['from']})\n\n{facts['description']}")
    if facts["options"]:
        typer.echo("\noptions (--set name=value):")
        for name, default in facts["options"].items():
            typer.echo(f"  {name} = {default}")
    if facts["example"] is None:
        return
    num_tasks, example = facts["num_tasks"], facts["example"]
    typer.echo(f"\ntasks: {'unlimited' if num_tasks is None else num_tasks}, turns: {facts['max_turns']}")
    typer.echo(f"\ntask 0 ({example['task_id']}):")
    for message in example["messages"]:
        typer.echo(f"\n[{message['role']}]\n{message['content']}")
    typer.echo(f"\n[a right answer]\n{'(it does not say)' if example['answer'] is None else example['answer']}")


@app.command("check")
def check(
    ctx: typer.Context,
    id: IdArgument,
    sets: SetOption = None,
    against: AgainstOption = None,
    quick: QuickOption = False,
    with_all: AllOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check that an environment keeps the contract, and all of its data.

    Seeds, clones, no global randomness; every reference, duplicates, leaks between splits. Exit code 1: something is
    wrong. Duplicates and leaks are said, and are no failure.
    """
    from rlenvs.cli import checking
    from rlenvs.errors import RlenvsError

    if quick and with_all:
        raise RlenvsError("--quick leaves the data out, of which --all takes all: leave one of them out")
    if quick and against:
        raise RlenvsError("--quick leaves the data out, and with them what --against compares: leave one of them out")
    with ExitStack() as stack:
        env = stack.enter_context(closing(_made(ctx.obj, id, sets or [])))
        others = {}
        for text in against or ():
            others[text] = stack.enter_context(closing(_made_against(ctx.obj, id, sets or [], text)))
        checked = checking.checked(env, id, others, with_data=not quick, with_all=with_all)
    if as_json:
        print_json(checked.as_json())
    else:
        checking.tell(checked)
    if not checked.is_sound:
        raise typer.Exit(1)


def _made_against(plugins: "Plugins", id: str, sets: list[str], text: str) -> "TextEnv":
    """What one `--against` names: an environment of its own, or this one with other options."""
    parts = text.split()
    if parts and "=" not in parts[0]:
        return _made(plugins, parts[0], parts[1:])
    return _made(plugins, id, [*sets, *parts])


def _made(plugins: "Plugins", id: str, sets: list[str]) -> "TextEnv":
    from rlenvs.overrides import overridden
    from rlenvs.registration import make

    options: dict[str, Any] = {}
    for text in sets:
        options = overridden(options, text)
    plugins.environments.check_unambiguous(id)
    return make(id, **options)


def _facts(id: str) -> dict[str, Any]:
    """What can be known of an environment that is not made."""
    from rlenvs.registration import creator_of

    creator = creator_of(id)
    return {
        "id": id,
        "description": inspect.getdoc(creator) or "",
        "num_tasks": None,
        "max_turns": None,
        "options": _options(creator),
        "example": None,
    }


def _facts_when_made(env: "TextEnv", id: str) -> dict[str, Any]:
    from rlenvs.errors import RlenvsError, described, foreign_code

    try:
        with foreign_code():
            task = env.task_at(0)
            _, info = env.reset(options={"task": task})
            answer = _answer(env, task)
    except Exception as error:  # foreign code
        raise RlenvsError(f"{id} does not start on its task 0: {described(error)}") from error
    messages = [{"role": message.role, "content": message.content} for message in info["messages"]]
    return {
        "num_tasks": env.num_tasks,
        "max_turns": env.max_turns,
        "example": {"task_id": task.id, "messages": messages, "answer": answer},
    }


def _answer(env: "TextEnv", task: "Task") -> str | None:
    """None where the environment does not say how an answer looks."""
    from rlenvs.records import as_text

    try:
        return as_text(env.answer_message(task), "answer_message")
    except NotImplementedError:
        return None


def _options(creator: Callable[..., Any]) -> dict[str, str]:
    """What `make` takes besides the id, with the defaults as Python writes them."""
    parameters = inspect.signature(creator).parameters.values()
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return {each.name: "(required)" if each.default is each.empty else repr(each.default) for each in named}


def _origin(plugins: "Plugins", id: str) -> str:
    return plugins.environments.origin(id).distribution if id in list(plugins.environments) else ""
