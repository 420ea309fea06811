"""Progress: a live line where somebody watches, a line now and then elsewhere, nothing for what is soon done."""

import io
import sys

import pytest

from rlenvs.cli import progress
from rlenvs.cli.progress import Progress, clock


@pytest.fixture
def time_s(monkeypatch) -> list[float]:
    """Seconds since the start, for a test to move."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_what_is_soon_done_says_nothing(capsys, time_s):
    with Progress("evaluating", 100, "episodes") as line:
        for _ in range(100):
            time_s[0] += 0.1
            line.advance()
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


def test_a_long_job_says_a_line_every_half_minute_and_one_at_the_end(capsys, time_s):
    with Progress("training", 10, "steps") as line:
        for step in range(1, 11):
            time_s[0] += 10
            line.advance(note=f"reward {step / 10}")
    assert capsys.readouterr().err.splitlines() == [
        "training  3/10 steps  0.1/s, 1:10 left  reward 0.3",
        "training  6/10 steps  0.1/s, 0:40 left  reward 0.6",
        "training  9/10 steps  0.1/s, 0:10 left  reward 0.9",
        "training  10/10 steps  0.1/s  reward 1.0",
    ]


def test_what_an_earlier_process_did_makes_nothing_look_faster(time_s):
    with Progress("training", 100, "steps", done=50) as line:
        time_s[0] = 10
        line.advance(5)
        assert (line.done, line.rate, line.left_s) == (55, 0.5, 90)
    with Progress("evaluating", None) as line:
        time_s[0] = 20
        line.reach(40, 60, done_before=30)
        assert (line.rate, line.left_s) == (1.0, 20)


def test_without_a_total_nobody_knows_how_long_it_takes(capsys, time_s):
    with Progress("reading", None, "rows") as line:
        time_s[0] = 40
        line.advance(80)
        assert line.left_s is None
    assert capsys.readouterr().err.startswith("reading  80 rows  2/s\n")


class Terminal(io.StringIO):
    """A standard error that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_live_line_with_count_rate_and_note(monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    with Progress("training", 4, "steps") as line:
        for _ in range(4):
            line.advance(note="reward [1/2]")
    shown = terminal.getvalue()
    assert "training" in shown
    assert "4/4" in shown
    assert "/s" in shown
    assert "reward [1/2]" in shown, "brackets are text, not markup"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")])
def test_seconds_are_shown_as_a_clock(seconds, shown):
    assert clock(seconds) == shown
