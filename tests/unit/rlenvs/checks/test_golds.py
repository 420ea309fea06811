"""References and what is accepted beside them: environments with one fault each."""

from rlenvs import RewardFunction, Rubric, Task, TaskList, TextEnv, user
from rlenvs.checks.golds import gold_findings
from rlenvs.checks.subject import NONSENSE, Subject


def said(transcript):
    return transcript[-1].content


class Sums(TextEnv):
    """Three sums; the grader compares text."""

    num_tasks = 3
    targets = ("12", "120", "7")
    rubric = Rubric((RewardFunction("accuracy", lambda task, t: said(t) == task.target),))

    def __init__(self):
        super().__init__()
        self.tasks = TaskList(
            Task(id=f"sum/{place}", prompt=(user(f"Which sum is number {place}?"),), target=target)
            for place, target in enumerate(self.targets)
        )

    def task_at(self, index):
        return self.tasks[index]

    def answer_message(self, task):
        return task.target


def found(env):
    advanced = []
    findings = list(gold_findings(Subject.of(env, env.num_tasks, 0), lambda: advanced.append(1)))
    assert len(advanced) == env.num_tasks
    return [(each.kind, each.task_id, each.other_id, each.text) for each in findings]


def graded(function):
    return Rubric((RewardFunction("accuracy", function),))


def test_references_without_fault_give_nothing():
    assert found(Sums()) == []


class Unreadable(Sums):
    def why_unreadable(self, task):
        return "a hundred is too much" if task.target == "120" else ""


def test_a_reference_that_the_environment_cannot_read_is_listed_with_its_reason():
    [finding] = gold_findings(Subject.of(Unreadable(), 3, 0), lambda: None)
    assert (finding.kind, finding.task_id, finding.text) == ("bad_gold", "sum/1", "120")
    assert finding.why == "a hundred is too much"


def test_an_answer_that_does_not_score_is_listed_with_what_it_scores():
    class Off(Sums):
        rubric = graded(lambda task, t: 0.5 if task.target == "7" else said(t) == task.target)

    [finding] = gold_findings(Subject.of(Off(), 3, 0), lambda: None)
    assert (finding.kind, finding.task_id, finding.why) == ("own_answer", "sum/2", "correct is 0.5, not 1")


def test_a_grader_that_breaks_on_the_answer_is_an_error_with_what_was_raised():
    class Breaks(Sums):
        rubric = graded(lambda task, t: 1 / (task.target != "12") and said(t) == task.target)

    [finding] = gold_findings(Subject.of(Breaks(), 3, 0), lambda: None)
    assert (finding.kind, finding.task_id) == ("own_answer", "sum/0")
    assert finding.why.startswith("GraderError: task sum/0: reward function 'accuracy' raised ZeroDivisionError")


def test_an_empty_answer_and_no_answer_that_score_are_found_on_the_one_task_where_they_do():
    class Lenient(Sums):
        rubric = graded(lambda task, t: said(t) in (task.target, *(("", NONSENSE) if task.target == "7" else ())))

    assert found(Lenient()) == [("wrong_answer", "sum/2", "", ""), ("wrong_answer", "sum/2", "", NONSENSE)]


def test_an_answer_that_the_environment_knows_to_be_wrong_and_that_scores_is_found():
    class Near(Sums):
        rubric = graded(lambda task, t: said(t).lstrip("-") == task.target)

        def wrong_answers(self, task):
            return [f"-{task.target}", f"{task.target}0"] if task.target == "7" else []

    assert found(Near()) == [("wrong_answer", "sum/2", "", "-7")]


def test_answers_of_other_tasks_are_tried_that_are_next_in_the_alphabet():
    class Prefixes(Sums):
        rubric = graded(lambda task, t: said(t).startswith(task.target))

    assert found(Prefixes()) == [("other_answer", "sum/0", "sum/1", "120")]


def test_the_same_answer_of_another_task_is_no_other_answer():
    class Twice(Sums):
        targets = ("12", "12", "7")

    assert found(Twice()) == []
