"""What is refused before any work is done; whole commands that are refused are in end_to_end/test_bad_input.py."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import pytest

from rlenvs.errors import RlenvsError
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.config import EnvConfig, TrainConfig
from rlenvs_trainers.explore import Chain, Sample
from rlenvs_trainers.preflight import check_sampler
from rlenvs_trainers.samplers.scripted import ScriptedSampler

CONFIG = TrainConfig(env=(EnvConfig(id="test/Env-v0"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched(Sample):
    needs_sampler: ClassVar[tuple[str, ...]] = ("monitor",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped(Sample):
    acts: tuple[Sample, ...] = field(default_factory=lambda: (Sample(), Watched()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    needs_sampler: ClassVar[tuple[str, ...]] = ("score",)

    async def __call__(self, groups, models):
        return groups


def sampler(renderer, *capabilities):
    return ScriptedSampler(lambda _: "yes", renderer, capabilities=("token_ids", "logprobs", "load", *capabilities))


DEMANDING = {
    "monitor": [replace(GRPO, explore=Chain(act=Watched())), replace(GRPO, explore=Chain(act=Wrapped()))],
    "score": [replace(GRPO, annotate=(Beliefs(),))],
}


@pytest.mark.parametrize(
    ("algorithm", "need"), [(each, need) for need, algorithms in DEMANDING.items() for each in algorithms]
)
def test_a_sampler_that_cannot_do_what_a_part_declares_is_refused(renderer, algorithm, need):
    with pytest.raises(RlenvsError, match=f"sampler 'transformers' cannot give {need}, which training with 'grpo'"):
        check_sampler(algorithm, sampler(renderer), CONFIG)
    check_sampler(algorithm, sampler(renderer, need), CONFIG)


def test_what_training_always_needs_is_asked_for_without_a_declaration(renderer):
    check_sampler(GRPO, sampler(renderer), CONFIG)
    with pytest.raises(RlenvsError, match="cannot give load, logprobs, which"):
        check_sampler(GRPO, ScriptedSampler(lambda _: "yes", renderer, capabilities=("token_ids",)), CONFIG)
