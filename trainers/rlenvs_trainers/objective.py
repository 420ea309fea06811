"""From signals to one number: the order of an algorithm's slots, what they see, and what is refused beforehand.

Ratio, surrogate, weights, then the mean; plus every regulariser with its own mean. The slots' maths is their own; who
computes the signals, and back-propagates, is `learner.py`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Algorithm, Floats
from rlenvs_trainers.batch import Batch
from rlenvs_trainers.declared import Objects, brought_signals, declaration, noted_signals, notes_on_scope
from rlenvs_trainers.ranks import sum_over_ranks
from rlenvs_trainers.records import LEVELS, Level, Numbers
from rlenvs_trainers.regularise import estimate_kl
from rlenvs_trainers.scope import Scope, widest
from rlenvs_trainers.view import Segments, View

SIGNALS = frozenset({"entropy"})  # besides the log-probability: what every forward pass gives
CONSTANTS = frozenset({"sampler", "reference"})  # besides the credit rule's targets and what annotators note
RESERVED = frozenset({"surrogate", "ratio", "mismatch", "reward", "tokens", "turns"})  # no regulariser's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What an optimiser step minimises, or the part of it that a view's tokens make. Parts add up."""

    value: Tensor  # scalar, differentiable
    terms: Mapping[str, float]  # its summands, coefficients applied
    means: Mapping[str, float]  # diagnostics: sums over the view's tokens, divided by the weight of all tokens
    share: float  # of all tokens, by weight, that the view has: means / share are averages over them
    maxima: Mapping[str, float]  # diagnostics of which the largest counts


class NonFiniteError(RlenvsError):
    """A slot gave NaN or infinity: which one, and on whose token."""


def objective(algorithm: Algorithm, view: View, where: Callable[[int], str] = str) -> Loss:
    """The loss of a view.

    Args:
        where: from the index of a token in the view to the words that name its task, for errors.

    Raises:
        NonFiniteError: a component gave NaN or infinity.
    """
    log_ratio_N = _checked("ratio", algorithm.ratio(view, algorithm.credit.unit), view, where)
    surrogate_N, diagnostics = algorithm.surrogate(view, log_ratio_N)
    _checked(f"surrogate {_name(algorithm.surrogate)}", surrogate_N, view, where)
    ratio_N = log_ratio_N.detach().exp()
    named = {"ratio/mean": ratio_N, "ratio/kl": estimate_kl(view.logprobs_N, view.old_N, "k3")}
    if "entropy" in view.signals:
        named["policy/entropy"] = view.signals["entropy"]
    _add(named, diagnostics, view)
    for rule in algorithm.weights:
        factor_N, diagnostics = rule(view, log_ratio_N)
        surrogate_N = surrogate_N * _checked(f"weights {_name(rule)}", factor_N.detach(), view, where)
        _add(named, diagnostics, view)
    terms = {"surrogate": algorithm.reduce(surrogate_N, view)}
    for term in algorithm.regularise:
        if term.coefficient:
            value_N = _checked(f"regulariser {term.name}", term(view), view, where)
            _add(named, {f"{term.name}/mean": value_N}, view)
            terms[term.name] = term.coefficient * (term.reduce or algorithm.reduce)(value_N, view)
    total = view.segments["token"].total
    return Loss(
        value=torch.stack(list(terms.values())).sum(),
        terms={name: float(term.detach()) for name, term in terms.items()},
        means={name: float((view.weight_N * value_N.detach()).sum() / total) for name, value_N in named.items()},
        share=float(view.weight_N.sum() / total),
        maxima={"ratio/max": float(ratio_N.max())} if len(ratio_N) else {},
    )


def _checked(component: str, value_N: Tensor, view: View, where: Callable[[int], str]) -> Tensor:
    """What a component gave, if it is a finite number for every token."""
    _check_shape(component, value_N, view)
    good_N = torch.isfinite(value_N)
    if not good_N.all():
        token = int((~good_N).nonzero()[0, 0])
        raise NonFiniteError(f"{component} gave {float(value_N.detach()[token])} for a token of {where(token)}")
    return value_N


def _check_shape(component: str, value_N: Tensor, view: View) -> None:
    if value_N.shape != view.logprobs_N.shape:
        raise RlenvsError(
            f"{component} gave shape {list(value_N.shape)} for {len(view.logprobs_N)} tokens: it gives one number for "
            "each. Was a row of a signal or constant ([N, K], or a column [N, 1]) used as if it were a number?"
        )


def _add(named: dict[str, Tensor], diagnostics: Mapping[str, Tensor], view: View) -> None:
    """Diagnostics of one more slot; the second of a name is name/2, as of two masks of one kind. None is lost."""
    for name, value_N in diagnostics.items():
        _check_shape(f"diagnostic {name}", value_N, view)
        names = itertools.chain([name], (f"{name}/{number}" for number in itertools.count(2)))
        named[next(free for free in names if free not in named)] = value_N


def _name(slot: object) -> str:
    return type(slot).__name__


