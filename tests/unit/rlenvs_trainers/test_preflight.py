"""What is refused before any work is done; whole commands that are refused are in end_to_end/test_bad_input.py."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import pytest

import rlenvs
from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Sampling
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.config import EnvConfig, RolloutConfig, TrainConfig
from rlenvs_trainers.explore import Chain, Sample
from rlenvs_trainers.preflight import check_config, check_sampler, check_slots, check_step
from rlenvs_trainers.samplers.scripted import ScriptedSampler
from rlenvs_trainers.select import NonConstant, WidestSpread
from rlenvs_trainers.sft import SFT

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


def sampler(renderer, *capabilities, **options):
    given = ("token_ids", "logprobs", "load", *capabilities)
    return ScriptedSampler(lambda _: "yes", renderer, capabilities=given, **options)


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


def test_a_field_that_a_config_would_take_for_the_components_name_is_refused():
    @dataclass(frozen=True)
    class Tool:
        use: str = "hammer"

    @dataclass(frozen=True)
    class Handy:
        tool: Tool = field(default_factory=Tool)
        refills: ClassVar[bool] = False

        def __call__(self, groups, progress):
            return groups

    with pytest.raises(RlenvsError, match="Tool in 'grpo' has a field called 'use'"):
        check_slots(replace(GRPO, select=(Handy(),)))
    check_slots(GRPO)


def test_a_sampler_that_lacks_what_samplers_have_is_refused_with_the_names(renderer):
    class Half:
        capabilities = frozenset({"token_ids", "logprobs", "load"})
        context_length = 64

        def load(self, weights, version, policy="policy"):
            pass

    with pytest.raises(RlenvsError, match=r"\(Half\) lacks close, notes, sample, score, serve, version"):
        check_sampler(GRPO, Half(), CONFIG)


def test_what_training_always_needs_is_asked_for_without_a_declaration(renderer):
    check_sampler(GRPO, sampler(renderer), CONFIG)
    with pytest.raises(RlenvsError, match="cannot give load, logprobs, which"):
        check_sampler(GRPO, ScriptedSampler(lambda _: "yes", renderer, capabilities=("token_ids",)), CONFIG)


SAMPLED = [Sampling(max_tokens=64), Sampling(max_tokens=8, top_p=0.5), Sampling(max_tokens=8, top_k=3)]


@pytest.mark.parametrize("sampling", SAMPLED)
def test_limits_of_sampling_are_no_matter_where_nothing_is_sampled(renderer, sampling):
    def check(algorithm):
        config = replace(CONFIG, sampling=sampling)
        check_config(config, algorithm)
        check_sampler(algorithm, sampler(renderer, context_length=64), config)

    check(SFT)
    with pytest.raises(RlenvsError, match=r"leaves no room for a prompt|change the distribution"):
        check(GRPO)


def test_a_sampler_that_only_takes_weights_is_enough_where_nothing_is_sampled(renderer):
    mute = ScriptedSampler(lambda _: "yes", renderer, capabilities=("load",))
    check_sampler(SFT, mute, CONFIG)
    with pytest.raises(RlenvsError, match="cannot give logprobs, token_ids, which training with 'grpo' needs"):
        check_sampler(GRPO, mute, CONFIG)
    with pytest.raises(RlenvsError, match="cannot give score, which training with 'sft' needs"):
        check_sampler(replace(SFT, annotate=(Beliefs(),)), mute, CONFIG)


def test_a_temperature_of_0_is_refused_for_what_it_does_to_either_algorithm():
    greedy = replace(CONFIG, sampling=Sampling(temperature=0.0))
    with pytest.raises(RlenvsError, match=r"sampling.temperature is 0: greedy attempts at a task are all the same"):
        check_config(greedy, GRPO)
    with pytest.raises(RlenvsError, match=r"sampling.temperature is 0: log-probabilities are those at the sampling"):
        check_config(greedy, SFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """A selector that does not say how many groups it needs."""

    refills: ClassVar[bool] = False

    def __call__(self, groups, progress):
        return groups


SPREAD = replace(GRPO, select=(Silent(), WidestSpread(share=0.25)))


@pytest.mark.parametrize(
    ("id", "seats", "needed"), [("Arithmetic", None, 4), ("EchoPair", None, 2), ("EchoPair", ("echoer",), 4)]
)
def test_a_step_too_small_for_a_selector_to_keep_a_group_is_refused(id, seats, needed):
    def check(tasks, algorithm=SPREAD):
        named = EnvConfig(id=f"rlenvs/{id}-v0", seats=seats)
        config = TrainConfig(env=(named,), rollout=RolloutConfig(tasks_per_step=tasks))
        check_step(config, algorithm, [rlenvs.make(named.id)])

    with pytest.raises(RlenvsError, match=rf"= {needed - 1} gives .* Set rollout.tasks_per_step to {needed} or more"):
        check(needed - 1)
    check(needed)
    check(1, replace(SPREAD, select=(NonConstant(), *SPREAD.select)))  # which draws ten rounds
