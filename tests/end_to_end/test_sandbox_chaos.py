"""Whatever of a sandbox is killed, and whenever: each program gets one verdict, and nothing is left."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from benchmarks.sandbox_chaos import Tally, Victim, chaos
from benchmarks.sandbox_leftovers import Seen
from benchmarks.sandbox_victim import expected
from rlenvs_sandbox import SandboxError
from rlenvs_sandbox.cgroups import Groups
from rlenvs_sandbox.docker import connected


@pytest.mark.slow
@pytest.mark.parametrize(("sandbox", "count"), [("bubblewrap", 1000), ("docker", 40)])
def test_every_program_gets_one_verdict_whatever_is_killed_and_nothing_is_left(
    sandbox: str, count: int, lacking: Callable[[str], NoReturn]
) -> None:
    if sandbox == "docker":
        try:
            connected()
        except SandboxError as error:
            lacking(f"no docker here: {error}")
    tally, wrong = chaos(sandbox, count, seed=1)
    assert wrong == []
    assert sorted(tally.verdicts) == list(range(count))
    if sandbox == "bubblewrap":
        assert tally.kills["agent"] + tally.kills["bwrap"] > 5


def test_a_wrong_verdict_and_a_second_one_are_noticed() -> None:
    tally = Tally()
    for status in ("pass", "fail"):
        tally.take({"number": 0, "status": status, "detail": ""})
    assert expected(0)[1] == "pass"
    assert tally.wrong == ["0: pass expected, got fail ()"]
    assert tally.verdicts == {0: ["pass", "fail"]}


def test_what_is_left_is_noticed_and_swept_by_the_next_process(lacking: Callable[[str], NoReturn]) -> None:
    if Groups.find() is None:
        lacking("no cgroups here: nothing is left that could be swept")
    seen = Seen("bubblewrap")
    victim = Victim("bubblewrap")
    assert victim.hello is not None
    seen.owners.add(victim.hello["owner"])
    victim.send({"number": 50})  # one that hangs
    time.sleep(0.3)
    workers = seen.workers_of(victim.process.pid)
    assert {each.what for each in workers} == {"bwrap", "agent"}
    victim.kill()
    assert any("cgroup" in each for each in seen._left())
    Groups.find()
    assert seen.leftovers() == []


def test_a_living_process_is_not_swept(lacking: Callable[[str], NoReturn]) -> None:
    groups = Groups.find()
    if groups is None:
        lacking("no cgroups here")
    group = groups.new()
    try:
        sleeping = subprocess.Popen(["sleep", "30"])
        for file in group.files():
            Path(file).write_text(str(sleeping.pid))
        assert Groups.find() is not None
        assert all(os.path.exists(file) for file in group.files())
        sleeping.kill()
        sleeping.wait()
    finally:
        group.remove()
    assert not any(os.path.exists(file) for file in group.files())
