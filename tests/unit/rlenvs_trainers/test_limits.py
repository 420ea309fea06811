"""One episode in tokens, where turns, an action's tokens or the context run out."""

from rlenvs.env import Response
from rlenvs.policies.base import Sampling
from rlenvs.records import Message, user
from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.transformers import TransformersSampler

from .asking import AskEnv, only, run, scripted


def test_out_of_turns_is_judged_on_what_there_is(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "no"), renderer))
    assert trajectory.ending == "max_turns"
    assert len(trajectory.turns) == 3
    assert trajectory.verdict is not None
    assert trajectory.verdict.correct == 0.0


def test_r12_an_action_that_runs_into_its_limit_is_not_delivered(renderer: Renderer) -> None:
    delivered: list[str] = []
    env = AskEnv(on_step=delivered.append)
    params = Sampling(max_tokens=3)
    trajectory = only(run(env, scripted(renderer, "yes and more"), renderer, params=params))
    assert (trajectory.ending, delivered) == ("max_tokens", [])
    assert trajectory.turns[0].completion.token_ids == renderer.encode("yes")
    assert trajectory.verdict is not None
    assert trajectory.reward == 0.0


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
