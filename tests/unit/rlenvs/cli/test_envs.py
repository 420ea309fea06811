"""`rlenvs envs`: listed, shown and checked, ours and those of a local file."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from rlenvs.cli.main import main

STRANGER = '''
"""A stranger's environment."""

import rlenvs
from rlenvs.hooks import hookimpl


def says_yes(task, transcript):
    return transcript[-1].content == task.target


class YesEnv(rlenvs.TextEnv):
    """Say the word."""

    rubric = rlenvs.Rubric([rlenvs.RewardFunction("yes", says_yes)])
    num_tasks = 5

    def __init__(self, word="yes", answer=None, render_mode=None):
        super().__init__(render_mode=render_mode)
        self.word, self.answer = word, answer

    def task_at(self, index):
        prompt = (rlenvs.user(f"Your word is {self.word}. Say it with the number {index}."),)
        return rlenvs.Task(id=f"say/{self.word}/{index}", prompt=prompt, target=f"{self.word} {index}")

    def answer_message(self, task):
        return self.answer or task.target


@hookimpl
def register_environments(register):
    register("strange/Yes-v0", "strange_environment:YesEnv")
'''


@pytest.fixture
def stranger(tmp_path: Path, registry) -> str:
    path = tmp_path / "strange_environment.py"
    path.write_text(dedent(STRANGER))
    return str(path)


def test_every_environment_is_listed_with_what_it_is_and_where_it_is_from(capsys, stranger):
    assert main(["envs", "--json", "--plugin", stranger]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert {"rlenvs/Arithmetic-v0", "rlenvs/Math-v0", "rlenvs/EchoPair-v0", "strange/Yes-v0"} <= rows.keys()
    assert rows["strange/Yes-v0"] == {
        "id": "strange/Yes-v0",
        "description": "Say the word.",
        "entry_point": "strange_environment:YesEnv",
        "from": stranger,
    }
    assert rows["rlenvs/Math-v0"]["from"].startswith("rlenvs-llm ")


def test_a_list_that_nobody_looks_at_is_tab_separated(capsys):
    assert main(["envs"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header == "id\tdescription\tfrom"
    assert "rlenvs/EchoPair-v0" in [row.split("\t")[0] for row in rows]


def test_an_environment_is_shown_with_options_a_task_and_its_answer(capsys, stranger):
    assert main(["envs", "show", "strange/Yes-v0", "--plugin", stranger, "--set", "word=no", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["options"] == {"word": "'yes'", "answer": "None", "render_mode": "None"}
    assert (facts["num_tasks"], facts["max_turns"], facts["from"]) == (5, 1, stranger)
    assert facts["example"] == {
        "task_id": "say/no/0",
        "messages": [{"role": "user", "content": "Your word is no. Say it with the number 0."}],
        "answer": "no 0",
    }


def test_an_environment_that_does_not_say_how_answers_look_is_shown_all_the_same(capsys, stranger):
    Path(stranger).write_text(Path(stranger).read_text().replace("def answer_message", "def unused"))
    assert main(["envs", "show", "strange/Yes-v0", "--plugin", stranger]) == 0
    assert capsys.readouterr().out.endswith("[a right answer]\n(it does not say)\n")
    assert main(["envs", "show", "strange/Yes-v0", "--plugin", stranger, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["example"]["answer"] is None


def test_the_page_for_people_has_the_same(capsys):
    assert main(["envs", "show", "rlenvs/EchoPair-v0", "--set", "letters=3"]) == 0
    shown = capsys.readouterr().out
    assert "Two seats take turns" in shown
    assert "letters = 4" in shown, "the default"
    assert "task 0 (echo/2x3/0)" in shown, "made with what was set"
    assert "[a right answer]" in shown


def test_an_option_that_does_not_exist_gets_its_near_miss(capsys):
    assert main(["envs", "show", "rlenvs/EchoPair-v0", "--set", "lettrs=3"]) == 2
    assert "Did you mean 'letters'?" in capsys.readouterr().err


def test_an_environment_that_keeps_the_contract_passes(capsys, stranger):
    assert main(["envs", "check", "strange/Yes-v0", "--plugin", stranger]) == 0
    assert capsys.readouterr().out == "strange/Yes-v0 keeps the contract.\n5 tasks: no fault, nothing twice.\n"


def test_what_could_not_be_checked_is_said_in_a_plain_sentence(capsys, stranger):
    Path(stranger).write_text(Path(stranger).read_text().replace("def answer_message", "def unused"))
    assert main(["envs", "check", "strange/Yes-v0", "--plugin", stranger]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("strange/Yes-v0 keeps the contract, apart from what is noted.\n")
    note = "answer_message is not there: what a right answer scores was not checked"
    assert captured.err == f"rlenvs: strange/Yes-v0: {note}\n"


def test_an_environment_that_does_not_fails_with_what_is_wrong(capsys, stranger):
    assert main(["envs", "check", "strange/Yes-v0", "--plugin", stranger, "--set", "answer=wrong", "--quick"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "rlenvs: strange/Yes-v0 does not keep the contract" in captured.err
    assert "answer" in captured.err


def test_r30_an_id_that_two_distributions_registered_cannot_be_used(capsys, install):
    code = """
        from rlenvs.hooks import hookimpl

        @hookimpl
        def register_environments(register):
            register("rlenvs/EchoPair-v0", "echo_thief:Thief")
    """
    install("echo-thief", code)
    assert main(["envs", "show", "rlenvs/EchoPair-v0"]) == 2
    sentence = capsys.readouterr().err
    assert "echo-thief 1.0" in sentence
    assert "rlenvs-llm" in sentence
    assert main(["envs"]) == 0
    captured = capsys.readouterr()
    assert "is registered by" in captured.err
    assert "rlenvs/Math-v0" in captured.out


def test_the_options_of_an_environment_that_cannot_be_made_are_shown_before_it_is_said_why(capsys, monkeypatch):
    monkeypatch.delenv("RLENVS_DATA", raising=False)
    assert main(["envs", "show", "rlenvs/Math-v0"]) == 2
    captured = capsys.readouterr()
    assert "rewards = 'r1_zero'" in captured.out
    assert "Problems with a short answer" in captured.out
    assert captured.err.startswith("rlenvs: gsm8k is read from a folder with gsm8k/train.jsonl: set the variable")
    assert main(["envs", "show", "rlenvs/Math-v0", "--json"]) == 2
    facts = json.loads(capsys.readouterr().out)
    assert (facts["options"]["dataset"], facts["example"]) == ("'gsm8k'", None)


def test_as_many_turns_are_shown_as_all_seats_have_together(capsys):
    assert main(["envs", "show", "rlenvs/EchoPair-v0", "--set", "rounds=3"]) == 0
    assert "tasks: unlimited, turns: 6\n" in capsys.readouterr().out


@pytest.mark.parametrize("error", ["KeyError('no such row')", "SystemExit('no such row')"])
def test_an_environment_that_does_not_start_is_a_sentence_with_where_it_broke(capsys, stranger, error):
    text = Path(stranger).read_text()
    Path(stranger).write_text(text.replace("        prompt = (", f"        raise {error}\n        prompt = ("))
    assert main(["envs", "show", "strange/Yes-v0", "--plugin", stranger]) == 2
    captured = capsys.readouterr()
    assert "word = 'yes'" in captured.out
    assert captured.err.startswith("rlenvs: strange/Yes-v0 does not start on its task 0: ")
    assert "no such row" in captured.err
    assert "in task_at" in captured.err


def test_an_id_with_its_module_is_shown_like_the_id(capsys):
    assert main(["envs", "show", "rlenvs:rlenvs/EchoPair-v0"]) == 0
    assert "letters = 4" in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--json"], ["--set", "sutton_barto_reward=true"]])
def test_of_an_environment_that_is_not_of_text_that_alone_is_said(capsys, options):
    assert main(["envs", "show", "CartPole-v1", *options]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "rlenvs: CartPole-v1 is CartPoleEnv, not a text environment (a rlenvs.TextEnv)\n"


ASKING = """
    import rlenvs
    from rlenvs.hooks import hookimpl

    ROWS = {"train": [("2 + 2?", "4"), ("2+2 ?", "4"), ("3 + 3?", "6"), ("3 + 3?", "7")], "test": [("2 + 2?", "4")]}


    class AskEnv(rlenvs.TextEnv):
        "Sums."

        rubric = rlenvs.Rubric([rlenvs.RewardFunction("right", lambda task, t: t[-1].content == task.target)])

        def __init__(self, split="train", render_mode=None):
            super().__init__(render_mode=render_mode)
            self.split, self.num_tasks = split, None if split == "endless" else len(ROWS[split])

        def task_at(self, index):
            question, target = ("1 + 1?", "2") if self.split == "endless" else ROWS[self.split][index]
            return rlenvs.Task(id=f"{self.split}/{index}", prompt=(rlenvs.user(question),), target=target)

        def answer_message(self, task):
            return task.target


    @hookimpl
    def register_environments(register):
        register("strange/Ask-v0", AskEnv)
"""


@pytest.fixture
def asking(tmp_path: Path, registry) -> str:
    path = tmp_path / "asking.py"
    path.write_text(dedent(ASKING))
    return str(path)


def test_data_with_a_contradiction_fail_and_say_it_before_what_is_only_noted(capsys, asking):
    line = ["envs", "check", "strange/Ask-v0", "--plugin", asking, "--against", "split=test"]
    assert main(line) == 1
    told = capsys.readouterr().out.splitlines()
    assert "4 tasks, compared with split=test (1 tasks):" in told
    assert [row.split("\t")[:3] for row in told if row.endswith(("other answer", "twice", "split too"))] == [
        ["contradiction", "1", "error"],
        ["duplicate", "1", "note"],
        ["leak", "2", "note"],
    ]
    assert "contradiction\ttrain/3\ttrain/2\t3 + 3?\t7 here, 6 there" in told
    assert "leak\ttrain/1\ttest/0\t2+2 ?\t" in told


def test_all_of_it_is_json_for_programs(capsys, asking):
    line = ["envs", "check", "strange/Ask-v0", "--plugin", asking, "--against", "strange/Ask-v0 split=test", "--json"]
    assert main(line) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["id"], found["failure"], found["data"]["num_tasks"]) == ("strange/Ask-v0", None, 4)
    assert found["data"]["against"] == {"strange/Ask-v0 split=test": 1}
    findings = [(each["kind"], each["task_id"], each["other_id"]) for each in found["data"]["findings"]]
    assert findings == [
        ("contradiction", "train/3", "train/2"),
        ("duplicate", "train/1", "train/0"),
        ("leak", "train/0", "test/0"),
        ("leak", "train/1", "test/0"),
        ("variant", "train/2", "test/0"),
        ("variant", "train/3", "test/0"),
    ]


def test_leaks_alone_are_no_failure(capsys, asking):
    line = ["envs", "check", "strange/Ask-v0", "--plugin", asking, "--set", "split=test"]
    assert main([*line, "--against", "split=train"]) == 0
    assert "leak\ttest/0\ttrain/0" in capsys.readouterr().out


def test_quick_leaves_the_data_out(capsys, asking):
    line = ["envs", "check", "strange/Ask-v0", "--plugin", asking, "--quick"]
    assert main(line) == 0
    assert capsys.readouterr().out == "strange/Ask-v0 keeps the contract.\n"
    assert main([*line, "--against", "split=test"]) == 2
    assert "--quick leaves the data out" in capsys.readouterr().err


def test_of_a_slow_generator_the_first_tasks_are_checked_or_all(capsys, asking, monkeypatch):
    monkeypatch.setattr("rlenvs.cli.checking.MAKING_S", 0.0)
    line = ["envs", "check", "strange/Ask-v0", "--plugin", asking]
    assert main(line) == 0
    told = capsys.readouterr()
    assert "rlenvs: strange/Ask-v0: the first 1 of 4 tasks were checked, which were made within 0 s: --all" in told.err
    assert "1 tasks: no fault" in told.out
    assert main([*line, "--all"]) == 1, "the fourth contradicts the third"
    assert "\n4 tasks:" in capsys.readouterr().out
    assert main([*line, "--all", "--quick"]) == 2
    assert "--quick leaves the data out, of which --all takes all" in capsys.readouterr().err


def test_what_is_wrong_with_the_contract_is_said_where_the_data_cannot_be_read_either(capsys, asking):
    Path(asking).write_text(Path(asking).read_text().replace("ROWS[self.split][index]", "ValueError('no row')"))
    assert main(["envs", "check", "strange/Ask-v0", "--plugin", asking]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "rlenvs: strange/Ask-v0 does not keep the contract" in told.err
    assert "strange/Ask-v0: its data could not be checked: TypeError: cannot unpack" in told.err


def test_against_what_has_no_end_nothing_can_be_compared(capsys, asking):
    line = ["envs", "check", "strange/Ask-v0", "--plugin", asking, "--against", "split=endless"]
    assert main(line) == 2
    assert "split=endless has tasks without end" in capsys.readouterr().err
