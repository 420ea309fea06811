from typing import Any

import numpy as np
import pytest

import rlenvs
from rlenvs.code.templates import CODE_TEMPLATES
from rlenvs.envs.codegen import CodeGenEnv
from rlenvs.envs.codegen.source import FAMILIES


def played(env: CodeGenEnv, index: int, *replies: str) -> dict[str, Any]:
    """The last info of an episode with these replies, or with a demonstration."""
    env.reset(options={"index": index})
    for reply in replies or (env.demonstrate(np.random.default_rng([0, index])),):
        info = env.step(reply)[4]
    return info


@pytest.mark.parametrize("template", sorted(CODE_TEMPLATES))
@pytest.mark.parametrize("split", ["train", "test"])
def test_it_passes_check_env(template: str, split: Any) -> None:
    rlenvs.check_env(CodeGenEnv(template=template, split=split), num_tasks=6)


def test_it_passes_check_env_with_attempts_fractions_and_a_format() -> None:
    rlenvs.check_env(CodeGenEnv(rewards="fraction", format_weight=0.5, max_attempts=3, feedback="tests"), num_tasks=6)


def test_it_is_made_by_its_id() -> None:
    assert isinstance(rlenvs.make("rlenvs/CodeGen-v0", families=["fold"]), CodeGenEnv)


@pytest.mark.parametrize("template", sorted(CODE_TEMPLATES))
def test_right_programs_score_full_marks_and_typical_mistakes_do_not(template: str) -> None:
    right = CodeGenEnv(template=template, format_weight=0.5, split="test")
    wrong = CodeGenEnv(template=template, format_weight=0.5, split="test", mistake_rate=1.0)
    for index in range(25):
        assert played(right, index)["verdict"].reward == 1.5
        assert played(wrong, index)["verdict"].reward == 0.5  # the form alone


def test_a_typical_mistake_earns_a_part_of_the_fraction() -> None:
    env = CodeGenEnv(rewards="fraction", mistake_rate=1.0)
    shares = [played(env, index)["verdict"].reward for index in range(40)]
    assert max(shares) < 1.0
    assert np.mean([share > 0 for share in shares]) > 0.7


def test_demonstrations_are_wrong_at_the_stated_rate() -> None:
    env = CodeGenEnv(families=["formula"], levels=[1], mistake_rate=0.3)
    right = []
    for index in range(300):
        env.reset(options={"index": index})
        assert env.task is not None
        shown = env.demonstrate(np.random.default_rng([1, index]))
        right.append(shown == env.answer_message(env.task))
    assert 0.62 < np.mean(right) < 0.78  # 0.7, give or take three standard deviations of 300


def test_a_second_attempt_is_told_which_example_failed() -> None:
    env = CodeGenEnv(families=["conditions"], levels=[2], max_attempts=2, template="plain")
    env.reset(options={"index": 0})
    assert env.task is not None
    observation, reward, terminated, _, _ = env.step(env.wrong_answers(env.task)[0])
    shown = env.task.target["examples"]["text"].splitlines()[0].removeprefix("assert ")
    assert not terminated
    assert reward == 0.0
    assert shown.partition(" == ")[0] in observation
    assert env.step(env.answer_message(env.task))[1] == 1.0


def test_neither_the_solution_nor_the_tests_are_in_the_prompt() -> None:
    env = CodeGenEnv()
    for task in map(env.task_at, range(60)):
        (message,) = task.prompt
        assert task.target["solution"] not in message.content
        assert task.metadata["question"] in message.content


def test_only_the_chosen_families_and_levels_are_drawn() -> None:
    env = CodeGenEnv(families=["fold", "script"], levels={"fold": [2, 3]})
    drawn = {(task.metadata["family"], task.metadata["level"]) for task in map(env.task_at, range(120))}
    assert drawn == {("fold", 2), ("fold", 3), ("script", 1), ("script", 2), ("script", 3), ("script", 4)}


def test_a_task_is_the_same_from_another_environment_and_touches_no_global_random_state() -> None:
    before = str(np.random.get_state(legacy=False))  # noqa: NPY002  # the global state is what must not move
    tasks = [CodeGenEnv().task_at(index) for index in range(30)]
    env = CodeGenEnv(mistake_rate=0.5)
    assert [env.task_at(index) for index in reversed(range(30))] == tasks[::-1]
    assert str(np.random.get_state(legacy=False)) == before  # noqa: NPY002
    assert len({task.id for task in tasks}) == 30


def test_two_hundred_held_out_tasks_of_all_families_are_mostly_different_and_none_is_trained_on() -> None:
    held_out = {CodeGenEnv(split="test").task_at(index).metadata["question"] for index in range(200)}
    trained = {CodeGenEnv().task_at(index).metadata["question"] for index in range(400)}
    assert len(held_out) >= 180
    assert held_out.isdisjoint(trained)


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"families": ["flod"]}, "no family 'flod'. Did you mean 'fold'?"),
    ({"families": []}, "at least one"),
    ({"families": ["fold"], "levels": [5]}, "levels of fold are a list of integers from 1 to 4: got [5]"),
    ({"families": ["fold"], "levels": {"text": [1]}}, "no chosen family 'text'"),
    ({"split": "tset"}, "split: expected one of 'train', 'test'"),
    ({"template": "fence"}, "Did you mean 'fenced'?"),
    ({"mistake_rate": 1.5}, "mistake_rate is a share from 0 to 1: got 1.5"),
    ({"max_attempts": 0}, "max_attempts is at least 1: got 0"),
    ({"format_weight": -1.0}, "format_weight is a finite number, at least 0: got -1"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD_OPTIONS)
def test_a_malformed_option_is_refused_with_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        CodeGenEnv(**options)
    assert sentence in str(refused.value)


def test_a_negative_index_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0: got -1"):
        CodeGenEnv().task_at(-1)


def test_the_documentation_names_every_family_and_level() -> None:
    text = " ".join((CodeGenEnv.__doc__ or "").split())
    for family in FAMILIES.values():
        assert f"{family.name}: " in text
        assert all(level in text for level in family.levels)
