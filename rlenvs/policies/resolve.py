"""From the words on the command line to a policy, by the factories that plug-ins registered; ours are among them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from rlenvs.errors import RlenvsError, foreign_code, unknown
from rlenvs.policies.base import Policy, PolicyContext, PolicyFactory
from rlenvs.policies.openai import OPENAI_URL, Endpoint, OpenAIPolicy
from rlenvs.policies.scripted import Oracle, Random

TOKENS = "tokens"  # the kind under which the trainers register their factory of policies with weights
ENDPOINT = "openai:"
PARTS = ("name", "settings", "capabilities", "replies")  # of a `Policy`


def resolve(context: PolicyContext, factories: Mapping[str, PolicyFactory]) -> Policy:
    """The policy that `context.spec` names.

    "oracle", "random", "openai:MODEL@URL", or "KIND" or "KIND:REST" with any other kind in `factories`; all else is a
    folder in Hugging Face's layout, a checkpoint, a hub id or a built-in model, and goes to the factory "tokens".

    Raises:
        RlenvsError: there is no such policy, two plug-ins have the kind, its factory gives something else, or it has no
            weights that could be placed as was asked for.
    """
    kind, _, rest = context.spec.partition(":")
    if kind in factories:
        policy = _made(kind, replace(context, spec=rest), factories)
    else:
        policy = _with_weights(context, factories)
    if context.placement is not None and "placed" not in policy.capabilities:
        raise RlenvsError(
            f"policy {context.spec!r} takes neither --device nor --dtype: leave them out. They are for policies whose "
            "weights are loaded here: a folder, a checkpoint, a .gguf file, a hub id or a built-in model."
        )
    return policy


def _with_weights(context: PolicyContext, factories: Mapping[str, PolicyFactory]) -> Policy:
    spec, is_there = context.spec, Path(context.spec).exists()
    name = spec.partition(":")[0]
    if not is_there and get_close_matches(name, factories, n=1, cutoff=0.8):
        raise RlenvsError(unknown("policy", name, factories))
    if TOKENS not in factories:
        raise RlenvsError(f"policy {spec!r} has weights, and nothing is installed that loads them (policy {TOKENS!r})")
    try:
        return _made(TOKENS, context, factories)
    except RlenvsError as error:
        if is_there:
            raise
        others = ", ".join(sorted(set(factories) - {TOKENS}))
        raise RlenvsError(f"{error} Or one without weights, KIND or KIND:REST: {others}.") from error


def _made(kind: str, context: PolicyContext, factories: Mapping[str, PolicyFactory]) -> Policy:
    with foreign_code():
        policy = factories[kind](context)
    missing = [part for part in PARTS if not hasattr(policy, part)]
    if missing:
        raise RlenvsError(
            f"the factory of policy {kind!r} gave a {type(policy).__name__}, which has no {' and no '.join(missing)}: "
            f"a policy has {', '.join(PARTS)}"
        )
    return policy


def oracle(context: PolicyContext) -> Policy:
    """The environment's own answers."""
    return _baseline(Oracle(), context)


def random(context: PolicyContext) -> Policy:
    """Guesses."""
    return _baseline(Random(), context)


def _baseline(policy: Policy, context: PolicyContext) -> Policy:
    if context.spec:
        raise RlenvsError(f"policy {policy.name!r} takes nothing after its name: got {context.spec!r}")
    return policy


def openai(context: PolicyContext) -> Policy:
    """A model behind an endpoint."""
    endpoint = parse_endpoint(ENDPOINT + context.spec, concurrency=context.concurrency)
    return OpenAIPolicy(endpoint=endpoint, sampling=context.sampling)


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
