"""What is refused before any work is done: combinations that would train on something else than was asked for."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from math import ceil

from rlenvs.env import TextEnv
from rlenvs.episode import POLICY_SEAT
from rlenvs.errors import RlenvsError, unknown
from rlenvs.policies.base import Sampling
from rlenvs.seats import SeatView
from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.config import EnvConfig, TrainConfig
from rlenvs_trainers.declared import declaration, declared, parts
from rlenvs_trainers.devices import device_named
from rlenvs_trainers.grouping import learned_seats
from rlenvs_trainers.samplers.base import Sampler
from rlenvs_trainers.select import most_rounds

NEEDED = {
    "explore": (),
    "select": ("refills",),
    "annotate": (),
    "shape": (),
    "credit": ("unit", "min_group"),
    "ratio": ("unit",),
    "surrogate": ("needs",),
    "weights": ("needs",),
    "regularise": ("name", "coefficient", "needs", "reduce"),
    "reduce": (),
}
"""By slot: what its protocol has besides the call."""


def check_slots(algorithm: Algorithm) -> None:
    """Refuse a component in a slot that it is not made for, or one that no config can hold.

    Raises:
        RlenvsError: naming both.
    """
    for part in parts(algorithm):
        if is_dataclass(part) and any(each.name == "use" for each in fields(part)):
            raise RlenvsError(
                f"{type(part).__name__} in {algorithm.name!r} has a field called 'use', which in a config is the "
                "component's name: call it something else"
            )
    for slot, names in NEEDED.items():
        value = getattr(algorithm, slot)
        for part in value if isinstance(value, tuple) else (value,):
            missing = [name for name in ("__call__", *names) if not hasattr(part, name)]
            if missing:
                kind = type(part).__name__
                raise RlenvsError(f"{slot} of {algorithm.name!r} cannot be {kind}: it has no {', '.join(missing)}")


def check_config(config: TrainConfig, algorithm: Algorithm) -> None:
    """Refuse settings under which the update would be biased or empty.

    Raises:
        RlenvsError: with the setting's name and what to do.
    """
    sampling, rollout, is_sampled = config.sampling, config.rollout, declaration(algorithm.explore).draws_samples
    if sampling.temperature == 0:
        why = (
            "greedy attempts at a task are all the same and nothing can be learned from them"
            if is_sampled
            else "log-probabilities are those at the sampling temperature, and at 0 there are none"
        )
        raise RlenvsError(
            f"sampling.temperature is 0: {why}. Train at a temperature above 0; evaluation reports greedy accuracy as "
            "well."
        )
    if is_sampled and (sampling.top_p < 1 or sampling.top_k):
        raise RlenvsError(
            f"sampling.top_p = {sampling.top_p} and sampling.top_k = {sampling.top_k} change the distribution that "
            "tokens are drawn from, and the trainer's log-probabilities would be of another one: the ratio is biased "
            "without a word. Train with top_p = 1 and top_k = 0; evaluation takes both."
        )
    if bool(config.eval.env) != bool(config.eval.num_tasks):
        raise RlenvsError(
            f"eval.num_tasks is {config.eval.num_tasks} and there are {len(config.eval.env)} [[eval.env]] tables: "
            "held-out evaluation needs both, the environments and how many of their tasks."
        )
    device_named(config.learner.device, "learner.device")  # one that is not there is told before any work
    if rollout.group_size < algorithm.credit.min_group:
        raise RlenvsError(
            f"rollout.group_size is {rollout.group_size}: {algorithm.name!r} compares an attempt with its siblings, "
            f"and without any every advantage would be 0. Set rollout.group_size to {algorithm.credit.min_group} or "
            "more (8 is usual)."
        )


def check_distribution(params: Sampling, run: Sampling) -> None:
    """Refuse to sample what is trained from another distribution than the learner's log-probabilities are of.

    Raises:
        RlenvsError: naming what differs.
    """
    names = ("temperature", "top_p", "top_k")
    changed = {name: getattr(params, name) for name in names if getattr(params, name) != getattr(run, name)}
    if changed:
        asked = ", ".join(
            f"{name} = {value:g} (the run's is {getattr(run, name):g})" for name, value in changed.items()
        )
        raise RlenvsError(
            f"an explorer asked for actions with {asked}: the trainer's log-probabilities would be of another "
            "distribution, and the ratio biased without a word. Let it change max_tokens and stop alone, and set "
            "sampling.temperature for the whole run."
        )


def check_seats(config: EnvConfig, env: TextEnv) -> None:
    """Refuse seats that the environment does not have.

    Raises:
        RlenvsError: with the near miss.
    """
    if config.seats is not None and not config.seats:
        raise RlenvsError(f"seats of {config.id} is empty: leave it out to learn in all of them")
    seats = env.multi.seats if isinstance(env, SeatView) else (POLICY_SEAT,)
    for seat in config.seats or ():
        if seat not in seats:
            raise RlenvsError(unknown(f"seat of {config.id}", seat, seats))


def check_step(config: TrainConfig, algorithm: Algorithm, envs: Sequence[TextEnv]) -> None:
    """Refuse a step that never has enough groups for a selector to keep one: every update would be skipped.

    Args:
        envs: of the config, in its order.

    Raises:
        RlenvsError: naming both numbers.
    """
    tasks, rounds = config.rollout.tasks_per_step, most_rounds(algorithm.select)
    seats = max(len(learned_seats(env, each.seats)) for env, each in zip(envs, config.env, strict=True))
    for selector in algorithm.select:
        least, most = declaration(selector).min_groups, tasks * seats * rounds
        if most < least:
            raise RlenvsError(
                f"rollout.tasks_per_step = {tasks} gives a step {most} groups at most, and {type(selector).__name__} "
                f"in select keeps none of fewer than {least}: nothing would ever be learned. Set "
                f"rollout.tasks_per_step to {ceil(least / (seats * rounds))} or more, or let the selector keep more."
            )


def check_ranks(count: int) -> None:
    """Refuse to run as one of several processes, which would all gather the same experience and write the same files.

    Raises:
        RlenvsError: there are several.
    """
    if count > 1:
        raise RlenvsError(
            f"WORLD_SIZE is {count}: a run is one process so far (the learner alone can be a rank of several). "
            "Start it without torchrun or accelerate launch."
        )


def check_sampler(algorithm: Algorithm, sampler: Sampler, config: TrainConfig) -> None:
    """Refuse a sampler that cannot give what training needs.

    Raises:
        RlenvsError: naming the members or capabilities that are missing.
    """
    members = {*Sampler.__annotations__, *(name for name in vars(Sampler) if not name.startswith("_"))}
    if absent := sorted(name for name in members if not hasattr(sampler, name)):
        raise RlenvsError(
            f"sampler {config.sampler!r} ({type(sampler).__name__}) lacks {', '.join(absent)}: what a sampler has says "
            "`Sampler` in rlenvs_trainers/samplers/base.py"
        )
    asked = declared((algorithm.explore, *algorithm.annotate), "needs_sampler")
    drawn = ("token_ids", "logprobs") if declaration(algorithm.explore).draws_samples else ()
    needed = {"load", *drawn, *asked}
    missing = needed - sampler.capabilities
    if missing:
        raise RlenvsError(
            f"sampler {config.sampler!r} cannot give {', '.join(sorted(missing))}, which training with "
            f"{algorithm.name!r} needs. Choose another sampler or another algorithm."
        )
    if declaration(algorithm.explore).draws_samples and config.sampling.max_tokens >= sampler.context_length:
        why = "".join(f" ({note})" for note in sampler.notes)
        raise RlenvsError(
            f"sampling.max_tokens = {config.sampling.max_tokens} leaves no room for a prompt in a context of "
            f"{sampler.context_length} tokens{why}. Set it lower, or choose a model with a longer context."
        )
