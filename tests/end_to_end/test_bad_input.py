"""Bad input: the sentence a person needs, exit code 2, and nothing begun or lost."""

import re
from pathlib import Path

import pytest

from rlenvs.store import RunStore

SABOTAGE = Path(__file__).with_name("sabotage.py")
FILES = {
    "malformed.toml": "steps = \n",
    "key.toml": "stpes = 3\n",
    "type.toml": 'steps = "many"\n',
    "binary.toml": "\x00\x01",
}
NONE_THERE = "no folder /nowhere to read gsm8k from. Put it there, or pass data='hub' to download openai/gsm8k."
SENTENCES = {
    # What cannot be found, with the near miss.
    "--env rlenvs/Arithmetik-v0": "no environment 'rlenvs/Arithmetik-v0'. Did you mean 'rlenvs/Arithmetic-v0'?",
    "tiny.toml --algorithm grop": "no algorithm 'grop'. Did you mean 'grpo'? There is: grpo, sft.",
    "tiny.toml --policy ./nothing": "no policy './nothing': there is no such folder. A policy is 'tiny', a folder in",
    "tiny.toml --policy tinny": "no policy 'tinny': there is no such folder. A policy is 'tiny', a folder in",
    "tiny.toml --policy owner/name": "the policy 'owner/name' cannot be read:",
    "tiny.toml --policy .": ". has neither config.json",
    "tiny.toml --policy tiny:hiden=32": "no option of a tiny policy 'hiden'. Did you mean 'hidden'?",
    "tiny.toml --set sampler=transformer": "no sampler 'transformer'. Did you mean 'transformers'?",
    "tiny.toml --set learner.lrr=1": "learner.lrr: no option 'lrr'. Did you mean 'lr'?",
    "tiny.toml --set env.0.kwargs.sise=1": "no option of test/Digit-v0 'sise'. Did you mean 'size'?",
    "tiny.toml --set surrogate.hihg=1": "no option 'hihg'. Did you mean 'high'?",
    "tiny.toml --set surrogate.use=klip": "no component 'klip'. Did you mean 'clip'?",
    "tiny.toml --set surrogate=soft --set surrogate.hihg=1": "surrogate.hihg: no option 'hihg'. There is: negative,",
    "tiny.toml --set ratio=trajectory": "that is a choice of ratio.unit: --set ratio.unit=trajectory",
    "tiny.toml --set env.0.seats=['polizy']": "no seat of test/Digit-v0 'polizy'. Did you mean 'policy'?",
    "tiny.toml --set eval.num_tasks=2 --set eval.env.0.id='test/Digid-v0'": "Did you mean 'test/Digit-v0'?",
    "--env rlenvs/Math-v0 --set env.0.kwargs.data='/nowhere'": NONE_THERE,
    "--env rlenvs/Math-v0 --set env.0.kwargs.dataset='gsm9k'": "no data set 'gsm9k'. Did you mean 'gsm8k'?",
    "missing.toml": "no config file missing.toml",
    "--resume runs/none": "runs/none holds no run: there is no config.toml in it",
    "tiny.toml --plugin nothing.py": "--plugin takes the path of a Python file",
    # What cannot be read.
    "malformed.toml": "malformed.toml is not TOML: Invalid value (at line 1, column 9)",
    "binary.toml": "binary.toml is not TOML:",
    "key.toml": "stpes: no option 'stpes'. Did you mean 'steps'?",
    "type.toml": "steps: expected a whole number, got 'many' (text)",
    "tiny.toml --set steps": "--set takes path=value, such as learner.lr=1e-5: got 'steps'",
    "tiny.toml --resume runs/a": "--resume runs/a reads the run's own config.toml; leave out tiny.toml",
    # What would train on something else than was asked for.
    "": "a run needs an environment: --env rlenvs/Arithmetic-v0, or [[env]] in the config",
    "tiny.toml --set sampling.temperature=0": "sampling.temperature is 0: greedy attempts at a task are all the same",
    "tiny.toml --set sampling.max_tokens=256": "sampling.max_tokens = 256 leaves no room for a prompt in a context of",
    "tiny.toml --set credit.use=clip": "credit of 'grpo' cannot be Clip: it has no unit, min_group",
    "tiny.toml --set select=[{use='mean'}]": "select of 'grpo' cannot be Mean: it has no refills",
    "tiny.toml --set select=widest_spread": "WidestSpread in select keeps none of fewer than 4: nothing would ever be",
    "tiny.toml --set env.0.seats=[]": "seats of test/Digit-v0 is empty: leave it out to learn in all of them",
    "tiny.toml --set eval.num_tasks=2": "eval.num_tasks is 2 and there are 0 [[eval.env]] tables",
    # What is out of bounds.
    "tiny.toml --steps 0": "steps is at least 1: got 0",
    "tiny.toml --seed -1": "seed is at least 0: got -1",
    "tiny.toml --set rollout.group_size=0": "rollout.group_size is at least 1: got 0",
    "tiny.toml --set checkpoint_every=0": "checkpoint_every is at least 1: got 0",
    "tiny.toml --set learner.lr=-1": "learner.lr is at least 0: got -1.0",
    "tiny.toml --set learner.lr=inf": "learner.lr is finite: got inf",
    "tiny.toml --set learner.betas=[0.9,1.0]": "learner.betas are in [0, 1): got (0.9, 1.0)",
    "tiny.toml --set learner.tokens_per_microbatch=0": "learner.tokens_per_microbatch is at least 1: got 0",
    "tiny.toml --set learner.device=gpu": "learner.device is 'auto', 'cpu', 'cuda' or 'cuda:1': got 'gpu'",
    "tiny.toml --set env.0.weight=0": "env.weight is positive: got 0.0 for test/Digit-v0",
    "tiny.toml --set eval.samples=0": "eval.samples is at least 1: got 0",
    "tiny.toml --runs-dir key.toml --name a": "the run's folder key.toml/a cannot be written: Not a directory",
    "tiny.toml --name ../elsewhere": "name is that of a folder inside of runs_dir: got '../elsewhere'",
}


