"""`rlenvs eval`: numbers for programs and people, results that are not computed twice, errors apart."""

import json
from pathlib import Path

import pytest

from rlenvs.cli.main import main

ECHO = ["--env", "rlenvs/EchoPair-v0", "--num-tasks", "3"]


def test_the_oracle_is_always_right_and_json_says_how_sure_that_is(capsys):
    assert main(["eval", "--policy", "oracle", *ECHO, "--samples", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (target,) = result["targets"]
    assert (result["policy"], target["target"], target["num_tasks"]) == ("oracle", "rlenvs/EchoPair-v0", 3)
    assert [passed["k"] for passed in target["pass_at"]] == [1, 2]
    assert target["pass_at"][0]["estimate"]["value"] == 1.0
    assert 0.0 < target["pass_at"][0]["estimate"]["low"] < 1.0
    assert target["num_errors"] == 0


def test_a_policy_with_weights_computes_where_and_as_it_is_told(capsys):
    tiny = ["--policy", "tiny:hidden=32,layers=1,heads=1,mlp=32", "--max-tokens", "2", *ECHO, "--json"]
    assert main(["eval", *tiny, "--device", "cpu", "--dtype", "bfloat16"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["dtype"] == "bfloat16"
    assert main(["eval", *tiny]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["dtype"] == "float32"


def test_json_names_the_environment_its_options_and_its_tasks(capsys):
    assert main(["eval", "--policy", "oracle", *ECHO, "--set", "letters=3", "--json"]) == 0
    [target] = json.loads(capsys.readouterr().out)["targets"]
    assert target["env"] == "rlenvs/EchoPair-v0"
    assert (target["options"]["letters"], target["options"]["rounds"]) == (3, 2)
    assert (target["num_asked"], target["num_questions"]) == (3, 3)
    assert target["first_task"] != target["last_task"]


def test_people_get_a_table(capsys):
    assert main(["eval", "--policy", "random", *ECHO]) == 0
    shown = capsys.readouterr().out
    assert "pass@1" in shown
    assert "rlenvs/EchoPair-v0" in shown


def test_what_is_in_the_results_file_is_not_played_again(tmp_path: Path, capsys):
    results = tmp_path / "results.jsonl"
    call = ["eval", "--policy", "oracle", "--env", "rlenvs/EchoPair-v0", "--results", str(results), "--json"]
    assert main([*call, "--num-tasks", "2"]) == 0
    two = results.read_text()
    assert main([*call, "--num-tasks", "2"]) == 0
    assert results.read_text() == two
    assert main([*call, "--num-tasks", "3"]) == 0
    assert results.read_text().startswith(two)
    assert len(results.read_text()) > len(two)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--policy", "oracel", *ECHO], "no policy 'oracel'. Did you mean 'oracle'?"),
        (["--policy", "oracle"], "what to evaluate on? --env ID, or --suite NAME with one of these:"),
        (["--policy", "oracle"], "\n  math-procedural: every family of Arithmetic-v0"),
        (["--policy", "oracle", "--env", "rlenvs/Arithmetic-v0"], "say how many to evaluate on, with --num-tasks"),
        (["--policy", "oracle", *ECHO, "--stop", ""], "sampling.stop is a tuple of texts, none of them empty"),
        (["--policy", "oracle", "--suite", "nothing-like-this"], "no suite 'nothing-like-this'."),
        (["--policy", "oracle", "--env", "rlenvs/EchoPear-v0"], "Did you mean 'rlenvs/EchoPair-v0'?"),
        (["--policy", "oracle", *ECHO, "--set", "rouns=3"], "Did you mean 'rounds'?"),
        (
            ["--policy", "oracle", "--suite", "math", "--set", "split=train"],
            "--set split=train is for the environments of",
        ),
        (["--policy", "oracle", *ECHO, "--top-p", "2"], "top_p is in (0, 1]: got 2.0"),
        (["--policy", "oracle", *ECHO, "--device", "cuda"], "policy 'oracle' takes neither --device nor --dtype"),
        (["--policy", "openai:m@http://h/v1", *ECHO, "--dtype", "bfloat16"], "takes neither --device nor --dtype"),
        (["--policy", "tiny", *ECHO, "--dtype", "float16"], "'float16' is not one of 'float32'"),
        (["--policy", "tiny", *ECHO, "--device", "tpu"], "device is 'auto', 'cpu', 'cuda' or 'cuda:1': got 'tpu'"),
        (["--policy", "tiny", *ECHO, "--device", "cuda:99"], "device is 'cuda:99', and PyTorch"),
        ([*ECHO], "--policy"),
        (["--policy", "oracle", *ECHO, "--samples", "0"], "--samples"),
    ],
)
def test_a_mistake_gets_a_sentence_and_exit_code_2(capsys, arguments, sentence):
    assert main(["eval", *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""


FAILING = '''
import rlenvs
from rlenvs.evaluation.suites import Suite, Target
from rlenvs.hooks import hookimpl
from rlenvs.policies.base import Sampling


def breaks(task, transcript):
    raise OSError("the grader's disk is full")


class FailingEnv(rlenvs.TextEnv):
    """Cannot be graded."""

    rubric = rlenvs.Rubric([rlenvs.RewardFunction("breaks", breaks)])
    num_tasks = 2

    def task_at(self, index):
        return rlenvs.Task(id=f"fail/{index}", prompt=(rlenvs.user(f"Go {index}."),))

    def answer_message(self, task):
        return "go"


@hookimpl
def register_environments(register):
    register("failing/Fails-v0", "failing_environment:FailingEnv")


@hookimpl
def register_suites(register):
    cool, warm = (Target(env="rlenvs/EchoPair-v0", name=name, num_tasks=2) for name in ("cool", "warm"))
    register(Suite(name="cool-echo", description="", targets=(cool,), sampling=Sampling(temperature=0.5)))
    register(Suite(name="warm-echo", description="", targets=(warm,), samples=2))
'''


@pytest.fixture
def failing(tmp_path: Path, registry) -> list[str]:
    path = tmp_path / "failing_environment.py"
    path.write_text(FAILING)
    return ["--plugin", str(path)]


def test_where_nothing_can_be_judged_the_work_has_failed(capsys, failing):
    assert main(["eval", "--policy", "oracle", "--env", "failing/Fails-v0", *failing]) == 1
    captured = capsys.readouterr()
    assert "not one sample could be judged" in captured.err
    assert "the grader's disk is full" in captured.out


def test_where_something_can_be_judged_errors_stand_apart(capsys, failing):
    both = ["--env", "failing/Fails-v0", "--env", "rlenvs/EchoPair-v0", "--num-tasks", "2", "--json"]
    assert main(["eval", "--policy", "oracle", *both, *failing]) == 0
    fails, echo = json.loads(capsys.readouterr().out)["targets"]
    assert (fails["num_errors"], fails["num_samples"], fails["pass_at"]) == (2, 2, [])
    assert (echo["num_errors"], echo["pass_at"][0]["estimate"]["value"]) == (0, 1.0)


def test_a_suite_brings_its_samples_and_the_command_line_overrides(capsys, failing):
    assert main(["eval", "--policy", "oracle", "--suite", "warm-echo", "--json", *failing]) == 0
    assert json.loads(capsys.readouterr().out)["num_samples"] == 2
    assert main(["eval", "--policy", "oracle", "--suite", "warm-echo", "--samples", "3", "--json", *failing]) == 0
    assert json.loads(capsys.readouterr().out)["num_samples"] == 3


def test_suites_that_sample_differently_are_evaluated_apart_or_alike(capsys, failing):
    both = ["--suite", "cool-echo", "--suite", "warm-echo", "--max-tokens", "2", *failing]
    tiny = ["--policy", "tiny:hidden=32,layers=1,heads=1,mlp=32"]
    assert main(["eval", *tiny, *both]) == 2
    assert "the suites sample differently" in capsys.readouterr().err
    assert main(["eval", *tiny, *both, "--temperature", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["temperature"] == 1.0
    assert main(["eval", "--policy", "oracle", *both, "--json"]) == 0, "it draws nothing"
    assert [target["target"] for target in json.loads(capsys.readouterr().out)["targets"]] == ["cool", "warm"]


def test_greedy_samples_are_not_repeated_to_look_like_more(capsys, failing):
    tiny = ["eval", "--policy", "tiny:hidden=32,layers=1,heads=1,mlp=32", "--max-tokens", "2", "--temperature", "0"]
    assert main([*tiny, *ECHO, "--samples", "4"]) == 2
    assert "--samples 4 at temperature 0: greedy samples of one task are all the same" in capsys.readouterr().err
    assert main([*tiny, "--suite", "warm-echo", *failing, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["num_samples"] == 1


SAYS_HOW = """
from rlenvs.hooks import hookimpl
from rlenvs.policies.base import Reply


class SaysHow:
    settings = {}
    capabilities = frozenset()

    def __init__(self, context):
        self.name = f"{context.spec} until {context.sampling.stop}"

    async def replies(self, requests):
        for place, _ in enumerate(requests):
            yield place, Reply(text="echo")


@hookimpl
def register_policies(register):
    register("says-how", SaysHow)
"""


def test_a_plug_ins_policy_is_told_what_follows_its_kind_and_where_messages_end(tmp_path: Path, capsys):
    path = tmp_path / "says_how.py"
    path.write_text(SAYS_HOW)
    call = ["eval", "--policy", "says-how:a:b", *ECHO, "--stop", "</a>", "--stop", "</b>", "--plugin", str(path)]
    assert main([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policy"] == "a:b until ('</a>', '</b>')"
