"""Languages other than Python: how their programs are compiled and run, with the tools of the system."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How a program in one language is run."""

    tool: str  # that has to be there
    file: str  # the name that the program's text gets
    steps: tuple[tuple[str, ...], ...]  # commands; the last one is the program
    is_reserving: bool = False  # whether its runtime reserves far more addresses than it uses
    bounds: dict[str, int] = field(default_factory=dict)
    compile_s: float = 0.0  # beside the program's own time

    def as_request(self) -> dict[str, Any]:
        """What the agent is told."""
        bounds = {**self.bounds, "is_reserving": self.is_reserving}
        steps = [list(step) for step in self.steps]
        return {"file": self.file, "steps": steps, "bounds": bounds, "compile_s": self.compile_s}


def _compiled(tool: str, file: str, *options: str, compile_s: float = 30, is_reserving: bool = False) -> Command:
    """A language whose compiler makes a program of its own."""
    steps = ((tool, *options, "-o", "main", file), ("./main",))
    return Command(tool=tool, file=file, steps=steps, compile_s=compile_s, is_reserving=is_reserving)


_JAVA = Command(
    tool="javac",
    file="Main.java",
    steps=(("javac", "-J-XX:+UseSerialGC", "Main.java"), ("java", "-XX:+UseSerialGC", "-Xss64m", "Main")),
    compile_s=30,
    is_reserving=True,
)
LANGUAGES = {
    "c": _compiled("gcc", "main.c", "-O2", "-std=gnu17"),
    "cpp": _compiled("g++", "main.cpp", "-O2", "-std=gnu++20"),
    "javascript": Command(tool="node", file="main.js", steps=(("node", "main.js"),), is_reserving=True),
    "java": _JAVA,
    "rust": _compiled("rustc", "main.rs", "-O", is_reserving=True),
    "go": Command(
        tool="go",
        file="main.go",
        steps=(("go", "build", "-o", "main", "main.go"), ("./main",)),
        is_reserving=True,
        compile_s=60,
    ),
    "bash": Command(tool="bash", file="main.sh", steps=(("bash", "main.sh"),)),
}
"""By the names that `Program.language` takes, beside "python"."""


def command_of(language: str) -> Command:
    """How programs in a language are run.

    Raises:
        ValueError: it is not known.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}: known are python, {', '.join(LANGUAGES)}")
    return LANGUAGES[language]
