"""Explorers that fork: trunks and branches, their numbers, seeds and turns, and what fails in them."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rlenvs.episode import PolicyEpisode
from rlenvs.policies.base import Sampling
from rlenvs.records import Task
from rlenvs_trainers.play import Play
from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.records import Branch, Group, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.rollout import Rollouts
from rlenvs_trainers.samplers.transformers import TransformersSampler

from .asking import CONFIG, AskEnv, LongEnv, break_attempts, run, scripted, step


class Forked:
    """Plays a first action, forks, and finishes both branches; each throws one draft away."""

    async def __call__(self, rollouts: Rollouts) -> list[Trajectory]:
        trunk = await rollouts.start(0)
        completion = await trunk.write()
        assert completion is not None
        await trunk.act(completion)
        branch = await trunk.fork()

        async def finish(play: Any) -> Sequence[Trajectory]:
            while play.seat is not None:
                draft, action = await play.write(), await play.write()
                seat = play.seat
                await play.act(action, discarded=[draft])
                play.note(seat, signals={"drafts": 1.0})
            return list(play.trajectories())

        return [each for leaves in await rollouts.together([finish(trunk), finish(branch)]) for each in leaves]


class KnowsEnv(AskEnv):
    """Its answer depends on how many actions came before."""

    def answer_message(self, task: Task) -> str:
        return f"yes, after {self.num_turns}"


def test_an_explorer_can_fork_resample_and_keep_what_it_discarded(renderer: Renderer) -> None:
    sampler = scripted(renderer, "no")
    result = run(KnowsEnv(), sampler, renderer, explore=Forked())
    trunk, branch = result.groups[0].trajectories
    assert trunk.answer == branch.answer == "yes, after 0"
    assert trunk.turns[0].id == branch.turns[0].id
    assert len({turn.id for each in (trunk, branch) for turn in each.turns}) == 5
    assert trunk.branch is not None
    assert branch.branch is not None
    assert (trunk.branch.tree, trunk.branch.parent) == (0, None)
    assert (branch.branch.tree, branch.branch.parent) == (0, trunk.turns[0].id)
    assert [len(turn.discarded) for turn in branch.turns] == [0, 1, 1]
    assert branch.turns[1].signals == {"drafts": 1.0}
    assert result.metrics["rollout/discarded_tokens"] == 4 * 3  # "no" and its end, four times
    requests = [each for batch in sampler.batches for each in batch]
    assert len({each.seed for each in requests}) == len(requests) == 1 + 2 * 2 * 2


class Tree:
    """Two trunks of one action; two branches grow from each, and another from the first of these."""

    async def __call__(self, rollouts: Rollouts) -> list[Trajectory]:
        leaves: list[Trajectory] = []

        async def finish(play: Play) -> None:
            while play.seat is not None:
                await step(play)

        async def grow(play: Play) -> None:
            await step(play)
            leaves.extend(await rollouts.branch(play, finish))
            await finish(play)

        async def trunk(play: Play) -> None:
            await step(play)
            grown = await rollouts.together([rollouts.branch(play, grow), rollouts.branch(play, finish)])
            leaves.extend(leaf for branch in grown for leaf in branch)
            await finish(play)

        trunks = await rollouts.together(rollouts.attempt(number, trunk, tree=number) for number in (0, 1))
        return sorted([leaf for each in trunks for leaf in each] + leaves, key=lambda leaf: leaf.episode)


def test_branches_of_a_tree_have_numbers_seeds_and_turns_of_their_own_whatever_the_clock_does(
    tiny_policy: LoadedPolicy, renderer: Renderer
) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)
    delays = iter([0.02, 0.0, 0.03, 0.01] * 50)
    params = Sampling(max_tokens=100)
    quick = run(LongEnv(), sampler, renderer, explore=Tree(), params=params)
    slow = run(LongEnv(on_step=lambda _: time.sleep(next(delays))), sampler, renderer, explore=Tree(), params=params)
    assert quick.groups == slow.groups
    (group,) = quick.groups
    assert len({each.attempt for each in group.trajectories}) == len(group.trajectories) == 8
    assert {each.branch.tree for each in group.trajectories if each.branch is not None} == {0, 1}
    own = {turn.id: turn.completion for each in group.trajectories for turn in each.turns}
    assert len({completion.token_ids for completion in own.values()}) > 0.9 * len(own)
    assert quick.metrics["rollout/generated_tokens"] == sum(len(each.token_ids) for each in own.values())


def test_r05_a_branch_that_fails_grows_again_from_where_it_left_its_trunk(renderer: Renderer) -> None:
    env = LongEnv(on_step=break_attempts(2))  # the trunks take the steps 0 and 1
    result = run(env, scripted(renderer, "no"), renderer, explore=Tree(), config=replace(CONFIG, retries=1))
    (group,) = result.groups
    assert len(group.trajectories) == 8
    (failure,) = result.failures
    assert failure.ending == "env_error"
    assert len({turn.id for each in group.trajectories for turn in each.turns}) == 2 * (3 + 2 + 2 + 1)
    assert len({each.turns[0].id for each in group.trajectories}) == 2


def test_an_explorer_that_forks_makes_a_tree_of_the_trunk_too(renderer: Renderer) -> None:
    async def forking(rollouts: Rollouts) -> Sequence[Trajectory]:
        trunk = await rollouts.start(0)
        await step(trunk)
        first, second = await trunk.fork(), await trunk.fork()
        for play in (trunk, first, second):
            while play.seat is not None:
                await step(play)
        return [each for play in (first, trunk, second) for each in play.trajectories()]

    sampler = scripted(renderer, "no")
    trajectories = run(AskEnv(), sampler, renderer, explore=forking).groups[0].trajectories
    assert [each.branch.tree for each in trajectories if each.branch is not None] == [0, 0, 0]
    assert [each.attempt for each in trajectories] == [0, 3, 4]
    requests = [each for batch in sampler.batches for each in batch]
    assert len({each.seed for each in requests}) == len({each.key for each in requests}) == len(requests) == 7


def test_a_pruned_branch_has_no_verdict_and_stays_in_its_group(renderer: Renderer) -> None:
    async def prune(rollouts: Rollouts) -> list[Trajectory]:
        play = await rollouts.start(0, tree=4)
        play.log_weight = -0.5
        await play.stop("pruned")
        return list(play.trajectories())

    group: Group = run(AskEnv(), scripted(renderer, "no"), renderer, explore=prune).groups[0]
    (pruned,) = group.trajectories
    assert (pruned.ending, pruned.verdict) == ("pruned", None)
    assert pruned.branch == Branch(tree=4, parent=None, log_weight=-0.5)


def test_a_copy_that_fails_is_a_failure_of_the_environment(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fork(_: PolicyEpisode) -> PolicyEpisode:
        raise OSError("cannot be copied")

    monkeypatch.setattr(PolicyEpisode, "fork", fork)
    result = run(AskEnv(), scripted(renderer, "no"), renderer, explore=Forked())
    assert [failure.ending for failure in result.failures] == ["env_error"]
    assert "OSError: cannot be copied" in result.failures[0].error
    assert [each.ending for each in result.groups[0].trajectories] == ["max_turns"]
