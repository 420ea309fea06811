"""Reading what brackets of any kind hold: groups, tuples, intervals, sets, absolute values, matrices."""

from abc import abstractmethod

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation import linear
from rlenvs.verifiers.notation.atoms import Atoms
from rlenvs.verifiers.notation.cursor import RELATIONS
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.notation.operands import value_of
from rlenvs.verifiers.tree import Node

_MATRICES = frozenset(("matrix", "pmatrix", "bmatrix", "vmatrix", "Bmatrix", "smallmatrix", "array"))


class Brackets(Atoms):
    """Reads what is enclosed."""

    @abstractmethod
    def _relation(self) -> Node:
        """Sides with signs of relation between them."""

    def _enclosed(self) -> Node:
        """What brackets of any kind hold."""
        sign = self._advance().text
        if sign == "...":
            return tree.Symbol("...")
        if sign == "neg":
            return tree.Call("not", (value_of(self._nested(self._atom)),))
        if sign == "emptyset":
            return tree.SetOf(())
        if sign == "|":
            self._bars += 1
            inside = value_of(self._nested(self._sum))
            self._bars -= 1
            self._expect("|")
            return tree.Call("abs", (inside,))
        if sign in ("floor(", "ceil("):
            inside = value_of(self._nested(self._sum))
            self._expect(f"){sign[:-1]}")
            return tree.Call(sign[:-1], (inside,))
        if sign not in ("(", "[", "⟨", "{", "\\{"):
            raise UnreadableError(f"{sign!r} cannot stand there")
        bars, self._bars, self._is_argument = self._bars, 0, False
        found = self._nested({"{": self._group, "\\{": self._braces}.get(sign, lambda: self._brackets(sign)))
        self._bars = bars
        return found

    def _group(self) -> Node:
        found = self.answer()
        self._expect("}")
        return found

    def _brackets(self, opening: str) -> Node:
        if self._is(")", "]"):
            raise UnreadableError("brackets around nothing")
        items, separators = [self._relation()], []
        while self._is(",", ";"):
            separators.append(self._advance().text)
            items.append(self._relation())
        closing = self._advance().text
        if len(set(separators)) > 1:
            return self._rows(items, separators)
        if closing not in (("⟩",) if opening == "⟨" else (")", "]")):
            raise UnreadableError(f"expected a closing bracket, got {closing!r}")
        if len(items) == 1 and (opening + closing == "()" or isinstance(items[0], tree.Matrix)):
            return items[0]
        return tree.Bracketed(opening, closing, tuple(items))

    def _rows(self, entries: list[Node], separators: list[str]) -> Node:
        """`[1, 2; 3, 4]`, as programs write a matrix."""
        rows = [[value_of(entries[0])]]
        for separator, entry in zip(separators, entries[1:], strict=True):
            if separator == ";":
                rows.append([])
            rows[-1].append(value_of(entry))
        if len({len(row) for row in rows}) > 1:
            raise UnreadableError("rows of different lengths")
        return tree.Matrix(tuple(map(tuple, rows)))

    def _braces(self) -> Node:
        """A set, by its members or by a condition."""
        if self._take("\\}"):
            return tree.SetOf(())
        self._bars = 1  # a bar divides here
        members = [self._relation_without_ratio()]
        if self._take("|", ":"):
            self._bars = 0
            condition = self.answer()
            self._expect("\\}")
            return tree.SetBuilder(members[0], condition)
        while self._take(",", ";"):
            members.append(self._relation())
        self._expect("\\}")
        return tree.SetOf(tuple(members))

    def _relation_without_ratio(self) -> Node:
        sides, signs = [self._nested(self._sum)], []
        while self._is(*RELATIONS):
            signs.append(self._advance().text)
            sides.append(self._nested(self._sum))
        return tree.Relation(tuple(signs), tuple(sides)) if signs else sides[0]

    def _matrix(self) -> Node:
        name = self._advance().text
        if name not in _MATRICES:
            raise UnreadableError(f"\\begin{{{name}}} is no matrix")
        if name == "array" and self._take("{"):
            self._name_in_braces()
        rows: list[tuple[Node, ...]] = []
        while self.next.kind != "end":
            row = [value_of(self._nested(self._sum))]
            while self._take("&"):
                row.append(value_of(self._nested(self._sum)))
            rows.append(tuple(row))
            if len(row) != len(rows[0]):
                raise UnreadableError("rows of different lengths")
            if not self._take("newline") and self.next.kind != "end":
                raise UnreadableError(f"{self.next.text!r} cannot stand in a matrix")
        self._advance()
        if not rows:
            raise UnreadableError("a matrix without rows")
        found = tree.Matrix(tuple(rows))
        return linear.determinant(found) if name == "vmatrix" else found
