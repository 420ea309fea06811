"""Groups of attempts on environments written by hand: records, seeds, limits, seats and every kind of failure."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import rlenvs
from rlenvs.deadline import Workers
from rlenvs.env import Response, TextEnv
from rlenvs.episode import Episode, PolicyEpisode, start
from rlenvs.errors import RlenvsError
from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs.policies.base import Sampling
from rlenvs.records import Ending, Message, Part, Task, user
from rlenvs.rubric import RewardFunction, Rubric
from rlenvs.seats import SeatView
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.barrier import SamplerTimeoutError
from rlenvs_trainers.collect import collect
from rlenvs_trainers.config import RolloutConfig
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.grouping import RolloutResult
from rlenvs_trainers.jobs import Job, fallen, job_at, timed_out
from rlenvs_trainers.play import Play
from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.records import Completion, Group, Player, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.rollout import RolloutError, Rollouts
from rlenvs_trainers.samplers.base import Sampler, SampleRequest, StaleWeightsError
from rlenvs_trainers.samplers.scripted import ScriptedSampler
from rlenvs_trainers.samplers.transformers import TransformersSampler
from rlenvs_trainers.select import MaskTruncated

CONFIG = RolloutConfig(group_size=3, retries=0, action_timeout_s=5.0)


def says_yes(task: Task, transcript: Sequence[Message]) -> float:
    return float(any(message.role == "assistant" and "yes" in message.content for message in transcript))


class AskEnv(TextEnv):
    """Answers "again" until the policy says yes; a turn earns 0.25 times a weight of 2."""

    num_tasks = 4
    max_turns = 3

    def __init__(self, grader: Callable[..., Any] = says_yes, on_step: Callable[[str], None] = lambda _: None) -> None:
        super().__init__()
        self.rubric = Rubric((RewardFunction("yes", grader, weight=3.0),))
        self.on_step = on_step

    def task_at(self, index: int) -> Task:
        return Task(id=f"ask/{index}", prompt=(user(f"question {index}"),), target="yes")

    def respond(self, action: str) -> Response:
        self.on_step(action)
        stop = action.find("]") + 1 or None  # what comes after a bracket is not used
        if "yes" in action:
            return Response(ending="completed", consumed=stop)
        return Response(messages=(user("again"),), consumed=stop, rewards=(Part(name="try", value=0.25, weight=2.0),))

    def __deepcopy__(self, memo: dict[int, Any]) -> "AskEnv":
        copy = type(self)(self.rubric.functions[0].function, self.on_step)
        copy.__dict__.update({**self.__dict__, "transcript": list(self.transcript)})
        return copy


def jobs(env: TextEnv, indices: Sequence[int] = (0,)) -> list[Job]:
    return [Job(task=env.task_at(index), begin=partial(start, env, env.task_at(index))) for index in indices]


def collected(jobs: Sequence[Job], sampler: Sampler, renderer: Renderer, **changes: Any) -> RolloutResult:
    given: dict[str, Any] = {
        "explore": Chain(),
        "params": Sampling(max_tokens=40),
        "config": CONFIG,
        "version": 0,
        "step": 1,
        "seed": 0,
    }
    return asyncio.run(collect(jobs, sampler=sampler, renderer=renderer, **{**given, **changes}))


def run(
    env: TextEnv, sampler: Sampler, renderer: Renderer, indices: Sequence[int] = (0,), **changes: Any
) -> RolloutResult:
    return collected(jobs(env, indices), sampler, renderer, **changes)


def scripted(renderer: Renderer, *texts: str, **options: Any) -> ScriptedSampler:
    """Says the texts in turn; the last one for ever."""

    def script(request: SampleRequest) -> str:
        turn = int(request.key.rsplit("/", 1)[1].split(".")[0])
        return texts[min(turn, len(texts) - 1)]

    return ScriptedSampler(script, renderer, **options)


def only(result: RolloutResult) -> Trajectory:
    """The first of trajectories that are all alike."""
    return result.groups[0].trajectories[0]


# What is recorded.


def test_a_conversation_is_recorded_as_it_was_read_and_written(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "no", "yes"), renderer))
    first, second = trajectory.turns
    assert first.prompt_ids == renderer.start((user("question 0"),)).ids
    assert second.prompt_ids == (
        *first.prompt_ids,
        *first.completion.token_ids,
        *renderer.encode("<|user|>again<|end|><|assistant|>"),
    )
    assert first.reply == (user("again"),)
    assert renderer.decode(second.completion.token_ids) == "yes"
    assert (trajectory.ending, trajectory.seat, trajectory.branch) == ("completed", "policy", None)
    assert trajectory.fingerprint == AskEnv().task_at(0).fingerprint


def test_a_trajectory_carries_its_task_and_how_a_right_answer_would_look(renderer: Renderer) -> None:
    class KnowsAnswer(AskEnv):
        def answer_message(self, task: Task) -> str:
            return f"it is {task.target}"

    silent = only(run(AskEnv(), scripted(renderer, "yes"), renderer))
    assert (silent.task, silent.answer) == (AskEnv().task_at(0), None)
    assert silent.task_id == "ask/0"
    assert silent.fingerprint == silent.task.fingerprint
    cut_off = run(KnowsAnswer(), scripted(renderer, "yes and more"), renderer, params=Sampling(max_tokens=3))
    for trajectory in (only(run(KnowsAnswer(), scripted(renderer, "no", "yes"), renderer)), only(cut_off)):
        assert (trajectory.answer, trajectory.final_belief) == ("it is yes", None)
    pair = run(rlenvs.make("rlenvs/EchoPair-v0"), scripted(renderer, "hello"), renderer)
    answers = {group.seat: group.trajectories[0].answer for group in pair.groups}
    assert len(answers) == len(set(answers.values()) - {None}) == 2


def test_the_worlds_last_reply_belongs_to_the_last_turn(renderer: Renderer) -> None:
    first, *_, last = only(run(AskEnv(), scripted(renderer, "no"), renderer)).turns
    assert first.reply == last.reply == (user("again"),)
    cut_off = only(run(AskEnv(), scripted(renderer, "no and more"), renderer, params=Sampling(max_tokens=3)))
    assert cut_off.turns[-1].reply == ()


def test_rewards_are_weighted_and_know_their_level(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "no", "yes"), renderer))
    assert [(reward.name, reward.value, reward.level) for reward in trajectory.rewards] == [("yes", 3.0, "trajectory")]
    assert [(reward.name, reward.value, reward.level) for reward in trajectory.turns[0].rewards] == [
        ("try", 0.5, "action")
    ]
    assert trajectory.turns[1].rewards == ()
    assert trajectory.parts == {"yes": 3.0, "try": 0.5}
    assert trajectory.reward == 3.5


def test_what_the_environment_did_not_use_is_cut_on_ids(renderer: Renderer) -> None:
    first, second = only(run(AskEnv(), scripted(renderer, "no] and more", "yes"), renderer)).turns
    assert first.completion.token_ids == renderer.encode("no]")
    assert first.completion.finish_reason == "cut"
    bridge = renderer.encode("<|end|><|user|>again<|end|><|assistant|>")
    assert second.prompt_ids == (*first.prompt_ids, *first.completion.token_ids, *bridge)


def test_r17_a_template_that_rewrites_history_makes_a_sample_of_its_own(tiny_policy: LoadedPolicy) -> None:
    from rlenvs_trainers.tiny import tiny_tokenizer

    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = tokenizer.chat_template.replace(
        "message['content']", "(message['content'].split('</think>')[-1])"
    )
    renderer = Renderer(tokenizer)
    first, second = only(run(AskEnv(), scripted(renderer, "<think>a</think>no", "yes"), renderer)).turns
    read = (*first.prompt_ids, *first.completion.token_ids)
    assert renderer.decode(first.completion.token_ids) == "<think>a</think>no"
    assert second.prompt_ids[: len(read)] != read
    assert "<think>" not in renderer.decode(second.prompt_ids)


def test_out_of_turns_is_judged_on_what_there_is(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "no"), renderer))
    assert trajectory.ending == "max_turns"
    assert len(trajectory.turns) == 3
    assert trajectory.verdict is not None
    assert trajectory.verdict.correct == 0.0


# Reproducibility.


def test_the_same_call_gives_the_same_groups_and_another_step_others(
    tiny_policy: LoadedPolicy, renderer: Renderer
) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)

    def tokens(**changes: Any) -> list[Completion]:
        groups = run(AskEnv(), sampler, renderer, (0, 1), params=Sampling(max_tokens=12), **changes).groups
        return [turn.completion for group in groups for each in group.trajectories for turn in each.turns]

    base = tokens()
    assert base == tokens()
    assert all(base != tokens(**change) for change in ({"step": 2}, {"seed": 1}, {"round": 1}))


def test_slow_environments_change_no_batch(tiny_policy: LoadedPolicy, renderer: Renderer) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)
    delays = iter([0.03, 0.0, 0.02, 0.0, 0.01, 0.04] * 20)
    lock = threading.Lock()

    def delay(_: str) -> None:
        with lock:
            seconds = next(delays)
        time.sleep(seconds)

    params = Sampling(max_tokens=200)
    quick = run(AskEnv(), sampler, renderer, (0, 1), params=params)
    slow = run(AskEnv(on_step=delay), sampler, renderer, (0, 1), params=params)
    assert quick.groups == slow.groups
    assert len(quick.groups[0].trajectories[0].turns) >= 1


def test_a_task_that_comes_twice_gets_two_groups_with_draws_of_their_own(
    tiny_policy: LoadedPolicy, renderer: Renderer
) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)
    first, second = run(AskEnv(), sampler, renderer, (0, 0)).groups
    assert first.task_id == second.task_id
    assert first.trajectories[0].turns[0].completion != second.trajectories[0].turns[0].completion


def test_every_attempt_draws_from_a_seed_of_its_own(renderer: Renderer) -> None:
    sampler = scripted(renderer, "no")
    run(AskEnv(), sampler, renderer, (0, 1))
    requests = [each for batch in sampler.batches for each in batch]
    assert len(requests) == 2 * 3 * 3
    assert len({each.seed for each in requests}) == len({each.key for each in requests}) == len(requests)


def test_r27_attempts_meet_the_task_they_were_given(renderer: Renderer) -> None:
    env = AskEnv()
    given, other = env.task_at(0), env.task_at(1)
    strays = [Job(task=given, begin=partial(start, env, other))]
    with pytest.raises(RlenvsError, match=r"given task ask/0 and started ask/1.*options\['task'\]"):
        collected(strays, scripted(renderer, "yes"), renderer, config=CONFIG)


def test_r27_an_environment_that_ignores_the_task_it_is_given_ends_the_run_with_a_sentence(renderer: Renderer) -> None:
    class Stubborn(AskEnv):
        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            return super().reset(seed=seed, options={"index": 1})

    with pytest.raises(RlenvsError, match=r"given task ask/0 and started ask/1.*options\['task'\]"):
        run(Stubborn(), scripted(renderer, "yes"), renderer, (0,))


def test_r27_groups_hold_one_task_each_whatever_the_order_of_jobs(renderer: Renderer) -> None:
    groups = run(AskEnv(), scripted(renderer, "yes"), renderer, (2, 0, 1)).groups
    assert [group.task_id for group in groups] == ["ask/2", "ask/0", "ask/1"]
    for group in groups:
        assert {each.fingerprint for each in group.trajectories} == {group.trajectories[0].fingerprint}
        assert [each.attempt for each in group.trajectories] == [0, 1, 2]


def test_r26_seats_make_groups_of_their_own(renderer: Renderer) -> None:
    env = rlenvs.make("rlenvs/EchoPair-v0")
    result = run(env, scripted(renderer, "hello"), renderer, (0, 1))
    seats = start(env, env.task_at(0)).seats
    assert len(seats) == 2
    assert [(group.task_id, group.seat) for group in result.groups] == [
        (env.task_at(index).id, seat) for index in (0, 1) for seat in sorted(seats)
    ]
    assert all(len(group.trajectories) == 3 for group in result.groups)
    episodes = [{each.episode for each in group.trajectories} for group in result.groups[:2]]
    assert episodes[0] == episodes[1]


def test_another_policy_may_sit_in_a_seat_and_is_not_trained(renderer: Renderer) -> None:
    env = rlenvs.make("rlenvs/EchoPair-v0")
    speaker, echoer = start(env, env.task_at(0)).seats
    sampler = scripted(renderer, "hello")
    sampler.serve(None, policy="past", version=7)
    job = Job(
        task=env.task_at(0),
        begin=partial(start, env, env.task_at(0)),
        players={echoer: Player(policy="past", version=7, is_learner=False)},
    )
    result = collected([job], sampler, renderer)
    (group,) = result.groups
    assert (group.seat, {each.policy for each in group.trajectories}) == (speaker, {"policy"})
    assert {(each.seat, each.policy) for each in result.others} == {(echoer, "past")}
    assert {each.turns[0].completion.version for each in result.others} == {7}
    assert {(each.policy, each.version) for batch in sampler.batches for each in batch} == {("policy", 0), ("past", 7)}


class Sharing(MultiTextEnv):
    """Whoever acts earns 1.0 for each of the others; the episode ends with the second action."""

    seats = ("ann", "bob", "cid")
    max_turns = 4

    def __init__(self) -> None:
        super().__init__()
        self.rubrics = {seat: Rubric((RewardFunction("yes", says_yes),)) for seat in self.seats}

    def task_at(self, index: int) -> Task:
        return Task(id=f"sharing/{index}", prompt=(user("Go."),))

    def respond(self, seat: str, action: str) -> Move:
        gift = (Part(name=f"from {seat}", value=1.0),)
        ending: Ending | None = "completed" if seat == "bob" else None
        return Move(rewards={other: gift for other in self.seats if other != seat}, ending=ending)


def test_what_others_actions_earn_a_seat_belongs_to_its_last_action_or_its_first_or_its_trajectory(
    renderer: Renderer,
) -> None:
    groups = run(SeatView(Sharing()), scripted(renderer, "hi"), renderer).groups
    ann, bob, cid = (group.trajectories[0] for group in groups)
    for trajectory, giver in ((ann, "from bob"), (bob, "from ann")):
        (turn,) = trajectory.turns
        assert [(reward.name, reward.value, reward.level) for reward in turn.rewards] == [(giver, 1.0, "action")]
    assert (cid.turns, cid.parts) == ((), {"yes": 0.0, "from ann": 1.0, "from bob": 1.0})
    assert [each.reward for each in (ann, bob, cid)] == [1.0, 1.0, 2.0]


def test_policies_never_share_a_baseline(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "yes"), renderer))
    with pytest.raises(ValueError, match="one task, one seat and one policy, baselines must not mix them"):
        Group(trajectories=(trajectory, replace(trajectory, policy="other")))


# Limits.


def test_r12_an_action_that_runs_into_its_limit_is_not_delivered(renderer: Renderer) -> None:
    delivered: list[str] = []
    env = AskEnv(on_step=delivered.append)
    params = Sampling(max_tokens=3)
    trajectory = only(run(env, scripted(renderer, "yes and more"), renderer, params=params))
    assert (trajectory.ending, delivered) == ("max_tokens", [])
    assert trajectory.turns[0].completion.token_ids == renderer.encode("yes")
    assert trajectory.verdict is not None
    assert trajectory.reward == 0.0


def test_r12_a_prompt_longer_than_the_context_ends_the_episode_before_anything_is_sampled(renderer: Renderer) -> None:
    sampler = scripted(renderer, "yes", context_length=5)
    trajectory = only(run(AskEnv(), sampler, renderer))
    assert (trajectory.ending, trajectory.turns, sampler.batches) == ("context_overflow", (), [])
    assert trajectory.verdict is not None


def test_r12_a_prompt_that_fits_exactly_leaves_no_room_and_one_less_leaves_one_token(renderer: Renderer) -> None:
    length = len(renderer.start((user("question 0"),)).ids)
    full = only(run(AskEnv(), scripted(renderer, "yes", context_length=length), renderer))
    assert (full.ending, full.turns) == ("context_overflow", ())
    sampler = scripted(renderer, "yes", context_length=length + 1)
    almost = only(run(AskEnv(), sampler, renderer))
    assert almost.ending == "context_overflow"
    assert len(almost.turns[0].completion.token_ids) == 1
    assert sampler.batches[0][0].params.max_tokens == 1


class FloodEnv(AskEnv):
    """A tool that answers with 70,000 characters."""

    def respond(self, action: str) -> Response:
        return Response(messages=(Message(role="tool", content="x" * 70_000),))


def test_r12_a_flood_from_a_tool_overflows_the_context_and_nothing_else(
    tiny_policy: LoadedPolicy, renderer: Renderer
) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)
    ended = {  # some of the untrained policy's actions end before their limit
        each.ending: each
        for group in run(FloodEnv(), sampler, renderer, range(4), params=Sampling(max_tokens=150)).groups
        for each in group.trajectories
    }
    assert set(ended) == {"context_overflow", "max_tokens"}
    assert len(ended["context_overflow"].turns) == 1


def test_r12_overlong_attempts_are_scored_and_trained_unless_a_selector_masks_them(renderer: Renderer) -> None:
    groups = run(AskEnv(), scripted(renderer, "yes and more"), renderer, params=Sampling(max_tokens=3)).groups
    whole = run(AskEnv(), scripted(renderer, "yes"), renderer).groups
    masked = MaskTruncated()([*groups, *whole], Progress(step=0, num_steps=1))
    assert [each.is_trained for group in groups for each in group.trajectories] == [True] * 3
    assert [each.is_trained for group in masked for each in group.trajectories] == [False] * 3 + [True] * 3
    assert all(each.is_scored for group in masked for each in group.trajectories)


# Failures.


def break_attempts(*numbers: int) -> Callable[[str], None]:
    """Raises in the environment's steps of these numbers, counted over all attempts."""
    count, lock = iter(range(1000)), threading.Lock()

    def on_step(_: str) -> None:
        with lock:
            number = next(count)
        if number in numbers:
            raise OSError("the simulator went away")

    return on_step


