"""All conditions that the paper's `tab:param` makes of one, as far as some rows can tell them apart.

Attributes are replaced by others of their group, comparison operators by each other, constants by those of the active
domain; what and, or and not connect stays where it is. Two conditions that say the same of all rows are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import NamedTuple, TypeAlias

from sparkwhy.errors import EvaluationError
from sparkwhy.lab.constants import TEXT_TESTS, active_domain, constants_above, text_pieces
from sparkwhy.lab.swaps import Kind, SwapChoice, Swaps
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, Value
from sparkwhy.plan.exprs import And, Attribute, Call, Compare, CompareOp, Expr, In, Literal, Not, Or
from sparkwhy.plan.walk_exprs import attributes_of, parts

COMPARISONS: tuple[CompareOp, ...] = ("=", "<>", "<", "<=", ">", ">=")


class Truth(NamedTuple):
    """The verdict of a condition on some rows: those where it is true and those where it is false, as bit sets."""

    true: int
    false: int


@dataclass(frozen=True, slots=True)
class Choices:
    """For each different truth, the way to write it that changes least; not `complete` if some were left out."""

    by_truth: Mapping[Truth, SwapChoice]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a condition stands: the rows that it is asked of, what may be changed in it, how much is combined."""

    attributes: Sequence[Attribute]
    rows: Sequence[Row]
    swaps: Swaps
    admissible: frozenset[Kind]
    most: int
    settings: Settings


def distinguishable_conditions(condition: Expr, scene: Scene) -> Choices:
    """Return the conditions that are true for different rows of the scene; a row for which one is null counts as
    false.
    """
    found = choices(condition, scene)
    return Choices(_cheapest((Truth(t.true, 0), choice) for t, choice in found.by_truth.items()), found.complete)


def choices(condition: Expr, scene: Scene) -> Choices:
    """Return the conditions that the rows of the scene tell apart, by null too: there may be a `not` around them."""
    match condition:
        case And(operands):
            return _connect(And, _conjoin, [choices(operand, scene) for operand in operands], scene.most)
        case Or(operands):
            return _connect(Or, _disjoin, [choices(operand, scene) for operand in operands], scene.most)
        case Not(inner):
            found = choices(inner, scene)
            negated = {Truth(t.false, t.true): replace(c, expr=Not(c.expr)) for t, c in found.by_truth.items()}
            return Choices(negated, found.complete)
        case _:
            swapped = scene.swaps.rewritings(condition, scene.attributes)
            written = (atom for choice in swapped for atom in _atoms(choice, scene))
            some = list(islice(written, scene.most))
            by_truth = _cheapest((truth_of(choice.expr, scene), choice) for choice in some)
            return Choices(by_truth, next(written, None) is None)


def truth_of(condition: Expr, scene: Scene) -> Truth:
    """Return where evaluation fails, as it does in ANSI mode, the condition says nothing: it is neither true nor
    false.
    """
    holds = evaluator(condition, scene.attributes, scene.settings)
    true = false = 0
    for i, row in enumerate(scene.rows):
        try:
            verdict = holds(row)
        except EvaluationError:
            continue
        true |= (verdict is True) << i
        false |= (verdict is False) << i
    return Truth(true, false)


def _cheapest(found: Iterable[tuple[Truth, SwapChoice]]) -> dict[Truth, SwapChoice]:
    best: dict[Truth, SwapChoice] = {}
    for truth, choice in found:
        if truth not in best or len(choice.kinds) < len(best[truth].kinds):
            best[truth] = choice
    return best


# --- and, or ------------------------------------------------------------------------------------------------

Connective: TypeAlias = type[And] | type[Or]
Meaning: TypeAlias = Callable[[Truth, Truth], Truth]


def _conjoin(one: Truth, other: Truth) -> Truth:
    return Truth(one.true & other.true, one.false | other.false)


def _disjoin(one: Truth, other: Truth) -> Truth:
    return Truth(one.true | other.true, one.false & other.false)


