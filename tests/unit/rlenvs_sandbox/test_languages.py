"""Programs in every language whose tool is there, and checkers of what a program prints."""

import re
import shutil
from collections.abc import Callable, Iterator
from typing import NoReturn

import pytest

from rlenvs_sandbox import Limits, Program, SandboxError, WarmRunner, judge_output, open_runner
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
WRONG = {
    "c": "error: unknown type name", "cpp": "error: expected unqualified-id", "javascript": "SyntaxError: ",
    "java": "error: class", "rust": "error: this file contains an unclosed delimiter", "go": "expected 'package'",
    "bash": "this is no program at all (((", "python": "SyntaxError: ",
}  # fmt: skip


@pytest.fixture(scope="module", params=["bubblewrap", "process"])
def runner(request: pytest.FixtureRequest) -> Iterator[WarmRunner]:
    with open_runner(request.param, num_workers=1) as opened:
        yield opened


@pytest.mark.parametrize("language", DOUBLE)
def test_a_program_reads_computes_and_prints_and_a_broken_one_is_a_runtime_error(
    runner: WarmRunner, lacking: Callable[[str], NoReturn], language: str
) -> None:
    if language in LANGUAGES and not shutil.which(LANGUAGES[language].tool, path="/usr/local/bin:/usr/bin:/bin"):
        lacking(f"no {LANGUAGES[language].tool} here")
    limits = Limits(wall_s=10)
    outcome = runner.run(Program(text=DOUBLE[language], language=language, stdin=b"21\n"), limits)
    assert judge_output(outcome, "42").is_pass, outcome
    broken = runner.run(Program(text=BROKEN, language=language), limits)
    assert broken.status == "runtime_error"
    assert WRONG[language] in broken.detail


def test_a_compiled_program_has_its_own_time_and_memory_and_not_its_compilers(runner: WarmRunner) -> None:
    spinning = Program(text="int main(void) { for (volatile int i = 0; ; i++); }", language="c")
    outcome = runner.run(spinning, Limits(wall_s=10, cpu_s=0.5))
    assert (outcome.status, outcome.detail) == ("timeout", "it used more than 0.5 s of processor time")
    assert 0.4 < outcome.cpu_s < 1.5
    outcome = runner.run(spinning, Limits(wall_s=0.5, cpu_s=10))
    assert (outcome.status, outcome.detail) == ("timeout", "it did not end within 0.5 s")
    small = Program(text="#include <bits/stdc++.h>\nint main() { std::cout << 42; }", language="cpp")
    outcome = runner.run(small, Limits(wall_s=0.5, mem_mb=16, pids=8))  # far below what g++ takes
    assert (outcome.status, outcome.stdout) == ("pass", b"42"), outcome
    assert outcome.wall_s < 0.3


def test_a_compiler_that_never_ends_is_ended(sandbox: WarmRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = Command(tool="bash", file="main.sh", compile=("bash", "-c", "while :; do :; done"), compile_s=0.5)
    monkeypatch.setitem(LANGUAGES, "endless", endless)
    outcome = sandbox.run(Program(text="", language="endless"), Limits(wall_s=20))
    assert (outcome.status, outcome.detail) == ("timeout", "its compiler did not end within 0.5 s")


def test_what_a_compiler_leaves_runs_no_longer_and_what_it_says_is_no_output(
    sandbox: WarmRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving = "(while :; do echo left >> left; sleep 0.01; done) & read line; echo said $line"
    command = Command(
        tool="bash", file="main.sh", compile=("bash", "-c", leaving), run=("bash", "main.sh"), compile_s=5
    )
    monkeypatch.setitem(LANGUAGES, "leaving", command)
    text = "rm -f left; sleep 0.1; ls; cat"
    outcome = sandbox.run(Program(text=text, language="leaving", stdin=b"input"))
    assert (outcome.status, outcome.stdout, outcome.stderr) == ("pass", b"main.sh\ninput", b"said\n")


@pytest.mark.parametrize(
    ("language", "text", "detail"),
    [
        ("c", "#include <stdio.h>\nint f(void);\nint main(void) { return f(); }", "undefined reference to `f'"),
        ("javascript", "null.x", "TypeError: Cannot read properties of null"),
        (
            "java",
            "public class Main { public static void main(String[] a) { int n = 1 / a.length; } }",
            "ArithmeticException: / by zero",
        ),
    ],
)
def test_what_went_wrong_is_said_and_not_where(sandbox: WarmRunner, language: str, text: str, detail: str) -> None:
    outcome = sandbox.run(Program(text=text, language=language), Limits(wall_s=10))
    assert outcome.status == "runtime_error"
    assert detail in outcome.detail


def test_the_mathematical_functions_of_c_are_there(sandbox: WarmRunner) -> None:
    text = (
        '#include <math.h>\n#include <stdio.h>\nint main(void) { double x; scanf("%lf", &x); printf("%.3f", sqrt(x)); }'
    )
    assert sandbox.run(Program(text=text, language="c", stdin=b"2"), Limits(wall_s=10)).stdout == b"1.414"


def test_every_language_has_a_program_here_and_an_unknown_one_is_refused(sandbox: WarmRunner) -> None:
    assert set(DOUBLE) == {*LANGUAGES, "python"}
    for name, near in {"cobol": "", "C++": "cpp", "Node": "javascript", "py": "python", "rustc": "rust"}.items():
        hint = f" Did you mean '{near}'?" if near else ""
        with pytest.raises(ValueError, match=re.escape(f"no language {name!r}.{hint} There are python, c, cpp, ")):
            sandbox.run(Program(text="", language=name))


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


def test_files_stand_in_the_folder(sandbox: WarmRunner) -> None:
    text = "print(open('a.txt').read() + open('b.bin', 'rb').read().hex())"
    program = Program(text=text, files={"a.txt": b"hi", "b.bin": b"\x00\xff"})
    assert sandbox.run(program).stdout == b"hi00ff\n"


def test_a_language_whose_tool_is_not_there_is_no_wrong_program(
    sandbox: WarmRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LANGUAGES, "cobol", Command(tool="cobc", file="main.cob", compile=("cobc", "-x", "main.cob")))
    with pytest.raises(
        SandboxError, match=r"no cobc in the sandbox: it is looked for in /usr/local/bin, /usr/bin, /bin. Install it"
    ):
        sandbox.run(Program(text="…", language="cobol"))


def test_what_a_compiler_refuses_is_told_with_its_first_error(sandbox: WarmRunner) -> None:
    outcome = sandbox.run(Program(text="int main(void) {\n    return nothing;\n}\n", language="c"))
    assert outcome.status == "runtime_error"
    assert "main.c:2" in outcome.detail
    assert "nothing" in outcome.detail
