"""Functions in worker processes: what comes back, what is ended, and from where they can be called."""

import asyncio
import copy
import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rlenvs import GraderError, RewardFunction, Rubric, Task, assistant, user
from rlenvs.isolation import Limits, RaisedInWorkerError, StoppedError, isolated
from rlenvs.isolation import pool as pool_module
from rlenvs.isolation.pool import ProcessPool
from rlenvs_sandbox import SandboxError

from . import graders

TASK = Task(id="seven", prompt=(user("What is 3 + 4?"),), target=7)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def verdict(function, said):
    return Rubric((RewardFunction("accuracy", function),)).judge(TASK, (*TASK.prompt, assistant(said)))


def test_a_reward_function_gives_in_a_worker_what_it_gives_here():
    function = isolated(graders.is_right)
    assert (verdict(function, "7").reward, verdict(function, "8").reward) == (1.0, 0.0)
    assert verdict(isolated(graders.behaving), "prints").reward == 1.0


@pytest.fixture(scope="module")
def limited():
    return isolated(graders.behaving, timeout_s=50, cpu_s=1, memory_bytes=2**30)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("backtracks", "StoppedError: more than 1 s of processor time"),
        ("powers", "StoppedError: more than 1 s of processor time"),
        ("allocates", "StoppedError: out of memory"),
        ("recurses", "StoppedError: nested too deeply"),
        ("dies", "StoppedError: the worker process ended with code 3"),
        ("exits", "RaisedInWorkerError: SystemExit: 0"),
    ],
)
def test_one_that_goes_beyond_its_limits_is_a_grader_error_and_the_next_call_works(limited, said, why):
    with pytest.raises(GraderError, match=f"^task seven: reward function 'accuracy' raised {why}"):
        verdict(limited, said)
    assert verdict(limited, "prints").reward == 1.0


def test_one_that_waits_for_ever_is_ended_in_time():
    function = isolated(graders.behaving, timeout_s=2)
    started = time.monotonic()
    with pytest.raises(GraderError, match="raised LateError: no answer within 2 s: its process was ended"):
        verdict(function, "sleeps")
    assert time.monotonic() - started < 30
    assert verdict(function, "prints").reward == 1.0


@pytest.mark.parametrize("value", [0.25, None, True, "text", [1, 2.5], {"a": [None]}, math.inf])
def test_values_of_json_come_back_as_they_are(value):
    assert isolated(graders.give)(value) == value


def test_nan_and_scalars_of_numpy_come_back_as_numbers():
    assert math.isnan(isolated(graders.give)(math.nan))
    assert isolated(graders.numpy_value)() == 0.5


def test_what_cannot_come_back_is_an_error_that_says_so():
    with pytest.raises(RaisedInWorkerError, match="TypeError: a object cannot leave the worker process"):
        isolated(graders.some_object)()


def test_long_texts_go_through_whole():
    text = "\ud800é\x00" + "x" * 3_000_000
    assert isolated(graders.give)(text) == text


def test_what_is_raised_comes_out_with_its_line_and_failures_of_the_world_as_what_they_are():
    raising = isolated(graders.raise_named)
    with pytest.raises(RaisedInWorkerError, match=r"(?s)^KeyError: 'as asked'\n.*graders.py.*in raise_named"):
        raising("KeyError")
    with pytest.raises(SandboxError, match="as asked"):
        raising("SandboxError")
    with pytest.raises(TimeoutError, match="as asked"):
        raising("TimeoutError")


def test_a_worker_is_used_again_and_one_that_is_killed_while_idle_is_replaced_silently():
    function = isolated(graders.process_id, timeout_s=9)
    for pause_s in (0, 0, 0.2):
        pid = function()
        assert function() == pid != os.getpid()
        os.kill(pid, 9)
        time.sleep(pause_s)
        assert function() not in (pid, os.getpid())


def pool_of_hashes(size=1):
    return ProcessPool(Path(graders.__file__).with_name("hashes.py"), Limits(wall_s=5), size=size, hash_seed=5)


def test_a_request_that_its_worker_did_not_read_goes_to_another_one_and_one_that_it_read_does_not(monkeypatch):
    pool = pool_of_hashes()
    expected = pool.ask("a")
    monkeypatch.setattr(pool_module._Worker, "has_ended", False)
    for text in ("a", "a" * 200_000):  # more than a pipe holds
        stopped = pool.idle[0].process
        stopped.send_signal(signal.SIGSTOP)
        threading.Timer(0.3, stopped.kill).start()
        assert isinstance(pool.ask(text), int)
        assert pool.idle[-1].process is not stopped
    assert pool.ask("a") == expected
    pool.close()


