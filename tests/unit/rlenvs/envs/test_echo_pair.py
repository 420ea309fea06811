import numpy as np
import pytest

import rlenvs
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.episode import start


def played(view, said, seats=None):
    """Play task 0 with what each seat says, in order; the outcomes by seat."""
    episode = start(view, view.task_at(0), seats)
    said = iter(said)
    while episode.seat is not None:
        episode.act(next(said))
    return {seat: episode.outcome(seat) for seat in (SPEAKER, ECHOER)}


def words():
    return rlenvs.make("rlenvs/EchoPair-v0").task_at(0).target


def test_only_the_speaker_is_told_the_word():
    env = EchoPair()
    env.reset(options={"index": 0})
    first, second = words()
    assert env.observe(SPEAKER).endswith(f"You are the speaker.\n\nYour word: {first}")
    assert first not in env.observe(ECHOER)
    assert env.observe(ECHOER).endswith("You are the echoer.")
    env.step("hello")
    assert env.observe(ECHOER).endswith("You are the echoer.\n\nhello")
    env.step("olleh")
    assert env.observe(SPEAKER) == f"The echoer said: olleh\nYour word: {second}"


@pytest.mark.parametrize(
    ("said", "speaker", "echoer"),
    [
        (lambda a, b: (a, a[::-1], b, b[::-1]), 1.0, 1.0),
        (lambda a, b: (a, a, b, b[::-1]), 1.0, 0.5),
        (lambda a, b: ("hello", "olleh", b, "x"), 0.5, 0.5),  # what was heard counts for the echoer, not the word
        (lambda a, b: ("", "", "", ""), 0.0, 0.0),  # reversing nothing is no merit
        (lambda a, b: (f" {a}\nis my word", f"{a[::-1]}\n", b, b[::-1]), 1.0, 1.0),  # only the first line is heard
    ],
)
def test_each_seat_is_judged_by_its_own_task(said, speaker, echoer):
    outcomes = played(rlenvs.make("rlenvs/EchoPair-v0"), said(*words()))
    assert outcomes[SPEAKER].verdict.correct == speaker
    assert outcomes[ECHOER].verdict.correct == echoer


def test_r26_two_seats_have_rewards_on_different_scales_in_one_episode():
    view = rlenvs.make("rlenvs/EchoPair-v0", echoer_range=(-10.0, 0.0))
    a, b = words()
    outcomes = played(view, (a, "x", b, b[::-1]))
    assert (outcomes[SPEAKER].verdict.reward, outcomes[SPEAKER].verdict.correct) == (1.0, 1.0)
    assert (outcomes[ECHOER].verdict.reward, outcomes[ECHOER].verdict.correct) == (-5.0, 0.5)
    outcomes = played(view, ("xy",) * 4)
    assert (outcomes[SPEAKER].verdict.reward, outcomes[ECHOER].verdict.reward) == (0.0, -10.0)
    outcomes = played(view, (a, a[::-1], b, b[::-1]))
    assert (outcomes[SPEAKER].verdict.reward, outcomes[ECHOER].verdict.reward) == (1.0, 0.0)


def test_only_the_first_line_is_used():
    view = rlenvs.make("rlenvs/EchoPair-v0")
    episode = start(view, view.task_at(0))
    assert episode.act("one\ntwo").consumed == 3
    assert episode.unread()[-1].content == "one"


def test_tasks_follow_from_their_index_and_the_options():
    env = EchoPair(rounds=3, letters=5)
    assert env.task_at(7) == EchoPair(rounds=3, letters=5).task_at(7)
    assert (env.task_at(7).id, [len(word) for word in env.task_at(7).target]) == ("echo/3x5/7", [5, 5, 5])
    assert len({env.task_at(index).fingerprint for index in range(50)}) == 50
    assert all(word != word[::-1] for index in range(50) for word in env.task_at(index).target)
    assert env.task_at(0).fingerprint != EchoPair(rounds=2, letters=5).task_at(0).fingerprint


def test_options_that_make_no_game_are_refused():
    for options in ({"rounds": 0}, {"letters": 0}, {"speaker_range": (1.0, 1.0)}):
        with pytest.raises(ValueError, match=r"at least 1|worst reward"):
            rlenvs.make("rlenvs/EchoPair-v0", **options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rounds": "a"}, r"rounds: expected a whole number, got 'a' \(text\)"),
        ({"letters": 2.5}, r"letters: expected a whole number, got 2.5 \(a number\)"),
        ({"seat": 1}, r"seat: expected text, got 1 \(a whole number\)"),
        ({"speaker_range": [0, 1, 2]}, r"speaker_range: expected a list of 2 \(a number, a number\), got \[0, 1, 2\]"),
        ({"echoer_range": (float("-inf"), 0)}, r"'accuracy': its weight is a finite number: got inf"),
    ],
)
def test_an_option_of_the_wrong_kind_is_a_sentence_that_names_it(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        rlenvs.make("rlenvs/EchoPair-v0", **options)
    if "seat" not in options:
        with pytest.raises(ValueError, match=sentence):
            EchoPair(**options)


def test_one_letter_words_are_all_there_is_to_say():
    outcomes = played(rlenvs.make("rlenvs/EchoPair-v0", letters=1), ["b"] * 4)
    assert outcomes[ECHOER].verdict.correct == 1.0


def test_demonstrations_of_both_seats_score_full_marks():
    view = rlenvs.make("rlenvs/EchoPair-v0", rounds=4, letters=9)
    for index in range(20):
        episode = start(view, view.task_at(index))
        while episode.seat is not None:
            episode.act(episode.demonstrate(np.random.default_rng(0)))
        assert [episode.outcome(seat).verdict.correct for seat in episode.seats] == [1.0, 1.0]
