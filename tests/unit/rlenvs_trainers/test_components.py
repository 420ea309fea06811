import subprocess
import sys

from rlenvs_trainers.components import COMPONENTS, register_components, snake_case


def test_every_component_is_registered_under_its_own_name():
    found = {}
    register_components(lambda name, component: found.update({name: component}))
    assert len(found) == len(COMPONENTS)
    assert found["clip"].__name__ == "Clip"
    assert found["non_constant"].__name__ == "NonConstant"


def test_names_are_the_classes_in_lower_case_with_underscores():
    assert [snake_case(name) for name in ("KL", "Clip", "GroupRelative", "EntropyBonus")] == [
        "kl",
        "clip",
        "group_relative",
        "entropy_bonus",
    ]


def test_listing_components_and_algorithms_imports_no_torch():
    code = "import rlenvs_trainers.components, rlenvs_plugins.grpo, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
