"""What is made of a scorer's word, with scorers of our own; no process is started and no limit set."""

import pytest

from rlenvs.envs.reasoning_gym import worker

PLACE = {"generator": "leg_counting", "config": "{}", "seed": 0, "size": 1, "index": 0}


class Dataset:
    """A data set with one task, whose answer is "7"."""

    def __init__(self, scorer):
        self.scorer = scorer

    def __getitem__(self, index):
        return {"question": "3 + 4?", "answer": "7", "metadata": {"seen": []}}

    def score_answer(self, answer, entry):
        entry["metadata"]["seen"].append(answer)  # a scorer may change what it is given
        return self.scorer(answer, entry)


@pytest.fixture
def served(monkeypatch):
    """`served(scorer)`: the data set has this scorer from now on."""

    def serve(scorer):
        monkeypatch.setattr(worker, "_dataset", lambda *place: Dataset(scorer))
        monkeypatch.setattr(worker, "_limit_processor_time", lambda: None)
        worker._entry.cache_clear()

    yield serve
    worker._entry.cache_clear()


def test_the_score_is_the_scorers(served):
    served(lambda answer, entry: len(entry["metadata"]["seen"]) * int(answer) / 10)
    assert [worker.score("5", **PLACE), worker.score("5", **PLACE)] == [0.5, 0.5]


def test_a_scorer_that_raises_at_a_text_alone_cannot_read_it(served):
    served(lambda answer, entry: int(answer) == 7)
    assert [worker.score(text, **PLACE) for text in ("7", "8", "seven")] == [1.0, 0.0, 0.0]


def test_a_scorer_that_raises_at_its_own_answer_is_broken(served):
    served(lambda answer, entry: entry["missing"])
    with pytest.raises(KeyError, match="missing"):
        worker.score("seven", **PLACE)


@pytest.mark.parametrize("value", [float("nan"), 2.0, -0.5])
def test_what_is_no_score_is_an_error(served, value):
    served(lambda answer, entry: value)
    with pytest.raises(ValueError, match=f"a score is a number from 0 to 1: got {value}"):
        worker.score("7", **PLACE)


def test_partial_credits_that_round_to_more_than_1_stay_partial(served):
    served(lambda answer, entry: 1.0000000000000002)
    assert 0.99 < worker.score("7", **PLACE) < 1.0


def test_what_used_up_the_limits_is_said(served):
    def scorer(answer, entry):
        raise RecursionError

    served(scorer)
    with pytest.raises(RecursionError):
        worker.score("seven", **PLACE)


def test_a_scorer_that_evaluates_text_without_a_guard_is_refused(monkeypatch):
    from reasoning_gym.factory import DATASETS

    monkeypatch.setitem(DATASETS, "leg_counting", DATASETS["spiral_matrix"])
    assert worker.refusal("leg_counting", "{}", 0, 1).startswith("its scorer evaluates text, and nothing guards that")
    assert worker.refusal("spiral_matrix", "{}", 0, 1) == ""
