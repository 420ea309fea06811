"""What components declare is read from everywhere inside of them; what means nothing is refused with their name."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from rlenvs.errors import RlenvsError
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.declared import Declaration, declaration, declared
from rlenvs_trainers.objective import notes, objections
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.surrogate import Clip
from rlenvs_trainers.weights import HighEntropy

DOCS = Path(__file__).parents[3] / "docs" / "algorithms.md"


@dataclass(frozen=True)
class Silent:
    needs: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Loud:
    scope: Any = "token"
    targets: Any = ()
    token_signals: Any = ()
    needs: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Needing:
    needs: ClassVar[tuple[str, ...]] = ("returns",)


@dataclass(frozen=True)
class Outer:
    inner: Any
    several: Any = ()


def test_of_a_slot_that_says_nothing_the_least_is_assumed():
    assert declaration(Silent()) == Declaration(scope="batch", vanishes=False, clips=False, targets=())


def test_class_variables_and_properties_are_declarations():
    assert declaration(Clip()) == Declaration(scope="token", vanishes=True, clips=True)
    assert declaration(Ratio(unit="action")).scope == "action"


def test_what_parts_inside_of_parts_declare_counts():
    nested = Outer(inner=Outer(inner=Loud(token_signals=("a",))), several=(Loud(token_signals=("b",)), Silent()))
    assert declared((nested, Loud(token_signals=("c",))), "token_signals") == {"a", "b", "c"}


def test_a_stranger_is_told_that_a_slot_without_scope_costs_a_second_pass():
    stranger = replace(GRPO, surrogate=Silent(), weights=(Silent(), Loud()))
    (note,) = notes(stranger)
    assert note.startswith("grpo: Silent, Silent without `scope` is taken to mix the tokens of the whole step")


@pytest.mark.parametrize("slots", [{}, {"surrogate": Loud()}, {"surrogate": Silent(), "weights": (HighEntropy(),)}])
def test_nobody_is_told_so_where_it_costs_nothing(slots):
    assert not [note for note in notes(replace(GRPO, **slots)) if "scope" in note]


def test_a_scope_that_is_none_is_refused_before_any_work():
    with pytest.raises(RlenvsError, match="Loud has scope 'tokens': it is one of token, action, trajectory, batch"):
        list(notes(replace(GRPO, surrogate=Loud(scope="tokens"))))


def test_a_name_that_is_not_in_a_tuple_is_not_read_as_its_letters():
    with pytest.raises(RlenvsError, match=r"Loud has targets 'returns': names come in a tuple, \('returns',\)"):
        list(objections(replace(GRPO, credit=Loud(targets="returns"))))
    with pytest.raises(RlenvsError, match=r"Loud has token_signals 'value': names come in a tuple"):
        list(objections(replace(GRPO, explore=Outer(inner=Loud(token_signals="value")))))


def test_a_slot_may_need_the_targets_that_the_credit_declares():
    def said(**credit):
        return list(objections(replace(GRPO, credit=Loud(**credit), surrogate=Needing())))

    assert said(targets=("returns",)) == []
    assert ["needs 'returns', which nothing provides" in sentence for sentence in said()] == [True]


def test_the_documentation_has_a_row_for_everything_that_may_be_declared():
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    for name in (*Declaration.__dataclass_fields__, "objection", "example_notes"):
        assert any(line.startswith(f"| `{name}") for line in rows), name
