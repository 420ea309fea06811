"""Registers reasoning_gym's generators, where the library is installed (extra `reasoning-gym`)."""

from importlib.util import find_spec

from rlenvs.envs.reasoning_gym.generators import GENERATORS
from rlenvs.hooks import Register, RegisterEnvironment, hookimpl


def environment_id(generator: str) -> str:
    """The id of a generator's environment."""
    return f"reasoning_gym/{generator}-v0"


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    """An environment for each generator."""
    if find_spec("reasoning_gym") is None:
        return
    for generator, description in GENERATORS.items():
        register(
            environment_id(generator),
            "rlenvs.envs.reasoning_gym.env:ReasoningGymEnv",
            kwargs={"generator": generator},
            description=description,
        )


@hookimpl
def register_suites(register: Register) -> None:
    """Ten held-out tasks of each generator."""
    from rlenvs.evaluation.published import Published
    from rlenvs.evaluation.suites import Suite, Target
    from rlenvs.policies.base import Sampling

    if find_spec("reasoning_gym") is None:
        return
    published = Published(
        prompt=(
            "A system message asks to think step by step, to give the final answer alone between answer tags, and to "
            "follow the format of an example in the question; the question is the user's message."
        ),
        sampling=(
            "The number of tasks of a generator, the seed (42), temperature 0.6, top-p 0.95 and up to 32,768 tokens "
            "are options of the evaluation script with these examples; several replies give a mean and a best score."
        ),
        scoring="What stands in the last answer tags goes to the generator's scorer, which gives 0 to 1.",
        ours=(
            "Ten tasks of each generator, up to 16,384 tokens. The R1-Zero form asks for the tags (option template). "
            "The reward is the score; `correct` counts full marks alone. Scorers that evaluate text, or accept what "
            "is no answer, have guards before them."
        ),
        source="arXiv:2505.24760; github.com/open-thought/reasoning-gym, eval/eval.py and eval/README.md",
    )
    targets = (
        Target(env=environment_id(name), kwargs={"split": "test"}, name=name, num_tasks=10, published=published)
        for name in GENERATORS
    )
    register(
        Suite(
            name="reasoning-gym",
            description="ten held-out tasks of every generator of reasoning_gym, each scored by its own scorer",
            targets=tuple(targets),
            sampling=Sampling(temperature=0.6, top_p=0.95, max_tokens=16_384),
        )
    )
