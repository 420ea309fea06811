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
from rlenvs.rewards import TEMPLATES

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
