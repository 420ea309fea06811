"""What the sandboxes hold on this machine, found out by trying them with harmless programs."""

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass

from rlenvs_sandbox.backends import open_runner
from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.languages import LANGUAGES
from rlenvs_sandbox.levels import level_of
from rlenvs_sandbox.records import Program
from rlenvs_sandbox.runner import Runner
from rlenvs_sandbox.trials import TRIALS, Finding, Level, tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found out about one sandbox."""

    sandbox: str
    level: Level | None  # the highest that it holds; None: not even the lowest
    findings: tuple[Finding, ...]
    languages: tuple[str, ...] = ()  # whose tools are in it


def examine(
    name: str, factory: Callable[..., Runner] | None = None, progress: Callable[[], None] = lambda: None
) -> Examination:
    """What a sandbox holds on this machine. That it cannot be opened is one finding.

    Args:
        factory: takes `num_workers` and gives its runner; None: ours of that name.
        progress: called after each of the `TRIALS`.

    Raises:
        ValueError: there is none of that name.
    """
    try:
        runner: Runner = factory(num_workers=1) if factory else open_runner(name, num_workers=1)
    except SandboxError as error:
        finding = Finding(sandbox=name, what="it can be opened", is_held=False, detail=str(error))
        return Examination(sandbox=name, level=None, findings=(finding,))
    with closing(runner):
        findings = []
        for trial in TRIALS:
            findings.append(tried(name, runner, trial))
            progress()
        level = level_of(findings, is_boundary=getattr(runner, "is_boundary", True))
        return Examination(sandbox=name, level=level, findings=tuple(findings), languages=_languages(runner))


def _languages(runner: Runner) -> tuple[str, ...]:
    tools = {language: command.tool for language, command in LANGUAGES.items()}
    text = f"import shutil\nprint(*(name for name, tool in {tools!r}.items() if shutil.which(tool)))"
    with suppress(SandboxError):
        return ("python", *runner.run(Program(text=text)).stdout.decode().split())
    return ()
