"""Plug-ins load guarded: what is broken is skipped, what is taken twice is refused, observers cannot stop a run."""

import sys
import warnings
from textwrap import dedent

import gymnasium
import pytest

from rlenvs.plugins import load
from rlenvs.registry import DuplicateNameError, UnknownNameError

from .giving import GOOD, why


def test_a_plugin_gives_its_values_and_they_know_their_distribution(install):
    install("good-one", GOOD.format(name="apo", value=3), version="2.5")
    plugins = load()
    assert plugins.algorithms["apo"].value == 3
    assert plugins.algorithms.origin("apo").distribution == "good-one 2.5"
    assert plugins.components["apo_clip"] is dict
    assert "good_one" in [plugin.name for plugin in plugins.loaded]


def test_our_own_environments_come_through_the_same_door():
    plugins = load()
    assert {"rlenvs/Arithmetic-v0", "rlenvs/Math-v0", "rlenvs/EchoPair-v0"} <= set(plugins.environments)
    assert plugins.environments.origin("rlenvs/EchoPair-v0").distribution.startswith("rlenvs-llm ")


def test_r29_a_plugin_whose_import_fails_is_reported_with_the_last_line_and_skipped(install):
    install("bad-import", "import no_such_module_anywhere\n")
    install("good-one", GOOD.format(name="apo", value=3))
    plugins = load()
    assert why(plugins, "bad_import") == "ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    assert plugins.algorithms["apo"].value == 3


def test_r29_a_plugin_that_exits_or_is_not_python_breaks_nothing(install):
    install("bad-exit", "raise SystemExit(3)\n")
    install("bad-syntax", "def f(:\n")
    plugins = load()
    assert why(plugins, "bad_exit") == "raised SystemExit: 3"
    assert why(plugins, "bad_syntax").startswith("SyntaxError: invalid syntax (bad_syntax.py, line 1)")


def test_r29_a_plugin_for_another_api_version_is_skipped_with_the_reason(install):
    install("old-api", "RLENVS_API = 0\n" + dedent(GOOD.format(name="apo", value=3)))
    plugins = load()
    assert why(plugins, "old_api") == "written for plug-in API 0; this rlenvs has API 1"
    assert "apo" not in plugins.algorithms


def test_r29_a_plugin_that_states_this_api_version_loads(install):
    install("new-api", "RLENVS_API = 1\n" + dedent(GOOD.format(name="apo", value=3)))
    assert "apo" in load().algorithms


def test_r29_a_misspelt_hook_is_named_with_its_near_miss(install):
    code = "from rlenvs.hooks import hookimpl\n\n@hookimpl\ndef register_algoritms(register):\n    pass\n"
    install("misspelt", code)
    assert why(load(), "misspelt").startswith(
        "no hook 'register_algoritms'. Did you mean 'register_algorithms'? There is: after_rollouts, "
    )


def test_r29_a_hook_with_a_parameter_that_does_not_exist_is_refused(install):
    code = "from rlenvs.hooks import hookimpl\n\n@hookimpl\ndef after_step(step, metric):\n    pass\n"
    install("wrong-parameter", code)
    sentence = why(load(), "wrong_parameter")
    assert "after_step" in sentence
    assert "metric" in sentence


def test_a_module_without_hooks_is_told_to_mark_them(install):
    install("no-hooks", "def register_algorithms(register):\n    pass\n")
    assert "hookimpl" in why(load(), "no_hooks")


def test_a_hook_that_raises_registers_nothing_and_the_others_go_on(install):
    code = """
        from types import SimpleNamespace
        from rlenvs.hooks import hookimpl

        @hookimpl
        def register_algorithms(register):
            register(SimpleNamespace(name="half"))
            raise RuntimeError("second one broke")
    """
    install("half-done", code)
    install("good-one", GOOD.format(name="apo", value=3))
    plugins = load()
    assert "half" not in plugins.algorithms
    assert "apo" in plugins.algorithms
    assert why(plugins, "half_done") == "register_algorithms: RuntimeError: second one broke"


