"""The READMEs keep up with the code: hooks have headings, links lead somewhere, what is to be installed exists."""

import inspect
import re
import shlex
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from rlenvs import hooks

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("*/README.md")),
    *sorted(ROOT.glob("docs/*.md")),
]
PAGES += sorted(ROOT.glob("examples/*/README.md"))
INSTALLS = [line for page in PAGES for line in re.findall(r"pip install [^`\n#]+", page.read_text())]
HOOKS = [name for name, value in vars(hooks).items() if hasattr(value, f"{hooks.PROJECT}_spec")]


def test_there_are_hooks_to_document() -> None:
    assert {"register_algorithms", "after_step"} <= set(HOOKS)


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_has_a_heading_with_its_exact_signature(name: str) -> None:
    signature = str(inspect.signature(getattr(hooks, name))).removesuffix(" -> 'None'").replace("'", "")
    assert f"### `{name}{signature}`" in README


LINKS = sorted(set(re.findall(r"\]\((?!http|#)([^)]+)\)", README)))


@pytest.mark.parametrize("link", LINKS)
def test_every_relative_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_a_source_distribution_has_all_that_the_readme_speaks_of(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        files = {Path(*Path(name).parts[1:]) for name in archive.getnames()}
    folders = {folder for file in files for folder in file.parents}
    spoken_of = {Path(link) for link in (*LINKS, "Makefile", "constraints.txt", "tests/unit", "benchmarks")}
    assert spoken_of <= files | folders


def what_it_installs(line: str) -> list[str]:
    """The names and paths that a `pip install …` is given. Files of options must be there."""
    words = iter(shlex.split(line)[2:])
    given = []
    for word in words:
        if word in ("-c", "-r"):
            assert (ROOT / next(words)).is_file(), line
        elif not word.startswith("-"):
            given.append(word)
    return given


def test_there_are_lines_that_install_something() -> None:
    assert len(INSTALLS) >= 2


@pytest.mark.parametrize("line", INSTALLS)
def test_what_pip_is_told_to_install_is_a_folder_here_or_a_requirement(line: str) -> None:
    for given in what_it_installs(line):
        path, _, extras = given.partition("[")
        if path.startswith("."):
            assert (ROOT / path / "pyproject.toml").is_file()
            assert not extras or set(extras.removesuffix("]").split(",")) <= set(EXTRAS)
        else:
            named = Requirement(given)  # it raises where pip says "Invalid requirement", but for …
            assert "://" in (named.url or "://"), f"… {named.url}, which pip takes for no URL"
            assert named.name != PROJECT["name"] or named.extras <= set(EXTRAS)


def test_every_extra_has_its_row_and_every_row_its_extra() -> None:
    table = README.partition("| extra | for |")[2].partition("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)} == set(EXTRAS)