@pytest.fixture(autouse=True)
def _files(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


def assert_refused(done, sentence):
    assert done.code == 2, done
    assert sentence in done.err
    assert done.err.startswith("rlenvs: ")
    assert "Traceback" not in done.err
    assert "RLENVS_TRACEBACK" not in done.err, "that is for what we did not foresee"
    assert not Path("runs").exists(), "nothing was begun"


@pytest.mark.parametrize(("line", "sentence"), SENTENCES.items())
def test_a_mistake_gets_its_sentence_before_any_work(rlenvs, line, sentence):
    assert_refused(rlenvs("train", *line.split()), sentence)


def test_r03_a_group_of_one_is_refused_by_the_fields_name(rlenvs):
    done = rlenvs("train", "tiny.toml", "--set", "rollout.group_size=1")
    assert_refused(done, "rollout.group_size is 1: 'grpo' compares an attempt with its siblings")
    assert "Set rollout.group_size to 2 or more" in done.err


@pytest.mark.parametrize("setting", ["top_p=0.9", "top_k=20"])
def test_r14_a_cut_distribution_is_refused_in_training(rlenvs, setting):
    done = rlenvs("train", "tiny.toml", "--set", f"sampling.{setting}")
    assert_refused(done, setting.replace("=", " = "))
    assert "Train with top_p = 1 and top_k = 0; evaluation takes both." in done.err


@pytest.mark.skipif("__import__('torch').cuda.is_available()", reason="there is a CUDA device")
def test_a_device_that_is_not_there_is_not_replaced_by_another(rlenvs):
    done = rlenvs("train", "tiny.toml", "--set", "learner.device=cuda")
    assert_refused(done, "learner.device is 'cuda', and PyTorch")


def test_a_run_is_not_begun_in_anothers_folder(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "mine", "--steps", 1).code == 0
    done = rlenvs("train", "tiny.toml", "--name", "mine", "--seed", 9)
    assert done.code == 2
    assert "runs/mine holds a run already: resume it (--resume runs/mine) or choose another --name" in done.err
    assert list(run_of("mine").metrics) == [1]


def test_two_processes_do_not_train_in_one_folder(rlenvs, start, run_of):
    child = start("train", "tiny.toml", "--name", "mine", "--plugin", SABOTAGE, SABOTAGE="learner:3:wait")
    child.wait_for(Path("reached").exists)
    done = rlenvs("train", "--resume", "runs/mine", "--plugin", SABOTAGE.with_name("world.py"), "--set", "plugins=[]")
    assert done.code == 2
    assert "another process is training in runs/mine: wait for it or stop it." in done.err
    assert run_of("mine").kinds() == ["run_started"], "nothing was touched"
    child.process.kill()
    child.wait()
    assert rlenvs("train", "--resume", "runs/mine", "--set", f'plugins=["{SABOTAGE.with_name("world.py")}"]').code == 0
    assert list(run_of("mine").metrics) == [1, 2, 3, 4, 5, 6]


def test_a_run_without_a_name_gets_one_of_its_own(rlenvs, monkeypatch):
    monkeypatch.setattr("time.strftime", lambda _: "20260101-000000")
    for _ in range(2):
        assert rlenvs("train", "tiny.toml", "--steps", 1).code == 0
    names = sorted(path.name for path in Path("runs").iterdir())
    assert names == ["grpo-digit-v0-20260101-000000", "grpo-digit-v0-20260101-000000-2"]


def test_a_checkpoint_of_another_algorithm_is_not_resumed(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "a", "--steps", 2).code == 0
    done = rlenvs("train", "--resume", "runs/a", "--steps", 4, "--set", "surrogate.high=0.3")
    assert done.code == 2
    assert (
        "was written by another algorithm than 'grpo' with its present options: surrogate.high was 0.2 and is 0.3."
        in (done.err)
    )
    assert run_of("a").checkpoints == ["step-000002"]
    assert rlenvs("train", "--resume", "runs/a", "--steps", 4).code == 0


def test_a_database_that_is_none_is_named(rlenvs):
    Path("runs/a").mkdir(parents=True)
    Path("runs/a/run.sqlite").write_text("not a database, and long enough to be looked at as one" * 9)
    done = rlenvs("report", "runs/a")
    assert done.code == 2
    assert "runs/a/run.sqlite cannot be read as a run's database" in done.err


def test_an_environment_id_of_two_plugins_is_refused_with_both(rlenvs, plugin):
    code = """
        from rlenvs.hooks import hookimpl
        from world import Digit

        @hookimpl
        def register_environments(register):
            register("test/Digit-v0", Digit)
    """
    done = rlenvs("train", "tiny.toml", "--plugin", plugin("other", code))
    assert done.code == 2
    both = re.search(r"environment 'test/Digit-v0' is registered by \S*(\w{5}\.py) and by \S*(\w{5}\.py)", done.err)
    assert both, done.err
    assert set(both.groups()) == {"world.py", "other.py"}


def test_the_records_of_earlier_steps_stay_when_a_later_one_fails(rlenvs, plugin):
    code = """
        from dataclasses import dataclass, replace
        from rlenvs.hooks import hookimpl
        from rlenvs_plugins.grpo import GRPO
        from rlenvs_trainers.credit import GroupRelative

        class Late(GroupRelative):
            def __call__(self, groups, progress):
                if progress.step == 2:
                    raise ValueError("this credit rule gave up")
                return super().__call__(groups, progress)

        @hookimpl
        def register_algorithms(register):
            register(replace(GRPO, name="late", credit=Late()))
    """
    done = rlenvs("train", "tiny.toml", "--plugin", plugin("late", code), "--algorithm", "late", "--name", "late")
    assert done.code == 1
    assert "this credit rule gave up" in done.err
    with RunStore("runs/late/run.sqlite", mode="r") as store:
        assert list(store.metrics()) == [1, 2]
        last = store.events()[-1]
        assert (last.kind, last.payload) == ("run_failed", {"error": "this credit rule gave up"})
    assert Path("runs/late/checkpoints/step-000002/MANIFEST.json").exists()
