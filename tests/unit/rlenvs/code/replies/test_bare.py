import pytest

from rlenvs.code.replies.bare import chunks, code_runs, without_margins


def runs(text: str) -> list[str]:
    return [run.text for run in code_runs(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = 2", ["a = 1", "b = 2"]),
        ("if a:\n    b\nelse:\n    c\nd = 1", ["if a:\n    b\nelse:\n    c", "d = 1"]),
        ("a = [\n1,\n]\nb = 1", ["a = [\n1,\n]", "b = 1"]),
        ('a = """\nb = 1\n"""\nc = 1', ['a = """\nb = 1\n"""', "c = 1"]),
        ("@a\ndef f():\n    pass", ["@a\ndef f():\n    pass"]),
        ("a = (\nb = 1\nc = 1", ["a = (", "b = 1", "c = 1"]),
        ("Note (see\na = 1\n", ["Note (see", "a = 1\n"]),
        ("", [""]),
    ],
)
def test_parts_begin_where_statements_do(text: str, expected: list[str]) -> None:
    assert chunks(text) == expected
    assert "\n".join(chunks(text)) == text


def test_code_is_what_parses_between_lines_of_prose() -> None:
    assert runs("We add:\n\na = 1\nb = 2\n\nThen we print it.\nprint(a)\n") == ["a = 1\nb = 2\n", "print(a)\n"]
    assert runs("Solution\n\na = 1\n\nDone\n") == ["a = 1\n"]
    assert runs("- a = 1\n```\n1. b = 2") == []
    assert runs("Only words, and no code.") == []
    assert runs('"""Only a docstring."""') == []


def test_a_text_that_is_code_is_one_run_whatever_it_holds() -> None:
    text = "a = 1\na\n'b'\nfor i in c:\n    i\n"
    assert runs(f"\n{text}\n\n") == [text]


def test_indented_code_is_found_where_no_other_is() -> None:
    assert runs("Code:\n\n    a = 1\n    if a:\n        f()\n") == ["a = 1\nif a:\n    f()\n"]
    assert without_margins("a:\n  b\n\n  c\n    d\ne\n  f") == "a:\n  b\n\nc\n  d\ne\n  f"
