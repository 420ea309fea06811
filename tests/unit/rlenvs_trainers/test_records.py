"""Records refuse what does not belong together."""

from dataclasses import replace

import numpy as np
import pytest

from rlenvs_trainers.records import Numbers
from rlenvs_trainers.synthetic import trajectory

TURN = trajectory([((1, 2), (3, 4, 5))], 1.0).turns[0]


@pytest.mark.parametrize("numbers", [np.zeros(3), np.arange(3), np.zeros((3, 8), dtype=np.float32)])
def test_a_token_signal_has_an_entry_per_token(numbers: Numbers) -> None:
    assert replace(TURN, token_signals={"value": numbers}).token_signals["value"] is numbers


@pytest.mark.parametrize("numbers", [np.zeros(2), np.zeros((4, 3)), np.zeros((3, 1, 1)), np.array(list("abc"))])
def test_a_token_signal_of_another_length_is_refused(numbers: Numbers) -> None:
    with pytest.raises(ValueError, match=r"signal 'value' has numbers of shape \[3\] or \[3, K\]"):
        replace(TURN, token_signals={"value": numbers})
