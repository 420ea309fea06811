"""What a worker is asked to run, and how it is told: one packet, and the descriptors that the program gets."""

import contextlib
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rlenvs_sandbox.inside.agent import REQUEST_FILES
from rlenvs_sandbox.languages import Command, command_of
from rlenvs_sandbox.records import Limits, Program
from rlenvs_sandbox.worker import LostError

_COMPILER_MB, _COMPILER_PIDS = 1024, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a worker is asked to run."""

    kind: str  # "python", "judge", "command", or "compile" and then "command"
    text: bytes
    stdin: bytes = b""
    contents: Mapping[str, bytes] = field(default_factory=dict)  # of files in its folder, by name
    command: Command | None = None  # of another language than Python
    files: Mapping[str, int] = field(default_factory=dict)  # descriptors by name: channel, report

    def limits_at_first(self, limits: Limits) -> Limits:
        """What holds until it is said to be compiled; a compiler is not the program, and needs what it needs."""
        if self.kind != "compile" or self.command is None:
            return limits
        seconds = self.command.compile_s
        memory, pids = max(limits.mem_mb, _COMPILER_MB), max(limits.pids, _COMPILER_PIDS)
        return replace(limits, wall_s=seconds, cpu_s=seconds, mem_mb=memory, pids=pids, fsize_mb=limits.disk_mb)

    def send(self, limits: Limits, control: socket.socket) -> dict[str, int]:
        """Ask for it; the descriptors of what it will write, by "stdout" and "stderr".

        Args:
            limits: of the program.

        Raises:
            LostError: nobody is at the other end.
        """
        pipes = {name: os.pipe2(os.O_CLOEXEC) for name in ("stdout", "stderr")}
        for near, far in pipes.values():
            os.fchmod(far, 0o622)  # a program, another user, may open its /dev/stdout anew
            os.set_blocking(near, False)
        files = {
            "text": _in_memory("text", b"".join([self.text, *self.contents.values()])),
            "stdin": _in_memory("stdin", self.stdin),
            **{name: far for name, (_, far) in pipes.items()},
            **self.files,
        }
        names = [name for name in REQUEST_FILES if name in files]
        try:
            socket.send_fds(control, [self._packet(limits, names)], [files[name] for name in names])
        except OSError as error:
            for near, _ in pipes.values():
                os.close(near)
            raise LostError(f"the agent of a sandbox is gone: {error}", has_run=False) from error
        finally:
            for name in ("text", "stdin", "stdout", "stderr"):
                os.close(files[name])
        return {name: near for name, (near, _) in pipes.items()}

    def _packet(self, limits: Limits, files: list[str]) -> bytes:
        asked: dict[str, Any] = {
            "kind": self.kind,
            "files": files,
            "bounds": self._bounds(limits),
            "contents": [(name, len(content)) for name, content in self.contents.items()],
        }
        if self.command is not None:
            asked |= {name: getattr(self.command, name) for name in ("file", "run", "compile")}
            asked["compile_bounds"] = self._bounds(self.limits_at_first(limits))
        return json.dumps(asked).encode()

    def _bounds(self, limits: Limits) -> dict[str, Any]:
        return {
            "cpu_s": limits.cpu_s or limits.wall_s,
            "mem_mb": limits.mem_mb,
            "pids": limits.pids,
            "fsize_mb": limits.fsize_mb,
            "disk_mb": limits.disk_mb,
            "is_reserving": self.command is not None and self.command.is_reserving,
        }


def request_of(program: Program) -> Request:
    """What runs a program by itself.

    Raises:
        ValueError: its language is not known.
    """
    text = program.text.encode(errors="surrogatepass")
    if program.language == "python":
        return Request(kind="python", text=text, stdin=program.stdin, contents=program.files)
    command = command_of(program.language)
    kind = "compile" if command.compile else "command"
    return Request(kind=kind, text=text, stdin=program.stdin, contents=program.files, command=command)


def _in_memory(name: str, data: bytes) -> int:
    """A file in memory that holds data, at its start."""
    file = os.memfd_create(name, os.MFD_CLOEXEC)
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, file)
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
        os.lseek(file, 0, os.SEEK_SET)
        stack.pop_all()
    return file
