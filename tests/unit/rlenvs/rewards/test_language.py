import pytest

from rlenvs.records import Task, assistant, user
from rlenvs.rewards import LANGUAGES, language_reward, language_share

TASK = Task(id="t", prompt=(user("?"),), target="5")


@pytest.mark.parametrize(
    ("text", "code", "share"),
    [
        ("We add two and three.", "en", 1.0),
        ("We add 二 and 三.", "en", 3 / 5),
        ("We add two.", "zh", 0.0),
        ("二加三等于五。", "zh", 1.0),
        ("二加三 equals 五。", "zh", 4 / 5),  # four characters, one word
        ("二加三 equals 五。", "en", 1 / 5),
        ("二と三を足す。", "ja", 1.0),  # Chinese characters beside kana are Japanese
        ("二と三を足す。", "zh", 0.0),
        ("二と三。二加三。", "ja", 1 / 2),  # three of six: the second sentence has no kana
        ("둘과 셋을 더하면 five", "ko", 3 / 4),
        ("Сумма чисел и the sum", "ru", 3 / 5),
        ("نجمع العددين two", "ar", 2 / 3),
        ("الجَوَاب", "ar", 1.0),  # one word, whatever its vowel marks
        ("Ｆｕｌｌ ｗｉｄｔｈ", "en", 1.0),
        ("don't well-known", "en", 1.0),
    ],
)
def test_words_count_by_their_script_and_characters_where_no_blanks_are_written(
    text: str, code: str, share: float
) -> None:
    assert language_share(text, code) == pytest.approx(share)


@pytest.mark.parametrize(
    "notation",
    [
        "$abc + def$",
        r"\(abc + def\)",
        r"\[abc\]",
        "$$abc$$",
        "`print(abc)`",
        "```\nabc def\n```",
        "123 4.5",
        "x",
        "π",
        "αβγ_1",
        "5cm",
        "x_1",
        "abc_2",
        "gcd(12, 18)",
        r"\frac{1}{2} \sqrt{3}",
        "</think>",
        "<answer>",
    ],
)
def test_formulas_numbers_and_code_are_no_words(notation: str) -> None:
    assert language_share(f"甲 {notation} 乙", "zh") == 1.0
    assert language_share(notation, "en") == 0.0


def test_prose_that_hides_in_a_formula_counts_where_it_is_in_no_script_of_formulas() -> None:
    assert language_share("add $二加三$", "en") == pytest.approx(1 / 4)
    assert language_share("add `二加三`", "en") == pytest.approx(1 / 4)
    assert language_share(r"add \text{二}", "en") == pytest.approx(1 / 2)


def test_a_mark_that_is_never_closed_and_an_amount_of_dollars_hide_nothing() -> None:
    for text in ("甲 $ some more words", r"甲 \[ some more words", "甲 ``` some more words", "甲 ` some more words"):
        assert language_share(text, "zh") == pytest.approx(1 / 4), text
    assert language_share("甲 costs $5 and $3 more", "zh") == pytest.approx(1 / 4)
    assert language_share("甲 $some\nmore$ words", "zh") == pytest.approx(1 / 4)


def test_saying_nothing_earns_nothing() -> None:
    for text in ("", " \n", "$x$", "1 + 1 = 2", "</think>"):
        assert [language_share(text, code) for code in LANGUAGES] == [0.0] * len(LANGUAGES)


def test_the_chain_of_thought_is_what_comes_before_the_last_closing_tag() -> None:
    grade = language_reward("en")
    replies = {
        "<think>We add.</think><answer>五</answer>": 1.0,
        "<think>我们 add</think> then <answer>five</answer>": 1 / 3,
        "We add 五": 2 / 3,
        "<think>We 加": 1 / 2,  # cut off
        "": 0.0,
    }
    found = {reply: grade(TASK, (*TASK.prompt, assistant(reply))) for reply in replies}
    assert found == pytest.approx(replies)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_languages_remark_is_in_it(code: str) -> None:
    assert [other for other in LANGUAGES if language_share(LANGUAGES[code].remark, other) == 1.0] == [code]


@pytest.mark.parametrize("junk", [r"\[" * 50_000, "$ a" * 30_000, "`" * 50_001, r"\(" * 50_000 + r"\)"])
def test_text_made_to_be_slow_is_read_in_linear_time(junk: str) -> None:
    assert language_share(junk + " 甲", "zh") == 1.0
