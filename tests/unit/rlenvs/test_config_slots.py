"""Values made of components: settings of their slots, options that change them, and how they are described."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import pytest

from rlenvs.config import FILLS_SLOTS, ConfigError, describe, digest, read, with_options, write
from rlenvs.registry import DuplicateNameError, Entry, Registry


class Slot(Protocol):
    """Anything that is a component."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    low: float = 0.2
    high: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class DualClip:
    low: float = 0.2
    cap: float | None = 3.0

    def __post_init__(self) -> None:
        if self.cap is not None and self.cap <= 1:
            raise ValueError(f"cap is above 1: got {self.cap}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    over: Literal["token", "trajectory"] = "trajectory"


@dataclass(frozen=True, slots=True, kw_only=True)
class KL:
    coefficient: float = 0.1
    reduce: Slot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    name: str = "toy"
    surrogate: Slot = field(default_factory=Clip)
    regularise: tuple[Slot, ...] = (KL(),)
    reduce: Slot = field(default_factory=Mean)
    updates: tuple[int, int] = (1, 1)


COMPONENTS: Mapping[str, Any] = {
    "clip": Clip,
    "dual": DualClip,
    "mean": Mean,
    "kl": KL,
    "weak_kl": KL(coefficient=1e-3),
    "function": len,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    name: str = "run"
    options: Mapping[str, Any] = field(default_factory=dict, metadata=FILLS_SLOTS)
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("sets", "options", "method"),
    [
        (["surrogate=dual", "surrogate.cap=5"], {"surrogate": {"use": "dual", "cap": 5}}, DualClip(cap=5.0)),
        (["surrogate.high=1", "surrogate=dual"], {"surrogate": "dual"}, DualClip()),
        (["surrogate=dual", "surrogate.cap=5", "surrogate=clip"], {"surrogate": "clip"}, Clip()),
        (
            ["regularise.1=kl", "regularise.1.reduce=mean", "regularise.1.reduce.over=token"],
            {"regularise": {"1": {"use": "kl", "reduce": {"use": "mean", "over": "token"}}}},
            (KL(), KL(reduce=Mean(over="token"))),
        ),
        (["regularise.kl=weak_kl", "regularise.kl.reduce=mean"], None, (KL(coefficient=1e-3, reduce=Mean()),)),
        (["regularise=weak_kl", "regularise.reduce=mean"], None, (KL(coefficient=1e-3, reduce=Mean()),)),
        (["regularise=kl", "regularise.1=clip", "regularise.0.coefficient=3"], None, (KL(coefficient=3.0), Clip())),
        (["regularise={use='kl', coefficient=3}", "regularise.1=clip"], None, (KL(coefficient=3.0), Clip())),
        (["regularise=['kl']", "regularise.0.coefficient=3"], None, (KL(coefficient=3.0),)),
        (["regularise.1.use=clip", "regularise.2=mean"], None, (KL(), Clip(), Mean())),
    ],
)
def test_settings_of_one_slot_go_together_in_their_order(tmp_path, sets, options, method):
    run = read(Run, sets=[f"options.{text}" for text in sets])
    assert options is None or run.options == options
    slot = sets[0].partition("=")[0].partition(".")[0]
    assert getattr(with_options(Method(), run.options, COMPONENTS), slot) == method
    write(run, tmp_path / "config.toml")
    again = read(Run, tmp_path / "config.toml")
    assert again == run
    assert getattr(with_options(Method(), again.options, COMPONENTS), slot) == method


@pytest.mark.parametrize("name", ["name", "kwargs.template"])
def test_a_text_that_is_no_component_has_no_parts(name):
    with pytest.raises(ConfigError, match=rf"{name} is 'tags' \(text\), it has no parts"):
        read(Run, sets=[f"{name}=tags", f"{name}.high=1"])


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({}, Method()),
        ({"surrogate": {"high": 0.28}}, Method(surrogate=Clip(high=0.28))),
        ({"surrogate": {"use": "dual", "cap": 5}}, Method(surrogate=DualClip(cap=5.0))),
        ({"surrogate": "dual"}, Method(surrogate=DualClip())),
        ({"surrogate": {"use": "clip"}}, Method()),
        ({"regularise": {"kl": {"coefficient": 0}}}, Method(regularise=(KL(coefficient=0.0),))),
        ({"regularise": {"0": {"reduce": "mean"}}}, Method(regularise=(KL(reduce=Mean()),))),
        ({"regularise": {"1": "weak_kl"}}, Method(regularise=(KL(), KL(coefficient=1e-3)))),
        (
            {"regularise": {"1": {"use": "weak_kl", "reduce": "mean"}}},
            Method(regularise=(KL(), KL(coefficient=1e-3, reduce=Mean()))),
        ),
        ({"regularise": []}, Method(regularise=())),
        ({"regularise": ["kl", {"use": "clip"}]}, Method(regularise=(KL(), Clip()))),
        ({"regularise": "weak_kl"}, Method(regularise=(KL(coefficient=1e-3),))),
        ({"regularise": {"use": "kl", "coefficient": 2}}, Method(regularise=(KL(coefficient=2.0),))),
        ({"regularise": {"2": "clip", "1": {"use": "mean"}}}, Method(regularise=(KL(), Mean(), Clip()))),
        ({"updates": {"0": 4}}, Method(updates=(4, 1))),
        ({"surrogate": {"use": "dual", "cap": "none"}}, Method(surrogate=DualClip(cap=None))),
        ({"regularise": [{"use": "kl", "reduce": "none"}]}, Method()),
        ({"updates": [2, 3], "reduce": {"over": "token"}}, Method(updates=(2, 3), reduce=Mean(over="token"))),
    ],
)
def test_options_change_what_they_name_and_nothing_else(options, changed):
    assert with_options(Method(), options, COMPONENTS) == changed


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"surogate": {}}, "surogate: no option 'surogate'. Did you mean 'surrogate'?"),
        ({"surrogate": {"hihg": 1}}, "surrogate.hihg: no option 'hihg'. Did you mean 'high'? There is: high, low."),
        ({"surrogate": {"high": "a"}}, "surrogate.high: expected a number, got 'a' (text)"),
        ({"surrogate": 3}, 'surrogate: expected a component, {use = "name", …}, got 3 (a whole number)'),
        ({"surrogate": "dul"}, "surrogate: no component 'dul'. Did you mean 'dual'?"),
        ({"surrogate": {"use": "dual", "high": 1}}, "surrogate.high: no option 'high'."),
        ({"surrogate": {"use": "dual", "cap": 0.5}}, "surrogate: cap is above 1: got 0.5"),
        ({"regularise": {"entropy": {"coefficient": 1}}}, "regularise: no part 'entropy'. There is: kl."),
        ({"regularise": "lk"}, "regularise: no component 'lk'. Did you mean 'kl'?"),
        ({"regularise": {"1": "clip", "clip": {"low": 1}}}, "regularise.1 and regularise.clip are the same part: say"),
        ({"reduce": "token"}, "reduce: no component 'token', that is a choice of reduce.over: --set reduce.over=token"),
        ({"reduce": "tokens"}, "reduce: no component 'tokens'."),
        ({"updates": "kl"}, "updates: expected a list of 2 (a whole number, a whole number), got 'kl' (text)"),
        ({"surrogate": "function"}, "surrogate: component 'function' is neither a dataclass nor a value of one"),
        ({"regularise": {"2": "kl"}}, "regularise.2: the parts of regularise go by number, 0 to 1"),
        ({"updates": {"2": 1}}, "updates.2: the parts of updates go by number, 0 to 1"),
        ({"updates": [1]}, "updates: expected a list of 2"),
        ({"name": 3}, "name: expected text, got 3 (a whole number)"),
    ],
)
def test_options_that_cannot_be_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(ConfigError) as caught:
        with_options(Method(), options, COMPONENTS)
    assert sentence in str(caught.value)


