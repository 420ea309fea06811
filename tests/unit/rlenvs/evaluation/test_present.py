import io
import json
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from rlenvs.evaluation.evaluate import Evaluation
from rlenvs.evaluation.present import as_json, as_table, rollout_rows
from rlenvs.evaluation.questions import Tried
from rlenvs.evaluation.remarks import remarks
from rlenvs.evaluation.results import Sample
from rlenvs.evaluation.summary import summarise


def sample(index: int, number: int, correct: float | None, **facts: Any) -> Sample:
    values: dict[str, Any] = {
        **{"target": "toy[1]", "index": index, "task_id": f"t{index}", "fingerprint": "f", "sample": number},
        **{"seat": "policy", "num_seats": 1, "reward": correct, "ending": "completed", "num_tokens": 10 * (index + 1)},
        **{"labels": {"level": index % 2}, "messages": ({"role": "user", "content": "?"},)},
    }
    if correct is None:
        values |= {"ending": "timeout", "error": "no answer within 9 s\nlast frame"}
    return Sample(**values, correct=correct, **facts)


def tried(num_questions: int, **facts: Any) -> Tried:
    options = {"dataset": "gsm8k", "split": "", "limit": None}
    known: dict[str, Any] = {
        **{"env": "toy/Env-v0", "options": options, "first_task": "toy/0", "last_task": "toy/9"},
        **{"num_asked": None, "num_questions": num_questions, "num_repeated": 0, "samples_per_task": 1},
    }
    return Tried(**known | facts)


def evaluation(samples: list[Sample], num_samples: int, **facts: Any) -> Evaluation:
    titles = list(dict.fromkeys(sample.target for sample in samples))
    summaries = tuple(summarise(title, [s for s in samples if s.target == title]) for title in titles)
    return Evaluation(
        policy="me",
        settings={},
        seed=0,
        num_samples=num_samples,
        summaries=summaries,
        tried=tuple(tried(summary.num_tasks, **{"samples_per_task": num_samples, **facts}) for summary in summaries),
        samples=tuple(samples),
        duration_s=1,
    )


SAMPLES = [sample(i, n, float(n < i)) for i in range(4) for n in range(4)]  # 0, 1, 2, 3 of 4 right
BROKEN = [sample(4, n, None) for n in range(4)]


def printed(result: Evaluation, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(as_table(result))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_the_table_fits_a_terminal_and_has_the_numbers() -> None:
    text = printed(evaluation(SAMPLES + BROKEN, 4))
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    for number in ("37.5 %", "58.3 %", "75.0 %", "4 of 5", "4 of 20", "toy[1]"):  # pass@1, @2, @4; tasks; errors; name
        assert number in text
    assert "4 × not counted, timeout: no answer within 9 s" in text
    assert "last frame" not in text


def test_the_table_breaks_the_result_down_by_what_tasks_say_of_themselves() -> None:
    lines = [line.split() for line in printed(evaluation(SAMPLES, 4)).splitlines()]
    assert ["level", "0", "2", "25.0"] in [line[:4] for line in lines]
    assert ["level", "1", "2", "50.0"] in [line[:4] for line in lines]


def test_json_has_every_k_and_no_infinity() -> None:
    facts = json.loads(json.dumps(as_json(evaluation(SAMPLES[:4], 4)), allow_nan=False))
    [target] = facts["targets"]
    assert [p["k"] for p in target["pass_at"]] == [1, 2, 3, 4]
    assert target["reward"] == {"value": 0.0, "low": None, "high": None}  # one task: no interval
    assert facts["mean_pass@1"]["value"] == 0.0


def test_metrics_are_named_numbers_with_limits() -> None:
    metrics = evaluation(SAMPLES + BROKEN, 4).summaries[0].metrics()
    assert metrics["pass@1"] == pytest.approx(0.375)
    assert metrics["pass@1/low"] < 0.375 < metrics["pass@1/high"]
    assert metrics["pass@2"] == pytest.approx((0 + 1 / 2 + 5 / 6 + 1) / 4)
    assert metrics["tokens"] == pytest.approx(25.0)
    assert (metrics["errors"], metrics["samples"], metrics["tasks"]) == (4.0, 20.0, 5.0)
    assert metrics["ending/timeout"] == pytest.approx(0.2)


def test_where_nothing_could_be_judged_there_are_no_rates() -> None:
    result = evaluation(BROKEN, 4)
    assert result.mean_pass_at_1 is None
    assert result.summaries[0].pass_at == ()
    assert "pass@1" not in result.summaries[0].metrics()
    assert "0 of 1" in printed(result)


def test_partial_marks_count_in_accuracy_and_not_in_pass_at_1() -> None:
    summary = summarise("t", [sample(0, 0, 0.5), sample(1, 0, 1.0)])
    assert summary.pass_at_1 is not None
    assert summary.accuracy is not None
    assert (summary.pass_at_1.value, summary.accuracy.value) == (0.5, 0.75)


def test_a_key_with_a_value_of_its_own_for_each_task_is_no_grouping() -> None:
    samples = [sample(i, 0, 1.0) for i in range(60)]
    keys = {subset.key for subset in summarise("t", samples).breakdown}
    assert keys == {"level"}
    many = [Sample(**{**vars_of(s), "labels": {"id": f"x{s.index}"}}) for s in samples]
    assert summarise("t", many).breakdown == ()


def vars_of(sample: Sample) -> dict[str, Any]:
    return {name: getattr(sample, name) for name in Sample.__dataclass_fields__}


def test_rows_of_a_run_group_the_samples_of_a_task() -> None:
    rows = rollout_rows(SAMPLES[2:6] + BROKEN[:1], version=7)
    assert [(row.group, row.attempt, row.task_id) for row in rows] == [
        *((0, 2, "t0"), (0, 3, "t0"), (1, 0, "t1"), (1, 1, "t1"), (2, 0, "t4")),
    ]
    assert {row.version for row in rows} == {7}
    assert rows[-1].correct is None
    assert rows[2].messages == ({"role": "user", "content": "?"},)


def test_people_and_programs_are_told_what_was_evaluated() -> None:
    result = evaluation(SAMPLES, 4)
    assert remarks(result) == ['toy[1]: toy/Env-v0(dataset="gsm8k"), tasks toy/0 … toy/9']
    unnamed = evaluation([replace(each, target="toy/Env-v0") for each in SAMPLES], 4)
    assert remarks(unnamed) == ['toy/Env-v0(dataset="gsm8k"), tasks toy/0 … toy/9']
    [target] = as_json(result)["targets"]
    assert (target["env"], target["options"]) == ("toy/Env-v0", {"dataset": "gsm8k", "split": "", "limit": None})
    assert (target["first_task"], target["last_task"]) == ("toy/0", "toy/9")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"num_asked": 4}, []),
        ({"num_asked": 4, "num_repeated": 3}, ["3 tasks were passed over that repeat an earlier question"]),
        (
            {"shared_ids": ("t1", "t2")},
            [
                "several tasks have the same id (t1 …): they draw the same seeds, and comparisons that pair tasks by "
                "id take them for one. Give each an id of its own"
            ],
        ),
        ({"num_asked": 9}, ["has 4 different questions, not the 9 asked for"]),
        (
            {"num_asked": 9, "num_repeated": 3},
            [
                "has 4 different questions, not the 9 asked for; "
                "3 tasks were passed over that repeat an earlier question"
            ],
        ),
    ],
)
def test_fewer_questions_than_asked_for_repeated_ones_and_shared_ids_are_said(
    facts: dict[str, Any], said: list[str]
) -> None:
    assert remarks(evaluation(SAMPLES, 4, **facts))[1:] == [f"toy[1]: {line}" for line in said]


