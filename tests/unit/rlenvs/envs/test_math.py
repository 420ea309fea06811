import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlenvs import check_env, make
from rlenvs.data import DATA_SETS, DataError
from rlenvs.envs.math import MathEnv
from rlenvs.errors import GraderError
from rlenvs.records import Task, user
from rlenvs.rewards import TEMPLATES, Recipe

ALL = ["gsm8k", "math_slice", "math500", "aime24", "aime25", "amc23", "minerva", "olympiadbench"]


def reward(env: MathEnv, reply: str, index: int = 0) -> tuple[float, float]:
    env.reset(options={"index": index})
    _, reward, terminated, _, info = env.step(reply)
    assert terminated
    return reward, info["verdict"].correct


@pytest.mark.parametrize("name", ALL)
def test_every_data_set_passes_the_environment_check(name: str, data_folder: str) -> None:
    check_env(MathEnv(dataset=name, data=data_folder, limit=20))


@pytest.mark.parametrize("template", ["boxed", "plain"])
def test_every_template_passes_the_environment_check(template: str, data_folder: str) -> None:
    check_env(MathEnv(template=template, data=data_folder, limit=20))


def test_accuracy_and_format_add_up(data_folder: str) -> None:
    env = MathEnv(dataset="gsm8k", split="test", data=data_folder, format_weight=0.5, limit=3)
    assert reward(env, "<think>a</think><answer>18 dollars</answer>") == (1.5, 1.0)
    assert reward(env, "<answer>$18</answer>") == (1.0, 1.0)
    assert reward(env, "<think>a</think><answer>17</answer>") == (0.5, 0.0)
    assert reward(env, "18") == (0.0, 0.0)


def test_an_answer_that_would_hang_is_wrong(data_folder: str) -> None:
    env = MathEnv(dataset="math500", data=data_folder, limit=1)
    for answer in ("9^{9^{9^9}}", "(" * 900, "10000000!", "\\boxed{" * 100):
        assert reward(env, f"<think></think><answer>{answer}</answer>") == (1.0, 0.0)


def test_an_unreadable_reference_is_an_error_of_the_grader(data_folder: str) -> None:
    env = MathEnv(data=data_folder, limit=1)
    env.reset(options={"task": Task(id="bad", prompt=(user("?"),), target="")})
    with pytest.raises(GraderError, match=r"task bad: .*bad_gold"):
        env.step("<think></think><answer>5</answer>")


@pytest.mark.parametrize("more", [{}, {"options": ["4", "5"]}])
def test_an_empty_reference_is_said_and_no_answer_is_wrong_beside_it(tmp_path: Path, more: dict[str, Any]) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"question": "2+3?", "answer": "", **more}))
    env = MathEnv(dataset=str(path), rewards="accuracy")
    assert "empty reference" in env.why_unreadable(env.task_at(0))
    env.reset(seed=0)
    with pytest.raises(GraderError, match="bad_gold"):
        env.step(env.answer_message(Task(id="b", prompt=(user("?"),), target="B")))


def test_demonstrations_show_the_data_sets_working(data_folder: str) -> None:
    env = MathEnv(dataset="gsm8k", split="test", data=data_folder, limit=1)
    env.reset(seed=0)
    shown = env.demonstrate(np.random.default_rng(0))
    assert "16 - 3 - 4 = 9" in shown
    assert "<<" not in shown
    assert reward(env, shown) == (2.0, 1.0)


def test_environments_of_one_data_set_share_its_tasks(data_folder: str) -> None:
    one, other = (MathEnv(data=data_folder, limit=5) for _ in range(2))
    assert one.tasks is other.tasks
    one.reset(seed=1)
    assert one.clone().tasks is one.tasks
    assert one.task_at(3).id == "gsm8k/train/3"


def test_the_registered_id_takes_options_and_names_near_misses(
    monkeypatch: pytest.MonkeyPatch, data_folder: str
) -> None:
    monkeypatch.setenv("RLENVS_DATA", data_folder)
    assert make("rlenvs/Math-v0", dataset="aime24").num_tasks == 30
    with pytest.raises(DataError, match="Did you mean 'math500'"):
        make("rlenvs/Math-v0", dataset="math50")
    with pytest.raises(ValueError, match="Did you mean 'boxed'"):
        make("rlenvs/Math-v0", template="box")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"limit": "x"}, r"limit: expected a whole number, got 'x' \(text\)"),
        ({"limit": True}, r"limit: expected a whole number, got True \(true or false\)"),
        ({"dataset": 5}, r"dataset: expected text, got 5 \(a whole number\)"),
        ({"dataset": ["gsm8k"]}, r"dataset: expected text, got \['gsm8k'\] \(a list\)"),
        ({"format_weight": "a"}, r"format_weight: expected a number, got 'a' \(text\)"),
        ({"format_weight": float("nan")}, r"format_weight is a finite number, at least 0: got nan"),
        ({"format_weight": -1}, r"format_weight is a finite number, at least 0: got -1"),
    ],
)
def test_an_option_of_the_wrong_kind_is_a_sentence_that_names_it(
    options: dict[str, Any], sentence: str, data_folder: str
) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        MathEnv(**{"data": data_folder, **options})


def test_the_documentation_names_every_data_set_and_template() -> None:
    text = MathEnv.__doc__ or ""
    assert all(re.search(rf"\b{name}\b", text) for name in (*DATA_SETS, *TEMPLATES))


