"""Where a null was made: followed down through columns and expressions that only pass nulls on.

project lower(trim(status)) as s     passes the null of `status` on
project try_to_date(at) as day       made it, of at = '03/04/2024'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sparkwhy.evidence.text_differences import date_formats
from sparkwhy.explain.model import column_names
from sparkwhy.plan.exprs import (
    AggCall,
    Attribute,
    Call,
    Case,
    Compare,
    Expr,
    FieldOf,
    ItemOf,
    Literal,
    MakeStruct,
    Ref,
)
from sparkwhy.plan.nodes import Aggregate, Plan, Project, Table, Union
from sparkwhy.plan.nulls import hides_nulls, operands_that_vary, passes_nulls
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import TIMES
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import is_path, parts, paths_of
from sparkwhy.report.values import cut, show_values
from sparkwhy.trace.encode import print_value
from sparkwhy.trace.witness import Witness

Known = Callable[[Expr], tuple[Any, ...]]
"""Returns the value of a path below a projection, in a tuple of one; an empty tuple if it is not known."""


def explain_null(path: Expr, below: Plan, witness: Witness, plan: Plan) -> Iterator[str]:
    """Yield what made the null that an operator over `below` read; nothing if that is not known."""
    start, expr = path, path
    while is_path(expr):
        found = definition_of(expr, below, witness)
        if isinstance(found, Table):
            if expr != start:
                yield cut(f"the null comes from the source: {show_expr(expr)} is null in table {found.source.name}")
            return
        if found is None:
            return
        computed, project = found
        known = values_read_at(project, witness, plan)
        below, null = project.input, _null_in(computed, known)
        if null is None:
            pivoted = _pivot_condition(computed, below, witness)
            yield from [pivoted] if pivoted is not None else _describe_maker(computed, known)
            return
        expr = null


def _null_in(expr: Expr, known: Known) -> Expr | None:
    """Return the path whose null an expression passes on; None if it makes the null, or if that is not known."""
    while not is_path(expr):
        varying = operands_that_vary(expr)
        passing = (each for each in varying if all(map(passes_nulls, parts(each))))
        nulls = [path for each in passing for path in paths_of(each) if known(path) == (None,)]
        if nulls and not hides_nulls(expr):
            return nulls[0]
        if not passes_nulls(expr) or len(varying) != 1:
            return None
        (expr,) = varying
    return expr


def _describe_maker(expr: Expr, known: Known) -> Iterator[str]:
    """Yield what made a null and of what; nothing if it may have passed one on that was not recorded."""
    paths = tuple(dict.fromkeys(paths_of(expr)))
    values = {show_expr(path): known(path)[0] for path in paths if known(path)}
    if len(values) == len(paths):
        shown = f": {show_values(values)}{_format(expr, values)}" if values else ""
        yield cut(f"the null comes from {show_expr(expr)}{shown}")


def _pivot_condition(expr: Expr, below: Plan, witness: Witness) -> str | None:
    """Return what a pivot found no value for, if the expression takes a column of its result out of a list."""
    match expr:
        case ItemOf(Ref() as listed, Literal(int(place))):
            found = definition_of(listed, below, witness)
        case _:
            return None
    match found:
        case (Call("array", (*items,)), Project(input=Aggregate() as groups)):
            made = next((c.expr for c in groups.aggregates if Ref(c.attribute) == items[place]), None)
        case _:
            return None
    match made:
        case AggCall("first", (Case(((Compare("<=>", column, Literal() as value), _),)), *_)):
            return cut(f"the null comes from the pivot: no value where {show_expr(Compare('=', column, value))}")
        case _:
            return None


def _format(expr: Expr, values: Mapping[str, Any]) -> str:
    """Return the format of a text that is no date as it stands."""
    formats = [each for text in values.values() for each in date_formats(print_value(text))]
    return f", which has the format {' or '.join(formats)}" if formats and expr.type in TIMES else ""


def values_read_at(project: Project, witness: Witness, plan: Plan) -> Known:
    """Return what is known of the values that a projection read: recorded there, or columns of the result."""
    seen = witness.at.get(project.id.step)
    names = dict(zip((Ref(a) for a in plan.output), column_names(plan), strict=True))

    def value_of(path: Expr) -> tuple[Any, ...]:
        if seen is not None and seen.has_value(path):
            return (seen.value_of(path),)
        name = names.get(path) if isinstance(path, Ref) else None
        return () if name is None or name not in witness.row else (witness.row[name],)

    return value_of


# --- columns ---


def definition_of(path: Expr, below: Plan, witness: Witness) -> tuple[Expr, Project] | Table | None:
    """Return what computes a path and the projection that does; the table that has it; or None for other operators.

    In a union it is the branch in which something was observed of the witness.
    """
    attribute, fields = _take_apart(path)
    node = below
    while not isinstance(node, Table):
        if isinstance(node, Union):
            branches = [each for each in node.branches if any(below.id.step in witness.at for below in walk(each))]
            if len(branches) != 1:
                return None
            attribute, node = branches[0].output[node.attributes.index(attribute)], branches[0]
            continue
        made = next((c for c in node.columns if c.attribute == attribute), None) if isinstance(node, Project) else None
        if isinstance(node, Project) and made is not None and not made.is_carried:
            return _take_fields(made.expr, fields), node
        sides = [each for each in inputs(node) if attribute in each.output]
        if len(sides) != 1:
            return None
        (node,) = sides
    return node


def _take_apart(path: Expr) -> tuple[Attribute, tuple[int, ...]]:
    fields: tuple[int, ...] = ()
    while isinstance(path, FieldOf):
        fields = (path.ordinal, *fields)
        path = path.input
    assert isinstance(path, Ref), "a path starts at an attribute"
    return path.attribute, fields


def _take_fields(expr: Expr, fields: tuple[int, ...]) -> Expr:
    """Return a field of a computed struct: of `struct(lower(s) as name)`, the first field is `lower(s)`."""
    for field in fields:
        expr = expr.values[field] if isinstance(expr, MakeStruct) else FieldOf(expr, field)
    return expr
