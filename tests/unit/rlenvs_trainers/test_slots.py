"""An algorithm is what its config.toml says that it was, whatever the plug-in that registers it has become."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from rlenvs.config import read, write
from rlenvs.errors import RlenvsError
from rlenvs.plugins import load
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.config import TrainConfig
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.select import NonConstant, WidestSpread
from rlenvs_trainers.slots import kept, notes, restored
from rlenvs_trainers.surrogate import Clip, Soft


@pytest.fixture(scope="module")
def components():
    return load().components


@pytest.fixture
def on_disk(components, tmp_path):
    """`on_disk(algorithm)`: its slots, written into a config.toml and read again."""

    def written(algorithm: Any) -> Any:
        config = read(TrainConfig, sets=["env.0.id=my/Env-v0"])
        write(replace(config, algorithm_slots=kept(algorithm, components)), tmp_path / "config.toml")
        return read(TrainConfig, tmp_path / "config.toml").algorithm_slots

    return written


@dataclass(frozen=True)
class Own:
    """A credit rule that its module registers nowhere."""

    unit: str = "trajectory"
    min_group: int = 1
    shares: dict[str, float] = field(default_factory=dict)

    def __call__(self, groups, progress):
        return {}


BASE = replace(GRPO, regularise=(KL(coefficient=0.1), EntropyBonus(coefficient=0.2)))


@pytest.mark.parametrize(
    "slots",
    [
        {"surrogate": Clip(high=0.5)},
        {"surrogate": Soft(positive=3.0)},
        {"reduce": Mean(over="batch", inner="sum", constant=9.0)},
        {"regularise": (KL(coefficient=0.1), EntropyBonus(coefficient=0.9))},
        {"regularise": (KL(coefficient=0.1, reduce=Mean(over="token")), EntropyBonus(coefficient=0.2))},
        {"regularise": ()},
        {"regularise": (EntropyBonus(coefficient=0.2), KL(coefficient=0.1), EntropyBonus(coefficient=0.1))},
        {"select": (NonConstant(), WidestSpread())},
        {"old": "sampler", "updates": (2, 3)},
    ],
)
def test_an_algorithm_is_what_was_kept_of_it_both_ways(on_disk, components, slots):
    one, other = BASE, replace(BASE, **slots)
    assert restored(other, on_disk(one), components) == one
    assert restored(one, on_disk(other), components) == other


def test_what_is_not_kept_or_another_algorithms_changes_nothing(on_disk, components):
    assert restored(BASE, {}, components) is BASE
    assert restored(BASE, on_disk(replace(GRPO, name="other", updates=(3, 3))), components) is BASE


def test_a_component_that_nobody_registered_stays_and_its_fields_go_back(on_disk, components):
    before = replace(BASE, credit=Own(shares={"a": 0.5}))
    now = replace(BASE, credit=Own(min_group=2, shares={"b": 0.5}), updates=(2, 2))
    assert restored(now, on_disk(before), components) == before


def test_what_cannot_be_made_any_more_is_refused_with_a_sentence(on_disk, components):
    slots = on_disk(BASE)
    slots["surrogate"] = {**slots["surrogate"], "width": 3}
    with pytest.raises(RlenvsError, match=r"surrogate\.width: no option 'width'.*Take \[algorithm_slots\] out"):
        restored(BASE, slots, components)
    with pytest.raises(RlenvsError, match=r"no component 'own'"):
        restored(BASE, on_disk(replace(BASE, credit=Own())), components)


def test_what_is_new_is_told_and_whose_slots_are_not_taken(on_disk, components):
    slots = on_disk(BASE)
    assert not list(notes(slots, BASE, components))
    assert not list(notes({}, BASE, components))
    del slots["surrogate"]["low"]
    assert list(notes(slots, BASE, components)) == [
        "'grpo' has what [algorithm_slots] says nothing of: surrogate.low was None and is 0.2."
    ]
    (sentence,) = notes(slots, replace(BASE, name="mine"), components)
    assert sentence == "[algorithm_slots] are those of 'grpo': 'mine' begins as it is registered."
