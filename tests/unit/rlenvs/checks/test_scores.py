"""Broken scores: graders that accept too much, answers without full marks, and texts that are worth more than them."""

import dataclasses

import pytest

from rlenvs import Response, RewardFunction, Rubric, check_env
from rlenvs.checks import CheckWarning, scores
from rlenvs.checks.subject import NONSENSE, Subject
from rlenvs.errors import CheckError

from .subjects import Broken, Good, assert_catches, assert_caught, is_right

broken = Broken()


def accuracy(function):
    return Rubric((RewardFunction("accuracy", function),))


class Single(Good):
    """One turn."""

    def respond(self, action):
        return Response(ending="completed")

    def demonstrate(self, rng):
        return self.answer_message(self.task)


@broken("its own answer 'It is ", "scores correct = 0.5, not 1")
class WrongKey(Good):
    rubric = accuracy(lambda task, t: 0.5 * is_right(task, t))


@broken("task sum/", "an empty answer scores full marks")
class EmptyIsRight(Good):
    rubric = accuracy(lambda task, t: is_right(task, t) or t[-2].content == "")


@broken("'I would rather not say.' scores full marks")
class NonsenseIsRight(Good):
    rubric = accuracy(lambda task, t: is_right(task, t) or t[-2].content == "I would r")

    def respond(self, action):
        return dataclasses.replace(super().respond(action), consumed=min(9, len(action)))


@broken("a long row of digits scores full marks")
class LongIsRight(Single):
    rubric = accuracy(lambda task, t: is_right(task, t) or len(t[-1].content) > 999)


@broken("other tasks' answers score full marks: 'It is ", "and all others that were tried")
class FormIsRightMostly(Single):
    """A grader that reads the answer of one task in seven only."""

    rubric = accuracy(lambda task, t: is_right(task, t) or (task.target % 7 and t[-1].content.startswith("It is ")))


@broken("an empty answer made it raise GraderError", "ZeroDivisionError")
class DividesByLength(Single):
    rubric = accuracy(lambda task, t: is_right(task, t) + 0 / len(t[-1].content))


@broken("its own answer among those of other tasks made it raise GraderError", "ZeroDivisionError")
class DividesAmongGuesses(Single):
    """It is made for the one answer that is given."""

    rubric = accuracy(lambda task, t: is_right(task, t) + 0 / (t[-1].content.count("It is ") < 2))


@broken("the answer of task ", " made it raise GraderError", "ZeroDivisionError")
class DividesByDistance(Single):
    """It is made for the right answer, and for what is none at all."""

    rubric = accuracy(lambda task, t: 1.0 if is_right(task, t) else 0 / (t[-1].content[:3] != "It "))


@broken("its own answer earns -1, and an empty answer earns more: 0")
class NegativeWeight(Good):
    rubric = Rubric((RewardFunction("accuracy", is_right, weight=-1.0),))

    def respond(self, action):
        return dataclasses.replace(super().respond(action), rewards=())


@broken("its own answer earns ", "and a long row of digits earns more: 22")
class LengthPays(Single):
    length = RewardFunction("length", lambda task, t: len(t[-1].content), weight=0.001)
    rubric = Rubric((RewardFunction("accuracy", is_right), length))


@broken("its own answer 'It is ", "gets 0 for 'format', so that its reward is not the full one")
class NeverFormatted(Good):
    rubric = Rubric((RewardFunction("accuracy", is_right), RewardFunction("format", lambda task, t: 0.0)))


@pytest.mark.parametrize("name", broken)
def test_a_broken_environment_is_caught(name):
    assert_caught(*broken[name])


@pytest.mark.parametrize("check", scores.CHECKS, ids=lambda check: check.__name__)
def test_every_check_has_an_environment_that_it_catches(check):
    assert_catches(check, broken)


def test_penalties_are_no_part_of_full_marks_and_a_bonus_may_be_earned_by_a_demonstration_alone():
    class Shaped(Good):
        rubric = Rubric(
            (
                RewardFunction("accuracy", is_right),
                RewardFunction("rude", lambda task, t: float("!" in t[-1].content), weight=-1),
                RewardFunction("brevity", lambda task, t: 1 / (1 + len(t[-1].content)), weight=0.1),
                RewardFunction("thought", lambda task, t: float(any(m.content == "Hmm." for m in t)), weight=0.1),
            )
        )

    assert list(scores.full_marks_are_reached(Subject.of(Shaped(), 20, 0))) == []
    assert list(scores.nothing_is_worth_more(Subject.of(Shaped(), 20, 0))) == []


def test_an_answer_that_is_right_for_some_other_tasks_too_is_only_a_note():
    def is_as_odd(task, transcript):
        said = transcript[-1].content[-2:-1]
        return float(transcript[-1].content.startswith("It") and int(said) % 2 == task.target % 2)

    class Parity(Single):
        rubric = accuracy(is_as_odd)

    subject = Subject.of(Parity(), 4, 0)
    said = list(scores.wrong_answers_are_wrong(subject))
    right = [
        [score.correct == 1.0 for what, score in tried.items() if what.startswith("the answer of task")]
        for tried in subject.scores.values()
    ]
    assert len(said) == sum(map(all, right)) < 4
    assert 0 < sum(map(sum, right)) < 12
    assert subject.notes == [
        f"{sum(map(sum, right))} of 12 times another task's answer scores full marks: if it is not right there too,"
        " the grader accepts too much"
    ]


def test_a_reply_that_lists_guesses_and_is_right_is_a_note():
    class Somewhere(Single):
        rubric = accuracy(lambda task, t: float(f"It is {task.target}." in t[-1].content))

    says = "20 of 20 times a reply that lists the answers of several tasks, the right one among them, scores full marks"
    with pytest.warns(CheckWarning, match=says):
        check_env(Somewhere())


@pytest.mark.parametrize("place", [0, -1])
def test_a_grader_that_takes_the_first_or_the_last_answer_is_not_suspected(place):
    class Reads(Single):
        rubric = accuracy(lambda task, t: float((t[-1].content.splitlines() or [""])[place] == f"It is {task.target}."))

    subject = Subject.of(Reads(), 4, 0)
    assert [*scores.wrong_answers_are_wrong(subject), *subject.notes] == []
    assert all(scores.AMONG in tried for tried in subject.scores.values())


class Silent(Single):
    """It does not say how answers look."""

    def answer_message(self, task):
        raise NotImplementedError

    def demonstrate(self, rng):
        raise NotImplementedError


def test_an_environment_that_does_not_know_its_answers_is_checked_as_far_as_that_goes():
    with pytest.warns(CheckWarning, match="answer_message is not there: what a right answer scores was not checked"):
        check_env(Silent())


@pytest.mark.filterwarnings("ignore::rlenvs.checks.CheckWarning")
def test_without_answers_a_rubric_that_always_gives_1_is_caught_all_the_same():
    class Generous(Silent):
        rubric = accuracy(lambda task, t: 1.0)

    with pytest.raises(CheckError, match=f"an empty answer scores full marks\n.*'{NONSENSE}' scores full marks"):
        check_env(Generous())


def test_a_rubric_that_says_what_cannot_be_scored_passes():
    class Picky(Single):
        rubric = accuracy(lambda task, t: None if "It is" not in t[-1].content else is_right(task, t))

    check_env(Picky())
