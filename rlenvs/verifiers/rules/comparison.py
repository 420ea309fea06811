"""What the rules share: the question, and how parts are compared."""

from collections.abc import Callable
from dataclasses import dataclass

from rlenvs.verifiers.asked.question import Question
from rlenvs.verifiers.tree import Node


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of one answer with its reference."""

    asked: Question
    rules: tuple["Rule", ...]
    has_parameters: bool = False  # whether an answer says that a letter in it is any number

    def same(self, gold: Node, answer: Node) -> bool:
        """Whether two trees, or parts of them, say the same: by the first rule that decides.

        Raises:
            UndecidedError: both may be fine, but comparing them takes more than evaluating.
        """
        if gold == answer:
            return True
        for rule in self.rules:
            decided = rule(gold, answer, self)
            if decided is not None:
                return decided
        return False


Rule = Callable[[Node, Node, Comparison], bool | None]
"""Whether an answer says what the reference says; None where it is not of the rule's shape."""