def test_r05_an_environment_that_raises_once_is_tried_again(renderer: Renderer) -> None:
    env = AskEnv(on_step=break_attempts(1))
    result = run(env, scripted(renderer, "yes"), renderer, config=replace(CONFIG, retries=1))
    assert [each.ending for each in result.groups[0].trajectories] == ["completed"] * 3
    (failure,) = result.failures
    assert (failure.ending, failure.verdict) == ("env_error", None)
    assert "OSError: the simulator went away" in failure.error
    assert (result.metrics["rollout/retries"], result.metrics["rollout/failures"]) == (1.0, 0.0)


def test_r05_a_retry_draws_anew(renderer: Renderer) -> None:
    sampler = scripted(renderer, "yes")
    run(AskEnv(on_step=break_attempts(0, 1, 2)), sampler, renderer, config=replace(CONFIG, retries=1))
    first, second = sampler.batches
    assert len(first) == len(second) == 3
    assert not {each.seed for each in first} & {each.seed for each in second}


@pytest.mark.parametrize(("on_failure", "left"), [("drop", [2, 3]), ("drop_group", [3])])
def test_r05_what_keeps_failing_is_dropped_and_the_step_goes_on(
    renderer: Renderer, on_failure: Any, left: list[int]
) -> None:
    env = AskEnv()
    good, bad = env.task_at(0), AskEnv(on_step=break_attempts(0))
    both = [
        Job(task=bad.task_at(1), begin=partial(start, bad, bad.task_at(1))),
        Job(task=good, begin=partial(start, env, good)),
    ]
    result = collected(both, scripted(renderer, "yes"), renderer, config=replace(CONFIG, on_failure=on_failure))
    assert [len(group.trajectories) for group in result.groups] == left
    assert [failure.ending for failure in result.failures] == ["env_error"]
    assert all(each.is_scored for group in result.groups for each in group.trajectories)
    assert result.metrics["rollout/dropped_groups"] == (on_failure == "drop_group")


