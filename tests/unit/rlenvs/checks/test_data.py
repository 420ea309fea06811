"""`check_data` on small sets with each fault planted: what is asked twice, in which split, with which answer."""

import json

import pytest

import rlenvs
from rlenvs import RewardFunction, Rubric, Task, TaskList, TextEnv, user
from rlenvs.checks.data import check_data, named
from rlenvs.checks.findings import DataReport, Finding
from rlenvs.errors import CheckError

TAPES = "Josie received 50 dollars. She buys 2 tapes that cost 9 dollars each and a headphone set that costs 25."
WORMS = "How many worms do 3 birds eat in 4 days if each of them eats 5 worms a day?"


def is_right(task, transcript):
    try:
        return float(transcript[-1].content) == float(task.target)
    except ValueError:
        return False


class Asking(TextEnv):
    """Questions with numbers for answers."""

    rubric = Rubric((RewardFunction("accuracy", is_right),))

    def __init__(self, *rows, name="own", turns=1):
        super().__init__()
        self.max_turns = turns
        self.tasks = TaskList(
            Task(id=f"{name}/{place}", prompt=(user(question),), target=target)
            for place, (question, target) in enumerate(rows)
        )
        self.num_tasks = len(rows)

    def task_at(self, index):
        return self.tasks[index]

    def answer_message(self, task):
        return str(task.target)


def found(env, **against):
    """What is found of the questions: an answer that is written otherwise is right for the same question, too."""
    findings = check_data(env, against).findings
    return [(each.kind, each.task_id, each.other_id, each.where) for each in findings if each.kind != "other_answer"]


def test_a_set_without_fault_has_no_findings():
    report = check_data(Asking((TAPES, "7"), (WORMS, "60")))
    assert report == DataReport(num_tasks=2, has_answers=True, against={}, findings=())
    assert set(report.counts.values()) == {0}


def test_a_question_asked_twice_is_a_duplicate_of_the_first():
    assert found(Asking((WORMS, "60"), (TAPES, "7"), (WORMS.upper(), "60.0"), (WORMS, "60"))) == [
        ("duplicate", "own/2", "own/0", ""),
        ("duplicate", "own/3", "own/0", ""),
    ]


def test_the_same_question_with_another_answer_is_an_error_of_its_own():
    report = check_data(Asking((WORMS, "60"), (f"{WORMS} ", "12")))
    [finding] = report.errors
    assert (finding.kind, finding.task_id, finding.other_id) == ("contradiction", "own/1", "own/0")
    assert finding.why == "12 here, 60 there"
    assert report.counts["duplicate"] == 0


def test_answers_that_are_written_otherwise_do_not_contradict():
    assert found(Asking((WORMS, "60"), (WORMS, "60.00"))) == [("duplicate", "own/1", "own/0", "")]


def test_the_same_question_in_other_words_needs_the_same_numbers_and_the_same_answer():
    reworded = TAPES.replace("Josie", "Amanda").replace("She buys", "She plans to buy")
    other_number, other_answer = reworded.replace("25", "24"), reworded.replace("25", "25 more than hers")
    assert found(Asking((TAPES, "7"), (reworded, "7"))) == [("near_duplicate", "own/0", "own/1", "")]
    assert found(Asking((TAPES, "7"), (other_number, "7"))) == []
    assert found(Asking((TAPES, "7"), (other_answer, "8"))) == []


def test_what_is_elsewhere_too_is_a_leak_by_place():
    test = Asking((WORMS, "60"), (TAPES.replace("Josie", "Amanda"), "7"), (WORMS.replace("5", "6"), "72"), name="test")
    more = Asking((WORMS, "60"), name="more")
    assert found(Asking((WORMS, "60"), (TAPES, "7")), test=test, more=more) == [
        ("leak", "own/0", "test/0", "test"),
        ("leak", "own/0", "more/0", "more"),
        ("near_leak", "own/1", "test/1", "test"),
    ]


def test_a_question_that_is_elsewhere_with_other_numbers_is_a_variant_and_no_leak():
    elsewhere = Asking((WORMS.replace("5", "6"), "72"), name="test")
    assert found(Asking((WORMS, "60"), (TAPES, "7")), test=elsewhere) == [("variant", "own/0", "test/0", "test")]


def test_a_question_that_is_answered_otherwise_elsewhere_is_a_contradiction():
    assert found(Asking((WORMS, "60")), test=Asking((WORMS, "12"), name="test")) == [
        ("contradiction", "own/0", "test/0", "test")
    ]