class Views:
    """Makes the views of one optimiser step: masses and denominators are those of the whole step, over all ranks."""

    def __init__(self, step: Batch, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        self.step, self.device, self.dtype = step, torch.device(device), dtype
        self.masses: dict[Level, Floats] = {
            level: np.bincount(step.segment_ids(level), weights=step.weight_N).astype(np.float64) for level in LEVELS
        }
        counts = [float(step.weight_N.sum()), *(float((self.masses[level] > 0).sum()) for level in LEVELS[1:])]
        self.totals = dict(zip(LEVELS, sum_over_ranks(counts), strict=True))

    def of(self, part: Batch, signals: Mapping[str, Tensor]) -> View:
        """The view of some of the step's samples.

        The ratio divides by the part's constant "old"; without one by the log-probability itself, without gradient.

        Args:
            part: taken from the step by `Batch.take`, so that its segments have the step's ids.
            signals: [N] by name, "logprob" among them.
        """
        constants = {name: self.tensor(values) for name, values in part.constants.items()}
        logprobs_N = signals["logprob"]
        return View(
            logprobs_N=logprobs_N,
            old_N=constants.pop("old", logprobs_N.detach()),
            advantage_N=self.tensor(part.advantage_N),
            weight_N=self.tensor(part.weight_N),
            segments={level: self._segments(part, level) for level in LEVELS},
            signals=signals,
            constants={"sampler": self.tensor(part.sampler_N), **constants},
        )

    def tensor(self, values: Numbers) -> Tensor:
        """On the device, in the objective's type."""
        return as_tensor(values, self.device, self.dtype)

    def _segments(self, part: Batch, level: Level) -> Segments:
        units, ids = np.unique(part.segment_ids(level), return_inverse=True)
        mass: Floats = part.weight_N if level == "token" else self.masses[level][units]
        ids_N = torch.from_numpy(ids.astype(np.int64)).to(self.device)
        return Segments(ids_N=ids_N, count=len(units), total=self.totals[level], mass_U=self.tensor(mass))


def as_tensor(values: Numbers, device: torch.device, dtype: torch.dtype) -> Tensor:
    """On the device: real numbers in this type, integers (ids, say) as they are."""
    return torch.from_numpy(np.ascontiguousarray(values)).to(device, dtype if values.dtype.kind == "f" else torch.long)


# What is known before any work.


def objections(algorithm: Algorithm) -> Iterator[str]:
    """Why this algorithm cannot run, a sentence each: combinations that mean nothing, needs that nobody meets."""
    for slot in _objective_slots(algorithm):
        if isinstance(slot, Objects) and (sentence := slot.objection(algorithm)) is not None:
            yield sentence
    yield from _objections_to_names([term.name for term in algorithm.regularise if term.coefficient])
    yield from _objections_to_signals(algorithm)
    brought = {signal.name for signal in brought_signals(algorithm)}
    given = SIGNALS | brought | CONSTANTS | {*declaration(algorithm.credit).targets} | noted_signals(algorithm)
    known = ", ".join(sorted(given))
    for name in sorted(algorithm.needs - given):
        yield f"algorithm {algorithm.name!r} needs {name!r}, which nothing provides. There is: {known}"


def _objections_to_signals(algorithm: Algorithm) -> Iterator[str]:
    """What is brought along goes by name too, is made of what is noted, and is trained by nothing but the objective."""
    signals, noted = brought_signals(algorithm), noted_signals(algorithm)
    taken = SIGNALS | CONSTANTS | noted | {*declaration(algorithm.credit).targets} | {"logprob", "old", "advantage"}
    for name, count in Counter(signal.name for signal in signals).items():
        if count > 1:
            yield f"{count} different signals are called {name!r}: give each a `name` of its own, or make them equal"
        if not name.isidentifier() or name in taken:
            yield f"a signal is called {name!r}: its `name` is an identifier, and none of {', '.join(sorted(taken))}"
    for signal in signals:
        for need in sorted({*signal.needs} - noted):
            yield (
                f"the signal {signal.name!r} is made from {need!r}, which no explorer or annotator notes: one of them "
                f"has it among its token_signals"
            )
        if signal.lr is not None and signal.name not in algorithm.needs:
            yield (
                f"{_name(signal)} learns {signal.name!r}, and no slot of the objective has that in its `needs`: it "
                "would never be trained. Add a regulariser that compares it with a target"
            )


def _objections_to_names(names: Sequence[str]) -> Iterator[str]:
    """Terms and their metrics go by name: of two with one name, one would be lost."""
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{count} regularisers are called {name!r}: give each a `name` of its own, or make one of them"
        if name in RESERVED:
            yield f"a regulariser is called {name!r}, which is a name of the core's own: give it another `name`"


def notes(algorithm: Algorithm) -> Iterator[str]:
    """What is odd but allowed, a sentence each."""
    if can_never_clip(algorithm):
        yield (
            f"{algorithm.name}: with a single update per step every ratio is 1 and the clip does nothing. "
            f"That is plain policy gradient, and right; for several updates set updates=(epochs, minibatches)"
        )
    yield from notes_on_scope(algorithm.name, _objective_slots(algorithm))


def can_never_clip(algorithm: Algorithm) -> bool:
    """Whether the surrogate clips ratios that are always 1."""
    return declaration(algorithm.surrogate).clips and old_is_current(algorithm)


def old_is_current(algorithm: Algorithm) -> bool:
    """Whether the ratio divides by the very log-probabilities it is made of: exact for one update, and no other."""
    return algorithm.old == "trainer" and math.prod(algorithm.updates) == 1


def ignores_zero_advantages(algorithm: Algorithm) -> bool:
    """Whether tokens without an advantage add nothing to loss and gradient, and need not be computed."""
    return declaration(algorithm.surrogate).vanishes and not any(t.coefficient for t in algorithm.regularise)


def scope(algorithm: Algorithm) -> Scope:
    """The widest set of tokens that its slots must see together. Up to a trajectory, one pass over the data will do."""
    return widest(*(declaration(slot).scope for slot in _objective_slots(algorithm)))


def _objective_slots(algorithm: Algorithm) -> list[object]:
    terms = [term for term in algorithm.regularise if term.coefficient]
    reductions = [algorithm.reduce, *(term.reduce for term in terms if term.reduce is not None)]
    return [algorithm.ratio, algorithm.surrogate, *algorithm.weights, *terms, *reductions]
