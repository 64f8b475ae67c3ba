"""Ways to change a condition so that it holds for values for which it does not: the paper's admissible changes.

Constants are moved to the nearest value that is enough, comparisons are widened. Only what failed is touched. A null
is let through by a null-safe form, which the paper's table does not have: it comes last.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product, takewhile
from typing import Any, NamedTuple

from sparkwhy.evidence.text_differences import equal_after
from sparkwhy.explain.model import FixKind
from sparkwhy.plan.exprs import (
    And,
    Call,
    Cast,
    Compare,
    CompareOp,
    Expr,
    In,
    IsNotNull,
    IsNull,
    Literal,
    Not,
    Or,
    conjuncts,
)
from sparkwhy.plan.types import DATE, INTEGRALS, STRING, TIMESTAMP, Decimal, Type
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.question.values import convert

_MAX_WAYS = 6


class Unknown(Exception):
    """The value of an expression on the witness is not known."""


Values = Callable[[Expr], Any]
"""What an expression was on a witness: its value, None for null; `Unknown` if nobody wrote it down."""


class Way(NamedTuple):
    """Another condition in the place of one, and what kind of change that is."""

    condition: Expr
    kind: FixKind


@dataclass(frozen=True)
class Ways:
    """Other conditions that hold, the least inventive first; or why there are none."""

    found: tuple[Way, ...] = ()
    reasons: tuple[str, ...] = ()


def admitting(condition: Expr, failed: Callable[[Expr], bool], values: Values, show: Callable[[Expr], str]) -> Ways:
    """The condition, changed only in the conjuncts that failed, so that it holds for these values."""
    parts = conjuncts(condition)
    options: list[tuple[Way, ...]] = []
    for part in parts:
        if not failed(part):
            options.append((Way(part, "attribute"),))  # as it is: nothing invented
            continue
        ways = ways_of(part, values, show)
        if not ways.found:
            return ways
        options.append(ways.found)
    combined = [_combined(condition, chosen) for chosen in list(product(*options))[:_MAX_WAYS]]
    return Ways(tuple(sorted(combined, key=lambda way: INVENTION[way.kind])))


INVENTION: dict[FixKind, int] = {
    "attribute": 0,
    "flatten type": 1,
    "join type": 1,
    "comparison": 2,
    "constant": 3,
    "aggregate": 4,
    "other": 5,
}
"""How much a change makes up: another attribute or type nothing, a constant a value, another function a meaning."""


def _combined(condition: Expr, chosen: tuple[Way, ...]) -> Way:
    kind = max((way.kind for way in chosen), key=lambda kind: INVENTION[kind])
    parts = tuple(way.condition for way in chosen)
    return Way(replace(condition, operands=parts) if isinstance(condition, And) else parts[0], kind)


def ways_of(part: Expr, values: Values, show: Callable[[Expr], str]) -> Ways:
    """The ways for one conjunct."""
    try:
        found = tuple(_ways(part, values))
    except Unknown:
        found = ()
    if found:
        return Ways(tuple(sorted(found, key=lambda way: INVENTION[way.kind])))
    return Ways(reasons=(_reason(part, show),))


def _reason(part: Expr, show: Callable[[Expr], str]) -> str:
    match part:
        case IsNotNull(inner):
            return f"{show(inner)} is null, and a null test has no other form"
        case IsNull(inner):
            return f"{show(inner)} is not null, and a null test has no other form"
        case _:
            return f"no other form of {show(part)} is known that would let the row through"


def _ways(part: Expr, values: Values) -> Iterator[Way]:
    match part:
        case Or(operands):
            for at, operand in enumerate(operands):
                for way in ways_of(operand, values, str).found:
                    yield way._replace(condition=Or((*operands[:at], way.condition, *operands[at + 1 :])))
        case Compare(op, left, right) if _is_constant(right):
            yield from _of_comparison(op, left, right, values)
        case Compare(op, left, right) if _is_constant(left):
            yield from _of_comparison(_MIRRORED[op], right, left, values)
        case Compare(op, left, right):
            yield from _of_two(part, values(left), values(right))
        case In(inner, options) if all(map(_is_constant, options)):
            yield from _of_list(part, inner, options, values(inner))
        case Not(In(inner, options)) if all(map(_is_constant, options)):
            yield from _of_exclusion(part, inner, options, values)
        case Not(Compare(op, left, right)) if op in _NEGATED:
            yield from _ways(Compare(_NEGATED[op], left, right), values)
        case Call(function, (inner, Literal(str() as constant))) if function in _TEXT_TESTS:
            value = values(inner)
            if value is None:
                yield Way(Or((part, IsNull(inner))), "other")
            else:
                pattern = _TEXT_TESTS[function](constant, value)
                yield Way(Call(function, (inner, Literal(pattern, STRING))), "constant")
        case _:
            return


def _is_constant(expr: Expr) -> bool:
    return not any(attributes_of(expr))


# --- comparisons with a constant ---

_MIRRORED: dict[CompareOp, CompareOp] = {
    "=": "=", "<=>": "<=>", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip
_NEGATED: dict[CompareOp, CompareOp] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_OR_EQUAL: dict[CompareOp, CompareOp] = {"<": "<=", ">": ">="}


def _of_comparison(op: CompareOp, side: Expr, constant: Expr, values: Values) -> Iterator[Way]:
    value = values(side)
    if value is None:
        yield from _for_null(op, side, constant)
        return
    if op == "=" and isinstance(constant, Literal):
        yield from _normalized(side, constant, value, constant.value)
    match op:
        case "=" | "<=>" | "<=" | ">=":
            yield Way(Compare(op, side, like(constant, value)), "constant")
        case "<>" if _is_null(constant):
            yield Way(Not(Compare("<=>", side, constant)), "other")
        case "<>":
            yield Way(IsNotNull(side), "comparison")  # lets through all that it did; the others keep some of it out
            yield from (Way(Compare(other, side, constant), "comparison") for other in _ORDERED)
        case "<" | ">":
            yield from _of_strict(op, side, constant, value, values)


_ORDERED: tuple[CompareOp, ...] = ("<=", ">=")


def _of_strict(op: CompareOp, side: Expr, constant: Expr, value: Any, values: Values) -> Iterator[Way]:
    """At the bound itself the bound comes in; beyond it, the constant is moved just behind the value."""
    if value == _known(constant, values):
        yield Way(Compare(_OR_EQUAL[op], side, constant), "comparison")
        return
    step = 1 if op == "<" else -1
    if _fits(value, side.type) and _fits(value + step, side.type):
        yield Way(Compare(op, side, like(constant, value + step)), "constant")
    elif side.type == DATE:
        yield Way(Compare(op, side, like(constant, value + dt.timedelta(days=step))), "constant")
    else:
        yield Way(Compare(_OR_EQUAL[op], side, like(constant, value)), "constant")


def _for_null(op: CompareOp, side: Expr, constant: Expr) -> Iterator[Way]:
    if op == "=" and _is_null(constant):
        yield Way(Compare("<=>", side, constant), "comparison")
    elif op == "<>" and not _is_null(constant):
        yield Way(Not(Compare("<=>", side, constant)), "other")
    elif op != "<=>":
        yield Way(Or((Compare(op, side, constant), IsNull(side))), "other")


def _known(constant: Expr, values: Values) -> Any:
    """What a constant was on the witness: a time that is written as text depends on the time zone."""
    try:
        return values(constant)
    except Unknown:
        return value_of(constant)


def value_of(constant: Expr) -> Any:
    """The value of a constant; one that is written as text is told by its text."""
    match constant:
        case Literal(value):
            return value
        case Cast(Literal(str() as text), type) if type != TIMESTAMP:  # which depends on the time zone
            try:
                return convert(text, type, "UTC")
            except ValueError:
                return text
        case Cast(inner):
            return value_of(inner)
        case _:
            return None


def like(constant: Expr, value: Any) -> Expr:
    """Another constant, written in the same form."""
    match constant:
        case Cast(Literal(str()), type) if type != STRING:
            return replace(constant, input=Literal(_written(value), STRING))
        case Cast(Literal(_, inner)) if _fits(value, inner):
            return replace(constant, input=Literal(int(value), inner))
        case _:
            return _exact(constant, value)


def _fits(value: Any, type: Type) -> bool:
    """Whether a value is a whole number that this type can hold."""
    if type not in INTEGRALS:
        return False
    try:
        convert(value, type, "UTC")
    except (ValueError, OverflowError):
        return False
    return True


def _exact(constant: Expr, value: Any) -> Expr:
    type = constant.type
    if isinstance(type, Decimal) and isinstance(value, decimal.Decimal):
        value = value.quantize(decimal.Decimal(1).scaleb(-type.scale), context=decimal.Context(prec=MOST_PRECISE))
    return Literal(value, type)


MOST_PRECISE = 38
"""So many digits Spark's decimals have; Python's have ten fewer if nobody says so."""


def _written(value: Any) -> str:
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)


# --- comparisons of two columns, lists, texts ---

_MEETS: dict[CompareOp, frozenset[str]] = {
    "=": frozenset("="), "<>": frozenset("<>"), "<": frozenset("<"), ">": frozenset(">"),
    "<=": frozenset("<="), ">=": frozenset("=>"),
}  # fmt: skip


def _of_two(part: Compare, left: Any, right: Any) -> Iterator[Way]:
    """Another comparison that holds; one that lets through all that the old one did comes first."""
    if left is None or right is None:
        if part.op == "=" and left is None and right is None:
            yield Way(replace(part, op="<=>"), "comparison")
        return
    if part.op == "=":
        yield from _normalized(part.left, part.right, left, right)
    relation = _relation(left, right)
    old = _MEETS.get(part.op, frozenset("="))
    others = [op for op, met in _MEETS.items() if relation in met and op != part.op]
    for op in sorted(others, key=lambda op: (not old <= _MEETS[op], len(_MEETS[op] - old))):
        yield Way(replace(part, op=op), "comparison")


def _normalized(left: Expr, right: Expr, one: Any, other: Any) -> Iterator[Way]:
    """Equal texts, but for spaces and case: `lower(trim(city)) = 'lyon'`."""
    changes = equal_after(one, other) if isinstance(one, str) and isinstance(other, str) else None
    if changes and set(changes) <= set(_NORMALIZING):
        yield Way(Compare("=", _changed(left, changes), _changed(right, changes)), "comparison")


_NORMALIZING: dict[str, Callable[[str], str]] = {"trim": lambda text: text.strip(" "), "lower": str.lower}
"""What makes texts equal that people take to be equal, as functions of Spark and of Python."""


def _changed(expr: Expr, functions: Iterable[str]) -> Expr:
    """An expression under functions of text; a constant is changed itself."""
    for function in functions:
        if isinstance(expr, Literal):
            expr = replace(expr, value=_NORMALIZING[function](expr.value))
        else:
            expr = Call(function, (expr,))
    return expr


def _relation(left: Any, right: Any) -> str:
    """How two values compare in Spark, where NaN is equal to itself and larger than all else."""
    if left == right or (left != left and right != right):
        return "="
    return "<" if right != right or left < right else ">"


def _of_list(part: In, inner: Expr, options: tuple[Expr, ...], value: Any) -> Iterator[Way]:
    if value is None:
        yield Way(Or((part, IsNull(inner))), "other")
    else:
        yield Way(replace(part, options=(*options, like(options[-1], value))), "constant")


def _of_exclusion(part: Expr, inner: Expr, options: tuple[Expr, ...], values: Values) -> Iterator[Way]:
    value = values(inner)
    if value is None:
        yield Way(Or((part, IsNull(inner))), "other")
        return
    others = tuple(option for option in options if _known(option, values) != value and not _is_null(option))
    if others and len(others) < len(options):
        yield Way(Not(In(inner, others)), "constant")


def _is_null(constant: Expr) -> bool:
    return _is_null(constant.input) if isinstance(constant, Cast) else constant == Literal(None, constant.type)


def _shared_part(constant: str, value: str) -> str:
    """The longest part of the constant that the value contains; the value itself if they share next to nothing."""
    lengths = range(len(constant), max(2, len(constant) // 2) - 1, -1)
    parts = (constant[at : at + n] for n in lengths for at in range(len(constant) - n + 1))
    return next((part for part in parts if part in value), value)


def _shared_start(constant: str, value: str) -> str:
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(constant, value, strict=False))
    return "".join(a for a, _ in shared) or value


def _shared_end(constant: str, value: str) -> str:
    return _shared_start(constant[::-1], value[::-1])[::-1]


def _as_pattern(_: str, value: str) -> str:
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


_TEXT_TESTS: dict[str, Callable[[str, str], str]] = {
    "contains": _shared_part,
    "startswith": _shared_start,
    "endswith": _shared_end,
    "like": _as_pattern,
}
