"""Run plans: make DataFrames of them by the public API. While it runs, each attribute has a column name of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Call, Expr, FrameBound, Literal, Opaque, Ref, WindowCall
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
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
    SortKey,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import LONG, Atom, Decimal
from sparkwhy.plan.walk import fold, inputs
from sparkwhy.plan.walk_exprs import is_heavy, parts
from sparkwhy.rewrite.codegen import PIECE_PARTS, Codegen
from sparkwhy.rewrite.rules import RULES, Rewrite, rewrite_plan
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.run.columns import aggregate_sql, name_of, to_column
from sparkwhy.spark.classic.run.narrow_structs import fields_read, narrow_condition, narrow_struct
from sparkwhy.spark.classic.run.orderable import orderable
from sparkwhy.spark.classic.run.sql_text import sql_of
from sparkwhy.spark.classic.run.window_text import is_any_order, window_texts

Part = Callable[[DataFrame], DataFrame]
"""Takes some of the rows of a table."""


def run(
    session: SparkSession,
    plan: Plan,
    *,
    codegen: Codegen = Codegen.WHOLE,
    one_partition: bool = False,
    some: Part | None = None,
    rewrites: Sequence[Rewrite] = RULES,
) -> DataFrame:
    """Return the DataFrame of a plan, with the names of its output. As always in Spark, nothing is computed yet.

    `codegen` and `rewrites` change the speed, not the rows. With `one_partition` all rows stay in one partition, as
    those of the tables must be. With `some` only a part of each table is read.
    """
    plan = rewrite_plan(plan, codegen, rewrites)
    pieces, apart = codegen is Codegen.PIECES, codegen is Codegen.APART
    fields, ends = fields_read(plan), _ends_of_pieces(plan) if pieces else frozenset()

    def combine(node: Plan, inputs: tuple[DataFrame, ...]) -> DataFrame:
        fenced = pieces and _has_heavy_marks(node)
        df = _run_fenced(session, node, *inputs) if fenced else _run_node(session, node, inputs, fields)
        if some is not None and isinstance(node, Table):
            df = some(df)
        if one_partition:
            return df.coalesce(1) if isinstance(node, Union) else df
        is_end = (isinstance(node, Flatten) and not pieces) or node.id in ends or (apart and _chooses_rows(node))
        return compile_apart(df) if is_end else df

    df = fold(plan, combine)
    return jvm.rename_columns(df, [attribute.name for attribute in plan.output])


def _chooses_rows(node: Plan) -> bool:
    """Return whether an operator chooses rows and may be compiled by itself.

    Not a filter right above a nested table: Spark would then read all fields.
    """
    if isinstance(node, Filter) and isinstance(node.input, Table):
        return all(isinstance(attribute.type, Atom | Decimal) for attribute in node.input.attributes)
    return isinstance(node, Join | Filter)


def _ends_of_pieces(plan: Plan) -> frozenset[OpId]:
    """Return the operators that end a piece: those below one with which the piece would become too large."""
    ends: set[OpId] = set()

    def size(node: Plan, below: tuple[int, ...]) -> int:
        """Count the parts that are computed since the last end, or since rows were read or combined."""
        if not isinstance(node, Project | Filter | Flatten | Aggregate):
            return 0
        columns = node.columns if isinstance(node, Project) else ()
        exprs = [column.expr for column in columns if not column.is_carried] if columns else exprs_of(node)
        own = sum(not isinstance(part, Literal) for expr in exprs for part in parts(expr))
        if below[0] and below[0] + own > PIECE_PARTS:
            ends.add(inputs(node)[0].id)
        elif not isinstance(node, Aggregate):
            own += below[0]
        return len(node.output) if isinstance(node, Aggregate) else own

    fold(plan, size)
    return frozenset(ends)


def _has_heavy_marks(node: Plan) -> bool:
    return isinstance(node, Project) and any(map(_is_heavy_mark, node.columns))


def _is_heavy_mark(column: Column) -> bool:
    return column.attribute.type == LONG and is_heavy(column.expr)


def _run_fenced(session: SparkSession, node: Plan, input: DataFrame) -> DataFrame:
    """Run a projection so that its marks are computed once for each row.

    Spark would put their expressions into every filter above that reads them, evaluate these first for each row, and
    then compute the marks again. It leaves alone what might have another value each time.
    """
    assert isinstance(node, Project)

    def select_once(column: Column) -> str | SparkColumn:
        sql = sql_of(column.expr) if _is_heavy_mark(column) else None
        return _as_text(session, column) if sql is None else f"{_ONCE.format(sql)} AS {name_of(column.attribute)}"

    return _select(input, [select_once(column) for column in node.columns])


_ONCE = "CASE WHEN spark_partition_id() < 0 THEN 0L ELSE {} END"


def compile_apart(df: DataFrame) -> DataFrame:
    """Let Spark compile what is below this step apart from what is above; rows and partitions stay the same.

    Otherwise all operators between two shuffles become one Java method, which Java leaves uncompiled if it is large.
    """
    return df.coalesce(_ANY_NUMBER)


_ANY_NUMBER = 1 << 20


def _run_node(
    session: SparkSession, node: Plan, inputs: tuple[DataFrame, ...], fields: Mapping[AttrId, tuple[str, ...]]
) -> DataFrame:
    match node:
        case Table():
            return _run_table(session, node, fields)
        case OneRow():
            return session.range(1, numPartitions=1).select()
        case Project():
            return _select(inputs[0], [_as_text(session, column) for column in node.columns])
        case Filter():
            return _filter(session, inputs[0], narrow_condition(node.condition))
        case Join():
            return _run_join(session, node, *inputs)
        case Flatten():
            return _run_flatten(session, node, inputs[0], fields.get(node.elements[0].id, ()))
        case Aggregate():
            return _run_aggregate(session, node, inputs[0])
        case Window():
            return _run_window(session, node, inputs[0])
        case Union():
            return jvm.rename_columns(jvm.union_all(session, inputs), [name_of(each) for each in node.attributes])
        case SetOperation():
            return _run_set_operation(node, *inputs)
        case Distinct():
            return inputs[0].dropDuplicates(None if node.keys is None else [name_of(key) for key in node.keys])
        case Sort():
            return inputs[0].orderBy(*(_sort_column(session, key) for key in node.order))
        case Limit():
            shifted = inputs[0].offset(node.offset) if node.offset else inputs[0]
            return shifted if node.count is None else shifted.limit(node.count)
        case Sample():
            return _run_sample(node, inputs[0])
        case _:
            assert_never(node)


def _run_table(session: SparkSession, node: Table, fields: Mapping[AttrId, tuple[str, ...]]) -> DataFrame:
    """Read the rows of a table; of a struct only the `fields` that are read."""
    df = jvm.rename_columns(jvm.dataframe(session, node.source.handle), [name_of(each) for each in node.attributes])
    narrow = {a.id: narrow_struct(a, name_of(a), fields[a.id]) for a in node.attributes if a.id in fields}
    if not any(narrow.values()):
        return df
    names = [(name_of(a), narrow.get(a.id)) for a in node.attributes]
    return jvm.select(df, [name if struct is None else f"{struct} AS {name}" for name, struct in names])


def _as_text(session: SparkSession, column: Column) -> str | SparkColumn:
    """Return a column under the name of its attribute: as SQL text where it has one, which is quicker."""
    name = name_of(column.attribute)
    if column.is_carried:
        return name
    sql = sql_of(column.expr)
    return to_column(session, column.expr).alias(name) if sql is None else f"{sql} AS {name}"


def _select(df: DataFrame, columns: Sequence[str | SparkColumn]) -> DataFrame:
    texts = [column for column in columns if isinstance(column, str)]
    if len(texts) == len(columns) and texts:
        return jvm.select(df, texts)
    return df.select(*(_as_column(df.sparkSession, column) for column in columns))


def _as_column(session: SparkSession, column: str | SparkColumn) -> str | SparkColumn:
    """Return a name as it is, and other text as a column."""
    return jvm.parse_column(session, column) if isinstance(column, str) and " " in column else column


def _filter(session: SparkSession, df: DataFrame, condition: Expr) -> DataFrame:
    sql = sql_of(condition)
    return df.filter(to_column(session, condition) if sql is None else sql)


_JOINS = {
    "inner": "inner",
    "left": "left_outer",
    "right": "right_outer",
    "full": "full_outer",
    "semi": "left_semi",
    "anti": "left_anti",
}


def _run_join(session: SparkSession, node: Join, left: DataFrame, right: DataFrame) -> DataFrame:
    condition = jvm.parse_column(session, "true") if node.condition is None else to_column(session, node.condition)
    match node.how:
        case "cross":
            crossed = left.crossJoin(right)
            return crossed if node.condition is None else crossed.filter(condition)
        case "existence":
            assert node.exists is not None
            return jvm.existence_join(left, right, condition, name_of(node.exists))
        case how:
            return left.join(right, condition, _JOINS[how])


def _run_flatten(session: SparkSession, node: Flatten, input: DataFrame, fields: tuple[str, ...]) -> DataFrame:
    """Run a flatten; with `fields`, its elements have only these."""
    kind = "inline" if node.inline else "explode" if node.position is None else "posexplode"
    function = f"{kind}_outer" if node.outer else kind
    names = [name_of(attribute) for attribute in node.output[len(node.input.output) :]]
    sql = sql_of(node.collection)
    if fields and isinstance(node.collection, Ref):
        array = name_of(node.collection.attribute)
        sql = f"arrays_zip({', '.join(f'{array}.`{name}`' for name in fields)})"
    if sql is None:
        collection = to_column(session, node.collection)
        return input.select("*", F.call_function(function, collection).alias(*names))
    return jvm.select(input, ["*", f"{function}({sql}) AS ({', '.join(names)})"])


def _run_aggregate(session: SparkSession, node: Aggregate, input: DataFrame) -> DataFrame:
    own = [replace(column, attribute=_key_name(node, column)) for column in node.keys]
    computed = [_as_text(session, column) for column in own if not column.is_carried]
    keyed = _select(input, ["*", *computed]) if computed else input
    named = [(name_of(key.attribute), name_of(column.attribute)) for key, column in zip(own, node.keys, strict=True)]
    keys = [jvm.parse_column(session, key if key == name else f"{key} AS {name}") for key, name in named]
    if not node.aggregates:
        return keyed.select(*keys).distinct()
    prepared, aggregates = _prepare_aggregates(session, node, keyed)
    kept = session.conf.get("spark.sql.retainGroupColumns") == "true"
    return prepared.groupBy(*keys).agg(*([] if kept else keys), *aggregates)


def _key_name(node: Aggregate, column: Column) -> Attribute:
    """Return the attribute of a key while it is computed: another one if the input has that attribute to aggregate."""
    if column.is_carried or column.attribute not in node.input.output:
        return column.attribute
    unused = max(attribute.id for attribute in (*node.input.output, *node.output)) + 1
    return replace(column.attribute, id=AttrId(unused + column.attribute.id))


def _prepare_aggregates(
    session: SparkSession, node: Aggregate, input: DataFrame
) -> tuple[DataFrame, list[SparkColumn]]:
    """Return aggregates as columns, and the rows that they read.

    DISTINCT and FILTER exist as text only: what has no text is computed first, in columns of its own.
    """
    extra: dict[str, SparkColumn] = {}

    def extract(expr: Expr) -> str:
        name = f"x{len(extra)}"
        extra[name] = to_column(session, expr)
        return name

    def aggregate(column: Column) -> SparkColumn:
        expr, name = column.expr, name_of(column.attribute)
        sql = sql_of(expr)
        if sql is None and isinstance(expr, AggCall) and (expr.distinct or expr.condition is not None):
            args = [extract(arg) for arg in expr.args]
            condition = None if expr.condition is None else extract(expr.condition)
            sql = aggregate_sql(expr, args, condition)
        return to_column(session, expr).alias(name) if sql is None else jvm.parse_column(session, f"{sql} AS {name}")

    aggregates = [aggregate(column) for column in node.aggregates]
    return (input.withColumns(extra) if extra else input), aggregates


def _run_window(session: SparkSession, node: Window, input: DataFrame) -> DataFrame:
    texts = window_texts(node)
    if texts is not None:
        return jvm.select(input, ["*", *texts])
    partition = [orderable(session, to_column(session, expr), expr.type) for expr in node.partition]
    order = [F.lit(True)] if is_any_order(node) else [_sort_column(session, key) for key in node.order]
    window = SparkWindow.partitionBy(*partition).orderBy(*order)

    def compute(column: Column) -> SparkColumn:
        match column.expr:
            case WindowCall(function, frame):
                bounds = (_edge(frame.lower, before=True), _edge(frame.upper, before=False))
                framed = window.rowsBetween(*bounds) if frame.unit == "rows" else window.rangeBetween(*bounds)
                ranks = isinstance(function, Call)
                return to_column(session, function).over(window if ranks else framed)
            case Opaque() as whole:
                return to_column(session, whole)
            case other:
                raise AssertionError(f"{other} is no window function")

    return input.select("*", *(compute(c).alias(name_of(c.attribute)) for c in node.columns))


def _edge(bound: FrameBound, *, before: bool) -> int:
    match bound:
        case None:
            return SparkWindow.unboundedPreceding if before else SparkWindow.unboundedFollowing
        case "current row":
            return SparkWindow.currentRow
        case int():
            return bound


def _run_set_operation(node: SetOperation, left: DataFrame, right: DataFrame) -> DataFrame:
    match node.operation, node.all:
        case "except", True:
            return left.exceptAll(right)
        case "except", False:
            return left.subtract(right)
        case _, True:
            return left.intersectAll(right)
        case _:
            return left.intersect(right)


def _run_sample(node: Sample, input: DataFrame) -> DataFrame:
    if not node.split:
        return input.sample(node.replacement, node.upper, node.seed)
    weights = [node.lower, node.upper - node.lower, 1.0 - node.upper]
    return input.randomSplit([max(weight, 0.0) for weight in weights], node.seed)[1]


def _sort_column(session: SparkSession, key: SortKey) -> SparkColumn:
    column = to_column(session, key.expr)
    if key.ascending:
        return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()
    return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
