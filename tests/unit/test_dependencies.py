"""What pyproject.toml declares is what the packages import, nothing else; `make lowest` tries the lowest versions."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OURS = {"rlenvs", "rlenvs_sandbox", "rlenvs_trainers", "rlenvs_plugins"}
INDIRECT = {"gguf", "tensorboard"}  # transformers and torch.utils import them


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def modules() -> Iterator[str]:
    """Top-level modules that the packages import, anywhere in a file."""
    for folder in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    yield from (alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    yield (node.module or "").partition(".")[0]


def imported() -> set[str]:
    """The distributions of those modules; one that is not installed goes by its module's name."""
    distributions = packages_distributions()
    foreign = set(modules()) - OURS - sys.stdlib_module_names
    return {canonicalize_name(name) for module in foreign for name in distributions.get(module, [module])}


def test_dependencies_are_exactly_what_is_imported() -> None:
    declared = names(PROJECT["project"]["dependencies"])
    extras = PROJECT["project"]["optional-dependencies"]
    optional = names([text for extra in extras if extra not in ("dev", "all") for text in extras[extra]])
    assert imported() - optional == declared
    assert optional - imported() == INDIRECT


def floor(requirement: Requirement) -> Version:
    """The lowest version that is allowed."""
    return next(Version(each.version) for each in requirement.specifier if each.operator == ">=")


def test_what_make_lowest_tries_is_the_lowest_of_every_dependency() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    tried_extras = [text for extra in ("hub", "openai", "tensorboard", "reasoning-gym") for text in extras[extra]]
    declared = [*PROJECT["project"]["dependencies"], *tried_extras]
    lines = (ROOT / "tests" / "lowest.txt").read_text().splitlines()
    tried = dict(line.split("==") for line in lines if not line.startswith("#"))
    floors = {canonicalize_name(each.name): floor(each) for each in map(Requirement, declared)}
    assert {name: Version(version) for name, version in tried.items()} | {"torch": floors["torch"]} == floors
