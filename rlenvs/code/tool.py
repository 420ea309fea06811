"""`PythonTool`: Python that a policy runs between its messages, and what it is told of it."""

from dataclasses import dataclass, field

from rlenvs.code.clipping import clipped
from rlenvs.code.sandboxes import Sandbox
from rlenvs_sandbox import Limits, Outcome, Program, SandboxError

_LEAST_CHARS = 2
TOOL_LIMITS = Limits(wall_s=10.0, cpu_s=5.0, output_bytes=2**18)

# Runs in the sandbox: a text that a policy wrote is not even parsed elsewhere.
_SESSION = """
import ast, sys
source = open("tool.py", "rb").read()
tree = ast.parse(source, "tool.py")
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
names = {"__name__": "__main__"}
exec(compile(tree, "tool.py", "exec"), names)
if last is not None:
    value = eval(compile(ast.Expression(last.value), "tool.py", "eval"), names)
    if value is not None:
        print(repr(value))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonTool:
    """Python in a sandbox. Each call is a process of its own: nothing of one is left for the next.

    Raises:
        ValueError: `max_chars` leaves no room for a head and a tail.
    """

    sandbox: Sandbox = field(default_factory=Sandbox)
    limits: Limits = TOOL_LIMITS
    max_chars: int = 2000  # of what is told: the head and the tail of it

    def __post_init__(self) -> None:
        if self.max_chars < _LEAST_CHARS:
            raise ValueError(
                f"max_chars, of what a run is told to have printed, is at least {_LEAST_CHARS}: got {self.max_chars}"
            )

    def run(self, text: str) -> str:
        """What a text prints, and the value of its last line if that is an expression; an error's last lines.

        Raises:
            SandboxError: the sandbox was lost, or cannot be opened.
        """
        program = Program(text=_SESSION, files={"tool.py": text.encode(errors="surrogatepass")})
        outcome = self.sandbox.runner().run(program, self.limits)
        if outcome.status == "sandbox_error":
            raise SandboxError(f"the Python tool: {outcome.detail}")
        return clipped(_told(outcome), self.max_chars)


def _told(outcome: Outcome) -> str:
    printed = outcome.stdout.decode(errors="replace").rstrip()
    error = _traceback(outcome.stderr.decode(errors="replace").rstrip())
    stopped = "" if outcome.status in ("pass", "runtime_error") else f"[stopped: {outcome.detail}]"
    silent = f"[{outcome.detail}]" if outcome.detail else "[no output]"
    return "\n".join(filter(None, (printed, error, stopped))) or silent


def _traceback(text: str) -> str:
    """Standard error without the frames that are not the policy's."""
    head, found, rest = text.partition("Traceback (most recent call last):\n")
    place = rest.find('  File "tool.py"')
    return f"{head}{found}{rest[place:]}" if found and place >= 0 else text