def _connect(connective: Connective, meaning: Meaning, operands: list[Choices], most: int) -> Choices:
    """Return every choice of an operand with every choice of the others; equal truths are one before the next joins
    in.
    """
    first, *rest = operands
    made = {truth: replace(choice, expr=connective((choice.expr,))) for truth, choice in first.by_truth.items()}
    complete = all(operand.complete for operand in operands)
    for operand in rest:
        fits = len(made) * len(operand.by_truth) <= most
        made = _cheapest(_pairs(connective, meaning, made, operand.by_truth, together=fits))
        complete = complete and fits
    return Choices(made, complete)


def _pairs(
    connective: Connective,
    meaning: Meaning,
    made: Mapping[Truth, SwapChoice],
    more: Mapping[Truth, SwapChoice],
    *,
    together: bool,
) -> Iterator[tuple[Truth, SwapChoice]]:
    """Yield where changing both sides together would be too much, one at a time is changed."""
    for one, left in made.items():
        for other, right in more.items():
            if together or not left.kinds or not right.kinds:
                assert isinstance(left.expr, And | Or)
                expr = connective((*left.expr.operands, right.expr))
                yield meaning(one, other), SwapChoice(expr, left.kinds + right.kinds)


# --- atoms --------------------------------------------------------------------------------------------------


def _atoms(written: SwapChoice, scene: Scene) -> Iterator[SwapChoice]:
    """Yield the condition with other comparison operators and constants; first as it is."""
    yield written
    match written.expr:
        case Compare() as compare:
            for op in (compare.op, *COMPARISONS) if "comparison" in scene.admissible else (compare.op,):
                kinds = written.kinds if op == compare.op else (*written.kinds, "comparison")
                yield from _change_constant(SwapChoice(replace(compare, op=op), kinds), scene)
        case In() as test if "constant" in scene.admissible and all(map(_is_constant, test.options)):
            yield from (_with_constant(written, option) for option in _options(test, scene))
        case Call(function, (text, sought)) as call if function in TEXT_TESTS and _is_changeable(sought, scene):
            tried = text_pieces(function, _domain(text, scene))
            yield from (_with_constant(written, replace(call, args=(text, Literal(x, sought.type)))) for x in tried)
        case _:
            pass


def _with_constant(written: SwapChoice, expr: Expr) -> SwapChoice:
    return SwapChoice(expr, (*written.kinds, "constant"))


def _change_constant(written: SwapChoice, scene: Scene) -> Iterator[SwapChoice]:
    """Yield a comparison with a constant, with each constant of the domain: with all operators, no others matter."""
    yield written
    compare = written.expr
    assert isinstance(compare, Compare)
    if _is_changeable(compare.right, scene) and not _is_constant(compare.left):
        for value in _domain(compare.left, scene):
            yield _with_constant(written, replace(compare, right=Literal(value, compare.right.type)))
    elif _is_changeable(compare.left, scene) and not _is_constant(compare.right):
        for value in _domain(compare.right, scene):
            yield _with_constant(written, replace(compare, left=Literal(value, compare.left.type)))


def _options(test: In, scene: Scene) -> Iterator[Expr]:
    """Return every set of at most as many constants as there are, and some values that no row has."""
    domain = _domain(test.input, scene)
    sets = (chosen for size in range(1, len(test.options) + 1) for chosen in combinations(domain, size))
    for chosen in (*sets, *((value,) for value in constants_above(domain))):
        yield In(test.input, tuple(Literal(value, test.input.type) for value in chosen))


def _is_changeable(expr: Expr, scene: Scene) -> bool:
    return "constant" in scene.admissible and _is_constant(expr)


def _is_constant(expr: Expr) -> bool:
    return next(attributes_of(expr), None) is None and any(isinstance(part, Literal) for part in parts(expr))


def _domain(expr: Expr, scene: Scene) -> list[Value]:
    value = evaluator(expr, scene.attributes, scene.settings)
    found = []
    for row in scene.rows:
        try:
            found.append(value(row))
        except EvaluationError:
            continue
    return active_domain(found)
