r"""Mathematical text as a tree: LaTeX, calculator syntax, and the mixtures of both that people and models write.

A text is read whole or not at all: what is left over at the end is an error, so that no part of an answer is dropped.
Nothing is worked out but the value of a number as it is written.
"""

import re

from rlenvs.verifiers import tree, units
from rlenvs.verifiers.notation import linear
from rlenvs.verifiers.notation.approximate import without_roundings
from rlenvs.verifiers.notation.brackets import Brackets
from rlenvs.verifiers.notation.cursor import RELATIONS
from rlenvs.verifiers.notation.lexer import END, UnreadableError, tokens
from rlenvs.verifiers.notation.operands import (
    as_set,
    divided,
    is_vector,
    percent,
    quantities_added,
    residue_class,
    signed,
    value_of,
)
from rlenvs.verifiers.tree import Node

_CURRENCIES = ("$", "€", "£", "¥", "₹")
_SETS = frozenset(("cup", "cap", "setminus"))
_MINUTES = re.compile(r"0\d")  # of a time of day: nobody writes a part of a ratio so
_MAX_POSTFIXES = 3  # of one value, as in 3!%


def parse(text: str, *, is_grouped: bool = True) -> Node:
    """The tree of a text in the normal form of `text.normal`.

    Args:
        is_grouped: whether `1,234` is one number, and not two.

    Raises:
        UnreadableError: it cannot be read whole.
    """
    parser = _Parser(tokens(text, is_grouped=is_grouped))
    found = parser.answer()
    if parser.next is not END:
        raise UnreadableError(f"{parser.next.text!r} cannot stand there")
    return found


