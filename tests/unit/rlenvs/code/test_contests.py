"""Contest problems that read standard input: right programs of our own pass, nearly right ones fail."""

import pytest

from rlenvs.code.data import problem_by_id
from rlenvs.code.judging import judged
from rlenvs_sandbox import Runner

RIGHT = {
    "kth-challenge-2017/3dprinter": (
        "python",
        "n = int(input())\ndays, printers = 0, 1\n"
        "while printers < n:\n    printers *= 2\n    days += 1\n"
        "print(days + 1)",
    ),
    "kth-challenge-2019/peasoup": (
        "python",
        "found = 'Anywhere is fine I guess'\n"
        "for _ in range(int(input())):\n"
        "    count = int(input())\n"
        "    name, *menu = [input() for _ in range(count + 1)]\n"
        "    if {'pea soup', 'pancakes'} <= set(menu):\n"
        "        found = name\n"
        "        break\n"
        "print(found)",
    ),
    "kth-challenge-2020/tripletexting": (
        "javascript",
        "const s = require('fs').readFileSync(0, 'utf8').trim(), n = s.length / 3;\n"
        "const [a, b, c] = [s.slice(0, n), s.slice(n, 2 * n), s.slice(2 * n)];\n"
        "console.log(a === b || a === c ? a : b);",
    ),
    "kth-challenge-2022/99problems": (
        "c",
        "#include <stdio.h>\nint main(void) { int n; scanf(\"%d\", &n); int below = (n + 1) / 100 * 100 - 1;\n"
        "int best = below > 0 && n - below < below + 100 - n ? below : below + 100; printf(\"%d\\n\", best); }",
    ),
    "kth-challenge-2014/absurdistan2": (  # every connected graph with one cycle, by the cycle's length
        "python",
        "from fractions import Fraction\n"
        "n = int(input())\n"
        "total, falling = Fraction(0), n\n"
        "for k in range(2, n + 1):\n"
        "    falling *= n - k + 1\n"
        "    total += Fraction(falling, k) * n ** (n - k - 1) * k if k < n else Fraction(falling, k)\n"
        "print(float(total / (n - 1) ** n))",
    ),
    "kth-challenge-2016/dicebetting": (  # prints more digits than the published output has
        "cpp",
        "#include <cstdio>\n#include <vector>\nint main() { int n, s, k; scanf(\"%d %d %d\", &n, &s, &k);\n"
        "std::vector<double> p(s + 2, 0.0); p[0] = 1;\n"
        "for (int i = 0; i < n; i++) for (int j = s; j >= 0; j--)\n"
        "  p[j] = p[j] * j / s + (j ? p[j - 1] * (s - j + 1) / s : 0);\n"
        "double sum = 0; for (int j = k; j <= s; j++) sum += p[j]; printf(\"%.15f\\n\", sum); }",
    ),
}  # fmt: skip
WRONG = {
    "kth-challenge-2017/3dprinter": ("days + 1", "days"),
    "kth-challenge-2019/peasoup": ("        break\n", ""),
    "kth-challenge-2020/tripletexting": ("a === b || a === c ? a : b", "a"),
    "kth-challenge-2022/99problems": ("n - below < ", "n - below <= "),
    "kth-challenge-2014/absurdistan2": ("total / (n - 1)", "1.000001 * total / (n - 1)"),
    "kth-challenge-2016/dicebetting": ("sum);", "sum + 1e-5);"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_passes_all_cases_of_a_contest_problem_and_a_nearly_right_one_does_not(
    sandbox: Runner, data_folder: str, name: str
) -> None:
    problem = problem_by_id(f"kattis/{name}", data=data_folder)
    language, program = RIGHT[name]
    outcome = judged(program, problem.tests, sandbox, problem.limits, language=language)
    assert outcome.is_pass, outcome
    assert outcome.passed == outcome.total >= 6
    right, wrong = WRONG[name]
    assert right in program
    outcome = judged(program.replace(right, wrong), problem.tests, sandbox, problem.limits, language=language)
    assert outcome.status == "fail", outcome
    assert outcome.passed < outcome.total
