"""The process that `sandbox_chaos` kills: it runs programs by their numbers, and says what came of each.

One line of JSON comes in for each program, one goes out; the last two tell of descriptors and memory.
"""

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rlenvs_sandbox import Assertions, Limits, Outcome, Program, SandboxError, WarmRunner, judge_output, open_runner
from rlenvs_sandbox.owners import owner

NUM_WORKERS = 4
LIMITS = Limits(wall_s=20, cpu_s=10, mem_mb=128, output_bytes=2**16)
_TESTS = Assertions(text="assert f(2) == 4\nassert f(3) == 9")


def expected(number: int) -> tuple[str, str]:
    """The kind of a program, and the verdict that is right."""
    kinds = (
        ("prints", "pass"), ("judged", "pass"), ("leaves children", "pass"), ("wrong", "fail"),
        ("judged wrong", "fail"), ("raises", "runtime_error"), ("litters", "pass"), ("floods", "output_limit"),
    )  # fmt: skip
    if number % 97 == 50:
        return "hangs", "timeout"
    if number % 97 == 80:
        return "hogs", "memory"
    return kinds[number % len(kinds)]


def verdict(runner: WarmRunner, number: int) -> Outcome:
    """What the runner says of a program."""
    kind = expected(number)[0]
    if kind.startswith("judged"):
        text = "def f(x): return x * x" if kind == "judged" else "def f(x): return x + x"
        return runner.judge(Program(text=text), _TESTS, LIMITS)
    text = _TEXTS[kind].format(number=number)
    limits = Limits(wall_s=0.5) if kind == "hangs" else LIMITS
    return judge_output(runner.run(Program(text=text), limits), f"{number * number}")


_TEXTS = {
    "prints": "print({number} ** 2)",
    "wrong": "print({number} ** 2 + 1)",
    "raises": "raise ValueError({number})",
    "leaves children": "import os, time\nif os.fork():\n print({number} ** 2)\nelse:\n os.setsid()\n time.sleep(60)",
    "litters": "open('/tmp/left', 'w').write('x' * 10**6)\nprint({number} ** 2)",
    "floods": "while True: print('x' * 1000)",
    "hangs": "while True: pass",
    "hogs": "x = [b'x' * 2**20 for _ in range(500)]",
}


def figures() -> dict[str, int]:
    """Descriptors, threads and memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        kb = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    return {"files": len(os.listdir("/proc/self/fd")), "threads": threading.active_count(), "kb": kb}


def main(name: str) -> None:
    """Serve until told to end."""
    out = threading.Lock()

    def say(message: dict[str, Any]) -> None:
        with out:
            print(json.dumps(message), flush=True)

    def judge(number: int) -> None:
        try:
            found = verdict(runner, number)
        except SandboxError as error:
            found = Outcome(status="sandbox_error", detail=str(error))
        say({"number": number, "status": found.status, "detail": found.detail, "stats": figures()})

    open_runner(name, num_workers=1).close()  # what is imported and opened once is no leak
    before = figures()
    with open_runner(name, num_workers=NUM_WORKERS) as runner:
        say({"owner": owner(), "stats": before})
        with ThreadPoolExecutor(NUM_WORKERS) as threads:
            for line in sys.stdin:
                message = json.loads(line)
                if "end" in message:
                    break
                threads.submit(judge, message["number"])
        last = figures()
    say({"stats": last, "closed": figures()})


if __name__ == "__main__":
    main(sys.argv[1])
