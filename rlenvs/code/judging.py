"""The verdict on a program: its tests are run in a sandbox, and compared outside of it."""

from dataclasses import replace

from rlenvs.code.records import Case, FunctionTests, OutputTests, Tests
from rlenvs_sandbox import Assertions, Limits, Outcome, Program, Runner, judge_output

_ENDLESS = ("timeout", "memory", "output_limit")  # what a program does once it does again, and each time is dear


def judged(program: str, tests: Tests, runner: Runner, limits: Limits, *, language: str = "python") -> Outcome:
    """What becomes of a program with its tests: `pass` if all of them are right.

    Of cases, each is run by itself and counts as one test. The status is that of the first one that is not passed.
    After one in which the program overran its limits the rest are not run, and count as not passed.

    Args:
        limits: of a run: of all function tests together, or of one case.

    Raises:
        SandboxError: no sandbox can be started. One that is lost on the way is an outcome, `sandbox_error`.
    """
    if isinstance(tests, FunctionTests):
        assertions = Assertions(text=tests.text, entry_point=tests.entry_point or None, check=tests.check or None)
        return runner.judge(Program(text=program, language=language), assertions, limits)
    return _cases_judged(program, tests, runner, limits, language)


def _cases_judged(program: str, tests: OutputTests, runner: Runner, limits: Limits, language: str) -> Outcome:
    first_bad: Outcome | None = None
    passed, failures = 0, []
    outcome = Outcome(status="pass")
    for number, case in enumerate(tests.cases, start=1):
        run = Program(text=program, language=language, stdin=case.stdin.encode(errors="surrogatepass"))
        if tests.checker:
            checker = Program(text=tests.checker)
            outcome = runner.check(run, checker, case.stdout.encode(errors="surrogatepass"), limits)
        else:
            outcome = judge_output(runner.run(run, limits), case.stdout, tests.comparison)
        if outcome.status == "sandbox_error":
            return replace(outcome, passed=0, total=len(tests.cases))
        if outcome.is_pass:
            passed += 1
            continue
        first_bad = first_bad or outcome
        failures.append(f"test {number}: {_said(outcome, case, has_checker=bool(tests.checker))}")
        if outcome.status in _ENDLESS:
            break
    return replace(first_bad or outcome, passed=passed, total=len(tests.cases), failures=tuple(failures))


def _said(outcome: Outcome, case: Case, *, has_checker: bool) -> str:
    if outcome.status == "fail" and not has_checker:
        printed = outcome.stdout.decode(errors="replace")
        return f"it read {_shown(case.stdin)} and printed {_shown(printed)}, not {_shown(case.stdout)}"
    return f"{outcome.status}{': ' * bool(outcome.detail)}{outcome.detail}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…")


_MAX_SHOWN = 200
