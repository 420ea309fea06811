"""What foreign code raises is an Exception, whatever it was."""

import asyncio

import pytest

from rlenvs.errors import ForeignExitError, described, foreign_code


class PanicError(BaseException):
    """As extensions written in Rust raise it."""


@pytest.mark.parametrize(
    "error", [SystemExit(0), SystemExit(), GeneratorExit(), asyncio.CancelledError(), PanicError("p")]
)
def test_what_would_end_the_program_is_an_exception_that_names_it(error):
    with pytest.raises(ForeignExitError, match=f"^raised {type(error).__name__}: ") as caught, foreign_code():
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyError("board"), StopIteration(1), TimeoutError("5 s"), KeyboardInterrupt()])
def test_exceptions_and_the_users_interrupt_pass_as_they_are(error):
    with pytest.raises(type(error)) as caught, foreign_code():
        raise error
    assert caught.value is error


def test_the_description_of_an_exit_shows_where_it_was_called():
    def exiting():
        raise SystemExit(3)

    with pytest.raises(ForeignExitError) as caught, foreign_code():
        exiting()
    assert "raised SystemExit: 3" in described(caught.value).splitlines()[0]
    assert "in exiting" in described(caught.value)