def test_a_value_without_a_name_is_refused(install):
    code = "from rlenvs.hooks import hookimpl\n\n@hookimpl\ndef register_suites(register):\n    register(object())\n"
    install("nameless", code)
    plugins = load()
    assert "object" not in plugins.suites
    assert "takes something with a name" in why(plugins, "nameless")


def test_r30_two_plugins_of_one_name_are_an_error_naming_both_distributions(install):
    install("first-apo", GOOD.format(name="apo", value=1))
    install("second-apo", GOOD.format(name="apo", value=2), version="0.3")
    plugins = load()
    with pytest.raises(DuplicateNameError, match=r"'apo' is registered by first-apo 1\.0 and by second-apo 0\.3"):
        plugins.algorithms["apo"]
    with pytest.raises(DuplicateNameError, match="apo_clip"):
        plugins.components["apo_clip"]
    assert list(plugins.algorithms.conflicts) == ["apo"]
    assert "apo" not in list(plugins.algorithms)


def test_r30_a_name_of_ours_cannot_be_taken_over(install):
    code = """
        from rlenvs.hooks import hookimpl

        @hookimpl
        def register_environments(register):
            register("rlenvs/EchoPair-v0", "echo_thief:Thief")
    """
    install("echo-thief", code)
    plugins = load()
    with pytest.raises(DuplicateNameError, match=r"rlenvs-llm .* echo-thief 1\.0|echo-thief 1\.0 .* rlenvs-llm"):
        plugins.environments.check_unambiguous("rlenvs/EchoPair-v0")
    assert gymnasium.spec("rlenvs/EchoPair-v0").entry_point == "rlenvs.envs.echo_pair:echo_pair"


def test_an_unknown_name_is_told_the_near_miss(install):
    install("good-one", GOOD.format(name="apo", value=3))
    with pytest.raises(UnknownNameError, match=r"no algorithm 'apoo'\. Did you mean 'apo'") as caught:
        load().algorithms["apoo"]
    assert not str(caught.value).startswith("'"), "a sentence, not the repr of a key"


def test_several_loads_do_not_interfere(install):
    before = load()
    assert "apo" not in before.algorithms
    install("good-one", GOOD.format(name="apo", value=3))
    after = load()
    assert "apo" in after.algorithms
    assert "apo" not in before.algorithms


OBSERVER = """
    from rlenvs.hooks import hookimpl
    steps = []

    @hookimpl
    def after_step(step, metrics):
        steps.append(step)
        if step == {fails_at}:
            raise OSError("disk full")
"""


def test_an_observer_that_raises_is_reported_once_and_disabled(install):
    install("good-observer", OBSERVER.format(fails_at=-1))
    install("bad-observer", OBSERVER.format(fails_at=2))
    plugins = load()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for step in (1, 2, 3, 4):
            plugins.notify("after_step", step=step, metrics={})
    (sentence,) = [str(warning.message) for warning in caught]
    assert sentence.startswith("observer 'bad_observer' of bad-observer 1.0 raised")
    assert sentence.endswith("after_step: OSError: disk full")
    assert sys.modules["bad_observer"].steps == [1, 2]
    assert sys.modules["good_observer"].steps == [1, 2, 3, 4]
    assert why(plugins, "bad_observer") == "after_step: OSError: disk full"


def test_an_observer_of_another_load_is_not_disabled_with_it(install):
    install("bad-observer", OBSERVER.format(fails_at=2))
    first, second = load(), load()
    with pytest.warns(RuntimeWarning, match="bad_observer"):
        first.notify("after_step", step=2, metrics={})
    second.notify("after_step", step=7, metrics={})
    first.notify("after_step", step=8, metrics={})
    assert sys.modules["bad_observer"].steps == [2, 7]


def test_interrupting_an_observer_interrupts_the_run(install):
    code = "from rlenvs.hooks import hookimpl\n\n@hookimpl\ndef after_step(step):\n    raise KeyboardInterrupt\n"
    install("interrupted", code)
    with pytest.raises(KeyboardInterrupt):
        load().notify("after_step", step=1, metrics={})
