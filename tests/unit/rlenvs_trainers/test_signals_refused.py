"""Signals that make no sense, shapes that would be broadcast, ids that are none: each is a sentence."""

from dataclasses import replace

import pytest

from rlenvs.errors import RlenvsError
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.objective import objections
from rlenvs_trainers.signal_modules import ValueNetwork
from rlenvs_trainers.signals import Critic

from .critics import CRITIC, SUPPORT, AgainstTheCritic, Support, ValueLoss, Values
from .learning import VOCABULARY, learner
from .noting import packed


@pytest.mark.parametrize("forced_scope", [None, "batch"])
@pytest.mark.parametrize(
    ("misshapen", "sentence"),
    [
        (lambda value_N: value_N[:, None], r"regulariser value_loss gave shape \[\d+, \d+\] for \d+ tokens"),
        (lambda value_N: value_N[:1], r"the signal 'value' has shape \[1\] for \d+ tokens"),
        (lambda value_N: value_N.sum(), r"the signal 'value' has shape \[\] for \d+ tokens"),
    ],
    ids=["column", "one", "scalar"],
)
def test_a_signal_of_another_shape_is_refused_and_not_broadcast(misshapen, sentence, forced_scope, groups, monkeypatch):
    if forced_scope:
        monkeypatch.setattr("rlenvs_trainers.passes.scope", lambda _: "batch")
    ours = learner(CRITIC)
    batch = packed(CRITIC, ours, groups)
    plain = ValueNetwork.forward
    monkeypatch.setattr(ValueNetwork, "forward", lambda self, reading: misshapen(plain(self, reading)))
    with pytest.raises(RlenvsError, match=sentence):
        ours.update(batch)


@pytest.mark.parametrize(
    ("noted", "complaint"),
    [
        (lambda ids: ids.astype(float), "It is float32 of shape"),
        (lambda ids: ids[:, 0], r"It is int64 of shape \[\d+\]"),
        (lambda ids: ids * 0 - 1, r"from -1 to -1"),
        (lambda ids: ids * 0 + VOCABULARY, r"integers from 0 to 63, .* from 64 to 64"),
    ],
    ids=["floats", "lone", "negative", "beyond"],
)
def test_what_is_no_id_is_not_read_as_one(noted, complaint, groups):
    ours = learner(SUPPORT)
    batch = packed(SUPPORT, ours, groups)
    batch = replace(batch, constants={"candidates": noted(batch.constants["candidates"])})
    with pytest.raises(RlenvsError, match=f"the token signal 'candidates' is read as ids: .*{complaint}"):
        ours.update(batch)


@pytest.mark.parametrize(
    ("slots", "sentence"),
    [
        ({"regularise": ()}, None),
        ({"annotate": (), "regularise": (Support(),)}, "made from 'candidates', which no explorer or annotator notes"),
        (
            {"regularise": (ValueLoss(critic=Critic(name="worth")),)},
            "Critic learns 'worth', and no slot of the objective has that in its `needs`: it would never be trained",
        ),
        (
            {"regularise": (ValueLoss(), ValueLoss(critic=Critic(lr=1.0), coefficient=0.1))},
            "2 different signals are called 'value'",
        ),
        ({"regularise": (ValueLoss(critic=Critic(name="entropy")),)}, "a signal is called 'entropy'"),
        ({"regularise": (ValueLoss(critic=Critic(name="my value")),)}, "its `name` is an identifier"),
        ({"regularise": (ValueLoss(critic=Critic(name="returns")),)}, "a signal is called 'returns'"),
        ({"regularise": (ValueLoss(critic=None),)}, "needs 'value', which nothing provides"),
    ],
)
def test_signals_that_make_no_sense_are_refused_with_a_sentence(slots, sentence):
    algorithm = replace(GRPO, **{"annotate": (Values(),), "credit": AgainstTheCritic(), **slots})
    found = " ".join(objections(algorithm))
    assert found == "" if sentence is None else sentence in found


def test_a_critic_that_does_not_learn_is_refused():
    with pytest.raises(ValueError, match="its lr is above 0"):
        Critic(lr=0.0)
