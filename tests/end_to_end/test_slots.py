"""Slots in whole runs from the command line: filled together, and reading what annotators noted on tokens."""

import json

HALVES = """
    from dataclasses import dataclass, replace
    from typing import ClassVar

    import numpy as np

    from rlenvs.hooks import hookimpl
    from rlenvs_plugins.grpo import GRPO

    @dataclass(frozen=True)
    class Places:
        '''Notes every token's place in its action.'''

        token_signals: ClassVar = ("place",)

        async def __call__(self, groups, models):
            return [replace(group, trajectories=tuple(map(self.noted, group.trajectories))) for group in groups]

        def noted(self, trajectory):
            places = [np.arange(len(turn.completion.token_ids)) for turn in trajectory.turns]
            turns = [
                replace(turn, token_signals={"place": place})
                for turn, place in zip(trajectory.turns, places, strict=True)
            ]
            return replace(trajectory, turns=tuple(turns))

    @dataclass(frozen=True)
    class FirstToken:
        '''Trains on the first token of every action alone.'''

        needs: ClassVar = ("place",)

        def __call__(self, view, log_ratio_N):
            is_first_N = (view.constants["place"] == 0).float()
            return is_first_N, {"first": is_first_N}

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="first", annotate=(Places(),), weights=(FirstToken(),)))
        register(replace(GRPO, name="unnoted", weights=(FirstToken(),)))
"""


def test_what_an_annotator_notes_is_read_by_the_slots_that_ask_for_it(rlenvs, plugin, run_of):
    line = ["train", "tiny.toml", "--plugin", plugin("halves", HALVES), "--set", "algorithm=first", "--steps", 2]
    done = rlenvs(*line, "--name", "noted")
    assert done.code == 0, done.err
    run = run_of("noted")
    for step in (1, 2):
        shares = {row.num_tokens for row in run.rollouts_of(step)}
        assert 1 / max(shares) <= run.metrics[step]["first"] <= 1 / min(shares)


def test_a_signal_that_nobody_notes_is_refused_before_any_work(rlenvs, plugin):
    done = rlenvs("train", "tiny.toml", "--plugin", plugin("halves", HALVES), "--set", "algorithm=unnoted")
    assert done.code == 2
    assert "algorithm 'unnoted' needs 'place', which nothing provides" in done.err


def test_r20_a_run_with_a_reference_resumes_with_the_reference_it_began_with(rlenvs, run_of):
    anchored = ["--set", "regularise.kl.coefficient=0.5", "--set", "learner.lr=1e-2"]
    assert rlenvs("train", "tiny.toml", "--name", "whole", "--steps", 4, *anchored).code == 0
    assert rlenvs("train", "tiny.toml", "--name", "cut", "--steps", 2, *anchored).code == 0
    assert rlenvs("train", "--resume", "runs/cut", "--steps", 4).code == 0
    assert run_of("cut").metrics == run_of("whole").metrics
    assert run_of("whole").metrics[4]["kl/mean"] > 1e-4, "it would show nothing"


def settings(*texts):
    return [word for text in texts for word in ("--set", text)]


def test_settings_of_one_slot_go_together_and_the_run_resumes_with_them(rlenvs, run_of):
    surrogate = settings("surrogate=soft", "surrogate.positive=2")
    terms = settings("regularise.1=kl", "regularise.1.estimator=k2", "regularise.2=entropy_bonus")
    others = settings("ratio=gspo_ratio", "select=mask_stale", "select.0.max_age=3")
    line = ["train", "tiny.toml", "--name", "mixed", "--steps", 1, *surrogate, *terms, *others]
    assert rlenvs(*line).code == 0
    done = rlenvs("train", "--resume", "runs/mixed", "--steps", 2)
    assert done.code == 0, done.err
    state = json.loads((run_of("mixed").path / "checkpoints/step-000002/state.json").read_text())
    slots = state["slots"]
    assert slots["surrogate"] == {"use": "soft", "positive": 2.0, "negative": 1.05}
    assert [(term["use"], term.get("estimator")) for term in slots["regularise"]] == [
        ("kl", "k3"),
        ("kl", "k2"),
        ("entropy_bonus", None),
    ]
    assert slots["ratio"] == {"use": "ratio", "unit": "trajectory", "length_power": 1.0, "centre": False}
    assert slots["select"] == [{"use": "mask_stale", "max_age": 3}]


def test_settings_of_one_slot_go_together_in_a_warm_start(rlenvs):
    together = settings("reduce=mean", "reduce.over=token")
    done = rlenvs("sft", "tiny.toml", "--name", "start", "--steps", 1, *together)
    assert done.code == 0, done.err
