"""Running a text as a new interpreter would run a file: `__main__`, its streams, its end; or import it, for tests."""

import atexit
import builtins
import contextlib
import gc
import io
import linecache
import os
import random
import signal
import site
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NoReturn

from rlenvs_sandbox.inside import calls, judge

FILE = "main.py"
MODULE = "main"  # what tests would import it as
OUT_OF_MEMORY = 72  # exit status of a program that no exception handler kept from running out of memory
_READ = 1 << 16
Serve = Callable[[ModuleType, BaseException | None], None]


class Interpreter:
    """An interpreter as a program finds it when it starts, but for the program: made once, before any is there."""

    def __init__(self) -> None:
        """Streams, arguments, variables and names as a new interpreter has them."""
        os.environ.clear()
        os.environ.update(PATH="/usr/local/bin:/usr/bin:/bin", LANG="C.UTF-8", PYTHONHASHSEED="0")
        with _standard_files():
            for name, number, mode in (("stdin", 0, "rb"), ("stdout", 1, "wb"), ("stderr", 2, "wb")):
                buffer = open(number, mode, closefd=False)  # noqa: SIM115  # it is the stream
                errors = "backslashreplace" if name == "stderr" else "strict"
                stream = io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=name == "stderr")
                stream.mode = mode[0]  # type: ignore[misc]
                setattr(sys, name, stream)
                setattr(sys, f"__{name}__", stream)
        for add in (site.setquit, site.setcopyright, site.sethelper):  # the built-ins that an interpreter adds itself
            add()
        sys.argv = [FILE]
        sys.path.insert(0, "")

    def be_new(self) -> None:
        """Give the next program random numbers of its own."""
        random.seed()

    def be_in(self, folder: str, *, is_only: bool) -> None:
        """Name the folder in which the next program runs.

        Args:
            is_only: whether there may be no other one that it can write to.
        """
        if sys.path[0] != folder:
            sys.path[0] = os.environ["HOME"] = folder
            if is_only:
                os.environ["TMPDIR"] = folder

    def run(self, request: dict[str, Any], files: dict[str, int]) -> NoReturn:
        """Do what a request asks for, in the process that is the program's, and end it."""
        text = _unpacked(_read(files["text"]), request["contents"])
        if request["kind"] == "compile":
            _write(request["file"], text)
            _compile(request["compile"])
        if request["kind"] == "command":
            _write(request["file"], text)  # anew: no compiler is trusted with it
            os.execvp(request["run"][0], request["run"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_IGN)
        if request["kind"] == "judge":
            judge.run(text, files["channel"], files["report"])
            os._exit(0)
        _write(FILE, text)
        _run_python(text, calls.Server(files["channel"]).serve if "channel" in files else None)


@contextlib.contextmanager
def _standard_files() -> Iterator[None]:
    """In the places of standard input, output and error, files of the kind that a program will have there.

    A stream asks its file once whether it has positions, and is made once for all programs.
    """
    before = [os.dup(number) for number in range(3)]
    near, far = os.pipe()
    nothing = os.memfd_create("stdin")
    for number, file in enumerate((nothing, far, far)):
        os.dup2(file, number)
    for file in (near, far, nothing):
        os.close(file)
    yield
    for number, file in enumerate(before):
        os.dup2(file, number)
        os.close(file)


def _read(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while part := os.read(file, _READ):
        parts.append(part)
    os.close(file)
    return b"".join(parts)


def _unpacked(data: bytes, contents: list[tuple[str, int]]) -> bytes:
    """The program's text, once the files behind it are in their places."""
    for name, size in reversed(contents):
        data, content = data[: len(data) - size], data[len(data) - size :]
        _write(name, content)
    return data


def _write(name: str, text: bytes) -> None:
    with open(name, "wb") as file:
        file.write(text)


def _compile(command: list[str]) -> NoReturn:
    """Take this process' place; what it reads is not the program's input, and what it says is no output of it."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.execvp(command[0], command)


def _run_python(text: bytes, serve: Serve | None) -> NoReturn:
    """Run the text as `__main__`, and end as an interpreter does; or as a module whose functions are then called.

    Published harnesses of function tests run no `if __name__ == "__main__"` either: what stands there wants to be
    alone, with an input to read and an end of its own.
    """
    owner = os.getpid()
    module = ModuleType("__main__" if serve is None else MODULE)
    module.__dict__.update(__file__=FILE, __builtins__=builtins)
    sys.modules["__main__"] = sys.modules[module.__name__] = module
    raised: BaseException | None = None
    try:
        exec(compile(text, FILE, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        raised = error
    if serve is not None and os.getpid() == owner:
        serve(module, raised)
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        os._exit(0)
    status = 0 if raised is None else _status_of(raised)
    raised = module = None  # type: ignore[assignment]  # nothing of ours holds what the program made
    _end(status)


def _status_of(error: BaseException) -> int:
    """The exit status that an uncaught exception ends an interpreter with; what it says goes to standard error."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    with contextlib.suppress(BaseException):
        linecache.clearcache()
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next  # the program's frames alone
        sys.excepthook(type(error), error, error.__traceback__)
    if isinstance(error, KeyboardInterrupt):
        return 130
    return OUT_OF_MEMORY if isinstance(error, MemoryError) else 1


def _end(status: int) -> NoReturn:
    """What an interpreter does at its end: threads, exit handlers, streams, and what the program's names still hold."""
    with contextlib.suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]  # waits for the threads that are no daemons
    try:
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    try:
        if sys.stdout is not None and not getattr(sys.stdout, "closed", False):
            sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        status = 120  # as CPython says it
    with contextlib.suppress(BaseException):
        gc.collect()  # as CPython does: it also brings what holds others before them, and a file's text to its file
        del sys.modules["__main__"]
        gc.collect()
    for stream in (sys.stdout, sys.__stdout__, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()  # type: ignore[union-attr]  # what is none is passed over, too
    os._exit(status)
