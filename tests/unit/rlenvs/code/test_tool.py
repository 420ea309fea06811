"""Python between messages: what is told of a run, and that nothing of one is left for the next."""

import pytest

from rlenvs.code.clipping import clipped
from rlenvs.code.tool import PythonTool
from rlenvs_sandbox import Limits


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print(6 * 7)", "42"),
        ("x = 6\nx * 7", "42"),
        ("'a'", "'a'"),
        ("None", "[no output]"),
        ("print('a'); 'b'", "a\n'b'"),
        ("import sys; print('careful', file=sys.stderr)", "careful"),
        ("", "[no output]"),
        ("1/0", 'File "tool.py", line 1, in <module>\n    1/0\n    ~^~\nZeroDivisionError: division by zero'),
        ("def f():\n    return g()\n\nf()", 'File "tool.py", line 2, in f\n    return g()'),
        ("print('half')\nraise SystemExit('done')", "half\ndone"),
        ("print(", "SyntaxError: '(' was never closed"),
        ("\udcff = 1", "SyntaxError"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_run(text, told):
    run = PythonTool().run(text)
    assert told in run
    assert "main.py" not in run


def test_a_run_that_does_not_end_is_stopped_and_the_policy_is_told():
    tool = PythonTool(limits=Limits(wall_s=1.0))
    assert tool.run("print('begun', flush=True)\nwhile True: pass") == "begun\n[stopped: it did not end within 1 s]"
    assert "[stopped: it wrote more than" in tool.run("while True: print('x' * 10_000)")


def test_a_run_that_ends_without_a_word_is_told_why():
    assert PythonTool().run("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)") == "[it was ended by signal 11]"
    assert PythonTool().run("import os\nos._exit(3)") == "[it exited with 3]"


def test_no_room_for_what_is_told_is_refused():
    with pytest.raises(ValueError, match=r"max_chars, .* is at least 2: got 1"):
        PythonTool(max_chars=1)


def test_nothing_of_a_run_is_left_for_the_next():
    tool = PythonTool()
    assert (
        tool.run("secret = 5\nopen('note', 'w').write('secret')\nimport os\nos.environ['SECRET'] = '5'")
        == "[no output]"
    )
    assert "NameError" in tool.run("print(secret)")
    assert tool.run(
        "import os\nprint(os.path.exists('note'), os.environ.get('SECRET'), 'note' in os.listdir('.'))"
    ) == ("False None False")


def test_long_output_is_cut_to_its_head_and_tail():
    told = PythonTool(max_chars=100).run("for n in range(1000): print(n)")
    assert told.startswith("0\n1\n2\n")
    assert told.endswith("\n998\n999")
    assert f"[… {3889 - 100} characters left out …]" in told


@pytest.mark.parametrize("size", [2, 3, 10, 11])
def test_clipping_keeps_as_many_characters_as_it_says(size):
    text = "abcdefghijklmnopqrstuvwxyz"
    cut = clipped(text, size)
    head, mark, tail = cut.partition(f"\n[… {26 - size} characters left out …]\n")
    assert mark
    assert (len(head) + len(tail), text.startswith(head), text.endswith(tail)) == (size, True, True)
    assert clipped("ab", size) == "ab"


def test_clipping_needs_room():
    with pytest.raises(ValueError, match="at least 2: got 1"):
        clipped("abc", 1)