def test_two_parts_of_one_name_must_be_told_apart_by_index():
    twice = Method(regularise=(KL(), KL()))
    with pytest.raises(ConfigError, match=r"regularise: has 2 of 'kl'.* by index: regularise\.0"):
        with_options(twice, {"regularise": {"kl": {"coefficient": 1}}}, COMPONENTS)
    changed = with_options(twice, {"regularise": {"1": {"coefficient": 1}}}, COMPONENTS)
    assert changed.regularise == (KL(), KL(coefficient=1.0))


def test_a_component_that_two_plugins_registered_is_refused():
    registry = Registry("component")
    for plugin in ("a", "b"):
        registry.add("dual", Entry(value=DualClip, plugin=plugin, distribution=f"{plugin} 1", description=""))
    with pytest.raises(DuplicateNameError, match="a 1 and by b 1"):
        with_options(Method(), {"surrogate": "dual"}, registry)


def test_a_description_names_components_and_restores_the_value():
    value = Method(surrogate=DualClip(cap=None), regularise=(KL(reduce=Mean(over="token")), Clip()), updates=(2, 8))
    described = describe(value, COMPONENTS)
    assert described["surrogate"] == {"use": "dual", "low": 0.2, "cap": None}
    assert described["regularise"][0] == {"use": "kl", "coefficient": 0.1, "reduce": {"use": "mean", "over": "token"}}
    assert with_options(Method(), described, COMPONENTS) == value


def test_a_description_restores_a_value_whose_class_is_registered_by_its_presets_alone():
    presets = {"strict": DualClip(cap=2.0), "loose": DualClip(low=0.5)}
    value = Method(surrogate=DualClip(low=0.1, cap=4.0), regularise=())
    described = describe(value, COMPONENTS | {"dual": Clip} | presets)
    assert described["surrogate"] == {"use": "strict", "low": 0.1, "cap": 4.0}
    assert with_options(Method(), described, COMPONENTS | {"dual": Clip} | presets) == value


def test_a_component_that_nobody_registered_goes_by_its_class():
    assert describe(Method(surrogate=DualClip()))["surrogate"]["use"] == "dual_clip"


def test_equal_values_have_one_digest_and_different_ones_do_not():
    assert digest(Method()) == digest(Method(surrogate=Clip(low=0.2)))
    assert digest(Method()) == "863ad7fae839ed0e", "a digest is kept in checkpoints: it may not change by accident"
    others = [Method(updates=(1, 2)), Method(surrogate=Clip(low=0.3)), Method(surrogate=DualClip()), Method(name="t")]
    assert len({digest(other) for other in [*others, Method()]}) == 5
