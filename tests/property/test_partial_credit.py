"""Laws of partial credit."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rlenvs.verifiers import verify
from rlenvs.verifiers.credit import partial_credit

values = st.integers(-9, 9).map(str) | st.sampled_from([r"\frac{1}{2}", r"\sqrt{2}", "x", r"\pi", "2/3"])
several = st.lists(values, min_size=2, max_size=6)
anything = st.text(max_size=60) | st.text(alphabet="0123456789+-*/^(){}[]\\,.=$ xy", max_size=60)
FORMS = st.sampled_from(["{}", r"\{{{}\}}", "({})", "[{}]"])


def written(form: str, items: list[str]) -> str:
    return form.format(", ".join(items))


@given(form=FORMS, gold=several, answer=several)
def test_the_full_share_is_that_of_what_is_equal_and_of_nothing_else(
    form: str, gold: list[str], answer: list[str]
) -> None:
    texts = written(form, gold), written(form, answer)
    assert (partial_credit(*texts) == 1.0) == (verify(*texts) == "equal")


@given(form=FORMS, one=several, other=several)
def test_it_is_the_same_both_ways_round(form: str, one: list[str], other: list[str]) -> None:
    if form.startswith(r"\{") and min(len(set(one)), len(set(other))) < 2:
        return  # a set of one part has no partial credit
    assert partial_credit(written(form, one), written(form, other)) == partial_credit(
        written(form, other), written(form, one)
    )


@given(form=FORMS, gold=several, answer=several)
def test_a_wrong_part_never_adds_and_a_right_one_that_is_left_out_costs(
    form: str, gold: list[str], answer: list[str]
) -> None:
    reference = written(form, gold)
    before = partial_credit(reference, written(form, answer))
    assert partial_credit(reference, written(form, [*answer, "777"])) <= before
    assert partial_credit(reference, written(form, [*gold, "777"])) < 1.0
    assert partial_credit(written(form, [*gold, "777"]), reference) < 1.0


@settings(max_examples=200)
@given(gold=several, answer=anything)
def test_it_is_a_share_whatever_is_answered(gold: list[str], answer: str) -> None:
    assert 0.0 <= partial_credit(written("{}", gold), answer) <= 1.0
    assert partial_credit("17", answer) in (0.0, 1.0)