def test_r05_a_run_that_was_told_to_stop_at_failures_names_the_task(renderer: Renderer) -> None:
    env = AskEnv(on_step=break_attempts(*range(100)))
    config = replace(CONFIG, on_failure="abort", retries=1)
    with pytest.raises(RolloutError, match=r"task ask/0 failed 2 times \(env_error\): OSError: the simulator"):
        run(env, scripted(renderer, "yes"), renderer, config=config)


def raising(*_: Any) -> float:
    raise ZeroDivisionError("grader")


@pytest.mark.parametrize(
    ("grader", "sentence"),
    [
        (raising, "raised ZeroDivisionError: grader"),
        (lambda *_: float("nan"), "gave nan; expected a finite number"),
        (lambda *_: "1.0", "gave '1.0'"),
    ],
)
def test_r05_a_grader_that_breaks_is_a_failure_that_names_task_and_part(
    renderer: Renderer, grader: Any, sentence: str
) -> None:
    result = run(AskEnv(grader), scripted(renderer, "yes"), renderer)
    assert result.groups == ()
    assert {failure.ending for failure in result.failures} == {"grader_error"}
    assert "task ask/0: reward function 'yes'" in result.failures[0].error
    assert sentence in result.failures[0].error


def test_r05_what_cannot_be_scored_stays_in_its_group_without_a_reward(renderer: Renderer) -> None:
    group = run(AskEnv(lambda *_: None), scripted(renderer, "yes"), renderer).groups[0]
    assert [each.ending for each in group.trajectories] == ["unscored"] * 3
    assert group.scored == ()


