"""Checkpoints as policies in words: replies, limits, errors apart from answers."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from rlenvs.evaluation.evaluate import Progress, evaluate
from rlenvs.evaluation.results import Sample
from rlenvs.evaluation.suites import Target
from rlenvs.policies.base import Placement, Reply, ReplyRequest, Sampling
from rlenvs.records import Message, user
from rlenvs_trainers import token_policy
from rlenvs_trainers.policy import LoadedPolicy, PolicyError, load_policy
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import SampleRequest, ScoreRequest
from rlenvs_trainers.samplers.scripted import ScriptedSampler
from rlenvs_trainers.samplers.transformers import TransformersSampler
from rlenvs_trainers.tiny import tiny_tokenizer
from rlenvs_trainers.token_policy import TokenPolicy, load_token_policy

TINY = "tiny:hidden=32,layers=1,heads=1,mlp=32,context=128"


def request(text: str, *more: Message) -> ReplyRequest:
    return ReplyRequest(key=text, messages=(user(text), *more), seed=5)


def ask(policy: TokenPolicy, *requests: ReplyRequest) -> list[Reply]:
    """The replies in the order of the requests."""

    async def replies() -> dict[int, Reply]:
        return {place: reply async for place, reply in policy.replies(requests)}

    there = asyncio.run(replies())
    return [there[place] for place in range(len(requests))]


def policy(renderer: Renderer, said: str = "<answer>4</answer>", **options: object) -> TokenPolicy:
    sampler = ScriptedSampler(lambda _: said, renderer, **options)  # type: ignore[arg-type]
    return TokenPolicy(sampler, renderer, Sampling(max_tokens=5, temperature=0.5), name="scripted")


def test_a_reply_is_what_was_sampled_in_words(renderer: Renderer) -> None:
    (reply,) = ask(policy(renderer), request("2 + 2"))
    assert (reply.text, reply.finish, reply.num_tokens, reply.error) == ("<answer>4</answer>", "stop", 4, "")


def test_requests_reach_the_sampler_with_seed_key_and_parameters(renderer: Renderer) -> None:
    asked: list[SampleRequest] = []

    def script(each: SampleRequest) -> str:
        asked.append(each)
        return "4"

    words = TokenPolicy(ScriptedSampler(script, renderer), renderer, Sampling(temperature=0.5, top_p=0.9), name="x")
    ask(words, request("a"))
    assert (asked[0].seed, asked[0].key, asked[0].params.temperature, asked[0].params.top_p) == (5, "a", 0.5, 0.9)
    assert asked[0].prompt_ids == renderer.start((user("a"),)).ids
    assert words.settings["temperature"] == 0.5


def test_a_message_that_was_cut_off_and_one_that_does_not_fit_say_so(renderer: Renderer) -> None:
    words = policy(renderer, "a long reply", context_length=20)
    cut, over = ask(words, request("a"), request("b" * 30))
    assert (cut.finish, cut.num_tokens) == ("length", 5)
    assert (over.finish, over.text, over.num_tokens) == ("overflow", "", 0)


def test_a_conversation_that_the_template_refuses_is_an_error_of_its_own_request() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = (
        "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}"
        "{{ m.content }}{{ eos_token }}{% endfor %}"
    )
    words = policy(Renderer(tokenizer), "4")
    good, bad = ask(words, request("a"), request("b", Message(role="tool", content="x")))
    assert good.text == "4"
    assert "no tools" in bad.error


def test_a_saved_policy_replies_the_same_at_every_load(tiny_policy: LoadedPolicy, tmp_path: Path) -> None:
    tiny_policy.save(tmp_path / "policy")
    replies = [
        ask(load_token_policy(str(tmp_path), Sampling(max_tokens=20)), request("a"), request("b")) for _ in range(2)
    ]
    assert replies[0] == replies[1]
    assert replies[0][0].num_tokens


def test_its_settings_tell_two_sets_of_weights_under_one_name_apart(tmp_path: Path) -> None:
    def settings(policy: LoadedPolicy) -> Mapping[str, Any]:
        policy.save(tmp_path / "policy")
        return load_token_policy(str(tmp_path), Sampling()).settings

    one, another = (load_policy(TINY, seed=seed) for seed in (3, 4))
    first, same, other = settings(one), settings(one), settings(another)
    assert first == same
    assert {name for name in first if first[name] != other[name]} == {"weights"}


def test_in_bfloat16_the_same_weights_give_nearly_the_same_numbers() -> None:
    policies = [
        load_token_policy(TINY, Sampling(), Placement(device="cpu", dtype=dtype)) for dtype in ("float32", "bfloat16")
    ]
    ids = policies[0].renderer.start((user("2 + 2"),)).ids
    asked = ScoreRequest(key="k", prefix_ids=ids[:1], continuation_ids=ids[1:])
    exact, rounded = (asyncio.run(policy.sampler.score([asked]))[0] for policy in policies)
    assert exact != rounded
    assert exact == pytest.approx(rounded, abs=0.05)
    settings = [policy.settings for policy in policies]
    assert {name for name in settings[0] if settings[0][name] != settings[1][name]} == {"dtype"}


def test_weights_are_loaded_on_the_device_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tiny_policy: LoadedPolicy
) -> None:
    loaded: list[torch.device] = []

    def load(spec: str, *, device: torch.device) -> LoadedPolicy:
        loaded.append(device)
        return tiny_policy

    monkeypatch.setattr(token_policy, "load_policy", load)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    load_token_policy("runs/x", Sampling(), Placement(device="cuda:1"))
    assert loaded == [torch.device("cuda", 1)]


def test_an_evaluation_keeps_the_samplers_batches_full(renderer: Renderer) -> None:
    sampler = ScriptedSampler(lambda _: "4", renderer)
    words = TokenPolicy(sampler, renderer, Sampling(), name="scripted")
    evaluate(words, [Target(env="rlenvs/EchoPair-v0", kwargs={"seat": "echoer"})], num_tasks=10, concurrency=4)
    assert [len(batch) for batch in sampler.batches] == [4, 4, 4, 4, 2, 2]


def test_a_sampler_that_batches_by_itself_is_asked_at_its_own_pace(renderer: Renderer) -> None:
    sampler = ScriptedSampler(lambda _: "4", renderer)
    assert TokenPolicy(sampler, renderer, Sampling(), name="x").capabilities == {"placed"}
    sampler.capabilities = sampler.capabilities | {"concurrent"}
    words = TokenPolicy(sampler, renderer, Sampling(), name="x")
    assert words.capabilities == {"placed", "concurrent"}
    evaluate(words, [Target(env="rlenvs/EchoPair-v0", kwargs={"seat": "echoer"})], num_tasks=10, concurrency=4)
    assert {len(batch) for batch in sampler.batches} == {1}


def test_an_evaluation_given_up_in_a_batch_and_resumed_ends_as_if_it_had_not_been(
    tiny_policy: LoadedPolicy, renderer: Renderer, tmp_path: Path
) -> None:
    words = TokenPolicy(TransformersSampler(tiny_policy.model, renderer), renderer, Sampling(max_tokens=8), name="tiny")
    targets, resumed = [Target(env="rlenvs/Arithmetic-v0", num_tasks=6)], []

    def give_up(now: Progress) -> None:
        if now.done >= 5:
            raise InterruptedError

    def evaluated(progress: Callable[[Progress], None], path: Path) -> tuple[Sample, ...]:
        return evaluate(words, targets, samples=2, concurrency=4, results_path=path, progress=progress).samples

    with pytest.raises(InterruptedError):
        evaluated(give_up, tmp_path / "r.jsonl")
    again = evaluated(lambda now: resumed.append(now.resumed), tmp_path / "r.jsonl")
    assert 5 <= resumed[0] <= 8, "those of the second batch that ended before the first of them gave up the rest"
    assert again == evaluated(lambda now: None, tmp_path / "uninterrupted.jsonl")


def test_a_policy_that_is_not_there_gets_a_sentence() -> None:
    with pytest.raises(PolicyError, match="no policy"):
        load_token_policy("./nowhere", Sampling())
