"""Configurations: what is read is what was meant, and what is refused says what was expected, what came and where."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest

from rlenvs.config import FILLS_SLOTS, ConfigError, describe, digest, read, to_dict, with_options, write
from rlenvs.registry import DuplicateNameError, Entry, Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    id: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    seats: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    lr: float = 1e-6
    schedule: Literal["constant", "linear"] = "constant"
    betas: tuple[float, float] = (0.9, 0.999)
    epochs: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1:
            raise ValueError(f"learner.epochs is at least 1: got {self.epochs}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    name: str = "run"
    folder: Path = Path("runs")
    is_quiet: bool = False
    limit: int | float | None = None
    env: tuple[Env, ...] = ()
    learner: Learner = field(default_factory=Learner)


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return path


def test_a_file_fills_what_it_names_and_defaults_the_rest(tmp_path):
    text = 'name = "a"\n[learner]\nlr = 1\n[[env]]\nid = "x"\nkwargs = {levels = [1, 2]}\nseats = ["left"]\n'
    assert read(Config, file(tmp_path, text)) == Config(
        name="a", learner=Learner(lr=1.0), env=(Env(id="x", kwargs={"levels": [1, 2]}, seats=("left",)),)
    )


def test_sets_come_after_the_file_in_order(tmp_path):
    path = file(tmp_path, "[learner]\nlr = 0.1\nepochs = 2\n")
    config = read(Config, path, ["learner.lr=0.2", "learner.lr=3e-5", "name=two words", "folder=/tmp/a b"])
    assert config == Config(name="two words", folder=Path("/tmp/a b"), learner=Learner(lr=3e-5, epochs=2))


@pytest.mark.parametrize(
    ("sets", "env"),
    [
        (["env.0.id=a"], (Env(id="a"),)),
        (["env.0.id=a", "env.1.id=b", "env.1.kwargs.levels=[1]"], (Env(id="a"), Env(id="b", kwargs={"levels": [1]}))),
        (["env.0={id='a', kwargs={x=1}}", "env.0.kwargs.y=none"], (Env(id="a", kwargs={"x": 1, "y": None}),)),
        (["env=[{id='a'}]", "env.1.id='b'"], (Env(id="a"), Env(id="b"))),
        (['env.0.kwargs."a.b"=true', "env.0.id=a=b"], (Env(id="a=b", kwargs={"a.b": True}),)),
        (["env.0.id=a", "env.0.seats=['l']", "env.0.seats=none"], (Env(id="a"),)),
    ],
)
def test_parts_of_lists_are_set_by_index(sets, env):
    assert read(Config, sets=sets).env == env


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("learner.ls=1", "learner.ls: no option 'ls'. Did you mean 'lr'? There is: betas, epochs, lr, schedule."),
        ("lerner.lr=1", "lerner: no option 'lerner'. Did you mean 'learner'?"),
        ("learner.lr=fast", "learner.lr: expected a number, got 'fast' (text)"),
        ("learner.lr=true", "learner.lr: expected a number, got True (true or false)"),
        ("learner.epochs=1.0", "learner.epochs: expected a whole number, got 1.0 (a number)"),
        ("learner.epochs=none", "learner.epochs: expected a whole number, got None (no value)"),
        ("learner.epochs=0", "learner.epochs is at least 1: got 0"),
        ("learner.schedule=liner", "one of 'constant', 'linear', got 'liner' (text). Did you mean 'linear'?"),
        ("learner.betas=[0.9]", "learner.betas: expected a list of 2 (a number, a number), got [0.9] (a list)"),
        ("learner.betas=[0.9, 'b']", "learner.betas.1: expected a number, got 'b' (text)"),
        ("learner=3", "learner: expected a table, got 3 (a whole number)"),
        ("is_quiet=1", "is_quiet: expected true or false, got 1 (a whole number)"),
        ("name=7", "name: expected text, got 7 (a whole number)"),
        ("env.0.kwargs={}", "env.0.id is missing: expected text"),
        ("env.id=a", "expected a list (each: a table), got {'id': 'a'} (a table)"),
        ("limit=x", "limit: expected a whole number or a number or none, got 'x' (text)"),
        ("name.part=1", "name: expected text, got {'part': 1} (a table)"),
        ("learner.betas=[1,", "--set learner.betas=[1,: the value is not TOML"),
        ("nonsense", "--set takes path=value, such as learner.lr=1e-5: got 'nonsense'"),
        ("=1", "--set takes path=value"),
        ("two words=1", "--set takes path=value"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_a_sentence(setting, sentence):
    with pytest.raises(ConfigError) as caught:
        read(Config, sets=[setting])
    assert sentence in str(caught.value)


def test_a_part_of_what_has_no_parts_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"--set name\.part: name is 'a' \(text\), it has no parts"):
        read(Config, file(tmp_path, 'name = "a"'), ["name.part=1"])


def test_a_place_beyond_the_end_of_a_list_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"env\.2: the parts of env go by number, 0 to 1"):
        read(Config, file(tmp_path, '[[env]]\nid = "a"'), ["env.2.id=b"])


def test_malformed_toml_is_refused_with_its_line(tmp_path):
    with pytest.raises(ConfigError, match=r"config\.toml is not TOML: .*line 2"):
        read(Config, file(tmp_path, 'name = "a"\nlearner = = 3\n'))


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no config file"):
        read(Config, tmp_path / "gone.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        read(Config, tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(ConfigError, match="is not TOML"):
        read(Config, tmp_path / "latin.toml")


def test_what_is_written_names_every_field_and_reads_back_equal(tmp_path):
    config = read(Config, sets=["env.0.id=a", "env.0.kwargs={n=[1, {b=2}]}", "limit=3", "is_quiet=true"])
    write(config, tmp_path / "out.toml")
    assert read(Config, tmp_path / "out.toml") == config
    assert to_dict(config).keys() == {"name", "folder", "is_quiet", "limit", "env", "learner"}
    assert to_dict(config)["learner"] == {"lr": 1e-6, "schedule": "constant", "betas": [0.9, 0.999], "epochs": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["out.toml"], "nothing is left beside it"


def test_what_toml_cannot_hold_is_refused_by_its_path(tmp_path):
    with pytest.raises(ConfigError, match=r"env\.0\.kwargs\.x: TOML cannot hold None"):
        write(Config(env=(Env(id="a", kwargs={"x": None}),)), tmp_path / "out.toml")
    assert not list(tmp_path.iterdir())


def test_a_none_that_is_not_the_default_is_refused(tmp_path):
    @dataclass(frozen=True)
    class Odd:
        limit: int | None = 3

    with pytest.raises(ConfigError, match="limit: None cannot be written"):
        write(Odd(limit=None), tmp_path / "out.toml")


# Values made of components.


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
