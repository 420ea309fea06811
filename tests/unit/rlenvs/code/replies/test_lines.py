import pytest

from rlenvs.code.replies.lines import CLOSED, LONGEST_LINE, Open, after_line, trimmed


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("x = 1", CLOSED),
        ("x = (1,", Open(depth=1)),
        ("x = [{(", Open(depth=3)),
        ("x = ')'  # (", CLOSED),
        ("x = '('", CLOSED),
        ("x = '\\'('", CLOSED),
        ('x = """a', Open('"""')),
        ('x = """a"" \\"""', Open('"""')),
        ('x = """a"""', CLOSED),
        ("x = '''a\"\"\"", Open("'''")),
        ('x = ("""a', Open('"""', 1)),
        ("x = 1 + \\", Open(is_joined=True)),
        ("x = 'a\\", Open(is_joined=True)),
        ("don't", CLOSED),
        (")))", CLOSED),
        ("(" * (LONGEST_LINE + 1), CLOSED),
    ],
)
def test_a_line_leaves_strings_and_brackets_open(line: str, after: Open) -> None:
    assert after_line(line, CLOSED) == after
    assert bool(after) == (after != CLOSED)


def test_what_is_open_is_closed_by_its_own_sign() -> None:
    assert after_line("'''\" (", Open('"""')) == Open('"""')
    assert after_line('a""" + (', Open('"""')) == Open(depth=1)
    assert after_line("))", Open(depth=3)) == Open(depth=1)
    assert after_line("b", Open(is_joined=True)) == CLOSED


def test_a_text_is_trimmed_by_lines() -> None:
    assert trimmed(["", "  ", "  a", "", "b ", " ", ""]) == "  a\n\nb \n"
    assert trimmed(["", " "]) == ""
