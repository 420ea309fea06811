"""Real tiny distributions, on the path for one test; and a registry that forgets a test's environments."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import gymnasium
import pytest

from rlenvs import registration

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """`install("name", code)`: a distribution as pip leaves it, with one module and entry point. Gives the folder."""
    site = tmp_path / "site"
    site.mkdir()
    modules: list[str] = []

    def installed(name: str, code: str, version: str = "1.0") -> Path:
        module = name.replace("-", "_")
        modules.append(module)
        (site / f"{module}.py").write_text(dedent(code))
        info = site / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[rlenvs.plugins]\n{module} = {module}\n")
        monkeypatch.syspath_prepend(str(site))
        return site

    yield installed
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture
def registry() -> Iterator[None]:
    """What is registered during the test is forgotten after it."""
    before = set(registration.registered_ids())
    yield
    for id in set(registration.registered_ids()) - before:
        del gymnasium.registry[id], registration._registered[id]
