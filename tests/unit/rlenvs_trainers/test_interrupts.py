"""The second signal stops at once, also where Python drops the exceptions that are raised."""

import signal
import sys
import time
import weakref

import pytest

from rlenvs_trainers.interrupts import stop_on_signal


class Dying:
    """Gets the signal while it is thrown away."""

    def __del__(self):
        signal.raise_signal(signal.SIGTERM)


class Plain:
    """May have weak references."""


def test_the_first_signal_is_a_request_and_the_second_an_interrupt(capfd):
    with stop_on_signal() as stop:
        assert not stop
        signal.raise_signal(signal.SIGINT)
        assert stop
        assert stop.exit_code == 130
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert stop.exit_code == 143
    assert capfd.readouterr().err.strip() == "rlenvs: stopping after this step. Again, and it stops at once."


def in_a_finaliser():
    Dying()


def in_a_weak_references_callback():
    thing = Plain()
    kept = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
    del thing
    return kept


def lose_and_wait(lose):
    lose()
    time.sleep(5)


@pytest.mark.parametrize("lose", [in_a_finaliser, in_a_weak_references_callback])
def test_r23_a_second_signal_that_comes_where_exceptions_are_dropped_stops_at_once_nevertheless(lose):
    hook = sys.unraisablehook
    with stop_on_signal():
        signal.raise_signal(signal.SIGINT)
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            lose_and_wait(lose)
        assert time.monotonic() - started < 2
    assert sys.unraisablehook is hook
