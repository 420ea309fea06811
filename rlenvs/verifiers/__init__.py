"""Deciding whether an answer is right: `verify` for a verdict, `is_equal` as a reward function needs it.

Text that a policy wrote never hangs or crashes the caller. See `compare` for what counts as equal, `extract` for
finding the answer in a whole reply.
"""

from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.verifiers.compare import Equality, Judgement, compare
from rlenvs.verifiers.notation import structure
from rlenvs.verifiers.notation.text import as_latex, normal
from rlenvs.verifiers.pool import DEFAULT_POOL, Comparisons, VerifierPool
from rlenvs.verifiers.replies.extract import extract

__all__ = [
    "RULES_VERSION",
    "Equality",
    "Judgement",
    "VerifierError",
    "VerifierPool",
    "extract",
    "is_equal",
    "judge",
    "verify",
]

RULES_VERSION = 1
"""The version of the rules by which answers are extracted and compared; a verdict of another version is stale.

Raise it by one in a release after which any reference, answer and question may have another verdict than before:
`rlenvs grade math` then grades again what an earlier release has graded.
"""


class VerifierError(RlenvsError):
    """The verifier could not decide: an unreadable reference, or workers that are lost. Never a wrong answer."""


def verify(gold: Any, answer: str | None, question: str | None = None) -> Equality:
    """Whether an extracted answer equals the reference: "equal", "not_equal", "bad_gold" or "error".

    Args:
        gold: the reference, text or a number.
        answer: what the policy gave; None for no answer.
        question: the problem. It decides where the answer alone cannot: percentages, number bases.
    """
    return judge(gold, answer, question).verdict


def judge(gold: Any, answer: str | None, question: str | None = None, *, pool: VerifierPool | None = None) -> Judgement:
    """`verify` with the reason.

    An answer that uses up its limits (processor time, memory, nesting) while the reference alone passes in the same
    workers is wrong, like a program that overruns its limit: otherwise a policy could escape a low reward by writing
    9^{9^{9^9}}. The check of the reference tells this apart from a verifier that is broken.
    """
    if gold is None:
        return Judgement("bad_gold", "there is no reference")
    comparisons = Comparisons(pool or DEFAULT_POOL)
    try:
        judged = compare(str(gold), answer or "", question or "", comparisons.algebra)
    except Exception as error:  # a fault of ours, which no answer is to be charged for
        return Judgement("error", f"{type(error).__name__}: {error}")
    if judged.verdict == "error" and judged.by_answer and _passes_alone(str(gold), comparisons):
        return Judgement("not_equal", judged.reason, by_answer=True)
    return judged


def is_equal(gold: Any, answer: str, question: str = "", *, pool: VerifierPool | None = None) -> bool:
    """Whether the answer is right, for reward functions.

    Raises:
        VerifierError: the reference cannot be read, or the workers are broken.
    """
    judged = judge(gold, answer, question, pool=pool)
    if judged.verdict in ("bad_gold", "error"):
        raise VerifierError(f"{judged.verdict} for the reference {str(gold)[:100]!r}: {judged.reason}")
    return judged.verdict == "equal"


def _passes_alone(gold: str, comparisons: Comparisons) -> bool:
    """Whether the workers can read the reference within their limits."""
    expressions = [as_latex(item) for item in structure.items(normal(gold))]
    return all(comparisons.alone(item, item).verdict != "error" for item in expressions if item is not None)
