"""What commands print is whole, and JSON is JSON."""

import json
import math

from rlenvs.cli.output import print_json, print_table


def test_json_has_no_nan_and_no_infinity(capsys):
    print_json({"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}, "e": ("é", None)})
    out = capsys.readouterr().out
    assert json.loads(out, parse_constant=lambda name: f"not JSON: {name}") == {
        "a": None,
        "b": [None, 1.5],
        "c": {"d": None},
        "e": ["é", None],
    }
    assert "é" in out


def test_cells_with_tabs_and_line_ends_stay_one_line(capsys):
    print_table(("a", "b"), [("x\ty", "1\n2"), (None, 0.123456789)])
    assert capsys.readouterr().out == "a\tb\nx y\t1 2\n\t0.1235\n"


def test_a_terminal_gets_a_drawn_table_with_brackets_as_text(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_table(("name", "what"), [("[bold]", "x")], title="All of them")
    out = capsys.readouterr().out
    assert "All of them" in out
    assert "[bold]" in out
    assert "\t" not in out
