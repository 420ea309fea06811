r"""Reading LaTeX commands with arguments: fractions, roots, accents, derivatives, sets that have names."""

from abc import abstractmethod
from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation.cursor import Cursor
from rlenvs.verifiers.notation.lexer import END, Token, UnreadableError
from rlenvs.verifiers.notation.operands import value_of
from rlenvs.verifiers.tree import Node


class Commands(Cursor):
    """Reads what a command takes; each method leaves `next` at the token after it."""

    @abstractmethod
    def _sum(self) -> Node:
        """Terms with signs between them."""

    @abstractmethod
    def _argument(self, *, is_name: bool = False) -> Node:
        """What a command, a `^` or a `_` takes."""

    @abstractmethod
    def _name_in_braces(self) -> Node:
        """What braces hold, as a name."""

    @abstractmethod
    def _subscripted(self, name: str) -> str:
        """A name with its subscript and primes."""

    def _command(self) -> Node:
        name = self._advance().text
        if name == "frac":
            if self._is_operator():
                raise UnreadableError("a derivative that is not worked out")
            if (derivative := self._derivative()) is not None:
                return derivative
            self._split_digits()
            top = value_of(self._argument())
            return tree.quotient(top, value_of(self._argument()))
        if name == "sqrt":
            return self._root()
        if name in ("binom", "dbinom", "tbinom"):
            self._split_digits()
            return tree.Call("binomial", (value_of(self._argument()), value_of(self._argument())))
        if name == "mathbb":
            return self._named_set()
        if name in ("angle", "triangle"):
            return tree.Symbol(f"{name} {self._vertices()}")
        if name in ("overline", "bar", "vec", "hat", "tilde", "dot", "ddot"):
            start = self._position
            self._argument(is_name=True) if self._is("{") else self._advance()
            inside = "".join(token.text for token in self._tokens[start : self._position] if token.text not in "{}")
            return tree.Symbol(self._subscripted(f"{'overline' if name == 'bar' else name} {inside}"))
        raise UnreadableError(f"\\{name} cannot stand there")

    def _vertices(self) -> str:
        r"""The letters of `\\angle ABC`, in their order."""
        is_braced = self._take("{")
        found = ""
        while self.next.kind == "letter":
            found += self._subscripted(self._advance().text)
        if is_braced:
            self._expect("}")
        if not found:
            raise UnreadableError("an angle without a name")
        return found

    def _is_operator(self) -> bool:
        r"""Whether what follows is `{d}{dx}`, which is no quotient."""
        inside = [self._ahead(distance).text for distance in range(7)]
        return inside[:5] == ["{", "d", "}", "{", "d"] and inside[6] == "}"

    def _derivative(self) -> Node | None:
        r"""`\frac{dy}{dx}` as a name; None where what follows is a quotient."""
        inside = [self._ahead(distance) for distance in range(8)]
        is_like = [token.text for token in inside if token.kind == "sign"][:4] == ["{", "}", "{", "}"]
        letters = [token.text for token in (inside[1], inside[2], inside[5], inside[6])]
        if (
            not is_like
            or letters[0] != "d"
            or letters[2] != "d"
            or not all(inside[at].kind == "letter" for at in (2, 6))
        ):
            return None
        for _ in inside:
            self._advance()
        return tree.Symbol(f"d{letters[1]}/d{letters[3]}")

    def _split_digits(self, distance: int = 0) -> None:
        r"""Make one token of each digit where `\frac12` stands without braces."""
        start = self._position + distance
        for position in (start, start + 1):
            token = self._tokens[position] if position < len(self._tokens) else END
            if token.kind == "number" and len(token.text) > 1 and token.text.isdigit():
                self._tokens[position : position + 1] = [
                    Token("number", token.text[0]),
                    Token("number", token.text[1:]),
                ]
            if token.kind != "number":
                break
        self.next = self._tokens[self._position]

    def _root(self) -> Node:
        degree: Node = tree.Number(Fraction(2))
        if self._take("["):
            degree = value_of(self._sum())
            self._expect("]")
        inside = value_of(self._argument())
        return tree.Power(inside, tree.quotient(tree.ONE, degree))

    def _named_set(self) -> Node:
        self._expect("{")
        name = self._advance().text
        self._expect("}")
        for sign in ("^", "_"):
            if self._take(sign):
                start = self._position
                if self._is("+", "-", "*"):
                    self._advance()
                elif self._take("{"):
                    self._name_in_braces()
                else:
                    self._advance()
                inside = self._tokens[start : self._position]
                name += sign + "".join(token.text for token in inside if token.text not in "{}")
        return tree.SetNamed(name)