@pytest.mark.parametrize("where", ["step", "grader"])
def test_r05_what_sleeps_for_ever_is_left_at_its_deadline(renderer: Renderer, where: str) -> None:
    release = threading.Event()

    def sleep(*_: Any) -> float:
        release.wait(60)
        return 1.0

    env = AskEnv(on_step=sleep) if where == "step" else AskEnv(sleep)
    config = replace(CONFIG, group_size=8, action_timeout_s=0.2)
    started = time.monotonic()
    try:
        result = run(env, scripted(renderer, "yes"), renderer, config=config)
    finally:
        release.set()
    assert time.monotonic() - started < 10
    assert [failure.ending for failure in result.failures] == ["timeout"] * 8
    assert "within 0.2 s" in result.failures[0].error
    assert result.groups == ()


def test_r05_an_episode_that_never_begins_is_a_timeout(renderer: Renderer) -> None:
    release = threading.Event()
    env = AskEnv()
    task = env.task_at(0)

    def begin() -> Episode:
        release.wait(60)
        return fallen(task, ("policy",), timed_out("late"))

    job = Job(task=task, begin=begin)
    try:
        result = collected([job], scripted(renderer, "yes"), renderer, config=replace(CONFIG, action_timeout_s=0.2))
    finally:
        release.set()
    assert [failure.ending for failure in result.failures] == ["timeout"] * 3


