from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rlenvs import plugins
from rlenvs.errors import RlenvsError
from rlenvs.policies.base import (
    Placement,
    Policy,
    PolicyCapability,
    PolicyContext,
    PolicyFactory,
    Reply,
    ReplyRequest,
    Sampling,
)
from rlenvs.policies.openai import OpenAIPolicy
from rlenvs.policies.resolve import openai, oracle, parse_endpoint, random, resolve
from rlenvs.policies.scripted import Oracle

STRANGER = """
    from dataclasses import dataclass
    from rlenvs.hooks import hookimpl

    @dataclass
    class Strange:
        context: object
        name = "strange"
        settings = {}
        capabilities = frozenset()

        async def replies(self, requests):
            yield 0, None

    @hookimpl
    def register_policies(register):
        register("strange", Strange)
"""


@dataclass
class Made:
    """A policy that only knows what it was made with."""

    context: PolicyContext
    name: str = "made"
    settings: Mapping[str, Any] = field(default_factory=dict)
    capabilities: frozenset[PolicyCapability] = frozenset()

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        yield 0, Reply(text=self.name)


def weighty(context: PolicyContext) -> Policy:
    """Stands for the trainers' factory."""
    if context.spec.startswith("./nowhere"):
        raise RlenvsError("no policy './nowhere'.")
    return Made(context, capabilities=frozenset({"placed"}))


OURS: Mapping[str, PolicyFactory] = {"oracle": oracle, "random": random, "openai": openai, "tokens": weighty}
COOL, WARM = Sampling(temperature=0.3), Sampling(temperature=1.0)


def made(
    spec: str, factories: Mapping[str, PolicyFactory] = OURS, *, samplings: tuple[Sampling, ...] = (COOL,), **more: Any
) -> Any:
    return resolve(PolicyContext(spec=spec, samplings=samplings, **more), factories)


def test_baselines_and_endpoints_come_through_the_same_door_as_anyones() -> None:
    factories = plugins.load().policies
    assert [made(spec, factories).name for spec in ("oracle", "random")] == ["oracle", "random"]
    assert isinstance(made("openai:m@http://h/v1", factories), OpenAIPolicy)


def test_an_endpoint_keeps_how_to_sample() -> None:
    policy = made("openai:m@http://localhost:8000/v1/", concurrency=5)
    assert (policy.endpoint.base_url, policy.endpoint.concurrency) == ("http://localhost:8000/v1", 5)
    assert policy.settings["temperature"] == 0.3


def test_only_a_policy_that_draws_minds_that_suites_sample_differently() -> None:
    assert made("oracle", samplings=(COOL, WARM)).name == "oracle"
    assert made("tokens:x", samplings=(COOL, COOL)).context.sampling == COOL
    with pytest.raises(RlenvsError, match="the suites sample differently"):
        made("openai:m@http://h/v1", samplings=(COOL, WARM))


@pytest.mark.parametrize(
    ("spec", "model", "url"),
    [
        ("openai:a/b@http://h:1/v1", "a/b", "http://h:1/v1"),
        ("openai:a@2024@https://h/v1", "a@2024", "https://h/v1"),
        ("openai:gpt-x", "gpt-x", "https://api.openai.com/v1"),
    ],
)
def test_model_and_address_are_told_apart(spec: str, model: str, url: str) -> None:
    endpoint = parse_endpoint(spec)
    assert (endpoint.model, endpoint.base_url) == (model, url)


@pytest.mark.parametrize("rest", ["localhost:8000/v1", "ftp://localhost:8000/v1", "HTTP//localhost:8000/v1", "http:h"])
def test_an_address_without_its_scheme_never_becomes_a_model_of_openai(rest: str) -> None:
    with pytest.raises(RlenvsError, match=r"after the @ comes an address .* did you mean openai:my-model@http://"):
        parse_endpoint(f"openai:my-model@{rest}")


@pytest.mark.parametrize("url", ["http://", "https:///v1", "http://h:port/v1"])
def test_an_address_that_names_no_host_is_refused(url: str) -> None:
    with pytest.raises(RlenvsError, match="an endpoint's address is like http://localhost:8000/v1"):
        parse_endpoint(f"openai:m@{url}")


def test_an_endpoint_without_a_model_is_refused() -> None:
    for spec in ("openai:@http://h/v1", "openai:", "openai"):
        with pytest.raises(RlenvsError, match="model's name"):
            made(spec)


