"""`rlenvs algorithms`: what there is, and what fills the slots of one."""

import json
from pathlib import Path

import pytest

from rlenvs.cli.main import main
from rlenvs.config import digest, with_options
from rlenvs.plugins import load


def test_every_algorithm_is_listed_with_what_tells_it_apart(capsys):
    assert main(["algorithms"]) == 0
    header, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert header == ["name", "explore", "credit", "ratio", "surrogate", "reduce", "what it is", "from"]
    (grpo,) = [row for row in rows if row[0] == "grpo"]
    assert grpo[2:6] == ["group_relative", "ratio token", "clip", "mean trajectory"]
    assert grpo[6].startswith("GRPO")
    assert grpo[7].startswith("rlenvs-llm ")


def test_what_is_shown_restores_the_algorithm(capsys):
    assert main(["algorithms", "show", "grpo", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    plugins = load()
    grpo, sft = plugins.algorithms["grpo"], plugins.algorithms["sft"]
    assert with_options(sft, {"name": "grpo", **facts["slots"]}, plugins.components) == grpo
    assert facts["digest"] == digest(grpo)


def test_the_page_for_people_has_every_slot_and_says_how_to_change_it(capsys):
    assert main(["algorithms", "show", "grpo"]) == 0
    shown = capsys.readouterr().out
    slots = (
        "explore",
        "select",
        "annotate",
        "shape",
        "credit",
        "old",
        "ratio",
        "surrogate",
        "weights",
        "reduce",
        "updates",
    )
    assert all(f"\n{slot} = " in shown for slot in slots)
    assert 'surrogate = { use = "clip", low = 0.2, high = 0.2 }' in shown
    assert "--set SLOT.FIELD=VALUE" in shown
    assert '\n    gspo_ratio: Ratio { unit = "trajectory", length_power = 1.0, centre = false }\n' in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["algorithms", "show", "grop"], "no algorithm 'grop'. Did you mean 'grpo'? There is: grpo, "),
        (["algorithms", "shw", "grpo"], "no command 'algorithms shw'. Did you mean 'algorithms show'?"),
    ],
)
def test_a_mistyped_name_gets_its_near_miss(capsys, arguments, sentence):
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_component_without_a_docstring_has_no_line_of_its_own(capsys):
    critics = str(Path(__file__).with_name("critics.py"))
    assert main(["--plugin", critics, "algorithms", "show", "critic"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (place,) = [number for number, line in enumerate(lines) if line.startswith("regularise.0 = ")]
    assert 'critic = { use = "critic", name = "value", lr = 0.01 }' in lines[place]
    assert lines[place + 1].startswith("reduce = ")