@pytest.mark.parametrize(
    ("ending", "words"),
    [("max_tokens", "token limit"), ("context_overflow", "did not fit"), ("malformed_action", "could not read")],
)
def test_answers_that_a_limit_made_wrong_are_said_to_be(ending: str, words: str) -> None:
    cut = [replace(sample, ending=ending) for sample in SAMPLES[:3]]  # type: ignore[arg-type]
    [_, remark] = remarks(evaluation(cut + SAMPLES[3:], 4))
    assert remark.startswith("toy[1]: 3 of 16 samples ")
    assert words in remark
    assert "3 of 16 samples" in printed(evaluation(cut + SAMPLES[3:], 4), width=200)


def test_a_rate_over_fewer_tasks_than_the_others_says_so() -> None:
    flaky = [sample(0, n, 1.0) for n in range(4)] + [sample(i, 0, 0.0) for i in range(1, 20)]
    failed = [sample(i, n, None) for i in range(1, 20) for n in range(1, 4)]
    result = evaluation(flaky + failed, 4)
    cells = [line.split() for line in printed(result).splitlines()]
    assert ["1", "task", "1", "task"] in cells
    assert remarks(result)[1] == (
        "toy[1]: pass@2 and above are of fewer tasks (pass@4: 1 of 20), those with as many judged samples: "
        "do not compare them with pass@1"
    )
    assert "1 task" not in printed(evaluation(SAMPLES, 4))


def test_the_same_failure_of_many_tasks_is_one_kind_and_kinds_beyond_the_first_are_counted() -> None:
    alike = [
        replace(sample(i, 0, None), error=f"GraderError: task t{i}: reward 'acc' of <f at 0x7f00{i:04x}> broke")
        for i in range(19)
    ]
    summary = summarise("t", alike)
    assert summary.errors == {"timeout: GraderError: task …: reward 'acc' of <f at 0x…> broke": 19}
    kinds = [replace(sample(i, 0, None), error=f"HTTP {500 + i}") for i in range(8)]
    told = remarks(evaluation(kinds, 1))
    assert told[1] == "toy[1]: 1 × not counted, timeout: HTTP 500"
    assert told[-1] == "toy[1]: 3 × not counted, 3 other kinds of errors"


def test_huge_rewards_are_summed_up_like_any_others() -> None:
    huge = [replace(each, reward=1e308, parts={"x": 1e308}) for each in SAMPLES]
    summary = summarise("t", huge)
    assert summary.reward is not None
    assert (summary.reward.value, summary.parts["x"]) == (pytest.approx(1e308), pytest.approx(1e308))
    json.dumps(as_json(evaluation(huge, 4)), allow_nan=False)
