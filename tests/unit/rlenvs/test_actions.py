"""Which action of a message counts, and where it ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenvs.actions import escaped, first_action


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("no tags", None),
        ("<python>1</python>", ("python", "1", 18)),
        ("so: <python>1</python> and <answer>2</answer>", ("python", "1", 22)),
        ("<answer>2</answer><python>1</python>", ("answer", "2", 18)),
        ("<think><python>1</python></think><answer>2</answer>", ("answer", "2", 51)),
        ("<think><python>1</python>", None),
        ("<python>1</python></think><answer>2</answer>", ("answer", "2", 44)),
        ("<think>a<think>b</think><python>1</python></think><answer>2</answer>", ("answer", "2", 68)),
        ("<python>1", None),
        ("<python>1<answer>2</answer>", ("answer", "2", 27)),
        ("</python><python>1</python>", ("python", "1", 27)),
        ("<python>1<python>2</python>", ("python", "1<python>2", 27)),
        ("<python>print('<think>')</python>", ("python", "print('<think>')", 33)),
        ("<Python>1</Python>", None),
        ("<python >1</python>", None),
        ("<search>1</search>", None),
        ("<python></python>", ("python", "", 17)),
    ],
)
def test_the_first_whole_action_outside_thinking_counts(text, expected):
    assert first_action(text, ("python", "answer")) == expected


@given(st.lists(st.sampled_from(["<think>", "</think>", "<a>", "</a>", "<b>", "</b>", "x", "\n"]), max_size=12))
def test_an_action_stands_in_the_text_and_outside_thinking(pieces):
    text = "".join(pieces)
    action = first_action(text, ("a", "b"))
    if action is None:
        return
    written = f"<{action.name}>{action.content}</{action.name}>"
    before = text[: action.end].removesuffix(written)
    assert before + written == text[: action.end]
    assert f"</{action.name}>" not in action.content
    assert first_action(f"{before}</think><a>marked</a>", ("a",)) == ("a", "marked", len(before) + 21)


@given(st.text(alphabet="<>/ab&;lt", max_size=40))
def test_an_escaped_text_has_no_tag_left_and_every_other_character(text):
    out = escaped(text, ("a", "b"))
    assert not any(tag in out for tag in ("<a>", "</a>", "<b>", "</b>"))
    assert len(out) - len(text) == 3 * sum(text.count(tag) for tag in ("<a>", "</a>", "<b>", "</b>"))


def test_many_tags_take_linear_time():
    assert first_action("<a>" * 50_000, ("a",)) is None
    assert first_action("<think></think>" * 50_000 + "<a>1</a>", ("a",)).content == "1"
