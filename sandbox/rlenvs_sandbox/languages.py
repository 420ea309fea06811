"""Languages other than Python: how their programs are compiled and run, with the tools of the system."""

from dataclasses import dataclass

from rlenvs_sandbox.errors import unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How a program in one language is run."""

    tool: str  # that has to be there
    file: str  # the name that the program's text gets
    run: tuple[str, ...] = ("./main",)
    compile: tuple[str, ...] = ()  # before that, by itself; empty: there is nothing to compile
    compile_s: float = 30.0  # beside the program's own time
    is_reserving: bool = False  # whether its runtime reserves far more addresses than it uses


LANGUAGES = {
    "c": Command(tool="gcc", file="main.c", compile=("gcc", "-O2", "-std=gnu17", "-o", "main", "main.c", "-lm")),
    "cpp": Command(tool="g++", file="main.cpp", compile=("g++", "-O2", "-std=gnu++20", "-o", "main", "main.cpp")),
    "javascript": Command(tool="node", file="main.js", run=("node", "main.js"), is_reserving=True),
    "java": Command(
        tool="javac",
        file="Main.java",
        compile=("javac", "-J-XX:+UseSerialGC", "Main.java"),
        run=("java", "-XX:+UseSerialGC", "-Xss64m", "Main"),
        is_reserving=True,
    ),
    "rust": Command(tool="rustc", file="main.rs", compile=("rustc", "-O", "-o", "main", "main.rs"), is_reserving=True),
    "go": Command(
        tool="go", file="main.go", compile=("go", "build", "-o", "main", "main.go"), compile_s=60, is_reserving=True
    ),
    "bash": Command(tool="bash", file="main.sh", run=("bash", "main.sh")),
}
"""By the names that `Program.language` takes, beside "python"."""


_ALIASES = {
    "c++": "cpp", "cxx": "cpp", "cc": "cpp", "js": "javascript", "node": "javascript", "nodejs": "javascript",
    "py": "python", "python3": "python", "sh": "bash", "shell": "bash", "golang": "go", "rs": "rust",
}  # fmt: skip
"""What people call them, and we do not."""
PATHS = ("/usr/local/bin", "/usr/bin", "/bin")
"""Where a sandbox finds their tools."""


def unknown_language(name: str) -> str:
    """The sentence for a language that is not known."""
    return unknown("language", name, ("python", *LANGUAGES), _ALIASES.get(name.lower()))


def command_of(language: str) -> Command:
    """How programs in a language are run.

    Raises:
        ValueError: it is not known.
    """
    if language not in LANGUAGES:
        raise ValueError(unknown_language(language))
    return LANGUAGES[language]
