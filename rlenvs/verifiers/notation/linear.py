"""What is worked out of matrices as they are read: multiples, transposes, determinants."""

from collections.abc import Sequence

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.tree import Node

_LARGEST_DETERMINANT = 4  # rows: 24 products of four


def product(factors: Sequence[Node]) -> Node:
    """Factors multiplied; a matrix among them entry by entry.

    Raises:
        UnreadableError: there are several matrices.
    """
    matrices = [factor for factor in factors if isinstance(factor, tree.Matrix)]
    if not matrices:
        return factors[0] if len(factors) == 1 else tree.Product(tuple(factors))
    if len(matrices) > 1:
        raise UnreadableError("a product of matrices, not worked out")
    scalars = tuple(factor for factor in factors if not isinstance(factor, tree.Matrix))
    if not scalars:
        return matrices[0]
    return tree.Matrix(tuple(tuple(tree.Product((*scalars, entry)) for entry in row) for row in matrices[0].rows))


def added(terms: Sequence[Node]) -> Node:
    """Terms added; matrices entry by entry.

    Raises:
        UnreadableError: matrices of different shapes, or a matrix and what is none.
    """
    if not any(isinstance(term, tree.Matrix) for term in terms):
        return tree.Sum(tuple(terms))
    shapes = {(len(term.rows), len(term.rows[0])) for term in terms if isinstance(term, tree.Matrix)}
    if len(shapes) > 1 or not all(isinstance(term, tree.Matrix) for term in terms):
        raise UnreadableError("a sum of matrices of different shapes")
    rows = zip(*(term.rows for term in terms if isinstance(term, tree.Matrix)), strict=True)
    return tree.Matrix(tuple(tuple(map(tree.Sum, zip(*row, strict=True))) for row in rows))


def transposed(matrix: tree.Matrix) -> tree.Matrix:
    """Rows as columns."""
    return tree.Matrix(tuple(zip(*matrix.rows, strict=True)))


def determinant(matrix: tree.Matrix) -> Node:
    """The determinant as sums and products of the entries, by the first row.

    Raises:
        UnreadableError: the matrix is not square, or has more rows than is worked out here.
    """
    size = len(matrix.rows)
    if size != len(matrix.rows[0]) or size > _LARGEST_DETERMINANT:
        raise UnreadableError(f"a determinant of {size} rows and {len(matrix.rows[0])} columns")
    return _determinant(matrix.rows)


def _determinant(rows: tuple[tuple[Node, ...], ...]) -> Node:
    if len(rows) == 1:
        return rows[0][0]
    terms = []
    for column, entry in enumerate(rows[0]):
        minor = tuple(row[:column] + row[column + 1 :] for row in rows[1:])
        term = tree.Product((entry, _determinant(minor)))
        terms.append(tree.negative(term) if column % 2 else term)
    return tree.Sum(tuple(terms))
