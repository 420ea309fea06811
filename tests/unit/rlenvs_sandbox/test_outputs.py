"""Whether an output is the expected one."""

import pytest

from rlenvs_sandbox.outputs import Comparison, same_output


@pytest.mark.parametrize(
    ("expected", "given", "tolerance", "is_same"),
    [
        ("5\n", b"5", None, True),
        ("5", b"5  \r\n\n", None, True),
        ("5", b" 5", None, False),
        ("1\n2", b"1 2", None, False),
        ("", b"\n\n", None, True),
        ("x", b"\xff", None, False),
        ("0.3333", b"0.33330001", 1e-6, True),
        ("0.3333", b"0.3334", 1e-6, False),
        ("1000000", b"1000000.5", 1e-6, True),
        ("100000000000", b"100000000001", 1e-6, False),
        ("3", b"3.0000001", 1e-6, True),
        ("1e400", b"inf", 1e-6, False),
        ("10", b"1_0", 1e-6, False),
        ("12", "１２".encode(), 1e-6, False),
        ("1 2", b"1  2", 1e-6, True),
        ("1 2", b"1\n2", 1e-6, False),
        ("007", b"7", 1e-6, True),
        ("9" * 5000, b"9" * 4999 + b"8", 1e-6, False),
        ("9" * 5000, b"9" * 5000 + b".0", 1e-6, False),
        ("nan", b"nan", 1e-6, True),
        ("nan", b"1", 1e-6, False),
    ],
)
def test_outputs_are_compared_as_judges_do(expected: str, given: bytes, tolerance: float | None, is_same: bool) -> None:
    assert same_output(expected, given, Comparison(absolute_tol=tolerance, relative_tol=tolerance)) is is_same


@pytest.mark.parametrize(
    ("expected", "given", "comparison", "is_same"),
    [
        ("1 2\n3", b"1\n2  3\n", Comparison(by="tokens"), True),
        ("1 2", b"12", Comparison(by="tokens"), False),
        ("1 2", b"1 2 3", Comparison(by="tokens"), False),
        ("Yes", b"YES", Comparison(by="tokens", ignores_case=True), True),
        ("Yes", b"YES", Comparison(by="tokens"), False),
        ("Yes", b"YES", Comparison(ignores_case=True), True),
        ("1.0", b"1", Comparison(by="tokens"), False),
        ("100", b"100.5", Comparison(by="tokens", absolute_tol=0.01), False),
        ("100", b"100.5", Comparison(by="tokens", relative_tol=0.01), True),
        ("0.0", b"0.005", Comparison(by="tokens", relative_tol=0.01), False),
        ("0.0 x", b"0.005\nx", Comparison(by="tokens", absolute_tol=0.01), True),
    ],
)
def test_a_comparison_says_what_counts(expected: str, given: bytes, comparison: Comparison, is_same: bool) -> None:
    assert same_output(expected, given, comparison) is is_same


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan"), float("inf")])
def test_a_tolerance_is_a_number_from_0_on(tolerance: float) -> None:
    with pytest.raises(ValueError, match="from 0 on"):
        Comparison(absolute_tol=tolerance)
