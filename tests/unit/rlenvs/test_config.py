"""Configurations: what is read is what was meant, and what is refused says what was expected, what came and where."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from rlenvs.config import ConfigError, read, to_dict, write


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
