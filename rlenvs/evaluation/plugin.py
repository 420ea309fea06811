"""The built-in suites and the policies without weights, through the same door as anyone's."""

from rlenvs.evaluation.suites import Suite, Target
from rlenvs.hooks import Register, RegisterPolicy, hookimpl
from rlenvs.policies.base import Sampling

MATH = "rlenvs/Math-v0"
ARITHMETIC = "rlenvs/Arithmetic-v0"
DATASETS = ("gsm8k", "math500", "aime24", "aime25", "amc23", "minerva", "olympiadbench")


def _math() -> Suite:
    targets = (
        Target(env=MATH, kwargs={"dataset": name, "split": "test", "template": "boxed"}, name=name) for name in DATASETS
    )
    return Suite(
        name="math",
        description="GSM8K, MATH-500, AIME 2024 and 2025, AMC 2023, Minerva, OlympiadBench; zero-shot, answer in a box",
        targets=tuple(targets),
        # As in the pass@k comparison of base and trained models, arXiv:2504.13837, sec. 2.
        sampling=Sampling(temperature=0.6, top_p=0.95, max_tokens=16_384),
    )


def _procedural() -> Suite:
    return Suite(
        name="math-procedural",
        description="every family of Arithmetic-v0, questions that training never draws",
        targets=(Target(env=ARITHMETIC, kwargs={"split": "test"}, name="arithmetic", num_tasks=1000),),
        sampling=Sampling(temperature=1.0, max_tokens=512),
    )


@hookimpl
def register_suites(register: Register) -> None:
    """Mathematics from data sets, and arithmetic without end."""
    register(_math())
    register(_procedural())


@hookimpl
def register_policies(register: RegisterPolicy) -> None:
    """Baselines, and models behind endpoints."""
    from rlenvs.policies import resolve

    register("oracle", resolve.oracle)
    register("random", resolve.random)
    register("openai", resolve.openai)
