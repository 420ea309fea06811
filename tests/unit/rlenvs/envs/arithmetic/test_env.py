from typing import Any

import numpy as np
import pytest

import rlenvs
from rlenvs.envs.arithmetic import ArithmeticEnv
from rlenvs.envs.arithmetic.source import FAMILIES
from rlenvs.rewards import TEMPLATES


def demonstrated(env: ArithmeticEnv, index: int, seed: int = 0) -> float:
    """Whether the demonstration at a task is correct."""
    env.reset(options={"index": index})
    env.step(env.demonstrate(np.random.default_rng([seed, index])))
    assert env.verdict is not None
    return env.verdict.correct


@pytest.mark.parametrize("template", sorted(TEMPLATES))
@pytest.mark.parametrize("split", ["train", "test"])
def test_it_passes_check_env(template: str, split: Any) -> None:
    rlenvs.check_env(ArithmeticEnv(template=template, split=split), num_tasks=20)


@pytest.mark.parametrize("recipe", ["r1_zero", "dapo", "accuracy"])
def test_every_recipe_passes_check_env(recipe: Any) -> None:
    rlenvs.check_env(ArithmeticEnv(rewards=recipe), num_tasks=20)


def test_a_recipe_brings_its_template_and_pays_as_published() -> None:
    env = ArithmeticEnv(families=["add"], rewards="dapo")
    assert env.template is TEMPLATES["dapo"]
    rewards = []
    for action in (env.answer_message(env.task_at(0)), "Answer: -1"):
        env.reset(options={"index": 0})
        rewards.append(env.step(action)[1])
    assert rewards == [1.0, -1.0]
    assert ArithmeticEnv(rewards="dapo", template="boxed").template is TEMPLATES["boxed"]
    assert ArithmeticEnv(rewards="accuracy").template is TEMPLATES["r1_zero"]


def test_it_is_made_by_its_id() -> None:
    assert isinstance(rlenvs.make("rlenvs/Arithmetic-v0", families=["add"]), ArithmeticEnv)


@pytest.mark.parametrize("template", sorted(TEMPLATES))
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_demonstration_without_mistakes_scores_full_marks(family: str, template: str) -> None:
    env = ArithmeticEnv(families=[family], template=template, format_weight=0.5)
    for index in range(12):
        env.reset(options={"index": index})
        reward = env.step(env.demonstrate(np.random.default_rng(index)))[1]
        assert reward == 1.5


def test_demonstrations_are_wrong_at_the_stated_rate_and_still_well_formed() -> None:
    env = ArithmeticEnv(mistake_rate=0.3)
    parts = []
    for index in range(600):
        env.reset(options={"index": index})
        env.step(env.demonstrate(np.random.default_rng([1, index])))
        assert env.verdict is not None
        parts.append([part.value for part in env.verdict.parts])
    right, formed = np.mean(parts, axis=0)
    assert 0.64 < right < 0.76  # 0.7, give or take three standard deviations of 600
    assert formed == 1.0


def test_with_a_mistake_rate_of_one_every_demonstration_is_wrong() -> None:
    env = ArithmeticEnv(mistake_rate=1.0)
    assert [demonstrated(env, index) for index in range(60)] == [0.0] * 60


def test_an_empty_and_a_wrong_answer_score_nothing_for_accuracy() -> None:
    env = ArithmeticEnv(families=["add"], template="plain")
    for action in ("", "0"):
        env.reset(options={"index": 3})
        env.step(action)
        assert env.verdict is not None
        assert env.verdict.correct == 0.0


def test_only_the_chosen_families_and_levels_are_drawn() -> None:
    env = ArithmeticEnv(families=["add", "sort", "gcd"], levels={"add": [2, 3], "sort": [1]})
    drawn = {(task.metadata["family"], task.metadata["level"]) for task in map(env.task_at, range(200))}
    assert drawn == {("add", 2), ("add", 3), ("sort", 1), ("gcd", 1), ("gcd", 2), ("gcd", 3), ("gcd", 4)}


def test_families_are_drawn_equally_often() -> None:
    env = ArithmeticEnv(families=["add", "sort"], levels={"add": [1], "sort": [1, 2, 3, 4]})
    share = np.mean([env.task_at(index).metadata["family"] == "add" for index in range(400)])
    assert 0.42 < share < 0.58


def test_a_task_is_the_same_from_another_environment_and_touches_no_global_random_state() -> None:
    before = str(np.random.get_state(legacy=False))  # noqa: NPY002  # the global state is what must not move
    tasks = [ArithmeticEnv().task_at(index) for index in range(30)]
    env = ArithmeticEnv(mistake_rate=0.5)
    assert [env.task_at(index) for index in reversed(range(30))] == tasks[::-1]
    assert str(np.random.get_state(legacy=False)) == before  # noqa: NPY002
    assert len({task.id for task in tasks}) == 30


def test_three_hundred_held_out_tasks_are_nearly_all_different() -> None:
    env = ArithmeticEnv(split="test")
    assert len({env.task_at(index).metadata["question"] for index in range(300)}) >= 290


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"families": ["ad"]}, "no family 'ad'. Did you mean 'add'?"),
    ({"families": "add"}, "families: expected a list (each: text), got 'add' (text)"),
    ({"families": []}, "at least one"),
    ({"levels": [5]}, "integers from 1 to 4: got [5]"),
    ({"levels": [0]}, "integers from 1 to 4: got [0]"),
    ({"levels": [1.5]}, "levels: expected a list (each: a whole number) or a table (each: a list"),
    ({"levels": []}, "integers from 1 to 4"),
    ({"levels": "12"}, "got '12' (text)"),
    ({"levels": 2}, "got 2 (a whole number)"),
    ({"families": ["add"], "levels": {"sort": [1]}}, "no chosen family 'sort'"),
    ({"levels": {"add": [9]}}, "levels of add are a list of integers from 1 to 4: got [9]"),
    ({"split": "tset"}, "split: expected one of 'train', 'test', got 'tset' (text). Did you mean 'test'?"),
    ({"template": "boxd"}, "no template 'boxd'. Did you mean 'boxed'?"),
    ({"mistake_rate": 1.5}, "mistake_rate is a share from 0 to 1: got 1.5"),
    ({"mistake_rate": float("nan")}, "mistake_rate is a share from 0 to 1: got nan"),
    ({"format_weight": float("inf")}, "format_weight is a finite number, at least 0: got inf"),
    ({"format_weight": "a"}, "format_weight: expected a number, got 'a' (text)"),
    ({"mistake_rate": True}, "mistake_rate: expected a number, got True (true or false)"),
    ({"template": 3}, "template: expected text, got 3 (a whole number)"),
    ({"format_weight": -1.0}, "format_weight is a finite number, at least 0: got -1"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD_OPTIONS)
def test_a_malformed_option_is_refused_with_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        ArithmeticEnv(**options)
    assert sentence in str(refused.value)


def test_a_negative_index_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0: got -1"):
        ArithmeticEnv().task_at(-1)


def test_the_documentation_names_every_family_and_level() -> None:
    text = " ".join((ArithmeticEnv.__doc__ or "").split())
    for family in FAMILIES.values():
        assert f"{family.name}: " in text
        assert all(level in text for level in family.levels)
