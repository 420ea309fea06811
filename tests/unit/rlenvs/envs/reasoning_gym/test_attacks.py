"""Nothing that a policy writes reaches the system, hangs, or is right by a trick."""

import time

import pytest

from rlenvs.envs.reasoning_gym.env import ReasoningGymEnv
from rlenvs.envs.reasoning_gym.generators import GENERATORS
from rlenvs.envs.reasoning_gym.guards import GUARDS

EVERYWHERE = [
    "9**9**9**9",
    "(" * 5_000,
    "[" * 19_000,
    '{"a":' * 3_000,
    "-" * 19_000 + "1",
    "x" * 1_000_000,
    "1" * 19_000,
    "1e999999999",
    "R999999999 F+99999999999",
    "[NaN, NaN, NaN, NaN, NaN]",
    "nan",
    "1/0",
    "\x00\ud800",
]


def is_correct(env, answer):
    env.reset(options={"index": 1})
    return env.step(f"<think></think><answer>{answer}</answer>")[4]["verdict"].correct


@pytest.mark.parametrize("generator", GENERATORS)
def test_hostile_texts_are_wrong_and_over_soon(generator):
    env = ReasoningGymEnv(generator=generator, size=50, template="tags")
    env.task_at(1)
    started = time.monotonic()
    assert [text[:20] for text in EVERYWHERE if is_correct(env, text)] == []
    assert time.monotonic() - started < 60  # a few seconds; a worker that is ended takes as many to replace


@pytest.mark.parametrize("generator", GUARDS)
def test_no_code_runs_where_a_scorer_evaluates_text(generator, tmp_path):
    canary = tmp_path / "canary"
    env = ReasoningGymEnv(generator=generator, size=50, template="tags")
    code = [
        f"__import__('os').system('touch {canary}')",
        f"open('{canary}', 'w')",
        f"[].__class__.__base__.__subclasses__()[0] or open('{canary}', 'w')",
        f"(lambda: open('{canary}', 'w'))()",
        f'S(\'open("{canary}", "w")\')',
        f'exec(\'open("{canary}", "w")\')',
        f"[c for c in [open('{canary}', 'w')]]",
    ]
    assert not any(is_correct(env, text) for text in code)
    assert not canary.exists()


@pytest.mark.slow
def test_an_expression_that_takes_too_long_is_wrong_and_the_next_answer_is_graded():
    env = ReasoningGymEnv(generator="simple_integration", size=50, template="tags")
    slow = "+".join(f"sin({i}*x)**3" for i in range(200)).replace("x", _variable(env))
    assert is_correct(env, slow) == 0.0
    assert is_correct(env, env.task_at(1).target) == 1.0


def _variable(env):
    return next(letter for letter in env.task_at(1).target if letter in "xX")
