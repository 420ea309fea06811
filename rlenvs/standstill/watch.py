"""The process that says that another one stands still: `watch.py STILL_S CALLS WIDTH SIGNAL`, run by path.

A byte on standard input is a sign of life. CALLS is the descriptor of a file of WIDTH bytes for each call in flight:
what it does, or zeros. SIGNAL makes the other process print where its threads are; 0: there is none. No imports of
ours.
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


def main(still_s: float, calls: int, width: int, show_where: int) -> None:
    """Watch until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is for the other one to handle
    heard_at, is_told = time.monotonic(), False
    while True:
        ready, _, _ = select.select([0], [], [], still_s)
        if ready:
            if not os.read(0, 65536):
                return
            if is_told:
                _say(f"Python goes on, after {time.monotonic() - heard_at:.0f} s.")
            heard_at, is_told = time.monotonic(), False
        elif not is_told and (doing := _in_flight(calls, width)):
            is_told = True
            _say(f"Python has stood still for {still_s:g} s, in one of these calls: {doing}. {_ADVICE}")
            if show_where:
                os.kill(os.getppid(), show_where)


def _in_flight(calls: int, width: int) -> str:
    whole = os.pread(calls, os.fstat(calls).st_size, 0)
    each = (whole[at : at + width].rstrip(b"\0").decode(errors="replace") for at in range(0, len(whole), width))
    return ", ".join(sorted({what for what in each if what}))


def _say(sentence: str) -> None:
    print(f"rlenvs: {sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), *map(int, sys.argv[2:]))
