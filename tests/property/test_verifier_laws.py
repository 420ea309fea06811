"""Laws of the verifier: what does not depend on how an answer is written down."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from rlenvs.rewards import TEMPLATES
from rlenvs.verifiers import verify

numbers = st.fractions(min_value=-10_000, max_value=10_000, max_denominator=1000)
wrappings = st.sampled_from(
    [
        "{}",
        "${}$",
        "\\boxed{{{}}}",
        "\\( {} \\)",
        "**{}**",
        "{}.",
        " {} ",
        "\\displaystyle {}",
        "\\mathbf{{{}}}",
        "$\\boldsymbol{{{}}}$",
    ]
)
anything = st.text(max_size=200) | st.text(alphabet="0123456789+-*/^!(){}[]\\,.<>=_%$ abcxyz", max_size=200)


def written(value: Fraction, style: int) -> str:
    sign = "-" if value < 0 else ""
    top, bottom = abs(value.numerator), value.denominator
    if style == 0 or bottom == 1:
        return f"{sign}{top}/{bottom}" if bottom > 1 else f"{sign}{top:,}"
    if style == 1:
        return f"{sign}\\frac{{{top}}}{{{bottom}}}"
    return f"{sign}{top // bottom}\\frac{{{top % bottom}}}{{{bottom}}}"


@given(value=numbers, styles=st.tuples(st.integers(0, 2), st.integers(0, 2)), wrapping=wrappings)
def test_a_number_equals_itself_however_it_is_written_and_wrapped(
    value: Fraction, styles: tuple[int, int], wrapping: str
) -> None:
    gold, answer = written(value, styles[0]), wrapping.format(written(value, styles[1]))
    assert verify(gold, answer) == "equal"
    assert verify(answer, gold) == "equal"


@given(a=numbers, b=numbers, style=st.integers(0, 2), wrapping=wrappings)
def test_two_numbers_are_equal_exactly_if_their_values_are(a: Fraction, b: Fraction, style: int, wrapping: str) -> None:
    given_answer = wrapping.format(written(b, style))
    assert verify(written(a, style), given_answer) == ("equal" if a == b else "not_equal")


@given(values=st.lists(numbers, min_size=1, max_size=5, unique=True), shuffle=st.randoms(use_true_random=False))
def test_the_order_of_a_list_does_not_matter_and_its_length_does(values: list[Fraction], shuffle: object) -> None:
    gold = [written(value, 1) for value in values]
    answer = list(gold)
    shuffle.shuffle(answer)  # type: ignore[attr-defined]
    assert verify(", ".join(gold), " and ".join(answer)) == "equal"
    assert verify(", ".join(gold), ", ".join([*answer, "20000"])) == "not_equal"


@settings(max_examples=200)
@given(reply=anything)
def test_no_reply_breaks_extraction_or_the_check(reply: str) -> None:
    for template in TEMPLATES.values():
        answer = template.extract(reply)
        assert isinstance(template.is_well_formed(reply), bool)
        assert answer is None or answer
    assert verify("17", reply) in ("equal", "not_equal")
