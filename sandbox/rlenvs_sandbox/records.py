"""What goes into a sandbox and what comes out: programs, limits, outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["pass", "fail", "runtime_error", "timeout", "memory", "output_limit", "sandbox_error"]
"""How a program ended.

pass: it ended by itself, without an error; where it was judged, everything was right. fail: something was wrong.
sandbox_error: the sandbox broke, or the tests did: that says nothing about the program, and is no wrong answer.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use.

    Raises:
        ValueError: one of them is not positive, is more than `MOST` says, or counts things and is no whole number.
    """

    wall_s: float = 5.0  # from the start to the end, compiling apart
    cpu_s: float | None = None  # of processor time, of all its processes together; None: as `wall_s`
    mem_mb: int = 512
    pids: int = 64  # processes and threads
    output_bytes: int = 2**20  # of standard output, and of standard error
    fsize_mb: int = 64  # of one file
    disk_mb: int = 128  # of all its files

    def __post_init__(self) -> None:
        for name, most in MOST.items():
            value = getattr(self, name)
            if value is None and name == "cpu_s":
                continue
            types, number = (int | float, "number") if name in ("wall_s", "cpu_s") else (int, "whole number")
            if isinstance(value, bool) or not isinstance(value, types) or not 0 < value <= most:
                raise ValueError(f"the limit {name} is a {number} above 0 and up to {most}: got {value!r}")


MOST: Mapping[str, int] = {
    "wall_s": 10**6, "cpu_s": 10**6, "mem_mb": 2**24, "pids": 2**22, "output_bytes": 2**31 - 1, "fsize_mb": 2**24,
    "disk_mb": 2**24,
}  # fmt: skip
"""The highest limits: more than any machine has, and no more than the system's calls can take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program's text, in one of the languages of `rlenvs_sandbox.languages`, and what it reads.

    Raises:
        ValueError: a file's name is no plain name, or there are too many files.
    """

    text: str
    language: str = "python"
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)  # in its folder, by plain names

    def __post_init__(self) -> None:
        if len(self.files) > _MAX_FILES:
            raise ValueError(f"a program's folder has up to {_MAX_FILES} files: got {len(self.files)}")
        for name in self.files:
            size = len(name.encode(errors="surrogatepass"))
            if not 0 < size <= _MAX_NAME or "/" in name or "\0" in name or name in (".", ".."):
                raise ValueError(
                    f"a file in a program's folder has a plain name of up to {_MAX_NAME} bytes: got {name!r}"
                )


_MAX_FILES, _MAX_NAME = 100, 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a program."""

    status: Status
    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int | None = None  # below zero: the signal that ended it; None: it was killed, or never ran
    wall_s: float = 0.0
    cpu_s: float = 0.0
    passed: int = 0  # tests that were right
    total: int = 0  # tests; 0 where it was not judged
    detail: str = ""  # why it is no pass, for people
    failures: tuple[str, ...] = field(default=())  # what went wrong in each test that did, in order

    @property
    def is_pass(self) -> bool:
        """Whether it is a pass."""
        return self.status == "pass"
