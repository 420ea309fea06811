"""The limits that the comparisons of one answer share: what is its doing, and what is a busy machine's."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rlenvs import verifiers
from rlenvs.evaluation.evaluate import evaluate
from rlenvs.isolation.pool import LateError, StoppedError
from rlenvs.verifiers import Judgement, VerifierPool
from rlenvs.verifiers.pool import DEFAULT_POOL

LATE = LateError("no answer within 8 s", by_request=False)
SPENT = StoppedError("more than 2 s of processor time", by_request=True)
FOUR = r"\int x+1, \int x+2, \int x+3, \int x+4"
FOUR_RIGHT = r"\int 1+x, \int 2+x, \int 3+x, \int 4+x"
ONE, OTHER = r"\int x+1", r"\int x+x"  # what needs a worker


def equal(used_s: float = 0.0) -> list[Any]:
    return ["equal", "", used_s]


class Clock:
    """It goes on only while a worker is asked."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


class Workers:
    """In place of a pool's processes: raises or gives the next of what it is told, and notes what it was asked."""

    def __init__(self, clock: Clock, takes_s: float, *gives: Any) -> None:
        self.clock, self.takes_s = clock, takes_s
        self.gives, self.asked = list(gives), list[tuple[str, str]]()

    def ask(self, request: dict[str, str]) -> Any:
        self.asked.append((request["gold"], request["answer"]))
        self.clock.now += self.takes_s
        given = self.gives.pop(0)
        if isinstance(given, Exception):
            raise given
        return given


class Pool:
    """A pool whose workers are told what to give, and how long each takes on the clock."""

    def __init__(self, clock: Clock, first: list[Any], patient: list[Any], takes_s: tuple[float, float]) -> None:
        self.first, self.patient = Workers(clock, takes_s[0], *first), Workers(clock, takes_s[1], *patient)
        self.pool = VerifierPool(1, wall_s=8.0)
        self.pool.processes, self.pool.patient = cast(Any, self.first), cast(Any, self.patient)

    def judge(self, gold: str, answer: str) -> Judgement:
        return verifiers.judge(gold, answer, pool=self.pool)


Told = Callable[..., Pool]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    clock = Clock()
    monkeypatch.setattr("rlenvs.verifiers.pool.time", SimpleNamespace(monotonic=clock.monotonic))

    def make(first: list[Any], patient: list[Any], takes_s: tuple[float, float] = (0.0, 0.0)) -> Pool:
        return Pool(clock, first, patient, takes_s)

    return make


@pytest.mark.parametrize(
    ("first", "patient", "verdict", "asked_again"),
    [
        ([LATE], [equal()], "equal", [(ONE, OTHER)]),
        ([LATE], [SPENT, equal()], "not_equal", [(ONE, OTHER), (ONE, ONE)]),
        ([SPENT, LATE], [equal()], "not_equal", [(ONE, ONE)]),
        ([LATE], [LATE], "error", [(ONE, OTHER)]),
        ([SPENT, LATE], [LATE], "error", [(ONE, ONE)]),
    ],
)
def test_r05_what_a_busy_machine_leaves_undone_is_tried_again_with_more_patience(
    told: Told, first: list[Any], patient: list[Any], verdict: str, asked_again: list[tuple[str, str]]
) -> None:
    pool = told(first, patient)
    assert pool.judge(ONE, OTHER).verdict == verdict
    assert pool.patient.asked == asked_again


def test_r05_a_right_list_on_a_busy_machine_is_right_however_long_it_waits(told: Told) -> None:
    """Each reply comes after more waiting than the answer has processor time in all, but for a little."""
    pool = told([equal(0.01)] * 4, [], takes_s=(7.9, 0.0))
    assert pool.judge(FOUR, FOUR_RIGHT).verdict == "equal"


def test_r05_a_list_is_late_once_and_the_rest_is_asked_with_patience_at_once(told: Told) -> None:
    pool = told([LATE], [equal(0.01)] * 4, takes_s=(8.0, 5.0))
    assert pool.judge(FOUR, FOUR_RIGHT).verdict == "equal"
    assert (len(pool.first.asked), len(pool.patient.asked)) == (1, 4)


@pytest.mark.parametrize(("first", "takes_s"), [([LATE], (8.0, 23.9)), ([equal()] * 9, (20.0, 0.0))])
def test_r05_a_list_that_waits_too_long_in_all_is_an_error_and_not_wrong(
    told: Told, first: list[Any], takes_s: tuple[float, float]
) -> None:
    pool = told(first, [equal(), equal(), equal()], takes_s)
    judged = pool.judge(FOUR, FOUR_RIGHT)
    assert (judged.verdict, judged.by_answer) == ("error", False)
    assert judged.reason == "more than 32 s of waiting: the machine is busy"
    assert len(pool.first.asked) + len(pool.patient.asked) == (3 if LATE in first else 2)


def test_r05_the_check_of_the_reference_waits_within_the_same_limit(told: Told) -> None:
    pool = told([SPENT], [], takes_s=(33.0, 0.0))
    assert pool.judge(ONE, OTHER).verdict == "error"
    assert pool.first.asked == [(ONE, OTHER)]


def test_an_answer_waits_less_than_the_deadline_of_an_evaluation() -> None:
    deadline_s = inspect.signature(evaluate).parameters["deadline_s"].default
    assert DEFAULT_POOL.most_wait_s + DEFAULT_POOL.patient.limits.wall_s < deadline_s


def test_many_slow_items_share_one_limit_on_processor_time(told: Told) -> None:
    pool = told([equal(3.0), equal(3.0), equal(3.0), *[equal()] * 4], [])
    judged = pool.judge(FOUR, FOUR_RIGHT)
    assert judged == ("not_equal", "more than 8 s of processor time in all", True)
    assert pool.first.asked[3:] == [(item, item) for item in FOUR.split(", ")], "the reference passes alone"


def test_r05_processor_time_used_up_on_a_busy_machine_makes_no_answer_wrong(told: Told) -> None:
    pool = told([LATE], [equal(3.0), equal(3.0), equal(3.0)])
    judged = pool.judge(FOUR, FOUR_RIGHT)
    assert judged == ("error", "more than 8 s of processor time in all", False)


def test_a_worker_says_how_much_processor_time_a_comparison_took() -> None:
    pool = VerifierPool(1)
    verdict, _, used_s = pool.processes.ask({"gold": r"\sin^2 x", "answer": r"1-\cos^2 x"})
    pool.close()
    assert verdict == "equal"
    assert 0 < used_s < 3
