"""One plug-in file with every hook there is: each of them is asked or told in what a person does."""

import pytest

from rlenvs import hooks
from rlenvs.plugins import load

HOOKS = [name for name, value in vars(hooks).items() if hasattr(value, f"{hooks.PROJECT}_spec")]

EVERYTHING = '''
    """Everything that a plug-in can be."""

    from dataclasses import dataclass, replace
    from typing import ClassVar

    from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
    from rlenvs.evaluation.suites import Suite, Target
    from rlenvs.hooks import hookimpl
    from rlenvs.policies.scripted import Oracle
    from rlenvs_plugins.grpo import GRPO
    from rlenvs_trainers.samplers.transformers import from_context


    class Even(TextEnv):
        """Say an even digit."""

        rubric = Rubric((RewardFunction("even", lambda task, transcript: transcript[-1].content in tuple("02468")),))

        def task_at(self, index):
            return Task(id=f"even/{index}", prompt=(user(str(index)),))

        def answer_message(self, task):
            return "4"


    @dataclass(frozen=True)
    class All:
        """Keeps every group."""

        refills: ClassVar = False

        def __call__(self, groups, progress):
            print("component: selects in step", progress.step)
            return groups


    def sampler(context):
        print("sampler: made")
        return from_context(context)


    def policy(context):
        print("policy: made from", context.spec)
        return Oracle()


    @hookimpl
    def register_environments(register):
        register("my/Even-v0", Even)

    @hookimpl
    def register_suites(register):
        register(Suite(name="evens", description="", targets=(Target(env="my/Even-v0", name="even digits"),)))

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="my_grpo"))

    @hookimpl
    def register_components(register):
        register("all", All)

    @hookimpl
    def register_samplers(register):
        register("my_sampler", sampler)

    @hookimpl
    def register_policies(register):
        register("mine", policy)

    @hookimpl
    def register_sandboxes(register):
        register("my_sandbox", lambda: "a sandbox")

    @hookimpl
    def register_retrievers(register):
        register("my_retriever", lambda: "a retriever")

    @hookimpl
    def register_commands(app):
        app.command("greet")(lambda: print("command: greets"))

    @hookimpl
    def on_run_start(run_dir, config, step):
        print("start:", run_dir, config["algorithm"], step)

    @hookimpl
    def after_rollouts(step, trajectories):
        print("rollouts:", step, len(trajectories), trajectories[0]["task_id"].partition("/")[0])

    @hookimpl
    def after_step(step, metrics):
        print("step:", step, 0 <= metrics["reward/mean"] <= 1)

    @hookimpl
    def on_evaluation(step, name, metrics):
        print("evaluation:", step, name, 0 <= metrics["pass@1"] <= 1)

    @hookimpl
    def on_checkpoint(step, path):
        print("checkpoint:", step, path.is_dir(), path.name)

    @hookimpl
    def on_run_end(run_dir, status):
        print("end:", run_dir, status)
'''

SEEN = {  # how it shows that a hook was asked, or told
    "register_environments": "rollouts: 1 8 even",
    "register_suites": '"even digits"',
    "register_algorithms": "start: runs/mine my_grpo 0",
    "register_components": "component: selects in step 0",
    "register_samplers": "sampler: made",
    "register_policies": "policy: made from anything",
    "register_sandboxes": "a sandbox",
    "register_retrievers": "a retriever",
    "register_commands": "command: greets",
    "on_run_start": "start: runs/mine my_grpo 0",
    "after_rollouts": "rollouts: 2 8 even",
    "after_step": "step: 2 True",
    "on_evaluation": "evaluation: 2 my/Even-v0 greedy True",
    "on_checkpoint": "checkpoint: 2 True step-000002",
    "on_run_end": "end: runs/mine finished",
}


@pytest.fixture
def shown(rlenvs, plugin):
    """What a run, an evaluation and a command with that plug-in print, and what it gives that they do not use yet."""
    file = plugin("everything", EVERYTHING)
    sets = ["select=all", "sampler=my_sampler", 'env=[{id="my/Even-v0"}]', 'eval.env=[{id="my/Even-v0"}]']
    options = [word for text in [*sets, "eval.num_tasks=2", "plugins=[]"] for word in ("--set", text)]
    commands = [
        ["train", "tiny.toml", "--algorithm", "my_grpo", "--steps", 2, "--name", "mine", *options],
        ["eval", "--suite", "evens", "--policy", "mine:anything", "--num-tasks", 2, "--json"],
        ["greet"],
    ]
    done = [rlenvs(*command, "--plugin", file) for command in commands]
    assert [each.code for each in done] == [0, 0, 0], [each.err for each in done]
    plugins = load([file])
    made = [plugins.sandboxes["my_sandbox"](), plugins.retrievers["my_retriever"]()]
    return "\n".join([*(each.out for each in done), *made])


def test_every_hook_of_a_plugin_is_asked_or_told(shown):
    assert set(SEEN) == set(HOOKS), "a hook is new, or gone"
    assert [hook for hook in HOOKS if SEEN[hook] not in shown] == [], shown
    assert all(f"    def {hook}(" in EVERYTHING for hook in HOOKS)
