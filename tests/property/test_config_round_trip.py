"""A configuration that is written and read back is equal, whatever is in it."""

import string
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from rlenvs.config import FILLS_SLOTS, ConfigError, describe, digest, read, with_options, write


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    ratio: float = 0.5
    mode: Literal["a", "b"] = "a"
    pair: tuple[int, str] = (0, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    text: str = ""
    count: int | None = None
    is_on: bool = False
    folder: Path = Path("runs")
    names: tuple[str, ...] = ()
    inner: Inner = field(default_factory=Inner)
    many: tuple[Inner, ...] = ()
    anything: Mapping[str, Any] = field(default_factory=dict)


text = st.text(st.characters(exclude_categories=["Cs"]))
number = st.floats(allow_nan=False)
plain = st.booleans() | st.integers() | number | text
toml = st.recursive(plain, lambda part: st.lists(part) | st.dictionaries(text, part), max_leaves=8)
inner = st.builds(Inner, ratio=number, mode=st.sampled_from(["a", "b"]), pair=st.tuples(st.integers(), text))
loose = st.builds(Inner, ratio=number | st.integers(-3, 3), mode=st.sampled_from(["a", "b"]))  # 1 for 1.0
outer = st.builds(
    Outer,
    text=text,
    count=st.none() | st.integers(),
    is_on=st.booleans(),
    folder=st.text(string.ascii_letters + "/ .", min_size=1).map(Path),
    names=st.lists(text).map(tuple),
    inner=inner,
    many=st.lists(inner, max_size=3).map(tuple),
    anything=st.dictionaries(text, toml, max_size=3),
)


@given(config=outer)
def test_what_is_written_reads_back_equal(config):
    with tempfile.TemporaryDirectory() as folder:
        write(config, Path(folder) / "config.toml")
        assert read(Outer, Path(folder) / "config.toml") == config


@given(value=inner, other=inner)
def test_a_description_restores_the_value_from_any_other(value, other):
    assert with_options(other, describe(value)) == value


@given(value=loose, other=loose)
def test_digests_are_equal_exactly_when_the_values_are(value, other):
    assert (digest(value) == digest(other)) == (value == other)


@given(value=loose)
def test_a_restored_value_has_the_digest_of_its_original(value):
    assert digest(with_options(Inner(), describe(value))) == digest(value)


@given(value=number)
def test_a_number_set_on_the_command_line_is_that_number(value):
    assert read(Inner, sets=[f"ratio={value}"]).ratio == value


@given(value=text)
def test_a_text_set_in_quotes_on_the_command_line_is_that_text(value):
    assert read(Outer, sets=[f"text={tomli_w.dumps({'v': value})[4:]}"]).text == value


class Slot(Protocol):
    """Anything that is a component."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    mode: Literal["a", "b"] = "a"
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    size: int = 0
    part: Slot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    one: Slot = field(default_factory=Leaf)
    many: tuple[Slot, ...] = (Branch(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    options: Mapping[str, Any] = field(default_factory=dict, metadata=FILLS_SLOTS)


COMPONENTS: Mapping[str, Any] = {"leaf": Leaf, "branch": Branch, "big": Branch(size=9, part=Leaf(size=8))}
slot = st.sampled_from(["one", "many", "many.0", "many.1", "many.2", "one.part", "many.0.part", "many.1.part"])
filling = st.sampled_from(["leaf", "branch", "big", '{use="leaf", mode="b"}', '["big", {use="branch", part="leaf"}]'])
set_size = st.builds("{}.size={}".format, slot, st.integers(0, 9))
set_slot = st.builds("{}={}".format, slot, filling)


@given(drawn=st.lists(set_slot | set_size, max_size=8))
def test_settings_together_are_what_they_are_one_after_another_and_the_file_says_the_same(drawn):
    method, kept = Method(), list[str]()
    for text in (f"options.{setting}" for setting in drawn):
        try:
            method = with_options(method, read(Run, sets=[text]).options, COMPONENTS)
        except ConfigError:
            continue  # a part that is not there, or has no such field
        kept.append(text)
    run = read(Run, sets=kept)
    assert with_options(Method(), run.options, COMPONENTS) == method
    with tempfile.TemporaryDirectory() as folder:
        write(run, Path(folder) / "config.toml")
        again = read(Run, Path(folder) / "config.toml")
    assert again == run
    assert with_options(Method(), again.options, COMPONENTS) == method
