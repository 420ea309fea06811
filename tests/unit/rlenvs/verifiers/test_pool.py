import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from rlenvs import verifiers
from rlenvs.isolation.pool import Limits, StoppedError
from rlenvs.verifiers import VerifierError, VerifierPool

# Parentheses deep enough that the parser needs minutes; `compare` would refuse them before any worker saw them.
SLOW = "(" * 400 + "1" + ")" * 400


@pytest.fixture
def pool() -> Iterator[VerifierPool]:
    made = VerifierPool(1, cpu_s=1, wall_s=20)
    yield made
    made.close()


def worker_pid(pool: VerifierPool) -> int:
    assert pool.algebra("x", "x").verdict == "equal"
    return pool.processes.idle[0].process.pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_answer_that_hangs_is_ended_in_time_and_the_next_request_works(pool: VerifierPool) -> None:
    pid = worker_pid(pool)
    started = time.monotonic()
    judged = pool.algebra("x", SLOW)
    assert time.monotonic() - started < 15
    assert (judged.verdict, judged.by_answer) == ("error", True)
    assert not is_alive(pid)
    assert pool.algebra("x+x", "2x").verdict == "equal"


def test_a_worker_that_stands_still_is_ended_at_the_wall_limit_and_the_comparison_is_made_again() -> None:
    pool = VerifierPool(1, cpu_s=1, wall_s=20)
    pid = worker_pid(pool)
    pool.processes.idle[0].limits = Limits(wall_s=0.01)
    os.kill(pid, signal.SIGSTOP)
    judged = pool.algebra("x+x", "2x")
    pool.close()
    assert (judged.verdict, judged.by_answer) == ("equal", False)
    assert not is_alive(pid)


def test_a_worker_that_was_killed_while_idle_costs_no_answer_its_verdict(pool: VerifierPool) -> None:
    pid = worker_pid(pool)
    os.kill(pid, signal.SIGKILL)
    assert pool.algebra("x+x", "2x").verdict == "equal"
    assert worker_pid(pool) != pid


def test_memory_is_limited() -> None:
    with_little = VerifierPool(1, memory_bytes=2**20)
    judged = with_little.algebra("x", "x")
    with_little.close()
    assert judged.verdict == "error"


def test_one_worker_serves_many_threads_one_request_at_a_time(pool: VerifierPool) -> None:
    pid = worker_pid(pool)
    with ThreadPoolExecutor(8) as threads:
        expected = ["equal" if number % 2 else "not_equal" for number in range(40)]
        asked = threads.map(lambda number: pool.algebra("x+x", "2x" if number % 2 else "3x").verdict, range(40))
        assert list(asked) == expected
    assert [worker.process.pid for worker in pool.processes.idle] == [pid]


def test_workers_end_when_the_pool_closes(pool: VerifierPool) -> None:
    pid = worker_pid(pool)
    pool.close()
    assert not is_alive(pid)


def test_an_event_loop_can_wait_for_verdicts_in_threads() -> None:
    async def verdicts() -> list[str]:
        pairs = [("x+x", "2x"), ("x+x", "3x"), ("1/2", "0.5")]
        return await asyncio.gather(*(asyncio.to_thread(verifiers.verify, *pair) for pair in pairs))

    assert asyncio.run(verdicts()) == ["equal", "not_equal", "equal"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_has_workers_of_its_own() -> None:
    assert verifiers.verify("x+x", "2x") == "equal"
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def child() -> None:
        answers.put([verifiers.verify("x+x", f"{number}x") for number in range(1, 4)])

    process = context.Process(target=child)
    process.start()
    assert answers.get() == ["not_equal", "equal", "not_equal"]
    process.join()
    assert process.exitcode == 0
    assert [verifiers.verify("x+x", f"{number}x") for number in range(1, 4)] == ["not_equal", "equal", "not_equal"]


def test_r06_the_verifier_gives_the_same_verdicts_in_a_thread_pool_as_in_the_main_thread() -> None:
    pairs = [
        ("x^2-1", "(x-1)(x+1)"),
        ("x^2-1", "(x-1)(x-1)"),
        (r"7.41\%", r"7.41\%"),
        (r"\sqrt{12}", r"2\sqrt{3}"),
        ("18", "18 apples"),
        ("1+x", "9^{9^{9^9}}"),
        (r"\frac{1}{", "1"),
        (r"(0,9)\cup(9,36)", "(0,36)"),
    ]
    here = [verifiers.verify(*pair) for pair in pairs]
    assert here == ["equal", "not_equal", "equal", "equal", "equal", "not_equal", "bad_gold", "not_equal"]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert list(threads.map(lambda pair: verifiers.verify(*pair), pairs)) == here
    assert threading.current_thread() is threading.main_thread()


def lose_the_worker(request: object) -> None:
    raise StoppedError("the worker process ended with code -9", by_request=False)


def test_an_answer_that_uses_up_its_limits_is_wrong_and_a_broken_verifier_is_an_error(
    pool: VerifierPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlenvs.verifiers.notation.text._MAX_DEPTH", 1000)  # lets the slow answer through to the worker
    slow = rf"\int {SLOW}"  # which a worker has to compare
    judged = verifiers.judge(r"\int x+1 dx", slow, pool=pool)
    assert (judged.verdict, judged.by_answer) == ("not_equal", True)
    assert "processor time" in judged.reason
    assert verifiers.is_equal("x+1", slow, pool=pool) is False
    assert verifiers.judge(slow, "x+1", pool=pool).verdict == "error", "the reference itself is too much"
    integral = r"\int x dx"  # which a worker has to compare
    assert verifiers.is_equal(integral, rf"{integral} + 0", pool=pool) is True
    monkeypatch.setattr(pool.processes, "ask", lose_the_worker)
    with pytest.raises(VerifierError, match="error for the reference"):
        verifiers.is_equal(integral, rf"{integral} + 0", pool=pool)
    with pytest.raises(VerifierError, match="bad_gold"):
        verifiers.is_equal("", "5", pool=pool)
