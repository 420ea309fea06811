"""`rlenvs eval`: a policy on suites or environments, with intervals; what is measured is `rlenvs.evaluation`'s."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rlenvs.cli.output import JsonOption, print_json, print_renderable

if TYPE_CHECKING:
    from rlenvs.evaluation.suites import Suite
    from rlenvs.plugins import Plugins
    from rlenvs.policies.base import Policy, Sampling


def evaluate(
    ctx: typer.Context,
    policy: Annotated[
        str,
        typer.Option(help="oracle, random, a folder, a checkpoint, a hub id, openai:MODEL@URL, or a plug-in's KIND:…"),
    ],
    suites: Annotated[
        list[str] | None, typer.Option("--suite", help="A suite of targets; none: a list of them. Repeatable.")
    ] = None,
    envs: Annotated[list[str] | None, typer.Option("--env", help="An environment's id. Repeatable.")] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the --env environments, name=value. Repeatable.")
    ] = None,
    num_tasks: Annotated[int | None, typer.Option(min=1, help="Tasks of each target. Default: all of them.")] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Samples of each task: pass@k for every k up to it.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="0 is greedy. Default: the suite's, or 1.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one message.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Nucleus sampling.")] = None,
    top_k: Annotated[int | None, typer.Option(min=0, help="0: all tokens.")] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help="A text that ends a message, and is its end. Repeatable.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Of a policy with weights: cpu, cuda, cuda:1. Default: cuda where there is one.")
    ] = None,
    dtype: Annotated[
        Literal["float32", "bfloat16"] | None,
        typer.Option(help="Of such a policy's forward passes; its weights stay in float32. Default: float32."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the whole evaluation.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes in flight.")] = 64,
    deadline_s: Annotated[
        float, typer.Option(help="Seconds for one step of an environment, its grader included.")
    ] = 60.0,
    results: Annotated[
        Path | None, typer.Option(help="Results file (JSON lines). What it has is not run again.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a policy: pass@1 and pass@k with 95 % intervals.

    Intervals are over tasks, errors are apart from wrong answers.
    """
    from rlenvs.cli.progress import Progress
    from rlenvs.evaluation import evaluate as evaluation
    from rlenvs.evaluation import present
    from rlenvs.policies.base import Placement, PolicyContext
    from rlenvs.policies.resolve import resolve

    chosen = _chosen(ctx.obj, suites or [], envs or [], sets or [])
    stops = tuple(stop) if stop else None
    context = PolicyContext(
        spec=policy,
        samplings=_samplings(
            chosen, temperature=temperature, max_tokens=max_tokens, top_p=top_p, top_k=top_k, stop=stops
        ),
        placement=Placement(device=device or "auto", dtype=dtype or "float32") if device or dtype else None,
        concurrency=concurrency,
    )
    who = resolve(context, ctx.obj.policies)
    num_samples = _num_samples(who, samples)
    with Progress("evaluating", None, "episodes") as line:

        def follow(now: evaluation.Progress) -> None:
            failed = f"{now.failed} failed" if now.failed else ""
            note = f"{now.read} tasks read" if now.total is None else failed
            line.reach(now.done, now.total, done_before=now.resumed, note=note)

        result = evaluation.evaluate(
            who,
            [replace(target, samples=suite.samples_of(target)) for suite in chosen for target in suite.targets],
            num_tasks=num_tasks,
            samples=num_samples,
            seed=seed,
            concurrency=concurrency,
            deadline_s=deadline_s,
            results_path=results,
            progress=follow,
        )
    if as_json:
        print_json(present.as_json(result))
    else:
        print_renderable(present.as_table(result))
    if not any(summary.num_tasks_scored for summary in result.summaries):
        typer.echo("rlenvs: not one sample could be judged", err=True)
        raise typer.Exit(1)


def _chosen(plugins: "Plugins", suites: list[str], envs: list[str], sets: list[str]) -> "list[Suite]":
    """The suites, and the environments as a suite of their own."""
    from rlenvs.errors import RlenvsError
    from rlenvs.evaluation.suites import Suite, Target
    from rlenvs.overrides import overridden

    if sets and not envs:
        raise RlenvsError(
            f"--set {sets[0]} is for the environments of --env, and there is none: a suite's environments have options "
            "of their own, the suite is named for them. Leave it out, or name the environment with --env."
        )
    kwargs: dict[str, Any] = {}
    for text in sets:
        kwargs = overridden(kwargs, text)
    chosen = [plugins.suites[name] for name in suites]
    if envs:
        for id in envs:
            plugins.environments.check_unambiguous(id)
        targets = tuple(Target(env=id, kwargs=kwargs) for id in envs)
        chosen.append(Suite(name="--env", description="named on the command line", targets=targets))
    if not chosen:
        names = sorted(set(plugins.suites) - set(plugins.suites.conflicts))
        listed = (f"\n  {name}: {plugins.suites[name].description}" for name in names)
        raise RlenvsError("what to evaluate on? --env ID, or --suite NAME with one of these:" + "".join(listed))
    return chosen


def _samplings(chosen: "list[Suite]", **given: float | tuple[str, ...] | None) -> "tuple[Sampling, ...]":
    """What the suites say, changed by what the command line says."""
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return tuple(replace(suite.sampling, **changes) for suite in chosen)


def _num_samples(policy: "Policy", asked: int | None) -> int | None:
    """As many as were asked for; None: as many as each target wants. Of a policy that is greedy, one.

    Raises:
        RlenvsError: several were asked for of a greedy policy.
    """
    from rlenvs.errors import RlenvsError

    is_greedy = policy.settings.get("temperature") == 0
    if is_greedy and asked is not None and asked > 1:
        raise RlenvsError(
            f"--samples {asked} at temperature 0: greedy samples of one task are all the same, and pass@k would be "
            "pass@1. Say --samples 1, or a --temperature above 0."
        )
    return 1 if is_greedy else asked
