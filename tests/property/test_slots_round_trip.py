"""An algorithm that config.toml keeps is made again from it, whatever its components hold and have become since."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
import tomli_w
from hypothesis import example, given
from hypothesis import strategies as st

from rlenvs.config import digest
from rlenvs.plugins import load
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.slots import kept, restored

PLUGINS = load()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picky:
    """A selector with every kind of field that can be without a value, or hold the text that says so."""

    label: str | None = None
    choice: Literal["none", "some"] | None = None
    folder: Path | None = None
    size: int | None = None
    names: tuple[str | None, ...] = ()
    anything: Any = None
    table: Mapping[str, Any] | None = None
    either: Literal["some"] | int | str | None = None
    part: "Picky | None" = None

    def __call__(self, groups, progress):
        return groups


COMPONENTS = {**PLUGINS.components, "picky": Picky}

word = st.sampled_from(["none", r"\none", r"\\none", "None", "'none'", "", "use", "picky"])
text = word | st.text(st.characters(exclude_categories=["Cs"]))
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text
anything = st.recursive(plain, lambda part: st.lists(part) | st.dictionaries(text, part), max_leaves=6)
table = st.dictionaries(text, anything, max_size=3)


def picky(part: st.SearchStrategy[Picky | None]) -> st.SearchStrategy[Picky]:
    return st.builds(
        Picky,
        label=st.none() | text,
        choice=st.sampled_from([None, "none", "some"]),
        folder=st.none() | word.map(Path),
        size=st.none() | st.integers(),
        names=st.lists(st.none() | text, max_size=3).map(tuple),
        anything=anything,
        table=st.none() | table,
        either=st.none() | text | st.integers(),
        part=part,
    )


selectors = st.lists(picky(st.none() | picky(st.none())), max_size=2).map(tuple)


def on_disk(algorithm: Any) -> Any:
    """What was kept of an algorithm, written and read again."""
    return tomllib.loads(tomli_w.dumps(kept(algorithm, COMPONENTS)))


@given(before=selectors, now=selectors)
@example(before=(Picky(label=None),), now=(Picky(label="x"),))
@example(before=(Picky(label="none"),), now=(Picky(),))
@example(before=(Picky(choice="none"),), now=(Picky(),))
@example(before=(Picky(anything=True),), now=(Picky(anything=1),))
@example(before=(Picky(table={"use": "picky", "a": None}),), now=(Picky(table={"use": "picky", "a": 1}),))
def test_components_are_what_was_kept_of_them_also_where_the_defaults_are_others_now(before, now):
    algorithm = replace(GRPO, select=before)
    again = restored(replace(GRPO, select=now), on_disk(algorithm), COMPONENTS)
    assert again == algorithm
    assert digest(again) == digest(algorithm), "a resumed run compares the digests"


PAIRS = list(product(PLUGINS.algorithms.values(), repeat=2))


@pytest.mark.parametrize(("before", "now"), PAIRS, ids=lambda algorithm: algorithm.name)
def test_every_registered_algorithm_is_what_was_kept_of_it_whatever_its_name_stands_for_now(before, now):
    again = restored(replace(now, name=before.name), on_disk(before), COMPONENTS)
    assert again == before
    assert digest(again) == digest(before)
