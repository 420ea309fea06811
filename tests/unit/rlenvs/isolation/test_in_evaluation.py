"""A plug-in's grader that would hold the interpreter for ever: its attempts are errors, and the evaluation goes on."""

import json

from rlenvs.cli.main import main

PLUGIN = '''
"""A grader with a pattern that backtracks."""

import re

import rlenvs
from rlenvs.hooks import hookimpl
from rlenvs.isolation import isolated


def matches(task, transcript):
    return float(re.fullmatch(r"(a+)+", transcript[-1].content) is not None)


class Backtracking(rlenvs.TextEnv):
    """Say many a, but nothing else."""

    rubric = rlenvs.Rubric([rlenvs.RewardFunction("matches", isolated(matches, timeout_s=60, cpu_s=1))])
    num_tasks = 4

    def task_at(self, index):
        prompt = (rlenvs.user(f"Say {50 + index} a."),)
        return rlenvs.Task(id=f"a/{index}", prompt=prompt, target="a" * (50 + index) + "b" * (index == 2))

    def answer_message(self, task):
        return task.target


@hookimpl
def register_environments(register):
    register("test/Backtracking-v0", Backtracking)
'''


def test_a_grader_of_a_plug_in_file_that_backtracks_is_an_error_of_its_attempt_alone(tmp_path, capsys, registry):
    plugin = tmp_path / "backtracking_plugin.py"
    plugin.write_text(PLUGIN)
    results = tmp_path / "results.jsonl"
    command = ["eval", "--policy", "oracle", "--env", "test/Backtracking-v0", "--plugin", str(plugin)]
    main([*command, "--results", str(results), "--deadline-s", "200"])
    capsys.readouterr()
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    samples = {line["task_id"]: line for line in lines if "task_id" in line}
    assert {task: (each["ending"], each["correct"]) for task, each in samples.items()} == {
        "a/0": ("completed", 1.0),
        "a/1": ("completed", 1.0),
        "a/2": ("grader_error", None),
        "a/3": ("completed", 1.0),
    }
    assert "reward function 'matches' raised StoppedError: more than 1 s of processor time" in samples["a/2"]["error"]
