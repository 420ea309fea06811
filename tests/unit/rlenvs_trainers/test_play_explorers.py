"""What an explorer may do in an episode: note, look at its end, and draw as the run does."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from rlenvs.episode import start
from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Sampling
from rlenvs.seats import SeatView
from rlenvs_trainers.algorithm import Explorer
from rlenvs_trainers.jobs import Job
from rlenvs_trainers.records import Branch, Player, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.rollout import Rollouts

from .asking import AskEnv, collected, only, run, scripted
from .sharing import Sharing


def test_beliefs_and_signals_are_noted_with_the_last_turn(renderer: Renderer) -> None:
    async def noting(rollouts: Rollouts) -> Sequence[Trajectory]:
        play = await rollouts.start(0)
        for belief in (0.25, 0.5):
            completion = await play.write()
            assert completion is not None
            await play.act(completion)
            tokens = np.arange(len(completion.token_ids))
            play.note("policy", belief=belief, signals={"a": 1.0}, token_signals={"spread": -tokens})
            play.note("policy", signals={"b": 2.0}, token_signals={"value": tokens})
        return play.trajectories()

    first, second = only(run(AskEnv(), scripted(renderer, "no", "yes"), renderer, explore=noting)).turns
    assert (first.belief, second.belief) == (0.25, 0.5)
    assert first.signals == second.signals == {"a": 1.0, "b": 2.0}
    assert {name: values.tolist() for name, values in first.token_signals.items()} == {
        "spread": [0, -1, -2],  # "no" and its end
        "value": [0, 1, 2],
    }


def test_the_final_state_has_a_prefix_and_a_belief_of_its_own(renderer: Renderer) -> None:
    seen = []

    async def noting(rollouts: Rollouts) -> Sequence[Trajectory]:
        play = await rollouts.start(0)
        while play.seat is not None:
            completion = await play.write()
            assert completion is not None
            await play.act(completion)
            seen.append(len(play.turns("policy")))
        seen.append(renderer.decode(play.ids_in_the_end("policy")))
        play.note_in_the_end("policy", belief=0.75)
        play.log_weight = -0.5
        return play.trajectories()

    trajectory = only(run(AskEnv(), scripted(renderer, "no", "yes"), renderer, explore=noting))
    assert seen[:2] == [1, 2]
    read = (*trajectory.turns[-1].prompt_ids, *trajectory.turns[-1].completion.token_ids)
    assert seen[2].startswith(renderer.decode(read))
    assert [turn.belief for turn in trajectory.turns] == [None, None]
    assert trajectory.final_belief == 0.75
    assert trajectory.branch == Branch(tree=0, parent=None, log_weight=-0.5)


def test_the_final_state_is_asked_for_only_once_it_is_there(renderer: Renderer) -> None:
    async def hasty(rollouts: Rollouts) -> Sequence[Trajectory]:
        play = await rollouts.start(0)
        with pytest.raises(ValueError, match="'policy' has not acted"):
            play.turns("policy")
        completion = await play.write()
        assert completion is not None
        await play.act(completion)
        with pytest.raises(ValueError, match="is not over: 'policy' acts"):
            play.ids_in_the_end("policy")
        await play.stop("pruned")
        return play.trajectories()

    run(AskEnv(), scripted(renderer, "no"), renderer, explore=hasty)


def test_an_explorer_may_set_limits_and_a_monitor_of_its_own(renderer: Renderer) -> None:
    def monitor(_: object) -> None:
        return None

    async def watching(rollouts: Rollouts) -> Sequence[Trajectory]:
        play = await rollouts.start(0)
        await play.write(params=Sampling(max_tokens=2), monitor=monitor)
        await play.stop("pruned")
        return play.trajectories()

    sampler = scripted(renderer, "no")
    run(AskEnv(), sampler, renderer, explore=watching)
    ((request,),) = sampler.batches
    assert (request.params.max_tokens, request.monitor) == (2, monitor)


def hot(**changes: Any) -> Explorer:
    """Draws its actions in another way than the run."""

    async def explore(rollouts: Rollouts) -> Sequence[Trajectory]:
        play = await rollouts.start(0)
        while play.seat is not None:
            completion = await play.write(params=replace(rollouts.session.params, **changes))
            if completion is not None:
                await play.act(completion)
        return play.trajectories()

    return explore


@pytest.mark.parametrize("change", [{"temperature": 0.6}, {"temperature": 0.0}, {"top_p": 0.5}, {"top_k": 3}])
def test_r13_r14_an_explorer_cannot_draw_what_is_trained_from_another_distribution(
    renderer: Renderer, change: dict[str, Any]
) -> None:
    ((name, value),) = change.items()
    sampler = scripted(renderer, "no")
    with pytest.raises(RlenvsError, match=f"asked for actions with {name} = {value:g} \\(the run's is [01]\\)"):
        run(AskEnv(), sampler, renderer, explore=hot(**change))
    assert sampler.batches == []
    pair = SeatView(Sharing())
    others = {seat: Player(policy="policy", version=0, is_learner=False) for seat in pair.multi.seats}
    job = Job(task=pair.task_at(0), begin=partial(start, pair, pair.task_at(0)), players=others)
    assert len(collected([job], sampler, renderer, explore=hot(**change)).others) == 3, "they are not trained"


def test_r13_the_runs_own_temperature_is_what_an_explorer_is_compared_with(renderer: Renderer) -> None:
    warm = Sampling(temperature=0.6, max_tokens=40)
    assert only(run(AskEnv(), scripted(renderer, "yes"), renderer, explore=hot(max_tokens=9), params=warm)).turns
    with pytest.raises(RlenvsError, match=r"temperature = 1 \(the run's is 0.6\)"):
        run(AskEnv(), scripted(renderer, "yes"), renderer, explore=hot(temperature=1.0), params=warm)