def test_where_the_data_is_is_read_anew_for_every_environment(
    data_folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RLENVS_DATA", data_folder)
    assert MathEnv(split="test", limit=2).num_tasks == 2
    monkeypatch.setenv("RLENVS_DATA", str(tmp_path))
    with pytest.raises(DataError, match=re.escape(str(tmp_path))):
        MathEnv(split="test", limit=2)


def own_file(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "mine.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


CHOICES = (
    {"question": "6*7?", "options": ["A) 41", "B) 42", "C) 43"], "answer": "B", "rationale": "Six sevens are that."},
    {"question": "What is the root of 9?", "options": ["A) 2", "B) 4", "C) 3"], "answer": "C"},
    {"question": "Which is prime?", "options": ["A) 7", "B) 8", "C) 9"], "answer": "A"},
)


@pytest.mark.parametrize("name", [*ALL, "aimo_aime", "aimo_amc"])
def test_every_reference_is_right_in_its_data_sets_published_form_and_nothing_is_wrong(
    name: str, data_folder: str
) -> None:
    env = MathEnv(dataset=name, data=data_folder, rewards="accuracy", limit=None if name != "gsm8k" else 200)
    assert env.template is TEMPLATES[DATA_SETS[name].convention.template]
    for index in range(env.num_tasks or 0):
        assert reward(env, env.answer_message(env.task_at(index)), index) == (1.0, 1.0)
    for index in range(20):
        assert reward(env, "", index) == (0.0, 0.0)


@pytest.mark.parametrize("recipe", ["r1_zero", "dapo", "accuracy"])
@pytest.mark.parametrize("name", ["gsm8k", "aime25", "minerva"])
def test_every_recipe_passes_the_environment_check_with_all_that_can_be_added(
    name: str, recipe: Recipe, data_folder: str
) -> None:
    options = {"language": "en", "language_weight": 0.1, "partial_credit": 0.5, "format_weight": 0.2}
    check_env(MathEnv(dataset=name, data=data_folder, rewards=recipe, limit=20, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("template", sorted(TEMPLATES))
def test_choices_pass_the_environment_check_under_every_template(template: str, tmp_path: Path) -> None:
    check_env(MathEnv(dataset=own_file(tmp_path, *CHOICES), template=template))


def test_a_choice_is_asked_with_its_options_and_answered_by_letter_or_by_text(tmp_path: Path) -> None:
    env = MathEnv(dataset=own_file(tmp_path, *CHOICES), rewards="accuracy")
    asked, _ = env.reset(options={"index": 0})
    assert asked.endswith("6*7?\n\nA) 41\nB) 42\nC) 43")
    assert asked.startswith("Answer the following multiple choice question.")
    replies = {"Answer: B": 1, "so 42\nAnswer: (b)": 1, "Answer: 42": 1, "Answer: B) 42": 1}
    replies |= {
        "Answer: A": 0,
        "Answer: 41": 0,
        "Answer: B or C": 0,
        "Answer: D": 0,
        "B": 0,
        "Answer: B) 41": 0,
        "Answer: 6*7": 0,
    }
    assert {reply: reward(env, reply)[1] for reply in replies} == replies
    assert env.answer_message(env.task_at(1)) == "Answer: C"


def test_dapo_asks_and_pays_as_published(data_folder: str) -> None:
    env = MathEnv(dataset="gsm8k", split="test", data=data_folder, rewards="dapo", limit=1)
    assert env.reset(options={"index": 0})[0].startswith("Solve the following math problem step by step. The last line")
    assert reward(env, "9 * 2 = 18\nAnswer: $18$") == (1.0, 1.0)
    assert reward(env, "9 * 2 = 18\nAnswer: 17") == (-1.0, 0.0)
    assert reward(env, r"\boxed{18}") == (-1.0, 0.0)
    assert reward(env, "Answer: 18\n" + "and so on " * 30) == (-1.0, 0.0)


def test_partial_credit_pays_for_parts_and_leaves_correctness_alone(data_folder: str) -> None:
    env = MathEnv(dataset="olympiadbench", data=data_folder, rewards="accuracy", partial_credit=0.5)
    index = next(
        place for place, task in enumerate(env.tasks) if task.target.count(",") == 2 and "(" not in task.target
    )
    first, second, third = env.tasks[index].target.split(",")
    assert reward(env, rf"\boxed{{{first},{second},{third}}}", index) == (1.5, 1.0)
    assert reward(env, rf"\boxed{{{first},{third}}}", index) == (pytest.approx(0.5 * 2 / 3), 0.0)
    assert reward(env, r"\boxed{777}", index) == (0.0, 0.0)


def test_the_language_of_the_reasoning_pays_its_share(data_folder: str) -> None:
    env = MathEnv(
        dataset="gsm8k", split="test", data=data_folder, rewards="accuracy", template="tags", language="zh", limit=1
    )
    assert reward(env, "<think>九乘二</think><answer>18</answer>") == (2.0, 1.0)
    assert reward(env, "<think>九乘 nine times 二</think><answer>17</answer>") == (pytest.approx(3 / 5), 0.0)
    assert reward(env, "<answer>18</answer>")[1] == 1.0
    assert "答案如下" in env.answer_message(env.task_at(0))


def test_what_a_convention_refuses_is_wrong_in_the_environment(data_folder: str) -> None:
    aime = MathEnv(dataset="aime24", data=data_folder, rewards="accuracy")
    gold = int(aime.tasks[0].target)
    replies = {rf"\boxed{{{answer}}}": right for answer, right in ((f"0{gold}", 1), (f"{gold}.0", 1))}
    replies |= {rf"\boxed{{{2 * gold}/2}}": 0, rf"\boxed{{{gold} + 0}}": 0}
    assert {reply: reward(aime, reply)[1] for reply in replies} == replies
