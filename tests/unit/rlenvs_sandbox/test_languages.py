"""Programs in every language whose tool is there, and checkers of what a program prints."""

import shutil
from collections.abc import Callable
from typing import NoReturn

import pytest

from rlenvs_sandbox import Limits, Program, SandboxError, WarmRunner, judge_output
from rlenvs_sandbox.languages import LANGUAGES, Command

DOUBLE = {
    "c": '#include <stdio.h>\nint main(void) { long n; scanf("%ld", &n); printf("%ld\\n", 2 * n); return 0; }',
    "cpp": "#include <iostream>\nint main() { long n; std::cin >> n; std::cout << 2 * n << std::endl; }",
    "javascript": "console.log(2 * parseInt(require('fs').readFileSync(0, 'utf8')))",
    "java": (
        "import java.util.*;\npublic class Main { public static void main(String[] a)"
        " { System.out.println(2 * new Scanner(System.in).nextLong()); } }"
    ),
    "rust": (
        "use std::io;\nfn main() { let mut s = String::new(); io::stdin().read_line(&mut s).unwrap();"
        ' println!("{}", 2 * s.trim().parse::<i64>().unwrap()); }'
    ),
    "go": 'package main\nimport "fmt"\nfunc main() { var n int; fmt.Scan(&n); fmt.Println(2 * n) }',
    "bash": "read n; echo $((2 * n))",
    "python": "print(2 * int(input()))",
}
BROKEN = "this is no program at all ((("


@pytest.mark.parametrize("language", DOUBLE)
def test_a_program_reads_computes_and_prints_and_a_broken_one_is_a_runtime_error(
    sandbox: WarmRunner, lacking: Callable[[str], NoReturn], language: str
) -> None:
    if language in LANGUAGES and not shutil.which(LANGUAGES[language].tool, path="/usr/local/bin:/usr/bin:/bin"):
        lacking(f"no {LANGUAGES[language].tool} here")
    limits = Limits(wall_s=10)
    outcome = sandbox.run(Program(text=DOUBLE[language], language=language, stdin=b"21\n"), limits)
    assert judge_output(outcome, "42").is_pass, outcome
    broken = sandbox.run(Program(text=BROKEN, language=language), limits)
    assert broken.status == "runtime_error"
    assert broken.detail


def test_every_language_has_a_program_here_and_an_unknown_one_is_refused(sandbox: WarmRunner) -> None:
    assert set(DOUBLE) == {*LANGUAGES, "python"}
    with pytest.raises(ValueError, match="no language 'cobol': known are python, c, cpp"):
        sandbox.run(Program(text="", language="cobol"))


CHECKER = Program(
    text="import sys\nn = int(open('input').read())\na, b = map(int, open('output').read().split())\n"
    "sys.exit(42 if a * b == n and 1 < a < n else 43)"
)


@pytest.mark.parametrize(
    ("text", "status"),
    [("print(3, 5)", "pass"), ("print(5, 3)", "pass"), ("print(1, 15)", "fail"), ("1 / 0", "runtime_error")],
)
def test_a_checker_decides_where_several_outputs_are_right(sandbox: WarmRunner, text: str, status: str) -> None:
    outcome = sandbox.check(Program(text=text, stdin=b"15"), CHECKER)
    assert (outcome.status, outcome.passed, outcome.total) == (status, int(status == "pass"), 1)


def test_a_checker_that_breaks_is_no_wrong_answer(sandbox: WarmRunner) -> None:
    raising = sandbox.check(Program(text="print(3)", stdin=b"15"), CHECKER)
    assert (raising.status, raising.passed) == ("sandbox_error", 0)
    assert "not enough values to unpack" in raising.detail
    broken = sandbox.check(Program(text="print(3, 5)", stdin=b"15"), Program(text="import sys; sys.exit(7)"))
    assert (broken.status, broken.passed) == ("sandbox_error", 0)


def test_files_stand_in_the_folder_and_have_plain_names(sandbox: WarmRunner) -> None:
    text = "print(open('a.txt').read() + open('b.bin', 'rb').read().hex())"
    program = Program(text=text, files={"a.txt": b"hi", "b.bin": b"\x00\xff"})
    assert sandbox.run(program).stdout == b"hi00ff\n"
    with pytest.raises(ValueError, match=r"plain name: got '../x'"):
        Program(text="", files={"../x": b""})


def test_a_language_whose_tool_is_not_there_is_no_wrong_program(
    sandbox: WarmRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        LANGUAGES, "cobol", Command(tool="cobc", file="main.cob", steps=(("cobc", "-x", "main.cob"), ("./main",)))
    )
    with pytest.raises(SandboxError, match="no cobc in the sandbox"):
        sandbox.run(Program(text="…", language="cobol"))


def test_what_a_compiler_refuses_is_told_with_its_first_error(sandbox: WarmRunner) -> None:
    outcome = sandbox.run(Program(text="int main(void) {\n    return nothing;\n}\n", language="c"))
    assert outcome.status == "runtime_error"
    assert "main.c:2" in outcome.detail
    assert "nothing" in outcome.detail
