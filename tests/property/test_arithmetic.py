"""Laws of Arithmetic-v0: splits never meet, a task depends on its index alone, no text breaks a check."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from rlenvs.envs.arithmetic import ArithmeticEnv
from rlenvs.envs.arithmetic.answers import is_equal, number
from rlenvs.envs.arithmetic.problem import Form
from rlenvs.envs.arithmetic.source import FAMILIES, Place, problem_at, split_of
from rlenvs.envs.arithmetic.text import decimal_text, polynomial_text

KINDS = [
    ("integer", "12"),
    ("number", "-7/2"),
    ("lowest", "3/4"),
    ("digits", "0134"),
    ("sequence", "10 34"),
    ("set", "-1/2, 3"),
    ("assignment", "x = 3, y = -2"),
    ("remainder", "21 r 3"),
    ("polynomial", "x^2 - 7x + 6"),
    ("factored", "(x + 2)(2x - 3)"),
    ("expression", "3*cos(3x + 5)"),
]
places = st.builds(Place, st.sampled_from(sorted(FAMILIES)), st.integers(1, 4), st.integers(0, 2**63))
mathematical = st.text(alphabet="0123456789x+-*/^()., =\\{}sincoexp$", max_size=40)


@settings(max_examples=60)
@given(place=places)
def test_every_question_is_of_the_split_that_asked_for_it(place: Place) -> None:
    assert split_of(problem_at(place, "train").question) == "train"
    assert split_of(problem_at(place, "test").question) == "test"


@settings(max_examples=40)
@given(place=places)
def test_a_place_gives_the_same_problem_whatever_was_drawn_before(place: Place) -> None:
    first = problem_at(place, "train")
    problem_at(Place(place.family, place.level, place.index + 1), "train")
    assert problem_at(place, "train") == first


@settings(max_examples=40)
@given(index=st.integers(0, 2**63), chosen=st.sets(st.sampled_from(sorted(FAMILIES)), min_size=1))
def test_the_id_says_which_task_it_is_whatever_the_families_chosen(index: int, chosen: set[str]) -> None:
    task = ArithmeticEnv(families=sorted(chosen)).task_at(index)
    name, split, family, level, place = task.id.split("/")
    alone = ArithmeticEnv(families=[family], levels=[int(level)]).task_at(int(place))
    assert (name, split) == ("arithmetic", "train")
    assert family in chosen
    assert alone == task


@settings(max_examples=300)
@given(kind=st.sampled_from(KINDS), reply=st.one_of(st.text(max_size=60), mathematical))
def test_no_text_breaks_the_check(kind: tuple[str, str], reply: str) -> None:
    name, answer = kind
    assert is_equal(reply, answer, Form(kind=name, unit="m", unknown="x")) in (True, False)  # type: ignore[arg-type]


@given(top=st.integers(-(10**9), 10**9), bottom=st.integers(1, 10**6), scale=st.integers(1, 99))
def test_a_number_equals_its_other_spellings_and_no_other_number(top: int, bottom: int, scale: int) -> None:
    answer, form = str(Fraction(top, bottom)), Form(kind="number")
    assert is_equal(f"{top * scale}/{bottom * scale}", answer, form)
    assert not is_equal(f"{top * scale + 1}/{bottom * scale}", answer, form)


@given(value=st.integers(-(10**12), 10**12), places=st.integers(0, 6))
def test_a_decimal_reads_back_as_the_number_it_was_written_from(value: int, places: int) -> None:
    exact = Fraction(value, 10**places)
    assert number(decimal_text(exact)) == exact


coefficients = st.lists(st.integers(-99, 99), min_size=1, max_size=6)


@given(first=coefficients, second=coefficients)
def test_polynomials_are_equal_exactly_if_their_coefficients_are(first: list[int], second: list[int]) -> None:
    size = max(len(first), len(second))
    padded = [[0] * (size - len(each)) + each for each in (first, second)]
    same = padded[0] == padded[1]
    assert is_equal(polynomial_text(first), polynomial_text(second), Form(kind="polynomial")) == same


def test_train_and_test_share_no_question_in_the_smallest_families() -> None:
    smallest = {"families": ["running_sum", "multiply", "divide", "reverse", "factor"], "levels": [1]}
    seen = {}
    for split in ("train", "test"):
        env = ArithmeticEnv(split=split, **smallest)  # type: ignore[arg-type]
        seen[split] = {env.task_at(index).metadata["question"] for index in range(1500)}
    assert seen["train"].isdisjoint(seen["test"])
    assert len(seen["test"]) > 200
