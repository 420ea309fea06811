"""A worker process: answers requests within limits that it cannot lift.

Run by path, so that nothing but what it serves is imported: `serve.py KIND MEMORY_BYTES CPU_S WALL_S`. KIND is the path
of a Python file with `prepare(setup)`, called before the limits hold, and `answer(request)`. Setup, requests and
replies are JSON lines on standard input and output. Starting it, replacing it and the limit on waiting: `pool`.
"""

import contextlib
import importlib.util
import json
import os
import resource
import signal
import sys
import traceback
from types import ModuleType
from typing import Any, TextIO

_GRACE_S = 2.0  # past the limit on waiting, when the parent ends us if it is still there


def _limit(memory_bytes: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # macOS knows the limit but does not let itself be limited
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _allow(cpu_s: int) -> None:
    """Let the next request use this much processor time; a whole second more at most, the kernel's granularity."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 1 + cpu_s, hard))


def _replied(kind: ModuleType, request: Any) -> str:
    try:
        return json.dumps({"value": kind.answer(request)}, default=_plain)
    except RecursionError:
        return json.dumps({"spent": "nested too deeply"})
    except MemoryError:
        return json.dumps({"spent": "out of memory"})
    except BaseException as error:  # foreign code: whatever it raises must not end the worker
        return json.dumps(_raised(error))


def _plain(value: Any) -> Any:
    """NumPy's and torch's numbers as Python's."""
    if getattr(value, "shape", None) == ():
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot leave the worker process: return numbers, text, None or lists")


def _raised(error: BaseException) -> dict[str, Any]:
    summary = "".join(traceback.format_exception_only(error)).strip()
    where = "".join(traceback.format_tb(error.__traceback__)[-1:]).rstrip()
    return {"raised": f"{summary}\n{where}"[:2000], "types": [each.__name__ for each in type(error).__mro__]}


def _loaded(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("served", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _own_output() -> TextIO:
    """Where replies go. What anybody else prints goes nowhere."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    return replies


def main(kind_path: str, memory_bytes: int, cpu_s: int, wall_s: float) -> None:
    """Answer requests until standard input ends."""
    replies = _own_output()

    def reply(text: str) -> None:
        replies.write(text + "\n")
        replies.flush()

    setup = json.loads(sys.stdin.readline())
    try:
        kind = _loaded(kind_path)
        kind.prepare(setup)
    except BaseException as error:  # what is served cannot be imported, say
        reply(json.dumps(_raised(error)))
        return
    _limit(memory_bytes)
    reply('{"value": "ready"}')
    for line in sys.stdin:
        request = json.loads(line)
        _allow(cpu_s)
        signal.setitimer(signal.ITIMER_REAL, wall_s + _GRACE_S)  # nobody else ends us once the parent is gone
        text = _replied(kind, request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        reply(text)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
