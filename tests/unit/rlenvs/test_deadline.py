import asyncio
import queue
import subprocess
import sys
import threading
import time
from typing import NoReturn

import pytest

from rlenvs.deadline import Workers


def hang() -> NoReturn:
    while True:
        time.sleep(0.01)


def test_a_call_gives_its_result_or_its_exception() -> None:
    async def main() -> tuple[int, str]:
        workers = Workers()
        with pytest.raises(ZeroDivisionError):
            await workers.call(lambda: 1 // 0, 1)
        with pytest.raises(RuntimeError, match="StopIteration"):
            await workers.call(lambda: next(iter(())), 1)  # type: ignore[call-overload]
        return await workers.call(lambda: 7, 1), await workers.call(lambda: threading.current_thread().name, 1)

    assert asyncio.run(main()) == (7, "rlenvs-worker")


def test_a_hung_call_frees_its_slot_at_the_deadline() -> None:
    async def main() -> int:
        workers = Workers(1)
        with pytest.raises(TimeoutError, match=r"0\.1 s"):
            await workers.call(hang, 0.1)
        return await workers.call(lambda: 7, 0.1)

    start = time.monotonic()
    assert asyncio.run(main()) == 7
    assert time.monotonic() - start < 1


def test_waiting_for_a_slot_does_not_count_against_the_deadline() -> None:
    async def main() -> list[None]:
        workers = Workers(1)
        return await asyncio.gather(*(workers.call(lambda: time.sleep(0.1), 0.3) for _ in range(5)))

    assert asyncio.run(main()) == [None] * 5


def test_calls_run_at_the_same_time_up_to_the_number_of_threads() -> None:
    running, most, lock, three = 0, 0, threading.Lock(), threading.Barrier(3)

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        three.wait(30)
        time.sleep(0.02)
        with lock:
            running -= 1

    async def main() -> None:
        workers = Workers(3)
        await asyncio.gather(*(workers.call(work, 60) for _ in range(9)))

    asyncio.run(main())
    assert most == 3


def test_threads_are_used_again_except_for_hung_ones() -> None:
    release, hung = threading.Event(), list[int | None]()

    def hang_until_released() -> None:
        hung.append(threading.current_thread().ident)
        release.wait(60)

    async def main() -> set[int | None]:
        workers = Workers(1)
        with pytest.raises(TimeoutError):
            await workers.call(hang_until_released, 0.05)
        return {await workers.call(lambda: threading.current_thread().ident, 1) for _ in range(200)}

    try:
        used = asyncio.run(main())
    finally:
        release.set()
    assert len(used) <= 10  # a thread that has just answered may not be idle yet when the next call comes
    assert not used & set(hung)


def test_a_forked_process_starts_threads_of_its_own() -> None:
    program = (
        "import asyncio, os, sys; from rlenvs.deadline import Workers\n"
        "def seven(): return asyncio.run(Workers().call(lambda: 7, 5))\n"
        "seven()\n"
        "child = os.fork()\n"
        "if child == 0: os._exit(seven())\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=20)
    assert done.stdout == "7\n"


def test_a_hung_call_does_not_keep_the_process_from_ending() -> None:
    program = (
        "import asyncio, time; from rlenvs.deadline import Workers\n"
        "async def main():\n"
        "    try: await Workers().call(lambda: time.sleep(60), 0.1)\n"
        "    except TimeoutError: print('freed')\n"
        "asyncio.run(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == "freed\n"
    assert done.stderr == ""


def test_a_result_that_nobody_waits_for_is_handed_on_so_that_what_it_holds_is_freed() -> None:
    freed: queue.Queue[str] = queue.Queue()
    let_go = threading.Event()

    def opened(name: str) -> str:
        assert let_go.wait(30)
        return name

    async def main() -> str:
        workers = Workers(3)
        with pytest.raises(TimeoutError):
            await workers.call(lambda: opened("too late"), 0.05, late=freed.put)
        given_up = asyncio.create_task(workers.call(lambda: opened("cancelled"), 30, late=freed.put))
        await asyncio.sleep(0.05)
        given_up.cancel()
        let_go.set()
        await asyncio.gather(given_up, return_exceptions=True)
        handed_on = {await asyncio.to_thread(freed.get, timeout=30) for _ in range(2)}
        assert handed_on == {"too late", "cancelled"}
        let_go.clear()
        with pytest.raises(TimeoutError):
            await workers.call(lambda: opened("after the loop"), 0.05, late=freed.put)
        return await workers.call(lambda: "in time", 30, late=freed.put)

    assert asyncio.run(main()) == "in time"
    let_go.set()
    assert freed.get(timeout=30) == "after the loop"
    assert freed.empty()
