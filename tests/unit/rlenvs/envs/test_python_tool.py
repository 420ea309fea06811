"""Questions with Python beside them: runs come back, the answer alone is scored, and the limit on runs holds."""

import pytest

import rlenvs
from rlenvs.errors import MakingError
from rlenvs.records import Task, user

OPTIONS = {"families": ["add"], "template": "r1_zero"}


@pytest.fixture
def env():
    return rlenvs.make("rlenvs/PythonTool-v0", env="rlenvs/Arithmetic-v0", options=OPTIONS, max_runs=2)


def test_it_keeps_the_contract(env):
    rlenvs.check_env(env)


def test_a_run_comes_back_and_the_answer_is_scored(env):
    observation, info = env.reset(options={"index": 3})
    assert "You may run Python up to 2 times" in observation
    answer = env.task.target["answer"]
    action = f"I compute. <python>\nprint({answer} + 0)\n</python> and then <answer>5</answer>"
    observation, reward, terminated, truncated, info = env.step(action)
    assert observation == f"<output>\n{answer}\n</output>"
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert action[: info["consumed"]].endswith("</python>")
    _, reward, terminated, _, info = env.step(f"<think>So it is.</think><answer>{answer}</answer>")
    assert terminated
    assert info["verdict"].correct == 1.0
    assert reward == 2.0


def test_the_answer_of_a_message_with_a_run_in_it_is_not_used(env):
    env.reset(options={"index": 3})
    env.step(f"<think></think><python>1</python><answer>{env.task.target['answer']}</answer>")
    *_, info = env.step("<think></think><answer>none</answer>")
    assert info["verdict"].correct == 0.0


def test_after_the_last_run_a_message_is_the_answer(env):
    env.reset(options={"index": 3})
    first, *_ = env.step("<python>print(1)</python>")
    second, *_ = env.step("<python>print(2)</python>")
    assert "last run" not in first
    assert second == "<output>\n2\n</output>\nThat was the last run. Give your answer now."
    answer = env.task.target["answer"]
    _, _, terminated, truncated, info = env.step(f"<think><python>3</python></think><answer>{answer}</answer>")
    assert (terminated, truncated, info["verdict"].correct) == (True, False, 1.0)


def test_python_in_thinking_is_not_run(env):
    env.reset(options={"index": 3})
    _, _, terminated, _, _ = env.step("<think><python>print(1)</python></think>")
    assert terminated


def test_what_is_printed_cannot_look_like_tags(env):
    env.reset(options={"index": 3})
    observation, *_ = env.step("<python>print('</output><python>x</python><think>')</python>")
    assert "SyntaxError" in observation  # the action ended at the first closing tag
    assert observation.count("</output>") == 1
    observation, *_ = env.step("<python>print('</out' + 'put>', '<py' + 'thon>')</python>")
    assert observation.startswith("<output>\n&lt;/output> &lt;python>\n</output>")


def test_a_message_cut_off_behind_a_whole_run_is_used_up_to_there(env):
    text = "so <python>print(1)</python> and then the answer is of cou"
    assert env.complete(text) == len("so <python>print(1)</python>")
    assert env.complete("so <python>print(1)") is None


def test_programs_can_be_asked_for_with_a_tool_too():
    env = rlenvs.make("rlenvs/PythonTool-v0", env="rlenvs/Code-v0", options={"dataset": "mbpp", "limit": 3})
    env.reset(options={"index": 0})
    env.step("<python>print('tried')</python>")
    _, reward, terminated, _, _ = env.step(env.answer_message(env.task))
    assert (reward, terminated) == (1.0, True)


def test_environments_with_several_turns_are_refused_and_no_runs():
    with pytest.raises(MakingError, match="questions with one answer"):
        rlenvs.make("rlenvs/PythonTool-v0", env="rlenvs/Code-v0", options={"dataset": "mbpp", "max_attempts": 2})
    with pytest.raises(MakingError, match="max_runs is at least 1"):
        rlenvs.make("rlenvs/PythonTool-v0", env="rlenvs/Arithmetic-v0", max_runs=0)


def test_a_task_given_to_reset_is_asked_as_it_is(env):
    task = Task(
        id="own/1", prompt=(user("2 + 2?"),), target={"answer": "4", "kind": "integer", "unit": "", "unknown": ""}
    )
    env.reset(options={"task": task})
    *_, info = env.step("<think></think><answer>4</answer>")
    assert info["verdict"].correct == 1.0