class _Parser(Brackets):
    """Recursive descent; each method reads what it is named for and leaves `next` at the token after it."""

    def answer(self) -> Node:
        """Everything: items that commas, semicolons, "and" or "or" separate."""
        items, joiners = [self._relation()], set[str]()
        while self._is(",", ";") or self.next.kind == "joiner":
            while self._is(",", ";") or self.next.kind == "joiner":
                taken = self._advance()
                joiners |= {taken.text} if taken.kind == "joiner" else set()
            if self.next is END and taken.kind != "joiner":
                break
            items.append(self._relation())
        joined = joiners.pop() if len(joiners) == 1 else "mixed" if joiners else ","
        if joined == "and" and (whole := quantities_added(items)) is not None:  # 3 hours and 30 minutes
            return whole
        return items[0] if len(items) == 1 else tree.Items(tuple(items), joined)

    def _relation(self) -> Node:
        sides, signs = [self._set()], []
        while self._is(*RELATIONS):
            signs.append(self._advance().text)
            sides.append(self._set())
        last = sides[-1]
        if "equiv" in signs and isinstance(last, tree.Call) and last.name == "mod":
            sides[-1] = residue_class(*last.arguments)
        if "~" in signs:
            signs, sides = without_roundings(signs, sides)
        return tree.Relation(tuple(signs), tuple(sides)) if signs else sides[0]

    def _set(self) -> Node:
        found = self._ratio()
        while self._is(*_SETS) or (self._is("-") and isinstance(found, tree.SETS)):
            name = self._advance().text
            found = tree.SetOperation("setminus" if name == "-" else name, (as_set(found), as_set(self._ratio())))
        return found

    def _ratio(self) -> Node:
        parts, is_clock = [self._quantity()], False
        while self._take(":"):
            is_clock = is_clock or (self.next.kind == "number" and _MINUTES.fullmatch(self.next.text) is not None)
            parts.append(self._quantity())
        return parts[0] if len(parts) == 1 else tree.Ratio(tuple(parts), is_clock)

    def _quantity(self) -> Node:
        """An expression, with a unit before or behind it."""
        is_negative = self._is("-") and self._ahead().text in _CURRENCIES and self._take("-")
        unit = self._advance().text if self._is(*_CURRENCIES) else ""
        value = self._nested(self._sum)
        if self._take("pmod"):
            return residue_class(value_of(value), value_of(self._argument()))
        if self._is(*_CURRENCIES) and not unit:
            unit = self._advance().text
        while self.next.kind == "text":
            unit = f"{unit} {self._advance().text}".strip()
            if self._is("^"):
                self._advance()
                power = self._argument()
                unit += f"^{power.value}" if isinstance(power, tree.Number) else "?"
        if not unit:
            return value
        if units.unit(unit) is None or isinstance(value, tree.Sum):
            raise UnreadableError(f"{unit!r} is no unit of that")
        found = tree.Quantity(tree.negative(value_of(value)) if is_negative else value_of(value), unit)
        return self._with_smaller_unit(found) if self.next.kind == "number" else found

    def _with_smaller_unit(self, larger: tree.Quantity) -> Node:
        """`2 hours 15 minutes` as one quantity."""
        found = quantities_added([larger, self._quantity()])
        if found is None:
            raise UnreadableError("two quantities side by side")
        return found

    def _sum(self) -> Node:
        terms = [self._term()]
        while self._is("+", "-", "pm", "mp") and not isinstance(terms[0], tree.SETS):
            sign = self._advance().text
            terms.append(signed(sign, self._term()))
        return terms[0] if len(terms) == 1 else linear.added([value_of(term) for term in terms])

    def _term(self) -> Node:
        if self._is("+", "-", "pm", "mp"):
            sign = self._advance().text
            return signed(sign, self._nested(self._term))
        factors = [self._power()]
        while True:
            if self._is("*", "×"):
                is_cross = self._advance().text == "×"
                factors.append(self._factor())
                if is_cross and any(map(is_vector, factors[-2:])):
                    factors[-2:] = [tree.Call("cross", (factors[-2], factors[-1]))]
            elif self._take("mod"):
                factors = [tree.Call("mod", (linear.product(factors), value_of(self._factor())))]
            elif self._take("/"):
                factors += divided(factors.pop(), value_of(self._factor()))
            elif self._starts_factor():
                factors.append(self._power())
            else:
                break
        return factors[0] if len(factors) == 1 else linear.product([value_of(factor) for factor in factors])

    def _factor(self) -> Node:
        """What may follow a sign of multiplication: it may have a sign of its own."""
        if self._is("+", "-"):
            sign = self._advance().text
            return signed(sign, self._nested(self._factor))
        return self._power()

    def _starts_factor(self) -> bool:
        """Whether the next token is multiplied without a sign."""
        if self.next.kind == "sign":
            return self.next.text in ("(", "[", "{", "floor(", "ceil(") or (self._is("|") and not self._bars)
        if self.next.kind == "number":  # (n - 2) 2^n; but (a) 3, (b) 4 are two answers
            before = [self._tokens[self._position - distance].text for distance in (1, 3)]
            return before[0] == ")" and before[1] != "("
        return self.next.kind in ("letter", "label", "name", "command", "begin")

    def _power(self) -> Node:
        base = self._postfix()
        if not self._is("^"):
            return base
        self._advance()
        if self._take("degree"):
            return tree.Product((value_of(base), tree.DEGREE))
        exponent = self._exponent()
        if isinstance(base, tree.Matrix) and exponent == tree.Symbol("T"):
            return linear.transposed(base)
        return tree.Power(value_of(base), value_of(exponent))

    def _exponent(self) -> Node:
        if self._is("+", "-"):
            sign = self._advance().text
            return signed(sign, self._nested(self._exponent))
        if self._is("("):
            return self._postfix()
        found = self._argument()
        if self._is("^"):  # 2^3^4, as programs write it
            self._advance()
            return tree.Power(value_of(found), value_of(self._nested(self._exponent)))
        return found

    def _postfix(self) -> Node:
        found = self._nested(self._atom)
        for _ in range(_MAX_POSTFIXES):
            if not self._is("!", "%"):
                break
            if self._is("!") and self._ahead().text == "!":
                self._advance()
                self._advance()
                found = tree.Call("factorial2", (value_of(found),))
                continue
            found = (
                tree.Call("factorial", (value_of(found),)) if self._advance().text == "!" else percent(value_of(found))
            )
        return found
