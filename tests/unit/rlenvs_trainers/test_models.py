"""What annotators learn from models is what the models say."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Models
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.models import RunModels
from rlenvs_trainers.policy import load_policy
from rlenvs_trainers.records import Group, Player
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import StaleWeightsError
from rlenvs_trainers.samplers.transformers import TransformersSampler
from rlenvs_trainers.synthetic import completion, trajectory

FIRST = trajectory([((20, 21), (22, 23, 24)), ((20, 21, 22, 23, 24, 30), (31, 32))], 1.0)
FORCED = trajectory([((20, 21), completion((40, 41, 42), forced=(1,))), ((50,), ()), ((60,), (61,))], 0.0, attempt=1)
TEMPERATURE = 0.5


@pytest.fixture(scope="module")
def models() -> RunModels:
    policy = load_policy("tiny:hidden=32,layers=1,heads=1,mlp=32,context=64", seed=5)
    renderer = Renderer(policy.tokenizer)
    learner = Learner(policy.model, LearnerConfig(device="cpu"), GRPO, temperature=TEMPERATURE)
    sampler = TransformersSampler(policy.model, renderer)
    return RunModels(sampler=sampler, renderer=renderer, learner=learner, player=Player(policy="policy", version=0))


def expected(models: RunModels, prompt: Sequence[int], ids: Sequence[int], temperature: float) -> list[float]:
    with torch.no_grad():
        logits_TV = models.learner.policy.model(torch.tensor([[*prompt, *ids]])).logits[0] / temperature
    logprobs_TV = torch.log_softmax(logits_TV, -1)[len(prompt) - 1 : -1]
    return [float(logprobs_TV[place, token]) for place, token in enumerate(ids)]


def test_signals_are_told_per_turn_and_token_with_nothing_for_forced_ones(models: RunModels) -> None:
    first, forced = models.signals([FIRST, FORCED])
    for told, turn in zip(first, FIRST.turns, strict=True):
        wanted = expected(models, turn.prompt_ids, turn.completion.token_ids, TEMPERATURE)
        assert told["logprob"].tolist() == pytest.approx(wanted, abs=1e-5)
        assert (told["entropy"] > 0).all()
    wanted = expected(models, (20, 21), (40, 41, 42), TEMPERATURE)
    assert np.isnan(forced[0]["logprob"]).tolist() == [False, True, False]
    assert forced[0]["logprob"][[0, 2]].tolist() == pytest.approx([wanted[0], wanted[2]], abs=1e-5)
    assert [len(each["logprob"]) for each in forced] == [3, 0, 1]
    assert forced[2]["logprob"].tolist() == pytest.approx(expected(models, (60,), (61,), TEMPERATURE), abs=1e-5)


def test_an_annotator_can_say_how_sure_the_policy_is_of_the_right_answer(models: RunModels) -> None:
    async def believe(groups: Sequence[Group], models: Models) -> Sequence[Group]:
        trajectory = groups[0].trajectories[0]
        answer = models.renderer.encode(trajectory.answer or "")
        scores = await models.score([(turn.prompt_ids, answer) for turn in trajectory.turns])
        beliefs = [float(np.exp(sum(each))) for each in scores]
        turns = tuple(replace(turn, belief=each) for turn, each in zip(trajectory.turns, beliefs, strict=True))
        return [Group(trajectories=(replace(trajectory, turns=turns),))]

    group = Group(trajectories=(replace(FIRST, answer="4"),))
    (annotated,) = asyncio.run(believe([group], models))
    (four,) = models.renderer.encode("4")
    wanted = [np.exp(expected(models, turn.prompt_ids, (four,), 1.0)[0]) for turn in FIRST.turns]
    assert [turn.belief for turn in annotated.trajectories[0].turns] == pytest.approx(wanted, abs=1e-5)


def test_r19_scores_are_of_the_version_that_is_trained(models: RunModels) -> None:
    later = replace(models, player=Player(policy="policy", version=1))
    with pytest.raises(StaleWeightsError, match="version 0, trainer 1"):
        asyncio.run(later.score([((1,), (2,))]))