def test_an_interrupted_request_is_not_asked_again():
    pool = pool_of_hashes()
    pool.ask("a")
    pool.idle[0].process.send_signal(signal.SIGSTOP)
    threading.Timer(0.3, pool.interrupt).start()
    with pytest.raises(StoppedError, match=r"ended with code -9$"):
        pool.ask("a")
    pool.close()


def test_nobody_waits_for_a_free_worker_for_ever(monkeypatch):
    monkeypatch.setattr(pool_module, "_START_LIMIT_S", 0.0)
    pool = ProcessPool(Path(graders.__file__).with_name("hashes.py"), Limits(wall_s=0.2), size=1)
    with (
        pool._slot(),
        pytest.raises(StoppedError, match=r"none of 1 worker processes was free within 0\.2 s") as caught,
    ):
        pool.ask("a")
    assert not caught.value.by_request
    assert not pool._waiting


def test_what_a_function_started_ends_with_its_worker(tmp_path):
    with pytest.raises(StoppedError, match="no answer within 3 s"):
        isolated(graders.start_a_child_and_hang, timeout_s=3)(tmp_path / "pid")
    child = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while is_alive(child) and time.monotonic() < deadline:  # until init has reaped it
        if "State:\tZ" in Path(f"/proc/{child}/status").read_text():
            break
        time.sleep(0.05)
    else:
        assert not is_alive(child)


def test_threads_and_an_event_loop_can_call_it_at_once():
    function = isolated(graders.give)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(function, range(40))) == list(range(40))

    async def main():
        return await asyncio.gather(*(asyncio.to_thread(function, number) for number in range(8)))

    assert asyncio.run(main()) == list(range(8))
    assert threading.current_thread() is threading.main_thread()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_has_workers_of_its_own():
    function = isolated(graders.process_id)
    pid = function()
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=lambda: answers.put(function()))
    process.start()
    assert answers.get() not in (pid, os.getpid())
    process.join()
    assert process.exitcode == 0
    assert function() == pid


def test_copies_and_pickles_share_the_workers():
    function = isolated(graders.process_id)
    assert copy.deepcopy(function)() == pickle.loads(pickle.dumps(function))() == function()


def test_an_instance_with_a_call_method_is_a_function_too():
    assert isolated(graders.Plus(3))(4) == 7
    assert isolated(graders.Plus(5))(4) == 9


def test_hashes_of_text_are_the_same_in_every_worker():
    assert isolated(graders.hash_of, timeout_s=9)("a") == isolated(graders.hash_of, timeout_s=8)("a")


def test_a_pool_may_fix_the_hashes_of_its_workers_whatever_ours_are(monkeypatch):
    command = [sys.executable, "-c", "print(hash('a'))"]
    expected = subprocess.run(command, env={"PYTHONHASHSEED": "5"}, capture_output=True, check=True, text=True).stdout
    for ours in ("5", "0"):
        monkeypatch.setenv("PYTHONHASHSEED", ours)
        pool = ProcessPool(Path(graders.__file__).with_name("hashes.py"), Limits(), size=1, hash_seed=5)
        assert pool.ask("a") == int(expected)
        pool.close()


def test_a_function_that_no_worker_could_find_is_refused_when_it_is_wrapped():
    with pytest.raises(ValueError, match="<lambda> has to stand at the top level of a module"):
        isolated(lambda task, transcript: 1.0)
    with pytest.raises(ValueError, match=r"limits are positive: got Limits\(wall_s=0"):
        isolated(graders.give, timeout_s=0)
    with pytest.raises(ValueError, match="limits are positive"):
        Limits(wall_s=math.nan)


SCRIPT = """
import sys
from rlenvs.isolation import isolated

def double(number):
    return 2 * number

print("imported", __name__, file=sys.stderr)
if __name__ == "__main__":
    print(isolated(double)(21))
"""


def test_a_function_of_the_script_that_runs_is_found_and_its_workers_end_with_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("42\n", "imported __main__\n")
    code = f"import importlib; from rlenvs.isolation import isolated\n{SCRIPT}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "put double into a file" in done.stderr


def test_a_module_that_cannot_be_imported_in_a_worker_says_so(tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text(
        "import os\nassert os.getpid() == int(os.environ['PARENT'])\ndef grade(): pass\n"
    )
    monkeypatch.setenv("PARENT", str(os.getpid()))
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    with pytest.raises(RaisedInWorkerError, match=r"^AssertionError\n.*only_here\.py"):
        isolated(only_here.grade)()
