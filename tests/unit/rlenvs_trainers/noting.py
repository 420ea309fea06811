"""What an algorithm's annotators note with a learner's help, and the batch of it."""

import asyncio

from rlenvs_trainers.batch import pack
from rlenvs_trainers.declared import noted_signals
from rlenvs_trainers.models import RunModels
from rlenvs_trainers.records import Player

from .learning import NOW


def annotated(algorithm, ours, groups):
    models = RunModels(sampler=None, renderer=None, learner=ours, player=Player(policy="policy", version=0))
    for annotate in algorithm.annotate:
        groups = asyncio.run(annotate(groups, models))
    return groups


def packed(algorithm, ours, groups):
    groups = annotated(algorithm, ours, groups)
    return pack(groups, algorithm.credit(groups, NOW), noted_signals(algorithm))
