"""Going through tokens: the next one, whether it is what is expected, how deep one is."""

from collections.abc import Callable

from rlenvs.verifiers.notation.lexer import Token, UnreadableError
from rlenvs.verifiers.tree import Node

OTHER_RELATIONS = ("notin", "subset", "subseteq", "supset", "supseteq", "divides", "equiv", "parallel", "perp", "to")
"""What is compared side by side, and never solved."""
RELATIONS = frozenset(("=", "!=", "<", "<=", ">", ">=", "in", "~", *OTHER_RELATIONS))
MAX_DEPTH = 90  # of calls: brackets in brackets take three each


class Cursor:
    """Tokens and a place among them."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._position = 0
        self._depth = 0
        self._bars = 0  # how many |…| are open
        self._is_argument = False  # whether what is read now is what a command or a power takes without braces
        self.next = found[0]

    def _advance(self) -> Token:
        taken = self.next
        self._position += 1
        self.next = self._tokens[min(self._position, len(self._tokens) - 1)]
        return taken

    def _ahead(self, distance: int = 1) -> Token:
        return self._tokens[min(self._position + distance, len(self._tokens) - 1)]

    def _is(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def _take(self, *signs: str) -> bool:
        if not self._is(*signs):
            return False
        self._advance()
        return True

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise UnreadableError(f"expected {sign!r}, got {self.next.text!r}")

    def _nested(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadableError(f"nested more than {MAX_DEPTH} deep")
        found = read()
        self._depth -= 1
        return found