def test_r19_a_sampler_with_other_weights_stops_the_step(renderer: Renderer) -> None:
    with pytest.raises(StaleWeightsError, match="version 0, trainer 1"):
        run(AskEnv(), scripted(renderer, "yes"), renderer, version=1)
    lagging = replace(CONFIG, max_staleness=1)
    trajectory = only(run(AskEnv(), scripted(renderer, "yes"), renderer, version=1, config=lagging))
    assert trajectory.turns[0].completion.version == 0


def test_r19_every_completion_carries_its_version(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "no", version=4), renderer, version=4))
    assert [turn.completion.version for turn in trajectory.turns] == [4, 4, 4]


# Other explorers.


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


def test_an_explorer_can_fork_resample_and_keep_what_it_discarded(renderer: Renderer) -> None:
    sampler = scripted(renderer, "no")
    result = run(AskEnv(), sampler, renderer, explore=Forked())
    trunk, branch = result.groups[0].trajectories
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


def test_beliefs_and_signals_are_noted_with_the_last_turn(renderer: Renderer) -> None:
    async def noting(rollouts: Rollouts) -> Sequence[Trajectory]:
        play = await rollouts.start(0)
        for belief in (0.25, 0.5):
            completion = await play.write()
            assert completion is not None
            await play.act(completion)
            play.note("policy", belief=belief, signals={"a": 1.0})
            play.note("policy", signals={"b": 2.0}, token_signals={"value": np.arange(len(completion.token_ids))})
        return play.trajectories()

    first, second = only(run(AskEnv(), scripted(renderer, "no", "yes"), renderer, explore=noting)).turns
    assert (first.belief, second.belief) == (0.25, 0.5)
    assert first.signals == second.signals == {"a": 1.0, "b": 2.0}
    assert first.token_signals["value"].tolist() == list(range(len(first.completion.token_ids)))


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


