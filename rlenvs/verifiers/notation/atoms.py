"""Reading what has no sign around it: numbers, names, functions, commands. Sums and sets are `parser`'s."""

import re
from abc import abstractmethod
from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation.commands import Commands
from rlenvs.verifiers.notation.exact import number
from rlenvs.verifiers.notation.lexer import END, FUNCTIONS, Token, UnreadableError
from rlenvs.verifiers.notation.operands import based, function, signed, value_of
from rlenvs.verifiers.tree import Node

_CLOCK_DIGITS = 2  # 00:15
_FUNCTION_LETTERS = frozenset("fghFGH")
_TRIGONOMETRIC = frozenset(("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch"))


class Atoms(Commands):
    """Reads one atom; each method reads what it is named for and leaves `next` at the token after it."""

    @abstractmethod
    def answer(self) -> Node:
        """Everything."""

    @abstractmethod
    def _power(self) -> Node:
        """An atom with what is behind it."""

    @abstractmethod
    def _exponent(self) -> Node:
        """What follows a `^`."""

    @abstractmethod
    def _starts_factor(self) -> bool:
        """Whether the next token is multiplied without a sign."""

    @abstractmethod
    def _enclosed(self) -> Node:
        """What brackets hold."""

    @abstractmethod
    def _matrix(self) -> Node:
        """Rows of entries."""

    def _atom(self) -> Node:
        token = self.next
        reader = {
            "number": self._number,
            "letter": self._letter,
            "label": self._label,
            "name": self._name,
            "command": self._command,
            "begin": self._matrix,
            "text": self._lone_letter,
            "sign": self._enclosed,
        }.get(token.kind)
        if reader is None:
            raise UnreadableError(f"{token.text!r} cannot stand there" if token is not END else "it ends too early")
        return reader()

    def _number(self) -> Node:
        digits = self._advance().text
        if self._is("_"):
            self._advance()
            return based(digits, self._argument())
        value = number(digits)
        if value is None or (len(digits) > _CLOCK_DIGITS and not digits.strip("0")):  # of `(1,000)`
            raise UnreadableError(f"{digits!r} is no number")
        is_divisor = self._position > 1 and self._tokens[self._position - 2].text == "/"
        may_be_mixed = digits.isdigit() and not self._is_argument and not is_divisor
        if may_be_mixed and (fraction := self._fraction_behind()) is not None:
            value += fraction
        return tree.Number(value, _places(digits))

    def _fraction_behind(self) -> Fraction | None:
        r"""The fraction of a mixed number, `3\frac{1}{2}` or `3 1/2`: two whole numbers, the second one larger."""
        if self.next.kind == "number" and self.next.is_spaced:
            pattern = [("number", ""), ("sign", "/"), ("number", "")]
        elif self.next.kind == "command" and self.next.text == "frac":
            braced = [("sign", "{"), ("number", ""), ("sign", "}")]
            pattern = [("command", "frac"), *braced, *braced] if self._ahead().text == "{" else []
            if self._ahead().kind == "number":
                self._split_digits(1)
                pattern = [("command", "frac"), ("number", ""), ("number", "")]
        else:
            return None
        found = [self._ahead(distance) for distance in range(len(pattern))]
        digits = [token.text for token in found if token.kind == "number"]
        is_like = all(
            token.kind == kind and text in ("", token.text) for token, (kind, text) in zip(found, pattern, strict=True)
        )
        if (
            not pattern
            or not is_like
            or not all(each.isdigit() for each in digits)
            or not 0 < int(digits[0]) < int(digits[1])
        ):
            return None
        for _ in pattern:
            self._advance()
        return Fraction(int(digits[0]), int(digits[1]))

    def _letter(self) -> Node:
        letter = self._advance().text
        if letter in ("e", "i") and not self._is("_", "'"):
            return tree.Constant(letter)
        name = self._subscripted(letter)
        is_function = letter in _FUNCTION_LETTERS or self._defines() or (letter.isupper() and self._is_applied())
        if letter in _FUNCTION_LETTERS and self._is("^"):
            name += self._power_of_function()
        if self._is("(") and is_function and not self.next.is_spaced:
            return tree.Call(name, self._arguments())
        return tree.Symbol(name)

    def _label(self) -> Node:
        return tree.Symbol(self._subscripted(f"mathcal {self._advance().text}"))

    def _is_applied(self) -> bool:
        """Whether one number or letter follows in brackets, `P(0)`, `P(A)`; `P(1 + r)` is a product."""
        start = 2 if self._ahead().text == "-" else 1
        is_atom = self._ahead(start).kind in ("number", "letter", "name")
        return self._is("(") and is_atom and self._ahead(start + 1).text in (")", ",")

    def _power_of_function(self) -> str:
        """`^{-1}` of `f^{-1}(x)`; empty where no argument follows, so that it is a power."""
        distance = 1
        while self._ahead(distance).text in ("{", "}", "-") or self._ahead(distance).kind == "number":
            distance += 1
        if distance == 1 or self._ahead(distance).text != "(" or self._ahead(distance).is_spaced:
            return ""
        taken = [self._advance().text for _ in range(distance)]
        return "".join(text for text in taken if text not in "{}")

    def _lone_letter(self) -> Node:
        r"""`\text{A}`, which is a name where it is no unit."""
        name = self._advance().text
        if len(name) > 1 or not name.isalpha():
            raise UnreadableError(f"{name!r} cannot stand there")
        return tree.Symbol(self._subscripted(name))

    def _defines(self) -> bool:
        """Whether what follows is `(x) =`: then the letter before names a function."""
        if not self._is("("):
            return False
        distance = 1
        while self._ahead(distance).kind in ("letter", "name") or self._ahead(distance).text == ",":
            distance += 1
        return distance > 1 and self._ahead(distance).text == ")" and self._ahead(distance + 1).text == "="

    def _subscripted(self, name: str) -> str:
        """A name with its subscript and primes."""
        if self._take("_"):
            start = self._position
            self._argument(is_name=True)
            inside = self._tokens[start : self._position]
            name += "_" + "".join(token.text for token in inside if token.text not in "{}")
        while self._take("'"):
            name += "'"
        return name

    def _name(self) -> Node:
        name = self._advance().text
        if name in ("pi", "infinity"):
            return tree.Constant(name)
        return self._call(name) if name in FUNCTIONS else tree.Symbol(self._subscripted(name))

    def _call(self, name: str) -> Node:
        r"""A function with its arguments: `\\sin^2 x`, `\\log_2 8`, `max(1, 2)`."""
        base = exponent = None
        for _ in range(2):
            if name == "log" and base is None and self._take("_"):
                base = value_of(self._argument())
            elif exponent is None and self._take("^"):
                exponent = value_of(self._exponent())
        is_enclosed = self._is("(", "\\{")
        arguments = self._arguments() if is_enclosed else (self._bare_argument(),)
        if base is not None:
            arguments = (*arguments, base)
        if exponent == tree.MINUS_ONE and name in _TRIGONOMETRIC:
            return function(f"arc{name}", arguments)
        found = function(name, arguments)
        return found if exponent is None else tree.Power(found, exponent)

    def _arguments(self) -> tuple[Node, ...]:
        closing = ")" if self._advance().text == "(" else "\\}"
        bars, self._bars = self._bars, 0
        found = [value_of(self._nested(self._sum))]
        while self._take(",", ";"):
            found.append(value_of(self._nested(self._sum)))
        self._bars = bars
        self._expect(closing)
        return tuple(found)

    def _bare_argument(self) -> Node:
        r"""`2x` of `\\sin 2x`: factors up to a sign or another function."""
        if self._is("-", "+"):
            sign = self._advance().text
            return signed(sign, self._nested(self._power))
        factors = [value_of(self._nested(self._power))]
        while self._starts_factor() and not (self.next.kind == "name" and self.next.text in FUNCTIONS):
            if self._is("(", "|"):
                break
            factors.append(value_of(self._power()))
        return factors[0] if len(factors) == 1 else tree.Product(tuple(factors))

    def _argument(self, *, is_name: bool = False) -> Node:
        """What a command, a `^` or a `_` takes: a group in braces, or the one next thing."""
        if self._take("{"):
            if is_name:
                return self._name_in_braces()
            bars, self._bars = self._bars, 0
            found = self._nested(self.answer)
            self._bars = bars
            self._expect("}")
            return found
        if self.next.kind == "number" and len(self.next.text) > 1 and self._is_after_command():
            digits = self._advance().text
            self._position -= 1
            self._tokens[self._position] = self.next = Token("number", digits[1:])
            return tree.Number(Fraction(int(digits[0])))
        self._is_argument, before = True, self._is_argument
        found = self._nested(self._atom)
        self._is_argument = before
        return found

    def _is_after_command(self) -> bool:
        r"""Whether a number is the bare argument of a command, of which it takes one digit: `\frac12`."""
        before = self._tokens[self._position - 1] if self._position else END
        return before.kind == "command" and self.next.text.isdigit()

    def _name_in_braces(self) -> Node:
        while not self._is("}"):
            if self.next is END:
                raise UnreadableError("a subscript without an end")
            self._advance()
        self._advance()
        return tree.ZERO


_WRITTEN = re.compile(r"\d*\.(?P<decimals>\d+)(?:e(?P<exponent>[-+]?\d+))?", re.IGNORECASE)


def _places(digits: str) -> int | None:
    """How many decimals a number is written with, `1.5e-3` with four; None where it has no point, or no end."""
    found = _WRITTEN.fullmatch(digits)
    return max(0, len(found["decimals"]) - int(found["exponent"] or 0)) if found else None
