"""`rlenvs sandbox`: what it prints and exits with, and what it asks to be built."""

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest

from rlenvs.cli.main import main
from rlenvs_sandbox import SandboxError, docker, images


def test_the_doctor_says_what_is_held_at_which_level_and_which_languages_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["sandbox", "doctor", "process"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "sandbox\tholds\t\twhy not"
    assert "process\ttime\tyes\t" in lines
    assert code == int(any(line.split("\t")[2] == "NO" for line in lines[1:-1]))
    assert lines[-1].startswith("process: level limits; python, ")
    assert ", bash" in lines[-1]


def test_the_doctor_tells_programs_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["sandbox", "doctor", "bubblewrap", "--json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["sandbox"], found["level"] in ("isolated", "strict"), found["languages"][0]) == (
        "bubblewrap",
        True,
        "python",
    )
    assert code == int(not all(each["is_held"] for each in found["findings"]))
    assert {each["what"] for each in found["findings"]} >= {"time", "system calls are filtered"}


def test_a_sandbox_that_cannot_be_opened_holds_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert main(["sandbox", "doctor", "docker"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "docker: no level"


def test_what_is_wrong_is_a_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert main(["sandbox", "build"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("rlenvs: no Docker engine answers: ")
    assert "nobody foresaw" not in said
    assert main(["sandbox", "doctor", "bubblewarp"]) == 2
    assert "no sandbox 'bubblewarp'. Did you mean 'bubblewrap'?" in capsys.readouterr().err


def test_what_is_to_be_built_comes_through(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def build(client: Any, **options: Any) -> str:
        asked.append({"client": client, **options})
        return "sha256:1"

    monkeypatch.setattr(docker, "connected", lambda: "engine")
    monkeypatch.setattr(images, "build", build)
    line = ["sandbox", "build", "--image", "mine:1", "--package", "gcc", "--package", "python3-numpy", "--from", "base"]
    assert main(line) == 0
    assert capsys.readouterr().out == "mine:1: sha256:1\n"
    del asked[0]["progress"]
    assert asked == [{"client": "engine", "image": "mine:1", "packages": ["gcc", "python3-numpy"], "base": "base"}]


class Engine:
    """A client that keeps what it is asked to build."""

    def __init__(self, *, fails: bool = False) -> None:
        self.images, self.fails, self.asked = self, fails, {}

    def build(self, *, fileobj: io.BytesIO, tag: str, **_: Any) -> tuple[Any, list[Any]]:
        if self.fails:
            raise RuntimeError("pull access denied")
        self.asked = {"file": fileobj.read().decode(), "tag": tag}
        return SimpleNamespace(id="sha256:2"), []


def test_an_image_is_built_on_one_of_a_registry() -> None:
    engine = Engine()
    assert images.build(engine, image="mine:1", packages=["gcc"], base="debian:12") == "sha256:2"
    assert engine.asked["tag"] == "mine:1"
    assert engine.asked["file"].startswith("FROM debian:12\nRUN apt-get update && apt-get install -y ")
    assert " python3-minimal libpython3-stdlib gcc && " in engine.asked["file"]
    with pytest.raises(SandboxError, match=r"mine:1 cannot be built on debian:13: pull access denied"):
        images.build(Engine(fails=True), image="mine:1", base="debian:13")


def test_what_debootstrap_says_last_is_told_where_it_fails(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "debootstrap"
    tool.write_text("#!/bin/sh\nfor i in $(seq 20); do echo line $i; done\necho E: no such suite >&2\nexit 3\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    told: list[None] = []
    with pytest.raises(SandboxError, match=r"(?s)debootstrap failed: .*line 20\nE: no such suite"):
        images.build(Engine(), progress=lambda: told.append(None))
    assert len(told) == 21
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxError, match=r"no debootstrap: install .* or build on an image with --from"):
        images.build(Engine())
