"""Aggregate calls and window functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sparkwhy.plan.exprs import AggCall, Call, Case, Compare, Expr, Frame, FrameBound, Literal, Mode, WindowCall
from sparkwhy.plan.types import BOOLEAN, DATE, INTEGRALS, is_numeric
from sparkwhy.spark.classic.catalyst import Tree
from sparkwhy.spark.classic.literals import parse_literal
from sparkwhy.spark.classic.read.scope import NotModelled, Scope


def read_aggregate_call(tree: Tree, scope: Scope) -> Expr:
    function, *condition = tree.children
    while isinstance(function.fields.get("replacement"), int) and function.name not in AGGREGATE_READERS:
        function = function.children[function.fields["replacement"]]
    if function.name not in AGGREGATE_READERS:
        raise NotModelled
    filtered = scope.read(condition[0]) if condition else None
    distinct = bool(tree.fields["isDistinct"])
    return AGGREGATE_READERS[function.name](function, scope, distinct, filtered)


AggregateReader = Callable[[Tree, Scope, bool, "Expr | None"], Expr]


def _plain(name: str, mode: Callable[[Tree, Scope], Mode] = lambda _tree, _scope: "legacy") -> AggregateReader:
    def read(tree: Tree, scope: Scope, distinct: bool, condition: Expr | None) -> Expr:
        return AggCall(name, scope.operands(tree), distinct, condition, mode(tree, scope))

    return read


def _numeric_mode(tree: Tree, scope: Scope) -> Mode:
    """Sums and averages of intervals are left to Spark."""
    if not is_numeric(scope.read(tree.children[0]).type):
        raise NotModelled
    context = tree.handle.evalContext() if "evalContext" in tree.fields else tree.handle
    return scope.same_mode(str(context.evalMode().toString()).lower())


def _positional(name: str) -> AggregateReader:
    """first and last: whether they skip nulls is part of what they mean."""

    def read(tree: Tree, scope: Scope, distinct: bool, condition: Expr | None) -> Expr:
        skips = bool(tree.fields["ignoreNulls"])
        if condition is not None and not skips:
            raise NotModelled  # a filter clause would look like nulls here
        args = (*scope.operands(tree), Literal(skips, BOOLEAN))
        return AggCall(name, args, distinct, condition)

    return read


def _read_collect(name: str) -> AggregateReader:
    def read(tree: Tree, scope: Scope, distinct: bool, condition: Expr | None) -> Expr:
        if tree.fields.get("ignoreNulls") is False:
            raise NotModelled
        return AggCall(name, scope.operands(tree), distinct, condition)

    return read


def _read_pivot(tree: Tree, scope: Scope, distinct: bool, condition: Expr | None) -> Expr:
    """Return the values of a pivot: for each pivot value the first there is, because Spark grouped by both before."""
    pivot, value = scope.operands(tree)
    values = tree.handle.pivotColumnValues()
    names = [parse_literal(str(values.apply(i)), pivot.type, scope.timezone) for i in range(values.size())]
    if NotImplemented in names or pivot.type == DATE:  # Spark keeps dates as numbers here
        raise NotModelled
    chosen = [Case(((Compare("<=>", pivot, Literal(name, pivot.type)), value),), None) for name in names]
    calls = (AggCall("first", (case, Literal(True, BOOLEAN)), distinct, condition) for case in chosen)
    return Call("array", tuple(calls))


AGGREGATE_READERS: Mapping[str, AggregateReader] = {
    "Sum": _plain("sum", _numeric_mode),
    "Average": _plain("avg", _numeric_mode),
    "Count": _plain("count"),
    "Min": _plain("min"),
    "Max": _plain("max"),
    "First": _positional("first"),
    "Last": _positional("last"),
    "CollectList": _read_collect("collect_list"),
    "CollectSet": _read_collect("collect_set"),
    "BitAndAgg": _plain("bit_and"),
    "BitOrAgg": _plain("bit_or"),
    "BitXorAgg": _plain("bit_xor"),
    "PivotFirst": _read_pivot,
    "MaxBy": _plain("max_by"),
    "MinBy": _plain("min_by"),
    "StddevSamp": _plain("stddev_samp"),
    "StddevPop": _plain("stddev_pop"),
    "VarianceSamp": _plain("var_samp"),
    "VariancePop": _plain("var_pop"),
}


def read_window_call(tree: Tree, scope: Scope) -> Expr:
    function, spec = tree.children
    called = _window_function(function, scope)
    if isinstance(called, AggCall) and called.condition is not None:
        raise NotModelled
    return WindowCall(called, _frame(spec.children[-1], scope))


def _window_function(tree: Tree, scope: Scope) -> Call | AggCall:
    if tree.name in RANKS:
        return Call(RANKS[tree.name], ())
    if tree.name in OFFSETS and tree.fields.get("ignoreNulls") is False:
        args = scope.operands(tree)
        if args[1:2] and not isinstance(args[1], Literal):
            raise NotModelled
        return Call(OFFSETS[tree.name], args)
    if tree.name == "AggregateExpression":
        read = read_aggregate_call(tree, scope)
        if isinstance(read, AggCall):
            return read
    raise NotModelled


RANKS = {
    "RowNumber": "row_number",
    "Rank": "rank",
    "DenseRank": "dense_rank",
    "PercentRank": "percent_rank",
    "CumeDist": "cume_dist",
}
OFFSETS = {"Lag": "lag", "Lead": "lead"}


def _frame(tree: Tree, scope: Scope) -> Frame:
    lower, upper = tree.children
    unit = "rows" if tree.object_name("frameType") == "RowFrame" else "range"
    return Frame(unit, _bound(lower, scope), _bound(upper, scope))  # type: ignore[arg-type]


def _bound(tree: Tree, scope: Scope) -> FrameBound:
    match tree.name:
        case "UnboundedPreceding" | "UnboundedFollowing":
            return None
        case "CurrentRow":
            return "current row"
        case _:
            return _offset(tree, scope)


def _offset(tree: Tree, scope: Scope) -> int:
    match scope.read(tree):
        case Literal(int(value), type) if type in INTEGRALS:
            return value
        case Call("negative", (Literal(int(value), type),)) if type in INTEGRALS:
            return -value
        case _:
            raise NotModelled
