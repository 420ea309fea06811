"""A process that stands still is told of, with what it was doing and where; one that only waits is not."""

import subprocess
import sys

PROGRAM = """
import asyncio, re, time
from rlenvs.deadline import Workers
from rlenvs.standstill import watchdog

watchdog.still_s = 1.5
def holds():  # at once
    for length in range(16, 99):
        start = time.monotonic()
        re.match(r"(a+)+$", "a" * length + "b")
        if time.monotonic() - start > 4:
            return
def waits():
    return time.sleep(4)
async def main():
    await Workers().call({function}, 60, what="task b/4 of my/Busy-v0")
    await asyncio.sleep(1.5)
asyncio.run(main())
"""


def said(function):
    code = PROGRAM.replace("{function}", function)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True).stderr


def test_code_that_holds_the_interpreters_lock_is_named_with_where_it_is_and_so_is_its_end():
    text = said("holds")
    sentence = "rlenvs: Python has stood still for 1.5 s, in one of these calls: task b/4 of my/Busy-v0. "
    assert sentence in text
    assert "`rlenvs.isolation.isolated` runs it where it can" in text
    assert " in match\n" in text
    assert " in holds\n" in text
    assert text.index(sentence) < text.rindex("rlenvs: Python goes on, after ")


def test_a_call_that_only_waits_is_no_standstill():
    assert said("waits") == ""


def test_a_forked_process_begins_anew():
    code = """
import asyncio, os, time
from rlenvs.deadline import Workers
from rlenvs.standstill import watchdog

async def main():
    return await Workers().call(lambda: time.sleep(0.2) or os.getpid(), 9)
first = asyncio.run(main())
child = os.fork()
if not child:
    assert watchdog._watch is None
    assert asyncio.run(main()) != first
    assert watchdog._watch.poll() is None
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert asyncio.run(main()) == first
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
