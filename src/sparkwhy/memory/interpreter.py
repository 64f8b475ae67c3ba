"""The reference engine: runs a plan over Python rows, with the meaning that Spark gives it.

A row is a tuple of values (see `values`) by the position of `plan.output`. Rows keep an order, which is that
of the tables wherever no sort says otherwise; as in Spark only a limit, `first`, `last` and lists can see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

from sparkwhy.errors import NotInterpretable, assert_never
from sparkwhy.memory.aggregates import aggregator
from sparkwhy.memory.evaluate import Evaluator, evaluator
from sparkwhy.memory.joins import join
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.sorting import row_order
from sparkwhy.memory.values import MapValue, Row, Value, grouping_key, normalize_zero
from sparkwhy.memory.windows import make_partition, window_function
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Opaque, WindowCall
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.walk import fold

__all__ = ["Row", "Settings", "run"]

DEFAULTS = Settings()

Rows: TypeAlias = Sequence[Row]


def run(plan: Plan, tables: Mapping[OpId, Rows], *, settings: Settings = DEFAULTS) -> list[Row]:
    """Return the rows of the plan's result; `tables` has those of each table, by the id of its node."""

    def combine(node: Plan, inputs: tuple[Rows, ...]) -> Rows:
        return _apply(node, inputs, tables, settings)

    rows: Rows = fold(plan, combine)
    return list(rows)


def _apply(node: Plan, inputs: tuple[Rows, ...], tables: Mapping[OpId, Rows], settings: Settings) -> Rows:
    match node:
        case Table():
            return tables[node.id]
        case OneRow():
            return [()]
        case Project():
            return _project(node, inputs[0], settings)
        case Filter():
            holds = evaluator(node.condition, node.input.output, settings)
            return [row for row in inputs[0] if holds(row) is True]
        case Join():
            return join(node, inputs[0], inputs[1], settings)
        case Flatten():
            return _flatten(node, inputs[0], settings)
        case Aggregate():
            return _aggregate(node, inputs[0], settings)
        case Window():
            return _window(node, inputs[0], settings)
        case Union():
            return [row for rows in inputs for row in rows]
        case SetOperation():
            return _set_operation(node, inputs[0], inputs[1])
        case Distinct():
            return _distinct(node, inputs[0])
        case Sort():
            return sorted(inputs[0], key=row_order(node.order, node.input.output, settings))
        case Limit():
            end = None if node.count is None else node.offset + node.count
            return inputs[0][node.offset : end]
        case Sample():
            raise NotInterpretable(f"only Spark can repeat the sample of operator {node.id}")
        case _:
            assert_never(node)


def _evaluators(exprs: Iterable[Expr], attributes: Sequence[Attribute], settings: Settings) -> list[Evaluator]:
    return [evaluator(expr, attributes, settings) for expr in exprs]


def _project(node: Project, rows: Rows, settings: Settings) -> Rows:
    values = _evaluators((column.expr for column in node.columns), node.input.output, settings)
    return [tuple([value(row) for value in values]) for row in rows]


# --- flatten ------------------------------------------------------------------------------------------------


def _flatten(node: Flatten, rows: Rows, settings: Settings) -> Rows:
    collection = evaluator(node.collection, node.input.output, settings)
    padding = (None,) * (len(node.output) - len(node.input.output))
    result: list[Row] = []
    for row in rows:
        made = [row + added for added in _elements(node, collection(row))]
        result += made or ([row + padding] if node.outer else [])
    return result


def _elements(node: Flatten, collection: Value) -> Iterator[Row]:
    """Yield what the elements of one collection add to its row; a null struct is inlined as null fields."""
    if isinstance(collection, MapValue):
        parts: Iterable[Row] = collection.pairs
    elif node.inline:
        parts = ((None,) * len(node.elements) if struct is None else struct for struct in collection or ())
    else:
        parts = ((element,) for element in collection or ())
    for position, part in enumerate(parts):
        yield part if node.position is None else (position, *part)


# --- groups -------------------------------------------------------------------------------------------------


def _groups(rows: Rows, keys: Sequence[Evaluator]) -> dict[Hashable, list[Row]]:
    """Return the rows with equal keys together, groups in the order of their first rows."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple([grouping_key(value(row)) for value in keys]), []).append(row)
    return groups


def _aggregate(node: Aggregate, rows: Rows, settings: Settings) -> Rows:
    keys = _evaluators((column.expr for column in node.keys), node.input.output, settings)
    aggregates = [aggregator(_aggregate_call(c.expr), node.input.output, settings) for c in node.aggregates]
    groups = list(_groups(rows, keys).values()) if keys else [rows]
    return [
        (*(normalize_zero(value(group[0])) for value in keys), *(aggregate(group) for aggregate in aggregates))
        for group in groups
    ]


def _aggregate_call(expr: Expr) -> AggCall | Opaque:
    assert isinstance(expr, AggCall | Opaque)
    return expr


def _window(node: Window, rows: Rows, settings: Settings) -> Rows:
    attributes = node.input.output
    order = row_order(node.order, attributes, settings)
    functions = [window_function(_window_call(c.expr), node.order, attributes, settings) for c in node.columns]
    result: list[Row] = []
    for group in _groups(rows, _evaluators(node.partition, attributes, settings)).values():
        part = make_partition(group, order)
        columns = [function(part) for function in functions]
        result += [row + tuple(c[i] for c in columns) for i, row in enumerate(part.rows)]
    return result


def _window_call(expr: Expr) -> WindowCall | Opaque:
    assert isinstance(expr, WindowCall | Opaque)
    return expr


# --- sets ---------------------------------------------------------------------------------------------------


def _distinct(node: Distinct, rows: Rows) -> Rows:
    """Return the first row of each group; as they are grouped by, keys come out with 0.0 for -0.0."""
    wanted = node.output if node.keys is None else node.keys
    places = [i for i, attribute in enumerate(node.output) if attribute in wanted]
    groups = _groups(rows, [itemgetter(i) for i in places]).values()
    return [tuple(normalize_zero(v) if i in places else v for i, v in enumerate(group[0])) for group in groups]


def _set_operation(node: SetOperation, left: Rows, right: Rows) -> Rows:
    """Run a set operation. With `all`, each right row removes (or keeps) one equal left row; without, all of them."""
    stock = Counter(grouping_key(row) for row in right)
    kept = []
    for row in left:
        there = stock[grouping_key(row)] > 0
        if node.all and there:
            stock[grouping_key(row)] -= 1
        if there == (node.operation == "intersect"):
            kept.append(tuple(map(normalize_zero, row)))
    return kept if node.all else list({grouping_key(row): row for row in kept}.values())
