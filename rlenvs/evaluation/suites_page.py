"""Suites as a page of Markdown: `docs/suites.md` is the built-in ones'."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rlenvs.evaluation.suites import Suite, Target
from rlenvs.notation import inline

_HEAD = (
    "# Suites\n\n"
    "How each benchmark was published to be asked, sampled and scored, and what `rlenvs eval --suite NAME` does\n"
    "(*ours*). `rlenvs suites page code code-procedural math math-procedural` prints this page.\n"
)


def page_of(suites: Sequence[Suite]) -> str:
    """The page: a heading for each suite and each target."""
    return "\n".join([_HEAD, *(line for suite in suites for line in _suite_lines(suite))]) + "\n"


def _suite_lines(suite: Suite) -> Iterator[str]:
    sampling = suite.sampling
    yield f"## {suite.name}\n"
    yield f"{suite.description}.\n"
    yield (
        f"Sampling: temperature {sampling.temperature:g}, top-p {sampling.top_p:g}, up to {sampling.max_tokens:,} "
        "tokens a message; `--temperature`, `--top-p`, `--max-tokens` and `--samples` change it.\n"
    )
    for target in suite.targets:
        yield from _target_lines(suite, target)


def _target_lines(suite: Suite, target: Target) -> Iterator[str]:
    options = ", ".join(f"{name}={inline(value)}" for name, value in target.kwargs.items())
    tasks = "all tasks" if target.num_tasks is None else f"{target.num_tasks:,} tasks"
    yield f"### {target.title}\n"
    yield f"`{target.env}` with `{options}`: {tasks}, {suite.samples_of(target)} × each.\n"
    if target.published is not None:
        yield "\n".join(f"- *{what}*: {sentence}" for what, sentence in asdict(target.published).items()) + "\n"
