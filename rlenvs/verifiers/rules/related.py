"""Relations and sets of reals: equations, inequalities, intervals."""

import secrets
from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation import reading
from rlenvs.verifiers.notation.text import normal
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.rules.named import shortened
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import evaluate, regions
from rlenvs.verifiers.values.names import is_name
from rlenvs.verifiers.values.rational import UndecidedError

_FLIPPED = {
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
    **{sign: sign for sign in ("=", "!=", "equiv", "parallel", "perp")},
}


def are_regions(gold: Node, answer: Node) -> bool:
    """Whether intervals or inequalities are among them, which are no list of values."""
    return any(
        isinstance(part, tree.SetOperation | tree.SetBuilder | tree.SetNamed)
        or (isinstance(part, tree.Relation) and set(part.signs) != {"="} and not _is_membership(part))
        for side in (gold, answer)
        for part in (side, *(side.items if isinstance(side, tree.Items) else ()))
    )


def _is_membership(relation: tree.Relation) -> bool:
    r"""`(x, y) \in \{(1, 2)\}`, which lists values."""
    return relation.signs == ("in",) and isinstance(relation.sides[1], tree.SetOf)


def sets(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Intervals, sets and relations of one variable as sets of reals."""
    if comparison.asked.asks_point and isinstance(gold, tree.Bracketed):
        return None
    if not are_regions(gold, answer):
        return None
    names = [regions.variables(side) for side in (gold, answer)]
    if all(names) and names[0] != names[1]:
        return False
    try:
        return regions.are_same(regions.region(gold), regions.region(answer))
    except UndecidedError:
        if type(gold) is type(answer):  # perhaps they are written alike
            return None
        if any(isinstance(side, tree.Relation) for side in (gold, answer)):
            return False  # a relation that is not solved, beside what it might be solved by
        raise


def operations(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Unions and intersections of sets that have names, part by part, in either order."""
    if not isinstance(gold, tree.SetOperation) or not isinstance(answer, tree.SetOperation):
        return None
    if gold.name != answer.name:
        return False
    orders = (answer.parts, answer.parts[::-1]) if gold.name != "setminus" else (answer.parts,)
    return any(all(comparison.same(a, b) for a, b in zip(gold.parts, parts, strict=True)) for parts in orders)


def relations(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """The same signs between the same sides; equations by what is zero."""
    if not isinstance(gold, tree.Relation) or not isinstance(answer, tree.Relation):
        return None
    gold, answer = shortened(gold, comparison), shortened(answer, comparison)
    for sides, signs in (
        (answer.sides, answer.signs),
        (answer.sides[::-1], tuple(_FLIPPED.get(sign, "") for sign in answer.signs[::-1])),
    ):
        if gold.signs == signs and all(comparison.same(a, b) for a, b in zip(gold.sides, sides, strict=True)):
            return True
    if gold.signs == answer.signs == ("=",):
        if (renamed := _with_argument_of(gold, answer)) is not None:
            return comparison.same(renamed, answer)
        if _are_one_function(gold, answer) or _are_one_function(answer, gold):
            return comparison.same(gold.sides[1], answer.sides[1])
        if is_name(gold.sides[0]) and is_name(answer.sides[0]) and not _share_variables(gold, answer):
            return False
        if _is_solved(gold) and _is_solved(answer) and gold.sides[0] == answer.sides[0]:
            return False  # the values are not the same, as was seen above
        if _is_left_unsolved(gold, answer, comparison) or _is_solved_for_another(gold, answer, comparison):
            return False
        return _are_equivalent(gold, answer)
    return False


_BOUND = frozenset("xyztuvnmk")  # arguments of a function that is defined; `P(A)` and `f(a)` are about A and a


def _with_argument_of(gold: tree.Relation, answer: tree.Relation) -> Node | None:
    """`f(m) = 2m` as `f(n) = 2n`, where the answer calls the argument n."""
    match gold.sides[0], answer.sides[0]:
        case tree.Call(name, (tree.Symbol(before),)), tree.Call(other, (tree.Symbol(after),)):
            is_bound = before in _BOUND and before in tree.symbols(gold.sides[1]) and after not in tree.symbols(gold)
            if name == other and before != after and is_bound:
                return tree.substituted(gold, before, tree.Symbol(after))
    return None


def _are_one_function(one: tree.Relation, other: tree.Relation) -> bool:
    """`y = x^2` and `f(x) = x^2`."""
    match one.sides[0], other.sides[0]:
        case tree.Symbol("y"), tree.Call(name, (tree.Symbol(argument),)) if name in ("f", "y"):
            return tree.symbols(one.sides[1]) <= {argument}
    return False


def _share_variables(gold: Node, answer: Node) -> bool:
    return tree.symbols(gold) == tree.symbols(answer)


def _is_solved(relation: tree.Relation) -> bool:
    """Whether it says what a name is: `y = 2x`."""
    name, *values = relation.sides
    return isinstance(name, tree.Symbol) and all(name.name not in tree.symbols(value) for value in values)


def _is_left_unsolved(gold: tree.Relation, answer: tree.Relation, comparison: Comparison) -> bool:
    """Whether only one is solved: `2x + 3 = 13` is no answer yet; `2x - y = 1` may be one, of a line `y = 2x - 1`."""
    if _is_solved(gold) == _is_solved(answer):
        return False
    unsolved = answer if _is_solved(gold) else gold
    return len(tree.symbols(gold)) < 2 or _is_copied(unsolved, comparison)


def _is_solved_for_another(gold: tree.Relation, answer: tree.Relation, comparison: Comparison) -> bool:
    """Whether the question says what to solve for, and one of them is solved for something else."""
    names = [side.sides[0].name for side in (gold, answer) if isinstance(side.sides[0], tree.Symbol)]
    return len(set(names)) == 2 and (bool(set(names) & comparison.asked.sought) or comparison.asked.asks_function)


def _is_copied(relation: tree.Relation, comparison: Comparison) -> bool:
    """Whether it only says again what the question says, in whatever form."""
    return any(
        isinstance(given, tree.Relation) and given.signs == ("=",) and _are_equivalent(given, relation)
        for given in (reading.read_or_none(normal(text)) for text in comparison.asked.equations)
    )


def _are_equivalent(gold: tree.Relation, answer: tree.Relation) -> bool:
    """Equations whose differences are the same but for a factor that is constant."""
    if not all(isinstance(side, tree.EXPRESSIONS) for relation in (gold, answer) for side in relation.sides):
        return False
    if tree.symbols(gold) != tree.symbols(answer) or not tree.symbols(gold):
        return False
    differences = [tree.Sum((each.sides[0], tree.negative(each.sides[1]))) for each in (gold, answer)]
    return evaluate.is_constant(tree.quotient(*differences))


def solved(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """`6/x` beside `xy = 6`: an equation, and its one solution for the variable that is missing."""
    sides = [gold, answer] if isinstance(gold, tree.Relation) else [answer, gold]
    relation, solution = sides
    if not isinstance(relation, tree.Relation) or not isinstance(solution, tree.EXPRESSIONS):
        return None
    missing = tree.symbols(relation) - tree.symbols(solution)
    is_equation = relation.signs == ("=",) and all(isinstance(side, tree.EXPRESSIONS) for side in relation.sides)
    if not is_equation or len(missing) != 1 or not tree.symbols(solution) or len(tree.symbols(relation)) < 2:
        return None
    (name,) = missing
    if _is_copied(relation, comparison) or (_is_solved(relation) and relation.sides[0] != tree.Symbol(name)):
        return False
    difference = tree.Sum((relation.sides[0], tree.negative(relation.sides[1])))
    at = [tree.substituted(difference, name, value) for value in (*_EQUIDISTANT, solution)]
    curvature = tree.Sum((at[0], tree.Product((tree.Number(Fraction(-2)), at[1])), at[2]))
    slope = tree.Sum((at[1], tree.negative(at[0])))
    if evaluate.are_equal(slope, tree.ZERO):
        return False
    return all(evaluate.are_equal(side, tree.ZERO) for side in (curvature, at[3]))


_START, _STEP = (Fraction(secrets.randbelow(10**12) + 10**9, 10**6) for _ in range(2))
_EQUIDISTANT = [tree.Number(_START + number * _STEP) for number in range(3)]
"""Where an equation is tried for being linear: nobody can know, and fit an answer to it."""