def test_rules_of_a_game_are_no_question():
    rules = "Find the number between 1 and 100; you are told higher or lower."
    assert found(Asking((rules, "17"), (rules, "18"), turns=3)) == []
    assert found(Asking((rules, "17"), (rules, "17"), turns=3)) == [("duplicate", "own/1", "own/0", "")]


def test_without_answers_only_questions_are_compared():
    class Silent(Asking):
        def answer_message(self, task):
            raise NotImplementedError

    report = check_data(Silent((WORMS, "60"), (WORMS, "60"), (WORMS, "12")))
    assert not report.has_answers
    assert [each.kind for each in report.findings] == ["contradiction", "duplicate"]


def test_progress_is_told_after_every_task():
    told = []
    other = Asking((WORMS, "60"), name="other")
    check_data(Asking((WORMS, "60"), (TAPES, "7")), {"more": other}, progress=lambda *done: told.append(done))
    assert told == [
        *(("making", done, 2) for done in range(3)),
        *(("making more", done, 1) for done in range(2)),
        *(("checking", done, 2) for done in range(3)),
    ]


def test_of_a_slow_generator_the_tasks_are_checked_that_are_made_in_time_and_a_note_says_so(monkeypatch):
    now = [0.0]

    class Slow(Asking):
        def task_at(self, index):
            now[0] += 1
            return super().task_at(index)

    monkeypatch.setattr("rlenvs.checks.data.time.monotonic", lambda: now[0])
    env, other = (Slow(*((f"{name} {place}?", str(place)) for place in range(1200))) for name in ("What", "Which"))
    report = check_data(env, {"more": other}, making_s=3)
    assert (report.num_tasks, report.against) == (4, {"more": 4})
    assert report.notes == (
        "the first 4 of 1,200 tasks were checked, which were made within 3 s: --all for the rest",
        "the first 4 of 1,200 tasks of more were checked, which were made within 3 s: --all for the rest",
    )
    assert check_data(env).num_tasks == 1200


def test_tasks_without_end_are_refused():
    endless = Asking((WORMS, "60"))
    endless.num_tasks = None
    with pytest.raises(ValueError, match="the environment has tasks without end"):
        check_data(endless)
    with pytest.raises(ValueError, match="more has tasks without end"):
        check_data(Asking((WORMS, "60")), {"more": endless})


def test_an_environment_that_raises_is_a_sentence_with_where():
    class Broken(Asking):
        def answer_message(self, task):
            return {"7": "7"}[task.target]

    with pytest.raises(CheckError, match=r"its data could not be checked: KeyError: '60'(.|\n)*in answer_message"):
        check_data(Broken((TAPES, "7"), (WORMS, "60")))


class Split(Asking):
    """A data set with two splits, and one that is not there."""

    def __init__(self, split="train"):
        if split == "lost":
            raise rlenvs.RlenvsError("no file lost.jsonl")
        super().__init__((WORMS, "60"), name=split)

    def other_splits(self):
        return [{"split": "test", "limit": None}, {"split": "lost"}]


class Limited(Split):
    def __init__(self, split="train", limit=1):
        super().__init__(split)


def test_the_other_splits_of_the_data_are_compared_and_one_that_is_not_there_is_noted(registry):
    rlenvs.register("my/Split-v0", Limited)
    report = check_data(rlenvs.make("my/Split-v0"))
    assert report.against == {"split=test": 1}
    assert [(each.kind, each.other_id, each.where) for each in report.findings] == [("leak", "test/0", "split=test")]
    [note] = report.notes
    assert note.startswith("not compared with split=lost: ")
    assert note.endswith("no file lost.jsonl")


def test_options_are_named_as_the_command_line_takes_them():
    assert named({"dataset": "gsm8k", "split": "test", "limit": None}) == "dataset=gsm8k split=test"


def test_a_report_is_json_with_the_errors_first():
    findings = (Finding(kind="leak", task_id="a/0", other_id="b/0", where="b"), Finding(kind="bad_gold", task_id="a/1"))
    report = DataReport(num_tasks=2, has_answers=True, against={"b": 1}, findings=findings)
    read = json.loads(json.dumps(report.as_json()))
    assert [each["kind"] for each in read["findings"]] == ["bad_gold", "leak"]
    assert read["findings"][1] == {
        "kind": "leak", "task_id": "a/0", "other_id": "b/0", "where": "b", "text": "", "why": "",
    }  # fmt: skip
    assert (read["num_tasks"], read["against"], read["counts"]["leak"]) == (2, {"b": 1}, 1)
    assert [each.task_id for each in report.errors] == ["a/1"]
