"""What a person does, for tests: types `rlenvs …`, in this process or in one that can be killed, and reads the run."""

import multiprocessing
import os
import runpy
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from textwrap import dedent
from typing import Any

import gymnasium
import pytest

from rlenvs import registration
from rlenvs.cli.main import main
from rlenvs.store import RolloutRow, RunStore

from .runs import WORLD, sets

AS_COMMAND = Path(__file__).with_name("as_command.py")
TINY = "tiny:hidden=32,layers=2,heads=2,mlp=64,context=256"
CONFIG = f"""
    policy = "POLICY"
    steps = 6
    checkpoint_every = 2
    seed = 5
    plugins = ["{WORLD}"]
    [[env]]
    id = "test/Digit-v0"
    [sampling]
    max_tokens = 3
    [rollout]
    tasks_per_step = 2
    group_size = 4
    [learner]
    lr = 1e-3
"""


PRELOADED = [
    "rlenvs.cli.main",
    "rlenvs_trainers.commands",
    "rlenvs_trainers.loop",
    "rlenvs_trainers.run",
    "rlenvs_trainers.samplers.transformers",
    "accelerate",
    "torch._dynamo",  # what an optimiser imports when it is made
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.llama.modeling_llama",
    "transformers.tokenization_utils_tokenizers",
]


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


@dataclass
class Child:
    """A command in a process of its own."""

    process: ForkServerProcess
    folder: Path  # of its output

    def signal(self, number: signal.Signals) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def kill(self) -> int:
        """End it where it stands. The exit code: 137, or its own where it had ended before the signal came."""
        self.process.kill()  # nothing, where it has ended
        return self.wait().code

    def wait_for(self, is_there: Callable[[], Any], timeout_s: float = 60) -> None:
        """Until something can be seen from outside; the command must not end before."""
        end = time.monotonic() + timeout_s
        while not is_there():
            assert self.process.is_alive(), f"ended before: {self.read('err')}"
            assert time.monotonic() < end, f"not within {timeout_s} s: {self.read('err')}"
            time.sleep(0.005)

    def wait(self, timeout_s: float = 60) -> Done:
        """Until it ends. A process that a signal killed has the code 128 + the signal's number, as in a shell."""
        self.process.join(timeout_s)
        code = self.process.exitcode
        assert code is not None, f"still running after {timeout_s} s: {self.read('err')}"
        return Done(code if code >= 0 else 128 - code, self.read("out"), self.read("err"))

    def read(self, which: str) -> str:
        path = self.folder / which
        return path.read_text() if path.exists() else ""


@dataclass(frozen=True)
class RunFolder:
    """What a run left on disk."""

    path: Path
    metrics: dict[int, dict[str, float]]  # without times
    rollouts: list[RolloutRow]
    events: list[tuple[int, str, Mapping[str, Any]]]
    evals: list[tuple[int, str, Mapping[str, float]]]

    @classmethod
    def read(cls, path: Path) -> "RunFolder":
        with RunStore(path / "run.sqlite", mode="r") as store:
            metrics = {
                step: {name: value for name, value in values.items() if not name.startswith("time/")}
                for step, values in store.metrics().items()
            }
            events = [(event.step, event.kind, event.payload) for event in store.events()]
            evals = [(row.step, row.name, row.metrics) for row in store.evals()]
            return cls(path, metrics, store.rollouts(), events, evals)

    @property
    def checkpoints(self) -> list[str]:
        return sorted(path.name for path in (self.path / "checkpoints").glob("step-*"))

    def files(self, step: int) -> dict[str, bytes]:
        """Every byte of a checkpoint, by file; MANIFEST.json has them all as checksums."""
        folder = self.path / "checkpoints" / f"step-{step:06d}"
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def rollouts_of(self, step: int) -> list[RolloutRow]:
        return [row for row in self.rollouts if row.step == step]

    def kinds(self) -> list[str]:
        return [kind for _, kind, _ in self.events]


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a policy that says one digit, each as often as any other."""
    folder = tmp_path_factory.mktemp("warm")
    (folder / "warm.toml").write_text(dedent(CONFIG).replace("POLICY", TINY))
    changes = ["steps=40", "rollout.tasks_per_step=16", "learner.lr=1e-2", f'runs_dir="{folder}"', 'name="warm"']
    assert main(["sft", str(folder / "warm.toml"), *sets(*changes)]) == 0
    return folder / "warm" / "checkpoints" / "step-000040"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: Path) -> None:
    (tmp_path / "tiny.toml").write_text(dedent(CONFIG).replace("POLICY", str(warm)))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    """Environments of a test's plug-ins are forgotten after it."""
    before = set(registration.registered_ids())
    yield
    for id in set(registration.registered_ids()) - before:
        del gymnasium.registry[id], registration._registered[id]


@pytest.fixture
def rlenvs(capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """`rlenvs("train", "tiny.toml")`: the command in this process, which has torch loaded already."""

    def command(*arguments: object) -> Done:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return command


@pytest.fixture(scope="session")
def _processes() -> Any:
    """A server that forks processes in which the trainer is imported but nothing was computed: real and cheap."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


@pytest.fixture
def start(_processes: Any, tmp_path: Path) -> Iterator[Callable[..., Child]]:
    """`start("train", "tiny.toml")`: the command in a process of its own. Whatever still runs is killed at the end."""
    children: list[Child] = []

    def started(*arguments: object, **environment: str) -> Child:
        folder = tmp_path / f"process-{len(children)}"
        folder.mkdir()
        given = {
            "arguments": [str(argument) for argument in arguments],
            "folder": str(tmp_path),
            "environment": environment,
            "out": str(folder / "out"),
            "err": str(folder / "err"),
        }
        process = _processes.Process(target=runpy.run_path, args=(str(AS_COMMAND), given))
        process.start()
        children.append(Child(process, folder))
        return children[-1]

    yield started
    for child in children:
        if child.process.is_alive():
            child.process.kill()
        child.process.join()


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[..., Path]:
    """`plugin("name", code)`: a local file for `--plugin`."""

    def written(name: str, code: str) -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(dedent(code))
        return path

    return written


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[[str], RunFolder]:
    """`run_of("name")`: what the run of that name left."""
    return lambda name: RunFolder.read(tmp_path / "runs" / name)


@pytest.fixture
def train(rlenvs: Callable[..., Done], run_of: Callable[[str], RunFolder]) -> Callable[..., tuple[Done, RunFolder]]:
    """`train(fault="step", every=3)`: a run of three steps in such a world, and what it left."""

    def trained(*settings: str, code: int = 0, command: str = "train", **options: object) -> tuple[Done, RunFolder]:
        world = [f"env.0.kwargs.{name}={value!r}" for name, value in options.items()]
        changes = sets("steps=3", "rollout.tasks_per_step=4", *world, *settings)
        done = rlenvs(command, "tiny.toml", "--name", "run", *changes)
        assert done.code == code, done
        assert "Traceback" not in done.err
        return done, run_of("run")

    return trained
