"""`check_algorithm` passes what is right, and says what it checked."""

from dataclasses import replace

import pytest

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.checks import AlgorithmError, check_algorithm
from rlenvs_trainers.specimens import of_rewards
from rlenvs_trainers.surrogate import Likelihood

from .promises import NOTED, RIGHT


@pytest.mark.parametrize("name", RIGHT)
def test_what_the_slots_can_be_put_together_to_keeps_every_promise(name):
    assert len(check_algorithm(RIGHT[name])) == 16


def test_an_algorithm_that_cannot_run_says_why_before_any_check():
    with pytest.raises(AlgorithmError, match="cannot run: surrogate Likelihood ignores the ratio"):
        check_algorithm(replace(GRPO, surrogate=Likelihood(), updates=(2, 2)))


def test_what_was_checked_is_said_in_sentences():
    assert "Advantages of zero give a gradient of exactly zero, regularisers apart." in check_algorithm(GRPO)


def test_a_checked_algorithm_leaves_nothing_behind_for_the_next():
    assert check_algorithm(RIGHT["running"]) == check_algorithm(RIGHT["running"])


def test_notes_of_which_there_is_no_example_are_numbers_one_per_token_equal_for_equal_attempts():
    one, other = of_rewards(NOTED, [1.0, 0.0])[0].trajectories
    assert one.turns[0].token_signals["doubt"].shape == (3,)
    assert one.turns[0].token_signals["doubt"].tolist() == other.turns[0].token_signals["doubt"].tolist()
    assert one.turns[0].token_signals["ids"].shape == (3, 4)
