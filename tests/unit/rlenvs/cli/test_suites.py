"""`rlenvs suites`: listed and shown with their published conventions, ours and those of a local file."""

import json
from pathlib import Path

import pytest

from rlenvs.cli.main import main

STRANGER = '''
"""A stranger's suite."""

from rlenvs.evaluation.suites import Suite, Target
from rlenvs.hooks import hookimpl


@hookimpl
def register_suites(register):
    target = Target(env="rlenvs/EchoPair-v0", kwargs={"letters": 3}, name="echo", num_tasks=5)
    register(Suite(name="strange", description="echoes", targets=(target,), samples=4))
'''


@pytest.fixture
def stranger(tmp_path: Path) -> str:
    path = tmp_path / "strange_suite.py"
    path.write_text(STRANGER)
    return str(path)


def test_every_suite_is_listed_with_its_targets_and_where_it_is_from(capsys, stranger):
    assert main(["suites", "--plugin", stranger]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header == "name\tdescription\ttargets\tfrom"
    listed = {row.split("\t")[0]: row.split("\t")[1:] for row in rows}
    assert listed["strange"] == ["echoes", "echo", stranger]
    assert listed["math"][1] == "gsm8k, math500, aime24, aime25, amc23, minerva, olympiadbench"
    assert listed["math-procedural"][2].startswith("rlenvs-llm ")


def test_a_suite_is_shown_with_what_each_target_is_and_how_it_was_published(capsys):
    assert main(["suites", "show", "math"]) == 0
    shown = capsys.readouterr().out
    assert "sampling here: temperature=0.6, top_p=0.95" in shown
    head = 'aime24: rlenvs/Math-v0(dataset="aime24", split="test", template="qwen_boxed", rewards="accuracy")'
    assert f"{head}, all tasks, 32 × each\n  prompt: Zero-shot" in shown
    for what in ("prompt", "sampling", "scoring", "ours", "source"):
        assert shown.count(f"\n  {what}: ") == 7
    assert "absolute 1e-8" in shown


def test_json_has_all_of_it(capsys, stranger):
    assert main(["suites", "show", "strange", "--json", "--plugin", stranger]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["sampling"]["max_tokens"] == 256
    assert facts["targets"] == [
        {
            "name": "echo",
            "env": "rlenvs/EchoPair-v0",
            "kwargs": {"letters": 3},
            "num_tasks": 5,
            "samples": 4,
            "published": {},
        }
    ]
    assert main(["suites", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == [
        "code",
        "code-procedural",
        "math",
        "math-procedural",
        "reasoning-gym",
    ]


def test_a_page_has_the_suites_that_are_named(capsys, stranger):
    assert main(["suites", "page", "strange", "--plugin", stranger]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# Suites\n")
    assert "\n## strange\n\nechoes.\n" in page
    assert "\n### echo\n\n`rlenvs/EchoPair-v0` with `letters=3`: 5 tasks, 4 × each.\n" in page
    assert "## math" not in page


def test_a_suite_that_is_not_there_gets_its_near_miss(capsys):
    assert main(["suites", "show", "maths"]) == 2
    assert "no suite 'maths'. Did you mean 'math'?" in capsys.readouterr().err
