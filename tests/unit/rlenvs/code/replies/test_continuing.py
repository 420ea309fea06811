import pytest

from rlenvs.code.replies.continuing import broken_continuation, continuation, gives_value, margin_of

STUB = 'def f(x):\n  """Does."""\n'


@pytest.mark.parametrize(
    ("text", "body", "rest"),
    [
        ("  return x", "  return x\n", ""),
        ("  return x\n\n\nprint(1)\n", "  return x\n", "print(1)\n"),
        ("  return x\n# c\nprint(1)", "  return x\n", "# c\nprint(1)"),
        ("  # a\n# c\n  return x\n", "  # a\n# c\n  return x\n", ""),
        ("return x", "  return x\n", ""),
        ("if x:\n  return x\nreturn 1\nprint(1)", "  if x:\n    return x\n  return 1\n", "print(1)"),
        ("      return x", "  return x\n", ""),
        (" y = 1\n  return y", "  y = 1\n  return y\n", ""),
        ('t = """\na\n"""\nreturn t', '  t = """\na\n"""\n  return t\n', ""),
    ],
)
def test_a_body_is_put_behind_its_stub_and_cut_from_the_rest(text: str, body: str, rest: str) -> None:
    assert continuation(STUB, text, "f") == (STUB + body, rest)


@pytest.mark.parametrize("text", ["", " \n", "print(f(1))", "f(1)\n", "Sorry.", "# c", "  return (", "def g(): pass"])
def test_what_is_no_body_continues_nothing(text: str) -> None:
    assert continuation(STUB, text, "f") is None


def test_a_stub_may_end_within_a_line_or_its_docstring() -> None:
    assert continuation("def f(x):\n    return", " x\nprint(1)", "f") == ("def f(x):\n    return x\n", "print(1)")
    stub = 'def f(x):\n    """Does'
    assert continuation(stub, ' it.\nat the margin """\n    return x', "f") == (
        f'{stub} it.\nat the margin """\n    return x\n',
        "",
    )


def test_indented_text_that_does_not_parse_is_a_body_that_fails() -> None:
    assert broken_continuation(STUB, "  return (\n") == f"{STUB}  return (\n"
    assert broken_continuation(STUB, "Sorry (") is None
    assert broken_continuation(STUB, "\n") is None


def test_the_margin_is_the_stubs_own() -> None:
    assert margin_of("def f():\n\t'''d'''\n") == "\t"
    assert margin_of(STUB) == "  "
    assert margin_of("def f():\n") == "    "


def test_a_value_is_given_by_a_statement() -> None:
    assert gives_value("if x:\n    return 1")
    assert not gives_value("returned = 1")
