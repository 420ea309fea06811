"""Values become what is declared, in fields of any name."""

import inspect
from dataclasses import make_dataclass

import pytest

from rlenvs import component_names, config, conversion, overrides, wording
from rlenvs.config import read, with_options

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
