"""The README keeps up with the code: each hook has a heading with its signature, each relative link leads somewhere."""

import inspect
import re
from pathlib import Path

import pytest

from rlenvs import hooks

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
HOOKS = [name for name, value in vars(hooks).items() if hasattr(value, f"{hooks.PROJECT}_spec")]


def test_there_are_hooks_to_document() -> None:
    assert {"register_algorithms", "after_step"} <= set(HOOKS)


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_has_a_heading_with_its_exact_signature(name: str) -> None:
    signature = str(inspect.signature(getattr(hooks, name))).removesuffix(" -> 'None'").replace("'", "")
    assert f"### `{name}{signature}`" in README


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http|#)([^)]+)\)", README))))
def test_every_relative_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
