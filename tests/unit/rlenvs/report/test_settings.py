"""What a run was made with is on its page: every slot with its defaults, every setting by the name that --set takes."""

import re

import pytest

from rlenvs.notation import inline
from rlenvs.report.settings import settings
from rlenvs.store import EventRow

SLOTS = {
    "name": "grpo",
    "surrogate": {"use": "clip", "low": 0.2, "high": 0.28, "cap": None},
    "regularise": [{"use": "kl", "coefficient": 0.0}],
    "updates": [1, 4],
}
CONFIG = {
    "policy": "runs/<warm>",
    "learner": {"lr": 3e-05, "betas": [0.9, 0.999]},
    "env": [{"id": "rlenvs/Math-v0", "kwargs": {"dataset": "gsm8k"}, "weight": 1.0}],
    "plugins": [],
}


def started(**payload) -> EventRow:
    return EventRow(step=0, time_s=0.0, kind="run_started", payload=payload)


def rows(html: str) -> dict[str, str]:
    return dict(re.findall(r'<th scope="row">(.*?)</th><td><code>(.*?)</code></td>', html))


def test_every_slot_is_shown_with_its_defaults_and_its_changes():
    shown = rows(settings([started(algorithm=SLOTS)]))
    assert shown == {
        "name": "grpo",
        "surrogate": "{ use = &quot;clip&quot;, low = 0.2, high = 0.28 }",
        "regularise": "[{ use = &quot;kl&quot;, coefficient = 0.0 }]",
        "updates": "[1, 4]",
    }


def test_every_setting_goes_by_the_name_that_set_takes():
    assert rows(settings([started(config=CONFIG)])) == {
        "policy": "runs/&lt;warm&gt;",
        "learner.lr": "3e-05",
        "learner.betas": "[0.9, 0.999]",
        "env.0.id": "rlenvs/Math-v0",
        "env.0.kwargs": "{ dataset = &quot;gsm8k&quot; }",
        "env.0.weight": "1.0",
        "plugins": "[]",
    }


def test_a_resumed_run_shows_what_it_was_resumed_with_and_its_notes():
    page = settings([started(config={"steps": 3}), started(config={"steps": 9}, notes=["the clip does nothing"])])
    assert rows(page) == {"steps": "9"}
    assert "<li>the clip does nothing</li>" in page


def test_a_run_that_wrote_nothing_down_shows_nothing():
    assert settings([]) == ""


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        ('a "quote"', r'"a \"quote\""'),
        ({"use": "clip", "cap": None}, '{ use = "clip" }'),
        ({}, "{}"),
        (None, "none"),
        ([1, 2.5, ["é"]], '[1, 2.5, ["é"]]'),
    ],
)
def test_a_value_is_written_as_toml_has_it(value, written):
    assert inline(value) == written
