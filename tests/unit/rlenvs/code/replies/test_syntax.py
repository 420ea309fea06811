import pytest

from rlenvs.code.replies.syntax import MAX_CHARS, module_of, needed_names


@pytest.mark.parametrize(
    "text",
    ["def f(", "x = 1\0", "x = '\ud800'", "(" * 300 + ")" * 300, "-" * 9000 + "1", "x = " + "9" * 5000, "if 1:\nx"],
)
def test_what_the_parser_refuses_for_whatever_reason_is_no_module(text: str) -> None:
    assert module_of(text) is None
    assert needed_names(text) == frozenset()


def test_a_text_is_not_parsed_beyond_a_length() -> None:
    assert module_of("#" * (MAX_CHARS - 1) + "\n") is not None
    assert module_of("#" * MAX_CHARS + "\n") is None


def test_statements_keep_their_lines_and_say_what_they_bind() -> None:
    module = module_of(
        "import a.b, c as d\n@x\ndef f(y):\n    z = 1\nif 1:\n    g = [i for i in j]\nfrom k import *\n5\n"
    )
    assert module is not None
    assert [sorted(each.binds) for each in module.statements] == [["a", "d"], ["f"], ["g"], ["*"], []]
    assert module.statements[1].text == "@x\ndef f(y):\n    z = 1"
    assert [each.is_idle for each in module.statements] == [False, False, False, False, True]
    assert not module.calls


def test_imports_give_a_name_without_defining_it() -> None:
    module = module_of("from a import f\nimport g\nh = 1\n")
    assert module is not None
    assert [module.binds(name) for name in "fgh"] == [False, False, True]
    assert not module.defines("h")


def test_a_body_and_a_sketch_define_nothing_of_use() -> None:
    body = module_of("def f():\n    return 1\nreturn f()\n")
    sketch = module_of('def f():\n    """Does."""\n    ...\n')
    assert body is not None
    assert sketch is not None
    assert not body.defines("f")
    assert sketch.defines("f")
    assert sketch.is_sketch_of("f")
    assert not body.is_sketch_of("f")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("print(len(x))", {"x"}),
        ("def f(a, b: T = d) -> R:\n    c = a\n    return c + e", {"T", "d", "R", "e"}),
        ("class A(B):\n    x = y\n    def f(self):\n        return z", {"B", "y", "z"}),
        ("import m\nm.a(b)", {"b"}),
        ("[i for i in s]", {"s"}),
        ("def f():\n    global g\n    g = 1\nf()\ng", set()),
        ("@p\ndef f():\n    return f()", {"p"}),
        ("x = x + 1", set()),
        ("__name__", set()),
    ],
)
def test_needed_names_are_those_that_nothing_defines(text: str, names: set[str]) -> None:
    assert needed_names(text) == names


def test_warnings_about_a_text_stay_its_own(recwarn: pytest.WarningsRecorder) -> None:
    assert module_of("x = '\\d' is 1\n") is not None
    assert len(recwarn) == 0