async def step(play: Play) -> None:
    completion = await play.write()
    if completion is not None:
        await play.act(completion)


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


class LongEnv(AskEnv):
    """Goes on for three turns, whatever is said, cut off or not."""

    def respond(self, action: str) -> Response:
        self.on_step(action)
        return Response(messages=(user("again"),))

    def complete(self, action: str) -> int | None:
        return len(action)


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


def test_what_episodes_hold_is_freed_however_they_end(renderer: Renderer) -> None:
    closed: list[object] = []

    class Holding(AskEnv):
        def close(self) -> None:
            closed.append(self)

    async def prune(rollouts: Rollouts) -> Sequence[Trajectory]:
        play, left = await rollouts.start(0), await rollouts.start(1)
        await step(left)
        await play.stop("pruned")
        return play.trajectories()

    for explore, config, env in (
        (Chain(), CONFIG, Holding()),
        (Chain(), CONFIG, Holding(on_step=break_attempts(*range(9)))),
        (Chain(), CONFIG, Holding(raising)),
        (prune, replace(CONFIG, group_size=2), Holding()),
    ):
        run(env, scripted(renderer, "no"), renderer, explore=explore, config=config)
        assert len(closed) == config.group_size
        assert env not in closed
        closed.clear()


def test_an_action_that_is_whole_is_delivered_though_the_policy_wrote_on_until_its_limit(renderer: Renderer) -> None:
    class Whole(AskEnv):
        def complete(self, action: str) -> int | None:
            return action.find("]") + 1 or None

    params = Sampling(max_tokens=5)
    trajectory = only(run(Whole(), scripted(renderer, "yes] and more"), renderer, params=params))
    assert (trajectory.ending, trajectory.reward) == ("completed", 3.0)
    assert trajectory.turns[0].completion.token_ids == renderer.encode("yes]")
    cut_off = only(run(Whole(), scripted(renderer, "yes and more"), renderer, params=params))
    assert (cut_off.ending, cut_off.reward) == ("max_tokens", 0.0)


