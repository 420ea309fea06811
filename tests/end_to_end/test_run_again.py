"""A run's config.toml makes the same run again, also when a plug-in's defaults have changed since."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

MINE = """
    from dataclasses import replace

    from rlenvs.hooks import hookimpl
    from rlenvs_plugins.grpo import GRPO
    from rlenvs_trainers.reduce import Mean
    from rlenvs_trainers.surrogate import Clip

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="mine", reduce={reduce}))

    @hookimpl
    def register_components(register):
        register("wide", Clip(high={high}))
"""
CLIP = {"use": "clip", "low": 0.15, "high": 0.3, "cap": None}


@pytest.fixture
def algorithm_of(run_of):
    """Everything that the algorithm of a run was made of at its last start."""
    return lambda name: [facts["algorithm"] for _, kind, facts in run_of(name).events if kind == "run_started"][-1]


@pytest.fixture
def begun(rlenvs, plugin):
    """A run of one step by a plug-in's algorithm and component, and the plug-in's next version in its place."""
    file = plugin("mine", MINE.format(high=0.3, reduce="GRPO.reduce"))
    sets = ["--set", "surrogate=wide", "--set", "surrogate.low=0.15"]
    line = ["--algorithm", "mine", "--name", "first", "--steps", 1, *sets]
    assert rlenvs("train", "tiny.toml", *line, "--plugin", file).code == 0
    plugin("mine", MINE.format(high=0.4567, reduce='Mean(over="token")'))
    del sys.modules["mine"]  # as in a process that starts later
    yield
    del sys.modules["mine"]


@pytest.mark.usefixtures("begun")
def test_a_run_is_made_again_by_the_algorithm_that_it_had(rlenvs, run_of, algorithm_of):
    assert rlenvs("train", "runs/first/config.toml", "--name", "second").code == 0
    assert (algorithm_of("first")["surrogate"], algorithm_of("first")["reduce"]["over"]) == (CLIP, "trajectory")
    assert algorithm_of("second") == algorithm_of("first")
    assert run_of("second").files(1) == run_of("first").files(1)
    files = [tomllib.loads(Path(f"runs/{name}/config.toml").read_text()) for name in ("first", "second")]
    assert files[1] == {**files[0], "name": "second"}


@pytest.mark.usefixtures("begun")
def test_a_run_goes_on_by_the_algorithm_that_it_had(rlenvs, algorithm_of):
    started = algorithm_of("first")
    assert rlenvs("train", "--resume", "runs/first", "--steps", 2).code == 0
    assert algorithm_of("first") == started


@pytest.mark.usefixtures("begun")
def test_what_is_set_comes_on_top_of_the_algorithm_that_it_had(rlenvs, algorithm_of):
    sets = ["--set", "surrogate.high=0.2", "--set", "reduce.over=action", "--set", "regularise.kl.estimator=k2"]
    assert rlenvs("train", "runs/first/config.toml", "--name", "second", *sets).code == 0
    changed = algorithm_of("second")
    assert changed["surrogate"] == {**CLIP, "high": 0.2}
    assert changed["reduce"]["over"] == "action"
    assert changed["regularise"][0]["estimator"] == "k2"


@pytest.mark.usefixtures("begun")
def test_another_algorithm_has_slots_of_its_own_and_that_is_told(rlenvs, run_of, algorithm_of):
    done = rlenvs("train", "runs/first/config.toml", "--name", "second", "--algorithm", "grpo")
    assert "[algorithm_slots] are those of 'mine': 'grpo' begins as it is registered." in done.err
    assert algorithm_of("second")["surrogate"] == {**CLIP, "low": 0.2, "high": 0.2}
    assert json.loads(run_of("second").files(1)["state.json"])["slots"] == algorithm_of("second")


LABELLED = """
    from dataclasses import dataclass, replace

    from rlenvs.hooks import hookimpl
    from rlenvs_plugins.grpo import GRPO

    @dataclass(frozen=True)
    class Labelled:
        label: str | None = "x"
        path: str = ""
        refills = False

        def __call__(self, groups, progress):
            return groups

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="labelled", select=(Labelled(),)))
"""


@pytest.fixture
def labelled(plugin):
    yield plugin("labelled", LABELLED)
    del sys.modules["labelled"]


@pytest.mark.parametrize(("label", "meant"), [("none", None), ('"none"', "none")])
def test_a_run_goes_on_where_a_text_was_set_to_no_value_or_to_the_text_that_says_so(
    rlenvs, labelled, algorithm_of, label, meant
):
    sets = ["--set", f"select.0.label={label}", "--set", "select.0.path=p"]
    line = ["--algorithm", "labelled", "--name", "first", "--steps", 1, *sets]
    assert rlenvs("train", "tiny.toml", *line, "--plugin", labelled).code == 0
    assert rlenvs("train", "--resume", "runs/first", "--steps", 2).code == 0
    assert rlenvs("train", "runs/first/config.toml", "--name", "second", "--steps", 1).code == 0
    selected = [{"use": "labelled", "label": meant, "path": "p"}]
    assert algorithm_of("first")["select"] == algorithm_of("second")["select"] == selected
