import subprocess
import sys
from dataclasses import replace

import pytest

from rlenvs.config import ConfigError, describe, with_options
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.components import COMPONENTS, PRESETS, register_components
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.select import NonConstant


def test_every_component_is_registered_under_its_own_name():
    found = {}
    register_components(lambda name, component: found.update({name: component}))
    assert len(found) == len(COMPONENTS) + len(PRESETS)
    assert found["clip"].__name__ == "Clip"
    assert found["non_constant"].__name__ == "NonConstant"


def test_a_component_goes_by_one_name_registered_or_not():
    found = {}
    register_components(lambda name, component: found.update({name: component}))
    assert {"kl", "clip", "group_relative", "entropy_bonus"} <= set(found)
    unregistered, registered = describe(replace(GRPO, select=(NonConstant(),))), found
    assert [part["use"] for part in unregistered["select"]] == ["non_constant"]
    assert describe(replace(GRPO, select=(NonConstant(),)), registered) == unregistered


def test_a_preset_fills_a_slot_and_takes_changes():
    found = {}
    register_components(lambda name, component: found.update({name: component}))
    assert with_options(GRPO, {"ratio": "gspo_ratio"}, found) == replace(GRPO, ratio=Ratio(unit="trajectory"))
    changed = with_options(GRPO, {"ratio": {"use": "capo_ratio", "centre": False}}, found)
    assert changed.ratio == Ratio(unit="action", length_power=0.5, centre=False)
    assert describe(changed, found)["ratio"] == {"use": "ratio", "unit": "action", "length_power": 0.5, "centre": False}


def test_a_unit_in_the_place_of_a_ratio_is_told_where_it_goes():
    with pytest.raises(ConfigError, match=r"that is a choice of ratio\.unit: --set ratio\.unit=trajectory"):
        with_options(GRPO, {"ratio": "trajectory"}, {"ratio": Ratio})


def test_listing_components_and_algorithms_imports_no_torch():
    code = "import rlenvs_trainers.components, rlenvs_plugins.grpo, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
