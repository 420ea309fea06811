"""Options are checked against annotations when a function is called."""

import inspect
from collections.abc import Mapping, Sequence

import pytest

from rlenvs.options import typed_options
from rlenvs.wording import ConfigError


@typed_options
def made(
    names: Sequence[str] | None = None,
    levels: Sequence[int] | Mapping[str, Sequence[int]] | None = None,
    *,
    rate: float = 0.5,
    other=None,
):
    """Gives back what it was given."""
    return names, levels, rate, other


def test_what_fits_arrives_in_the_annotations_terms():
    assert made(["a", "b"], [1, 2], rate=1) == (("a", "b"), (1, 2), 1.0, None)
    assert type(made(rate=1)[2]) is float
    assert made(levels={"a": [1]}, other=object)[1:] == ({"a": (1,)}, 0.5, object)


def test_what_was_not_given_keeps_its_default_and_the_signature_stays():
    assert made() == (None, None, 0.5, None)
    assert list(inspect.signature(made).parameters) == ["names", "levels", "rate", "other"]
    assert made.__doc__ == "Gives back what it was given."


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rate": "fast"}, r"^rate: expected a number, got 'fast' \(text\)$"),
        ({"names": "ab"}, r"^names: expected a list \(each: text\), got 'ab' \(text\)$"),
        ({"names": ["a", 1]}, r"^names.1: expected text, got 1 \(a whole number\)$"),
        (
            {"levels": {"a": "b"}},
            r"^levels: expected .* a table \(each: a list \(each: a whole number\)\) or none, got",
        ),
    ],
)
def test_what_does_not_fit_is_a_sentence_that_names_the_option(options, sentence):
    with pytest.raises(ConfigError, match=sentence):
        made(**options)


def test_an_argument_too_many_is_pythons_own_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'nmaes'"):
        made(nmaes=["a"])