def test_every_generated_token_counts_and_every_action_that_was_delivered(renderer: Renderer) -> None:
    env = AskEnv(on_step=break_attempts(1))
    result = run(env, scripted(renderer, "yes] no"), renderer, config=replace(CONFIG, retries=1))
    assert result.metrics["rollout/generated_tokens"] == 4 * (len(renderer.encode("yes] no")) + 1)
    assert result.metrics["rollout/actions"] == 4.0


# Deadlines.


def test_r25_a_step_past_its_deadline_goes_on_without_what_is_not_over_and_names_it(
    renderer: Renderer, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()
    slow, quick = AskEnv(on_step=lambda _: release.wait(60) and None), AskEnv()
    both = [*jobs(quick, (0,)), *jobs(slow, (1,))]
    config = replace(CONFIG, group_size=2, step_timeout_s=0.3, action_timeout_s=60.0)
    started = time.monotonic()
    try:
        with caplog.at_level(logging.WARNING):
            result = collected(both, scripted(renderer, "yes"), renderer, config=config)
    finally:
        release.set()
    assert time.monotonic() - started < 10
    assert [group.task_id for group in result.groups] == ["ask/0"]
    assert [(each.task_id, each.ending) for each in result.failures] == [("ask/1", "timeout")] * 2
    assert "step's 0.3 s" in result.failures[0].error
    assert "given up after 0.3 s (rollout.step_timeout_s): task ask/1 (going on: [0, 1] of 2 attempts)" in caplog.text
    assert result.metrics["rollout/dropped_groups"] == 1.0


def test_r25_a_sampler_that_never_answers_ends_the_run_with_a_sentence(renderer: Renderer) -> None:
    class Hanging(ScriptedSampler):
        async def sample(self, requests: Sequence[SampleRequest]) -> list[Completion]:
            await asyncio.sleep(60)
            return []

    config = replace(CONFIG, sampler_timeout_s=0.2)
    with pytest.raises(SamplerTimeoutError, match=r"no answer to 3 requests within 0.2 s \(rollout.sampler_timeout_s"):
        run(AskEnv(), Hanging(lambda _: "yes", renderer), renderer, config=config)


@pytest.mark.parametrize("what", ["raises", "hangs"])
def test_r25_a_task_that_cannot_be_made_is_a_failure_with_a_sentence(renderer: Renderer, what: str) -> None:
    release = threading.Event()

    class Taskless(AskEnv):
        def task_at(self, index: int) -> Task:
            if what == "hangs":
                release.wait(60)
            raise OSError("no such row")

    async def job() -> Job:
        return await job_at(Taskless(), 7, name="x/Ask-v0", seats=None, workers=Workers(), timeout_s=0.2)

    try:
        lost = asyncio.run(job())
    finally:
        release.set()
    result = collected([lost], scripted(renderer, "yes"), renderer)
    assert result.groups == ()
    ending, why = (
        ("env_error", "OSError: no such row") if what == "raises" else ("timeout", "task 7 of x/Ask-v0 was not")
    )
    assert {each.ending for each in result.failures} == {ending}
    assert (result.failures[0].task_id, why in result.failures[0].error) == ("x/Ask-v0#7", True)


def test_a_pruned_branch_has_no_verdict_and_stays_in_its_group(renderer: Renderer) -> None:
    async def prune(rollouts: Rollouts) -> list[Trajectory]:
        play = await rollouts.start(0, tree=0)
        await play.stop("pruned")
        return list(play.trajectories())

    group: Group = run(AskEnv(), scripted(renderer, "no"), renderer, explore=prune).groups[0]
    assert (group.trajectories[0].ending, group.trajectories[0].verdict) == ("pruned", None)


def test_a_copy_that_fails_is_a_failure_of_the_environment(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fork(_: PolicyEpisode) -> PolicyEpisode:
        raise OSError("cannot be copied")

    monkeypatch.setattr(PolicyEpisode, "fork", fork)
    result = run(AskEnv(), scripted(renderer, "no"), renderer, explore=Forked())
    assert [failure.ending for failure in result.failures] == ["env_error"]
    assert "OSError: cannot be copied" in result.failures[0].error
    assert [each.ending for each in result.groups[0].trajectories] == ["max_turns"]
