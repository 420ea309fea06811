"""The process that says that another one stands still: `watch.py STILL_S`, run by path, without imports of ours.

A line on standard input is a sign of life and says what is going on, an empty one that nothing is.
"""

import os
import select
import signal
import sys
import time

_ADVICE = (
    "What holds the interpreter's lock (a regular expression, a power of large integers) cannot be ended by a deadline."
    " `rlenvs.isolation.isolated` runs it where it can; see Deadlines in docs/environments.md."
)


def main(still_s: float) -> None:
    """Watch until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is for the other one to handle
    doing, heard_at, is_still = "", time.monotonic(), False
    while True:
        ready, _, _ = select.select([0], [], [], still_s if doing and not is_still else None)
        if not ready:
            is_still = True
            _say(f"Python has stood still for {still_s:g} s, in one of these calls: {doing}. {_ADVICE}")
            continue
        lines = os.read(0, 65536)
        if not lines:
            return
        if is_still:
            _say(f"Python goes on, after {time.monotonic() - heard_at:.0f} s.")
        doing, heard_at, is_still = lines.decode(errors="replace").split("\n")[-2], time.monotonic(), False


def _say(sentence: str) -> None:
    print(f"rlenvs: {sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
