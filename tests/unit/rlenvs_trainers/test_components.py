import subprocess
import sys
from dataclasses import replace

from rlenvs.config import describe
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.components import COMPONENTS, register_components
from rlenvs_trainers.select import NonConstant


def test_every_component_is_registered_under_its_own_name():
    found = {}
    register_components(lambda name, component: found.update({name: component}))
    assert len(found) == len(COMPONENTS)
    assert found["clip"].__name__ == "Clip"
    assert found["non_constant"].__name__ == "NonConstant"


def test_a_component_goes_by_one_name_registered_or_not():
    found = {}
    register_components(lambda name, component: found.update({name: component}))
    assert {"kl", "clip", "group_relative", "entropy_bonus"} <= set(found)
    unregistered, registered = describe(replace(GRPO, select=(NonConstant(),))), found
    assert [part["use"] for part in unregistered["select"]] == ["non_constant"]
    assert describe(replace(GRPO, select=(NonConstant(),)), registered) == unregistered


def test_listing_components_and_algorithms_imports_no_torch():
    code = "import rlenvs_trainers.components, rlenvs_plugins.grpo, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
