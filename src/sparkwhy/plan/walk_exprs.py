"""Moving over expressions, in loops: conditions of a thousand parts are ordinary in generated queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    MakeStruct,
    Not,
    Opaque,
    Or,
    Ref,
    Variable,
    WindowCall,
)

T = TypeVar("T")


def operands(expr: Expr) -> tuple[Expr, ...]:
    """Return the expressions that this one is made of, in the order in which `with_operands` takes them."""
    match expr:
        case Ref() | Literal() | Variable():
            return ()
        case FieldOf() | Not() | IsNull() | IsNotNull() | Cast():
            return (expr.input,)
        case ItemOf():
            return (expr.input, expr.key)
        case Compare():
            return (expr.left, expr.right)
        case And() | Or():
            return expr.operands
        case In():
            return (expr.input, *expr.options)
        case MakeStruct():
            return expr.values
        case Case():
            otherwise = () if expr.otherwise is None else (expr.otherwise,)
            return tuple(part for branch in expr.branches for part in branch) + otherwise
        case Call():
            return expr.args
        case Lambda():
            return (*expr.params, expr.body)
        case AggCall():
            return expr.args if expr.condition is None else (*expr.args, expr.condition)
        case WindowCall():
            return (expr.function,)
        case Opaque():
            return expr.inputs
        case _:
            assert_never(expr)


def with_operands(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    """Return the same expression over other operands, given in the order of `operands`."""
    match expr:
        case Ref() | Literal() | Variable():
            return expr
        case FieldOf() | Not() | IsNull() | IsNotNull() | Cast():
            return replace(expr, input=new[0])
        case ItemOf():
            return replace(expr, input=new[0], key=new[1])
        case Compare():
            return replace(expr, left=new[0], right=new[1])
        case And() | Or():
            return replace(expr, operands=new)
        case In():
            return replace(expr, input=new[0], options=new[1:])
        case MakeStruct():
            return replace(expr, values=new)
        case Case():
            count = len(expr.branches)
            branches = tuple((new[2 * i], new[2 * i + 1]) for i in range(count))
            return Case(branches, None if expr.otherwise is None else new[2 * count])
        case Call():
            return replace(expr, args=new)
        case Lambda():
            return Lambda(expr.params, new[-1])
        case AggCall():
            count = len(expr.args)
            return replace(expr, args=new[:count], condition=None if expr.condition is None else new[count])
        case WindowCall():
            (function,) = new
            assert isinstance(function, Call | AggCall | Opaque)
            return replace(expr, function=function)
        case Opaque():
            return replace(expr, inputs=new)
        case _:
            assert_never(expr)


def parts(expr: Expr) -> Iterator[Expr]:
    """Yield the expression and everything in it, each before its operands, left to right."""
    todo = [expr]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(operands(current)))


def attributes_of(expr: Expr) -> Iterator[Attribute]:
    """Return the attributes that the expression reads, once for each reference."""
    return (part.attribute for part in parts(expr) if isinstance(part, Ref))


def is_heavy(expr: Expr) -> bool:
    """Return whether it computes so much that it had better be computed once only."""
    return sum(1 for _ in islice(parts(expr), _MUCH)) == _MUCH


_MUCH = 30


def is_random(expr: Expr) -> bool:
    """Return whether it gives another value each time that it is computed: `rand()`, `uuid()`."""
    return any(isinstance(part, Opaque) and not part.deterministic for part in parts(expr))


def paths_of(expr: Expr) -> Iterator[Expr]:
    """Yield the attributes that the expression reads, with the fields that it takes: `address.year`, not `address`."""
    todo = [expr]
    while todo:
        current = todo.pop()
        if is_path(current):
            yield current
        else:
            todo.extend(reversed(operands(current)))


def is_path(expr: Expr) -> bool:
    """Return whether an expression is an attribute, or a field of one."""
    while isinstance(expr, FieldOf):
        expr = expr.input
    return isinstance(expr, Ref)


def fold_expr(expr: Expr, combine: Callable[[Expr, tuple[T, ...]], T]) -> T:
    """Compute bottom-up: `combine` gets each expression with the results of its operands."""
    todo: list[tuple[Expr, bool]] = [(expr, False)]
    done: list[T] = []
    while todo:
        current, ready = todo.pop()
        below = operands(current)
        if ready or not below:
            results = tuple(done[len(done) - len(below) :])
            del done[len(done) - len(below) :]
            done.append(combine(current, results))
        else:
            todo.append((current, True))
            todo.extend((operand, False) for operand in reversed(below))
    (result,) = done
    return result


def rewrite(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Replaces, top-down, every part for which `change` returns something; what it returns is not entered."""
    kept: list[Expr] = []
    todo: list[tuple[Expr, bool]] = [(expr, False)]
    while todo:
        current, ready = todo.pop()
        if ready:
            below = operands(current)
            new = tuple(kept[len(kept) - len(below) :])
            del kept[len(kept) - len(below) :]
            same = all(before is after for before, after in zip(below, new, strict=True))
            kept.append(current if same else with_operands(current, new))
        elif (changed := change(current)) is not None:
            kept.append(changed)
        else:
            todo.append((current, True))
            todo.extend((operand, False) for operand in reversed(operands(current)))
    (result,) = kept
    return result


def reads_only(expr: Expr, attributes: Iterable[Attribute]) -> bool:
    """Return whether an expression reads no attribute besides these."""
    known = {attribute.id for attribute in attributes}
    return all(attribute.id in known for attribute in attributes_of(expr))
