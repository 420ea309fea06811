import pytest

from rlenvs.verifiers.compare import Judgement, compare
from rlenvs.verifiers.notation.text import MAX_CHARS


def no_algebra(gold: str, answer: str) -> Judgement:
    raise AssertionError(f"asked a worker about {gold!r} and {answer!r}")


def verdict(gold: str, answer: str, question: str = "") -> str:
    return compare(gold, answer, question, no_algebra).verdict


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("18", "18.00"),
        ("$18$", r"\boxed{18}."),
        (r"\frac{3}{4}", "0.75"),
        ("1,000", "1000"),
        ("64", r"64 \text{ square feet}"),
        ("42", "42 apples"),
        (r"3 \text{ meters}", r"3\,\mathrm{m}"),
        ("18", r"\$18"),
        (r"45^\circ", "45 degrees"),
        ("3, 5", "5 and 3"),
        (r"\{1, 2\}", "2, 1"),
        ("(1, 2), (3, 4)", "(3,4),(1,2)"),
        (r"(1,\frac{9}{2})", "(1, 4.5)"),
        (r"\pm 2", "-2, 2"),
        (r"\text{Evelyn}", "evelyn"),
        ("B", "(b)"),
        ("E", r"\text{E}: because"),
        ("11:21", "V = 11:21"),
        ("25", "２５"),
        (r"\frac{7}{2}", "3½"),
        ("x^2+1", "x²+1".replace("²", "^2")),
        ("18", r"\boxed{{18}}"),
        ("18", "= 18"),
        ("18", r"18 \ "),
        ("18", "18 \\\\"),
        ("18", r"\large 18"),
        ("18", r"\Huge{18}"),
        ("18", r"\underline{18}"),
        ("18", r"\underline{\textbf{18}}"),
        ("18", r"\color{red}18"),
        ("18", r"\text{18 eggs}"),
        ("(3,4)", "{(3,4)}"),
        ("-1./3", r"-\frac{1}{3}"),
    ],
)
def test_equal_answers_are_found_equal_without_algebra(gold: str, answer: str) -> None:
    assert verdict(gold, answer) == "equal"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("18", ""),
        ("18", "  "),
        ("18", "18, 19"),
        ("18", "18 or 19"),
        ("2/3", "2"),
        ("5", "-5"),
        ("1000000", "1000050"),
        ("123456789012345678901", "123456789012345678902"),
        ("0.28", "28"),
        ("28", "28%"),
        (r"5\text{ km}", r"5\text{ m}"),
        (r"\$5", "5 cents"),
        ("5", "5 million"),
        ("31/2", "3½"),
        ("3, 5", "3, 3"),
        ("[1,2]", "(1,2)"),
        ("(2,3)", "(3,2)"),
        ("(1,2,3)", "(1,2)"),
        ("12:00", "1:00"),
        (r"\text{odd}", r"\text{even}"),
        (r"\text{listen}", r"\text{silent}"),
        ("B", "A or B"),
        ("3,5,7", "357"),
        ("1", "10000000!"),
        ("1", "10^{99999}"),
        ("18", "[18]"),
        ("[18]", "18"),
        ("18", r"\text{about 18 eggs}"),
        ("18", r"\text{18 or 19}"),
        ("18", r"\text{19 eggs}"),
        ("18", r"\underline{19}"),
        ("18", "= 19"),
        ("1", "(" * 100 + "1" + ")" * 100),
        ("1", "1" * (MAX_CHARS + 1)),
    ],
)
def test_different_answers_are_not_equal_without_algebra(gold: str, answer: str) -> None:
    assert verdict(gold, answer) == "not_equal"


@pytest.mark.parametrize("gold", ["", "  ", "nan", "NaN", "-NaN", "$$", r"\frac{1}{", "...", "1" * (MAX_CHARS + 1)])
def test_an_unreadable_reference_is_an_error_of_the_data(gold: str) -> None:
    assert verdict(gold, gold) == "bad_gold"


def test_a_question_about_percent_lets_the_sign_be_left_out() -> None:
    question = "What percent of the apples are red?"
    assert verdict("28", r"28\%", question) == "equal"
    assert verdict(r"28\%", "28", question) == "equal"
    assert verdict("28", "0.28", question) == "not_equal"
    assert verdict("28", r"29\%", question) == "not_equal"


def test_a_question_that_names_the_base_lets_it_be_left_out() -> None:
    assert verdict("4210_5", "4210", "Write 555 in base 5.") == "equal"
    assert verdict("4210_5", "4210", "Write 555 in base five.") == "equal"
    assert verdict("4210_5", "4210") == "not_equal"
    assert verdict("4210_5", "4210_6", "Write 555 in base 5.") == "not_equal"


def test_what_is_left_goes_to_algebra_as_latex() -> None:
    asked = []

    def algebra(gold: str, answer: str) -> Judgement:
        asked.append((gold, answer))
        return Judgement("equal")

    assert compare(r"\int pi*r**2 dr", r"$\int \pi r² dr$", "", algebra).verdict == "equal"
    assert asked == [(r"\int \pi *r^2 dr", r"\int \pi r^{2} dr")]
    asked.clear()
    assert compare(r"-1./3 + \int x", "x + 7y", "", algebra).verdict == "equal"
    assert asked == [(r"-1/3 + \int x", "x + 7y")], "a reference that the parser can read"


@pytest.mark.parametrize(
    ("gold", "answer"), [("a_{n+1}", "a_{n-1}"), (r"\lambda_{red}", r"\lambda_{blue}"), ("E_{1}", "E_{2}")]
)
def test_subscripts_tell_names_apart(gold: str, answer: str) -> None:
    assert verdict(gold, answer) == "not_equal"
    assert verdict(gold, gold.replace("{", "{ ")) == "equal"
    asked = []

    def algebra(gold: str, answer: str) -> Judgement:
        asked.append((gold, answer))
        return Judgement("not_equal")

    assert compare(rf"\int {gold}", rf"\int {answer}", "", algebra).verdict == "not_equal"
    ((expected, given),) = asked
    assert expected != given


def test_an_error_in_one_item_of_a_list_is_an_error() -> None:
    broken = Judgement("error", "lost")
    assert compare(r"\int x, y", r"\int x+1, y", "", lambda gold, answer: broken) == broken
