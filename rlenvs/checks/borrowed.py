"""Gymnasium's and PettingZoo's own checks, and how several seats end."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

from gymnasium.utils.env_checker import check_env as check_gymnasium

from rlenvs.checks.subject import Subject
from rlenvs.env import TextEnv
from rlenvs.errors import EpisodeOverError, described
from rlenvs.multi import MultiTextEnv


def gymnasium_agrees(subject: Subject) -> Iterator[str]:
    """Gymnasium's own check, its warnings left out: they are about arrays."""
    if not subject.is_deterministic:
        return
    env = _as_gymnasium_checks_it(subject.env)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            env.action_space.seed(subject.seed)
            check_gymnasium(env)
        except Exception as error:  # it has no class of its own for a failure
            yield f"gymnasium's check_env: {described(error, frames=1)}"


def _as_gymnasium_checks_it(env: TextEnv) -> TextEnv:
    """A copy whose unscored episodes earn 0 instead of NaN, which Gymnasium finds different from itself."""

    class Checked(type(env)):  # type: ignore[misc]  # the class is only known now
        def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
            observation, reward, *rest = super().step(action)
            return (observation, 0.0 if reward != reward else reward, *rest)

    copied = env.clone()
    if copied is not env:  # which is said elsewhere
        copied.__class__ = Checked
    return copied


def pettingzoo_agrees(multi: MultiTextEnv) -> Iterator[str]:
    """PettingZoo's own check, its warnings left out: they are about arrays."""
    from pettingzoo.test import api_test  # it imports PettingZoo's example environments

    env = _as_pettingzoo_checks_it(multi)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            api_test(env, num_cycles=20)
        except Exception as error:  # it has no class of its own for a failure
            yield f"pettingzoo's api_test: {described(error, frames=1)}"


def _as_pettingzoo_checks_it(multi: MultiTextEnv) -> MultiTextEnv:
    """A copy whose texts have a dtype, and that takes the option which is no option of ours: both are assumed there."""

    class Checked(type(multi)):  # type: ignore[misc]  # the class is only known now
        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
            super().reset(seed=seed)

        def observe(self, agent: str) -> Any:
            text = type("Text", (str,), {"dtype": self.observation_space(agent).dtype})
            return text(super().observe(agent))

    env = multi.clone()
    env.__class__ = Checked
    for position, seat in enumerate(env.seats):
        env.action_space(seat).seed(position)
    return env


def every_seat_ends(multi: MultiTextEnv) -> Iterator[str]:
    """Every seat has an ending at the end, and then the end is the end."""
    multi.reset(seed=0)
    for _ in range(multi.max_turns + len(multi.seats)):
        if multi.is_over:
            break
        multi.step(None if multi.agent_selection in multi.endings else "")
    if set(multi.endings) != set(multi.seats):
        yield f"at the end every seat has an ending: {sorted(set(multi.seats) - set(multi.endings))} have none"
        return
    for seat in multi.agents:
        if multi.terminations[seat] == multi.truncations[seat]:
            yield f"at the end {seat!r} is terminated or truncated: got {multi.terminations[seat]} for both"
    try:
        multi.step("")
    except EpisodeOverError:
        return
    yield "step() after the end of an episode has to raise EpisodeOverError: it took the action"
