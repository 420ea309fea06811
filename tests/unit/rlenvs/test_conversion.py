"""Values become what is declared: which of them is no value where `none` can be a text, and fields of any name."""

import inspect
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from rlenvs import component_names, config, conversion, overrides, wording
from rlenvs.config import ConfigError, read, with_options

PARAMETERS = {
    parameter
    for module in (component_names, config, conversion, overrides, wording)
    for _, function in inspect.getmembers(module, inspect.isfunction)
    for parameter in inspect.signature(function).parameters
}


@pytest.mark.parametrize("name", sorted(PARAMETERS | {"self", "cls"}))
def test_a_field_may_have_the_name_of_anything_else(name):
    kind = make_dataclass("Component", [(name, int, 0)], frozen=True)
    slot = make_dataclass("Method", [("slot", object, kind())], frozen=True)
    assert {"path", "kind", "value", "options", "components"} <= PARAMETERS
    assert read(kind, sets=[f"{name}=1"]) == kind(**{name: 1})
    assert with_options(kind(), {name: 2}) == kind(**{name: 2})
    assert with_options(slot(), {"slot": {"use": "it", name: 3}}, {"it": kind}) == slot(kind(**{name: 3}))
    assert with_options(slot(), {"slot": {name: 4}}) == slot(kind(**{name: 4}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    text: str | None = "x"
    choice: Literal["none", "some"] | None = "some"
    must: Literal["none", "some"] = "some"
    folder: Path | None = Path("x")
    number: float | None = 1.0
    other: Literal["some"] | None = "some"
    anything: Any = "x"


@pytest.mark.parametrize(
    ("name", "bare", "quoted"),
    [
        ("text", None, "none"),
        ("choice", None, "none"),
        ("must", "none", "none"),
        ("folder", None, Path("none")),
        ("number", None, None),
        ("other", None, None),
        ("anything", None, "none"),
    ],
)
def test_bare_none_is_no_value_where_that_can_be_and_in_quotes_it_is_the_text_where_that_can_be(name, bare, quoted):
    assert getattr(read(Fields, sets=[f"{name}=none"]), name) == bare
    assert getattr(read(Fields, sets=[f'{name}="none"']), name) == quoted


def test_no_value_is_no_choice_where_none_of_the_choices_is_called_so():
    with pytest.raises(ConfigError, match=r"must: expected one of 'a', 'b', got None \(no value\)"):
        read(make_dataclass("Choices", [("must", Literal["a", "b"], "a")], frozen=True), sets=["must=none"])
