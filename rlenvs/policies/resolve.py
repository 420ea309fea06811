"""From the words on the command line to a policy: a baseline, an endpoint, a plug-in's kind, a folder or a hub id."""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import signature
from pathlib import Path

from rlenvs.errors import RlenvsError, unknown
from rlenvs.policies.base import Placement, Policy, PolicyFactory, Sampling
from rlenvs.policies.openai import OPENAI_URL, Endpoint, OpenAIPolicy
from rlenvs.policies.scripted import Oracle, Random

SCRIPTED: Mapping[str, Callable[[], Policy]] = {"oracle": Oracle, "random": Random}
TOKENS = "tokens"  # the name under which the trainers register their factory of policies with weights
ENDPOINT = "openai:"


def resolve(
    spec: str,
    sampling: Sampling,
    factories: Mapping[str, PolicyFactory],
    *,
    placement: Placement | None = None,
    concurrency: int = 16,
) -> Policy:
    """The policy that `spec` names.

    Args:
        spec: "oracle", "random", "openai:MODEL@URL" (or "openai:MODEL" for OpenAI itself), or "KIND:REST" with a kind
            in `factories`, which is given the rest; anything else is a folder in Hugging Face's layout, a checkpoint,
            a hub id or a built-in model, and goes to the factory "tokens".
        factories: what plug-ins registered with `register_policies`, by kind.
        placement: where it computes; None: nobody asked for anything in particular.
        concurrency: requests in flight at an endpoint.

    Raises:
        RlenvsError: there is no such policy, or it has no weights that could be placed as was asked for.
    """
    if spec in SCRIPTED:
        _check_unasked(spec, placement)
        return SCRIPTED[spec]()
    if spec.startswith(ENDPOINT):
        _check_unasked(spec, placement)
        return OpenAIPolicy(endpoint=parse_endpoint(spec, concurrency=concurrency), sampling=sampling)
    kind, colon, rest = spec.partition(":")
    if not (colon and kind in factories):
        kind, rest = TOKENS, spec
        _check_with_weights(spec, factories)
    if "placement" in signature(factories[kind]).parameters:
        return factories[kind](rest, sampling, placement=placement or Placement())
    _check_unasked(spec, placement)
    return factories[kind](rest, sampling)


def _check_with_weights(spec: str, factories: Mapping[str, PolicyFactory]) -> None:
    """Raise RlenvsError for a misspelt baseline, and where nothing loads weights."""
    if not Path(spec).exists() and get_close_matches(spec, SCRIPTED, n=1, cutoff=0.75):
        raise RlenvsError(unknown("policy", spec, SCRIPTED))
    if TOKENS not in factories:
        raise RlenvsError(f"policy {spec!r} has weights, and nothing is installed that loads them (policy {TOKENS!r})")


def _check_unasked(spec: str, placement: Placement | None) -> None:
    if placement is not None:
        raise RlenvsError(
            f"policy {spec!r} takes neither --device nor --dtype: leave them out. They are for policies whose weights "
            "are loaded here: a folder, a checkpoint, a .gguf file, a hub id or a built-in model."
        )


def parse_endpoint(spec: str, *, concurrency: int = 16) -> Endpoint:
    """The endpoint in "openai:MODEL@URL", or of OpenAI itself in "openai:MODEL". A model's name may have an @.

    Raises:
        RlenvsError: there is no model, or what follows the @ is no address. It is never taken for a part of the
            model's name: prompts and key would go to another server than the one that was meant.
    """
    named = spec.removeprefix(ENDPOINT)
    parts = re.fullmatch(r"(.*)@(https?://.*)", named, re.DOTALL)
    if parts is None and "@" in named:
        model, _, rest = named.rpartition("@")
        raise RlenvsError(
            f"policy {spec!r}: after the @ comes an address that begins with http:// or https://, got {rest!r}: did "
            f"you mean {ENDPOINT}{model}@http://{rest.rpartition('://')[2]}? A model of OpenAI itself that has an @ in "
            f"its name is {ENDPOINT}{named}@{OPENAI_URL}."
        )
    model, base_url = parts.groups() if parts else (named, OPENAI_URL)
    try:
        return Endpoint(model=model, base_url=base_url.rstrip("/"), concurrency=concurrency)
    except ValueError as error:
        raise RlenvsError(f"policy {spec!r}: {error}") from error
