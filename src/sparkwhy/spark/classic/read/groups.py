"""Grouping and windows: operators that look at several rows at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Expr, Lambda, Opaque, Ref, Variable
from sparkwhy.plan.nodes import Aggregate, Column, Plan, Project, SortKey, Window
from sparkwhy.plan.types import Field
from sparkwhy.plan.walk_exprs import parts, rewrite
from sparkwhy.spark.classic.catalyst import Tree
from sparkwhy.spark.classic.read.reading import Bound, Reading
from sparkwhy.spark.classic.read.scope import Scope
from sparkwhy.spark.classic.read.subqueries import add_subquery, join_subqueries, subqueries_in


def read_aggregate(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    """Spark computes with keys and aggregates in one node: here the grouping, then a projection where one is needed.

    Subqueries in the arguments of aggregates are joined below the grouping, those beside them above it:
    `sum(amount) / (select sum(amount) from o)`.
    """
    grouping, outputs = tree.exprs("groupingExpressions"), tree.exprs("aggregateExpressions")
    joined = join_subqueries(reading, tree, _read_by_groups(grouping, outputs), inputs[0])
    step = joined.step or reading.step(tree)
    beside = {key: part for key, part in subqueries_in(outputs).items() if key not in joined.scope.scalars}
    added = {key: add_subquery(reading, step, part) for key, part in beside.items()}
    values = {**joined.scope.scalars, **{key: join.value for key, join in added.items()}}
    scope, fields = replace(joined.scope, scalars=values), reading.output(tree)
    by = [scope.read(expr) for expr in grouping]
    read = [_with_keys(scope.read(expr), by) for expr in outputs]
    keys = _keys(reading, by, read, fields)
    aggregates = _aggregates(reading, read, fields)
    plan: Plan = Aggregate(
        id=step,
        where=reading.place(tree, *outputs, *grouping),
        input=joined.bound.plan,
        keys=keys,
        aggregates=aggregates,
    )
    made = {column.expr: column.attribute for column in (*keys, *aggregates)}
    columns = reading.identify_columns([(_replace_by_groups(expr, made), True) for expr in read], fields)
    ids = tuple(expr.expr_id for expr in outputs)
    if all(c.is_carried for c in columns) and _ids_and_names(c.attribute for c in columns) == _ids_and_names(
        plan.output
    ):
        return Bound(plan, ids)
    for join in added.values():
        plan = join.to(plan)
    return Bound(Project(id=reading.part(step), input=plan, columns=columns), ids)


def _read_by_groups(grouping: tuple[Tree, ...], outputs: tuple[Tree, ...]) -> list[Tree]:
    """Return the expressions that are computed from the rows of a group, before it is one row."""
    aggregates = [part for expr in outputs for part in expr.walk() if part.name == "AggregateExpression"]
    return [*grouping, *aggregates]


def _ids_and_names(attributes: Iterable[Attribute]) -> list[tuple[AttrId, str]]:
    return [(attribute.id, attribute.name) for attribute in attributes]


def _with_keys(expr: Expr, keys: list[Expr]) -> Expr:
    """Return the expression with the keys in it as they are: a lambda that is read again has other parameters."""
    known = {_renumber_lambdas(key): key for key in keys if any(isinstance(part, Lambda) for part in parts(key))}
    return rewrite(expr, lambda part: known.get(_renumber_lambdas(part))) if known else expr


def _renumber_lambdas(expr: Expr) -> Expr:
    """Return the expression with the parameters of its lambdas numbered anew, by numbers that no other variable has."""
    params = [param for part in parts(expr) if isinstance(part, Lambda) for param in part.params]
    numbers = {param.id: -number for number, param in enumerate(params, 1)}

    def rename(part: Expr) -> Expr | None:
        match part:
            case Variable(id) if id in numbers:
                return replace(part, id=numbers[id])
            case Lambda(inner, body):
                return Lambda(tuple(replace(each, id=numbers[each.id]) for each in inner), rewrite(body, rename))
            case _:
                return None

    return rewrite(expr, rename)


def _keys(reading: Reading, grouping: list[Expr], outputs: list[Expr], fields: tuple[Field, ...]) -> tuple[Column, ...]:
    """Return the grouping keys: attributes keep their identity, computed keys take the name of their output."""
    names = dict(zip(reversed(outputs), reversed(fields), strict=True))
    found: dict[Expr, Attribute] = {}
    for position, expr in enumerate(grouping):
        if expr in found:
            continue
        if isinstance(expr, Ref):
            found[expr] = expr.attribute
        else:
            found[expr] = reading.attribute(names.get(expr) or Field(f"key{position + 1}", expr.type))
    return tuple(Column(attribute, expr) for expr, attribute in found.items())


def _aggregates(reading: Reading, outputs: list[Expr], fields: tuple[Field, ...]) -> tuple[Column, ...]:
    """Return every aggregate call of the outputs once; one that is an output by itself takes its name."""
    named = list(zip(outputs, fields, strict=True))
    inside = [(part, Field(_short_name(part), part.type)) for expr in outputs for part in parts(expr)]
    found: dict[Expr, Attribute] = {}
    for expr, field in named + inside:
        if _is_aggregate(expr) and expr not in found:
            found[expr] = reading.attribute(field)
    return tuple(Column(attribute, expr) for expr, attribute in found.items())


def _is_aggregate(expr: Expr) -> bool:
    return isinstance(expr, AggCall) or (isinstance(expr, Opaque) and expr.aggregate)


def _short_name(expr: Expr) -> str:
    return expr.function if isinstance(expr, AggCall) else "aggregate"


def _replace_by_groups(expr: Expr, made: Mapping[Expr, Attribute]) -> Expr:
    """Return the expression over the output of the grouping: keys and aggregates are attributes now."""
    return rewrite(expr, lambda part: Ref(made[part]) if part in made else None)


def read_window(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    (inner,) = inputs
    trees = tree.exprs("windowExpressions")
    scope = reading.scope(inner)
    partition, order = tree.exprs("partitionSpec"), tree.exprs("orderSpec")
    fields = reading.output(tree)[len(inner.ids) :]
    columns = tuple(
        Column(reading.attribute(field), scope.read(expr)) for expr, field in zip(trees, fields, strict=True)
    )
    plan = Window(
        id=reading.step(tree),
        where=reading.place(tree, *trees, *order, *partition),
        input=inner.plan,
        partition=tuple(scope.read(expr) for expr in partition),
        order=tuple(sort_key(key, scope) for key in order),
        columns=columns,
    )
    return Bound(plan, inner.ids + tuple(expr.expr_id for expr in trees))


def sort_key(tree: Tree, scope: Scope) -> SortKey:
    return SortKey(
        scope.read(tree.children[0]),
        ascending=tree.object_name("direction") == "Ascending",
        nulls_first=tree.object_name("nullOrdering") == "NullsFirst",
    )
