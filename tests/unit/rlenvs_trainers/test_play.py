"""One episode in tokens: what is recorded of it, and what foreign code does to it."""

import asyncio
import re
from collections.abc import Callable
from typing import Any, cast

import pytest

import rlenvs
from rlenvs.deadline import Workers
from rlenvs.policies.base import Sampling
from rlenvs.records import Task, user
from rlenvs.seats import SeatView
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.jobs import Job, job_at
from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import SampleRequest
from rlenvs_trainers.samplers.scripted import ScriptedSampler

from .asking import AskEnv, collected, only, run, scripted
from .sharing import Sharing


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
    cut_off = run(KnowsAnswer(), scripted(renderer, "yes and more"), renderer, params=Sampling(max_tokens=3))
    for trajectory in (only(run(KnowsAnswer(), scripted(renderer, "no", "yes"), renderer)), only(cut_off)):
        assert (trajectory.answer, trajectory.final_belief) == ("it is yes", None)
    pair = rlenvs.make("rlenvs/EchoPair-v0")
    word, _ = pair.task_at(0).target
    groups = run(pair, scripted(renderer, word), renderer).groups
    assert {group.seat: group.trajectories[0].answer for group in groups} == {"speaker": word, "echoer": word[::-1]}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [(lambda: 42, r"answer_message .*int"), (lambda: {}["no such key"], r"KeyError: 'no such key'")],
)
def test_an_environment_that_says_its_answer_wrongly_has_failed(
    renderer: Renderer, wrong: Callable[[], Any], why: str
) -> None:
    class SaysItWrongly(AskEnv):
        def answer_message(self, task: Task) -> str:
            return cast(str, wrong())

    result = run(SaysItWrongly(), scripted(renderer, "yes"), renderer)
    assert result.groups == ()
    assert {failure.ending for failure in result.failures} == {"env_error"}
    for failure in result.failures:
        assert re.search(why, failure.error), failure.error


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


def test_what_others_actions_earn_a_seat_belongs_to_its_last_action_or_its_first_or_its_trajectory(
    renderer: Renderer,
) -> None:
    groups = run(SeatView(Sharing()), scripted(renderer, "hi"), renderer).groups
    ann, bob, cid = (group.trajectories[0] for group in groups)  # cid's turn never comes
    for trajectory, giver in ((ann, "from bob"), (bob, "from ann")):
        (turn,) = trajectory.turns
        assert [(reward.name, reward.value, reward.level) for reward in turn.rewards] == [(giver, 1.0, "action")]
    assert (cid.turns, {each.name: each.value for each in cid.rewards}) == ((), {"from ann": 1.0, "from bob": 1.0})
    assert [each.reward for each in (ann, bob)] == [1.0, 1.0]


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


def test_a_seat_whose_turn_never_came_has_no_say_in_its_groups_baseline(renderer: Renderer) -> None:
    env = rlenvs.make("rlenvs/EchoPair-v0", rounds=1, echoer_range=[-10, 0])
    word = str(env.task_at(0).target[0])

    def script(request: SampleRequest) -> str:
        attempt, seat = request.key.split("/")[-3:-1]
        return word[::-1] if seat == "echoer" else word + (" and so on" if attempt.startswith("1.") else "")

    params = Sampling(max_tokens=len(renderer.encode(word)) + 1)
    echoers, speakers = run(env, ScriptedSampler(script, renderer), renderer, params=params).groups
    assert [each.ending for each in speakers.trajectories] == ["completed", "max_tokens", "completed"]
    assert [each.ending for each in echoers.trajectories] == ["completed", "unscored", "completed"]
    assert [each.reward for each in echoers.scored] == [0.0, 0.0]
    lost = echoers.trajectories[1]
    assert (lost.verdict, lost.turns, lost.parts) == (None, (), {})
    assert lost.error == "the turn of 'echoer' never came: the episode ended before it, as 'max_tokens'"
    credit = GroupRelative()([echoers], Progress(step=0, num_steps=1))
    assert {key: each.advantage[0][0] for key, each in credit.items()} == {(0, 0): 0.0, (0, 2): 0.0}


def test_r19_every_completion_carries_its_version(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "no", version=4), renderer, version=4))
    assert [turn.completion.version for turn in trajectory.turns] == [4, 4, 4]


@pytest.mark.parametrize("method", ["task_at", "begin", "respond", "clone", "judge"])
def test_an_exit_in_an_environment_or_its_grader_never_ends_a_run(renderer: Renderer, method: str) -> None:
    def exits(*_: object) -> None:
        raise SystemExit(0)

    env = type("Exiting", (AskEnv,), {method: exits})()

    async def job() -> Job:
        return await job_at(env, 0, name="x", seats=None, workers=Workers(), timeout_s=5.0)

    result = collected([asyncio.run(job())], scripted(renderer, "yes"), renderer)
    assert {failure.ending for failure in result.failures} == {"env_error"}
    assert "raised SystemExit: 0" in result.failures[0].error
    assert result.groups == ()
