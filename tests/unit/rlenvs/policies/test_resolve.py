from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from rlenvs import plugins
from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Placement, Sampling
from rlenvs.policies.openai import OpenAIPolicy
from rlenvs.policies.resolve import parse_endpoint, resolve

STRANGER = """
    from rlenvs.hooks import hookimpl

    @hookimpl
    def register_policies(register):
        register("strange", lambda rest, sampling: ("strange", rest, sampling))
"""


def tokens(spec: str, sampling: Sampling) -> Any:
    return (spec, sampling)


def test_baselines_need_nothing_installed() -> None:
    assert [resolve(spec, Sampling(), {}).name for spec in ("oracle", "random")] == ["oracle", "random"]


def test_an_endpoint_keeps_how_to_sample() -> None:
    policy = resolve("openai:m@http://localhost:8000/v1/", Sampling(temperature=0.3), {}, concurrency=5)
    assert isinstance(policy, OpenAIPolicy)
    assert (policy.endpoint.base_url, policy.endpoint.concurrency) == ("http://localhost:8000/v1", 5)
    assert policy.settings["temperature"] == 0.3


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
    with pytest.raises(RlenvsError, match="model's name"):
        resolve("openai:@http://h/v1", Sampling(), {})


@pytest.mark.parametrize("spec", ["tiny", "org/model", "gpt2"])
def test_everything_else_goes_to_the_trainers(spec: str) -> None:
    assert resolve(spec, Sampling(max_tokens=9), {"tokens": tokens}) == (spec, Sampling(max_tokens=9))


def test_a_kind_that_a_plug_in_registered_is_given_what_follows_the_colon(tmp_path: Path) -> None:
    path = tmp_path / "strange_policies.py"
    path.write_text(dedent(STRANGER))
    factories = plugins.load([path]).policies
    assert resolve("strange:a:b/c", Sampling(top_k=3), factories) == ("strange", "a:b/c", Sampling(top_k=3))  # type: ignore[comparison-overlap]


def test_a_colon_alone_makes_no_kind() -> None:
    assert resolve("other:a", Sampling(), {"tokens": tokens}) == ("other:a", Sampling())
    assert resolve("strange", Sampling(), {"tokens": tokens, "strange": None}) == ("strange", Sampling())


def test_a_misspelt_baseline_is_not_looked_up_on_the_hub() -> None:
    with pytest.raises(RlenvsError, match="Did you mean 'oracle'"):
        resolve("orcale", Sampling(), {"tokens": tokens})


def test_a_folder_wins_over_a_near_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "orcale").mkdir()
    monkeypatch.chdir(tmp_path)
    assert resolve("orcale", Sampling(), {"tokens": tokens})[0] == "orcale"  # type: ignore[index]


@pytest.mark.parametrize("placement", [None, Placement(device="cuda:1"), Placement(dtype="bfloat16")])
def test_a_factory_that_takes_a_placement_is_given_the_one_asked_for_or_the_default(
    placement: Placement | None,
) -> None:
    def placed(spec: str, sampling: Sampling, placement: Placement) -> Any:
        return spec, placement

    expected = placement or Placement(device="auto", dtype="float32")
    factories = {"tokens": placed, "strange": placed}
    assert resolve("runs/x", Sampling(), factories, placement=placement) == ("runs/x", expected)  # type: ignore[comparison-overlap]
    assert resolve("strange:x", Sampling(), factories, placement=placement) == ("x", expected)  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("spec", ["oracle", "random", "openai:m@http://h/v1", "strange:x"])
def test_what_loads_no_weights_refuses_to_place_them(spec: str) -> None:
    with pytest.raises(RlenvsError, match=f"policy {spec!r} takes neither --device nor --dtype"):
        resolve(spec, Sampling(), {"strange": tokens}, placement=Placement())


@pytest.mark.parametrize("device", ["tpu", "cuda:", "cuda:x", "cpu:0", ""])
def test_a_device_that_nobody_knows_is_refused(device: str) -> None:
    with pytest.raises(ValueError, match=f"'cuda' or 'cuda:1': got {device!r}"):
        Placement(device=device)


def test_a_dtype_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="'float32' or 'bfloat16': got 'int8'"):
        Placement(dtype="int8")  # type: ignore[arg-type]


def test_without_the_trainers_a_checkpoint_cannot_be_loaded() -> None:
    with pytest.raises(RlenvsError, match="'tokens'"):
        resolve("some/model", Sampling(), {})
