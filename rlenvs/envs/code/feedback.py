"""What a policy is told of a program that failed, so that it can mend it."""

from typing import Literal

from rlenvs.code.clipping import clipped
from rlenvs_sandbox import Outcome

Feedback = Literal["examples", "tests", "status"]
"""What is told between attempts: of the tests that the policy may see, all; of the others only how many fail
(examples); everything of all tests, what they expect too (tests); or the status alone (status)."""

MAX_FAILURES = 3
MAX_CHARS = 1000  # of the failures, of standard output and of standard error, each
_STATUS = {
    "pass": "passes",
    "fail": "gives wrong results",
    "runtime_error": "ends with an error",
    "timeout": "takes too long",
    "memory": "uses too much memory",
    "output_limit": "prints too much",
}


def no_program(language: str) -> str:
    """What is told where a reply gives no program."""
    return f"There is no program in that reply. Give the whole program in one block that begins with ```{language}."


def status_of(outcome: Outcome) -> str:
    """The status of a program that did not pass, and nothing else."""
    return f"That program {_STATUS[outcome.status]}. Mend it and give the whole program again."


def feedback_on(outcome: Outcome, *, of: str, in_full: bool) -> str:
    """What is told of a program that did not pass.

    Args:
        of: what the tests are called: "example", "test".
        in_full: whether failures are told with what was called and expected, or only how many there are.
    """
    passed = f" {outcome.passed} of {outcome.total} {of}s pass." if outcome.total > 1 else ""
    head = f"That program {_STATUS[outcome.status]}.{passed}"
    if not in_full:
        return f"{head} Mend it and give the whole program again."
    shown = [clipped(text, MAX_CHARS) for text in outcome.failures[:MAX_FAILURES]]
    if len(outcome.failures) > MAX_FAILURES:
        shown.append(f"… and {len(outcome.failures) - MAX_FAILURES} more")
    if not shown and outcome.detail:
        shown = [clipped(outcome.detail, MAX_CHARS)]
    parts = [head, *shown]
    for name, stream in (("printed", outcome.stdout), ("standard error", outcome.stderr)):
        text = stream.decode(errors="replace").strip()
        if text:
            parts.append(
                f"It {name}:\n{clipped(text, MAX_CHARS)}"
                if name == "printed"
                else f"On {name}:\n{clipped(text, MAX_CHARS)}"
            )
    return "\n\n".join([*parts, "Mend it and give the whole program again."])