@pytest.mark.parametrize("spec", ["tiny", "org/model", "gpt2", "openai-gpt", "tiny:hidden=8", "other:a"])
def test_everything_else_goes_to_the_trainers(spec: str) -> None:
    assert made(spec).context == PolicyContext(spec=spec, samplings=(COOL,))


@pytest.mark.parametrize(("spec", "rest"), [("strange:a:b/c", "a:b/c"), ("strange:", ""), ("strange", "")])
def test_a_kind_that_a_plug_in_registered_is_given_what_follows_the_colon(tmp_path: Path, spec: str, rest: str) -> None:
    path = tmp_path / "strange_policies.py"
    path.write_text(dedent(STRANGER))
    assert made(spec, plugins.load([path]).policies).context == PolicyContext(spec=rest, samplings=(COOL,))


@pytest.mark.parametrize("kind", ["oracle", "openai", "tokens"])
def test_r30_a_plug_in_that_has_a_kind_of_ours_is_a_conflict_that_names_both(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "strange_policies.py"
    path.write_text(dedent(STRANGER).replace('"strange", Strange', f'"{kind}", Strange'))
    factories = plugins.load([path]).policies
    with pytest.raises(RlenvsError, match=rf"policy '{kind}' is registered by rlenvs-llm .* and by .*strange_policies"):
        made(f"{kind}:x" if kind != "tokens" else "tiny", factories)


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        *(("orcale", "oracle"), ("oracel", "oracle"), ("opnai:m@http://h", "openai"), ("opena:m", "openai")),
        *(("tkens:tiny", "tokens"), ("randm", "random"), ("Oracle", "oracle")),
    ],
)
def test_a_misspelt_kind_is_not_looked_up_on_the_hub(spec: str, near: str) -> None:
    with pytest.raises(RlenvsError, match=rf"no policy '{spec.split(':')[0]}'\. Did you mean '{near}'\? There is:"):
        made(spec)


def test_a_folder_wins_over_a_near_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "orcale").mkdir()
    monkeypatch.chdir(tmp_path)
    assert made("orcale").context.spec == "orcale"


def test_where_there_is_no_such_model_the_policies_without_weights_are_named_too() -> None:
    with pytest.raises(
        RlenvsError, match=r"no policy './nowhere'\. Or one without weights, .*: openai, oracle, random"
    ):
        made("./nowhere")


def test_a_baseline_takes_nothing_after_its_name() -> None:
    with pytest.raises(RlenvsError, match="policy 'oracle' takes nothing after its name: got 'x'"):
        made("oracle:x")


@pytest.mark.parametrize("given", [5, None, "a policy", Oracle.replies])
def test_a_factory_that_gives_no_policy_is_named(given: Any) -> None:
    with pytest.raises(RlenvsError, match=r"the factory of policy 'mine' gave a \w+, which has no .*settings"):
        made("mine:x", {"mine": lambda context: given})


def test_a_factory_that_ends_the_process_does_not() -> None:
    def leaving(context: PolicyContext) -> Policy:
        raise SystemExit(0)

    with pytest.raises(Exception, match="SystemExit"):
        made("mine:x", {"mine": leaving})


@pytest.mark.parametrize("placement", [None, Placement(device="cuda:1"), Placement(dtype="bfloat16")])
@pytest.mark.parametrize("spec", ["runs/x", "tokens:runs/x"])
def test_a_policy_with_weights_is_told_where_to_compute(placement: Placement | None, spec: str) -> None:
    context = made(spec, placement=placement).context
    assert (context.spec, context.placement) == ("runs/x", placement)


@pytest.mark.parametrize("spec", ["oracle", "random", "openai:m@http://h/v1", "strange:x"])
def test_what_loads_no_weights_refuses_to_place_them(spec: str) -> None:
    with pytest.raises(RlenvsError, match=f"policy {spec!r} takes neither --device nor --dtype"):
        made(spec, {**OURS, "strange": Made}, placement=Placement())


@pytest.mark.parametrize("device", ["tpu", "cuda:", "cuda:x", "cpu:0", ""])
def test_a_device_that_nobody_knows_is_refused(device: str) -> None:
    with pytest.raises(ValueError, match=f"'cuda' or 'cuda:1': got {device!r}"):
        Placement(device=device)


def test_a_dtype_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="'float32' or 'bfloat16': got 'int8'"):
        Placement(dtype="int8")  # type: ignore[arg-type]


def test_without_the_trainers_a_checkpoint_cannot_be_loaded() -> None:
    with pytest.raises(RlenvsError, match="'tokens'"):
        made("some/model", {})
