import pytest

from rlenvs.records import Task, Verdict, assistant, user
from rlenvs.rewards import LANGUAGES, TEMPLATES, Recipe, Rewards, dapo_rubric, r1_zero_rubric
from rlenvs.rubric import Rubric

R1 = TEMPLATES["r1_zero"]
DAPO = TEMPLATES["dapo"]
TASK = Task(id="t", prompt=(user("2+3?"),), target="5")


def same_text(gold: object, answer: str, question: str) -> bool:
    return str(gold) == answer


def quarter(gold: object, answer: str, question: str) -> float:
    return 0.25


def judged(rubric: Rubric, reply: str) -> Verdict:
    verdict = rubric.judge(TASK, (*TASK.prompt, assistant(reply)))
    assert verdict is not None
    return verdict


def test_the_reward_is_accuracy_plus_weighted_format() -> None:
    rubric = r1_zero_rubric(R1, same_text, format_weight=0.1)
    replies = ("<answer>5</answer>", R1.render_answer("5"), R1.render_answer("6"), "nothing")
    rewards = [(judged(rubric, reply).reward, judged(rubric, reply).correct) for reply in replies]
    assert rewards == [(1.0, 1.0), (1.1, 1.0), (0.1, 0.0), (0.0, 0.0)]


def test_dapo_pays_plus_or_minus_one_and_correctness_stays_one_or_zero() -> None:
    rubric = dapo_rubric(DAPO, same_text)
    rewards = [
        (judged(rubric, reply).reward, judged(rubric, reply).correct) for reply in ("Answer: 5", "Answer: 6", "")
    ]
    assert rewards == [(1.0, 1.0), (-1.0, 0.0), (-1.0, 0.0)]


@pytest.mark.parametrize(
    ("recipe", "names"),
    [("r1_zero", ["accuracy", "format"]), ("dapo", ["signed_accuracy"]), ("accuracy", ["accuracy"])],
)
def test_a_recipe_has_its_parts_and_no_others(recipe: Recipe, names: list[str]) -> None:
    rubric = Rewards(recipe=recipe).rubric(R1, same_text, quarter)
    assert [part.name for part in rubric.functions] == names


def test_what_is_added_has_its_weight_and_leaves_correctness_alone() -> None:
    chosen = Rewards(recipe="dapo", format_weight=0.5, language="zh", language_weight=0.1, partial_credit=2.0)
    verdict = judged(chosen.rubric(DAPO, same_text, quarter), "二加三 is five\nAnswer: 6")
    parts = {part.name: (round(part.value, 6), part.weight) for part in verdict.parts}
    assert parts == {
        "signed_accuracy": (-1.0, 1.0),
        "format": (1.0, 0.5),
        "language": (0.5, 0.1),  # three of 二 三 加, is, five, Answer
        "partial_credit": (0.25, 2.0),
    }
    assert verdict.reward == pytest.approx(-1.0 + 0.5 + 0.05 + 0.5)
    assert verdict.correct == 0.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"format_weight": -1.0}, "format_weight is a finite number, at least 0: got -1.0"),
        ({"partial_credit": float("nan")}, "partial_credit is a finite number, at least 0: got nan"),
        ({"language": "en", "language_weight": float("inf")}, "language_weight is a finite number"),
        ({"language_weight": 0.5}, "language_weight is the weight of a language: got 0.5 and no language"),
    ],
)
def test_a_weight_that_is_none_is_refused(options: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        Rewards(**options)  # type: ignore[arg-type]


def test_a_language_that_is_not_known_names_the_near_miss() -> None:
    with pytest.raises(ValueError, match=r"no language 'eng'\. Did you mean 'en'"):
        Rewards(language="eng").rubric(R1, same_text, quarter)
    assert sorted(LANGUAGES) == ["ar", "en", "ja", "ko", "ru", "zh"]
