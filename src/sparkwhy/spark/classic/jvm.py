"""Every call into Spark's JVM that the public API has no word for. Nothing else in sparkwhy touches py4j."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from py4j.java_gateway import JavaClass, JavaObject, is_instance_of
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.classic.column import Column as ClassicColumn

from sparkwhy.plan.nodes import SQL_TEXT, VIEW_TEXT, Place

_CATALYST = "org.apache.spark.sql.catalyst"

_SUBQUERY_RULES = (
    "PullupCorrelatedPredicates",
    "RewritePredicateSubquery",
    "RewriteCorrelatedScalarSubquery",
    "RewriteLateralSubquery",
)
"""Spark's own rules, in this order, turn correlated, IN and EXISTS subqueries into joins."""


# --- plans ---


def analyzed_plan(df: DataFrame) -> JavaObject:
    """Return the query as Spark resolved it, before any optimization."""
    return df._jdf.queryExecution().analyzed()


def tree_to_json(tree: JavaObject) -> str:
    """Return a plan or an expression as JSON text."""
    return str(tree.toJSON())


def replace_subqueries(session: SparkSession, plan: JavaObject) -> JavaObject:
    """Return the same query with its correlated, IN and EXISTS subqueries turned into joins, the innermost first.

    Spark's rules expect that of the subqueries inside subqueries: its optimizer has been there before them.
    """
    plan = _with_flat_subqueries(session, plan)
    for rule in _SUBQUERY_RULES:
        plan = _singleton(session, f"{_CATALYST}.optimizer.{rule}").apply(plan)
    return plan


def _with_flat_subqueries(session: SparkSession, plan: JavaObject) -> JavaObject:
    """Return the same query, its subqueries without subqueries of their own."""
    nested = plan.subqueriesAll()
    if not any(nested.apply(i).subqueriesAll().nonEmpty() for i in range(nested.size())):
        return plan
    children = plan.children()
    below = [_with_flat_subqueries(session, children.apply(i)) for i in range(children.size())]
    plan = plan.withNewChildren(sequence(session, below))
    arguments = [_flat_argument(session, plan.productElement(i)) for i in range(plan.productArity())]
    return _copy(session, plan, arguments)


def _flat_argument(session: SparkSession, argument: Any) -> Any:
    """Return an argument of a plan node: only conditions and lists of columns have subqueries that we can read."""
    if _is_a(session, argument, f"{_CATALYST}.expressions.Expression"):
        return _flat_expression(session, argument)
    if _is_a(session, argument, "scala.collection.immutable.Seq"):
        items = [argument.apply(i) for i in range(argument.size())]
        return sequence(session, [_flat_argument(session, item) for item in items])
    return argument


def _flat_expression(session: SparkSession, tree: JavaObject) -> JavaObject:
    children = tree.children()
    below = [_flat_expression(session, children.apply(i)) for i in range(children.size())]
    new = tree.withNewChildren(sequence(session, below)) if below else tree
    if not _is_a(session, tree, f"{_CATALYST}.expressions.SubqueryExpression"):
        return new
    return new.withNewPlan(replace_subqueries(session, new.plan()))


def dataframe(session: SparkSession, plan: JavaObject) -> DataFrame:
    """Return a logical plan as a DataFrame of this session."""
    dataset = _class(session, "org.apache.spark.sql.classic.Dataset")
    return DataFrame(dataset.ofRows(session._jsparkSession, plan), session)


def select(df: DataFrame, texts: Sequence[str]) -> DataFrame:
    """Return the columns that SQL text says."""
    return DataFrame(df._jdf.selectExpr(_strings(df.sparkSession, texts)), df.sparkSession)


def rename_columns(df: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return the same columns under other names, by position."""
    return DataFrame(df._jdf.toDF(_strings(df.sparkSession, names)), df.sparkSession)


def union_all(session: SparkSession, inputs: Sequence[DataFrame]) -> DataFrame:
    """Return the rows of all inputs by position, analyzed once: one union after the other is analyzed anew with
    each.
    """
    if len(inputs) == 1:
        return inputs[0]
    below = sequence(session, [analyzed_plan(df) for df in inputs])
    return dataframe(session, _class(session, f"{_CATALYST}.plans.logical.Union")(below, False, False))


def take_per_partition(df: DataFrame, count: int) -> DataFrame:
    """Take the first `count` rows of each partition that Spark comes by; the rest is not read."""
    session = df.sparkSession
    number = _singleton(session, f"{_CATALYST}.expressions.Literal").apply(count)
    return dataframe(session, _class(session, f"{_CATALYST}.plans.logical.LocalLimit")(number, analyzed_plan(df)))


def existence_join(left: DataFrame, right: DataFrame, condition: Column, exists: str) -> DataFrame:
    """Return each left row with a column that says whether it has a partner: a join type that only Catalyst knows."""
    session = left.sparkSession
    joined = left.join(right, condition, "left_semi")
    semi = analyzed_plan(joined)
    boolean = _singleton(session, "org.apache.spark.sql.types.BooleanType")
    flag = _class(session, f"{_CATALYST}.expressions.AttributeReference")(
        exists,
        boolean,
        False,
        _singleton(session, "org.apache.spark.sql.types.Metadata").empty(),
        _singleton(session, f"{_CATALYST}.expressions.NamedExpression").newExprId(),
        sequence(session, []),
    )
    kind = _class(session, f"{_CATALYST}.plans.ExistenceJoin")(flag)
    join = _class(session, f"{_CATALYST}.plans.logical.Join")(
        semi.left(), semi.right(), kind, semi.condition(), semi.hint()
    )
    return dataframe(session, join)


def is_implied_by_join(session: SparkSession, project: JavaObject) -> bool:
    """Return whether Spark inserted this projection for a join on column names (USING or NATURAL)."""
    tag = _singleton(session, f"{_CATALYST}.plans.logical.Project").hiddenOutputTag()
    return bool(project.getTagValue(tag).isDefined())


def reads_same(one: JavaObject, other: JavaObject) -> bool:
    """Return whether two sources are the same: Spark reads a source that is used twice under other attributes."""
    return bool(one.sameResult(other))


def child(tree: JavaObject, position: int) -> JavaObject:
    return tree.children().apply(position)


def part(tree: JavaObject, name: str) -> JavaObject:
    """Return a constructor argument of a tree node, out of its Option."""
    found = getattr(tree, name)()
    return found.get() if found.getClass().getName() == "scala.Some" else found


def files_of(relation: JavaObject) -> str | None:
    """Return the last part of the first path that a file source reads, or None for other sources."""
    source = relation.relation()
    if source.getClass().getSimpleName() != "HadoopFsRelation":
        return None
    paths = source.location().rootPaths()
    return str(paths.head().getName()) if paths.nonEmpty() else None


# --- expressions ---


def source_bytes(df: DataFrame) -> int:
    """Return how large the largest source of a DataFrame is, as far as Spark knows; data of unknown size counts as
    large.

    Rows that were handed over from Python have no size either: these are few. A reference to a common table expression
    is no source: what it refers to is in the plan too.
    """
    plan = df._jdf.queryExecution().analyzed()
    plans = [plan, *_items(plan.subqueriesAll())]
    sizes = [plan_bytes(leaf) for each in plans for leaf in _items(each.collectLeaves()) if not _is_reference(leaf)]
    return max(sizes, default=0)


def _items(sequence: JavaObject) -> list[JavaObject]:
    return [sequence.apply(i) for i in range(sequence.size())]


def _is_reference(leaf: JavaObject) -> bool:
    return str(leaf.getClass().getSimpleName()) == "CTERelationRef"


def plan_bytes(leaf: JavaObject) -> int:
    """Return how large a source is, as far as Spark knows."""
    size = int(str(leaf.stats().sizeInBytes()))  # py4j makes small ones numbers of Python
    handed_over = leaf.getClass().getSimpleName() == "LogicalRDD" and size >= _UNKNOWN_BYTES
    return 0 if handed_over else size


_UNKNOWN_BYTES = 1 << 62


def column_of(session: SparkSession, expression: JavaObject) -> Column:
    return ClassicColumn(_class(session, _EXPRESSION_UTILS).column(expression))


def expression(session: SparkSession, column: Column) -> JavaObject:
    return _class(session, _EXPRESSION_UTILS).expression(column._jc)


_EXPRESSION_UTILS = "org.apache.spark.sql.classic.ExpressionUtils"


def parse_column(session: SparkSession, text: str) -> Column:
    """SQL text as a column. Spark's own `expr` looks up where it was called from, which takes as long as the rest."""
    return ClassicColumn(_class(session, "org.apache.spark.sql.functions").expr(text))


def unscaled_value(session: SparkSession, decimal: Column) -> Column:
    """Return the digits of a decimal as a whole number: Spark has no name for it in SQL, but sums small decimals so
    itself.
    """
    unscaled = _class(session, f"{_CATALYST}.expressions.UnscaledValue")
    return column_of(session, unscaled(expression(session, decimal)))


def struct_field(session: SparkSession, struct: Column, ordinal: int, name: str) -> Column:
    """Return a field by its position: names that differ only in case are ambiguous to the public API."""
    some = _class(session, "scala.Option").apply(name)
    get = _class(session, f"{_CATALYST}.expressions.GetStructField")
    return column_of(session, get(expression(session, struct), ordinal, some))


def mark_nullable(session: SparkSession, value: Column) -> Column:
    """Return the same value, of which Spark shall not know that it is never null."""
    tag = _class(session, f"{_CATALYST}.expressions.KnownNullable")
    return column_of(session, tag(expression(session, value)))


def with_attributes(session: SparkSession, tree: JavaObject, replacements: Mapping[int, JavaObject]) -> JavaObject:
    """Return the expression with its references to attributes, by expression id, replaced."""
    children = tree.children()
    count = children.size()
    if count == 0:
        if tree.getClass().getSimpleName() != "AttributeReference":
            return tree
        return replacements.get(tree.exprId().id(), tree)
    new = [with_attributes(session, children.apply(i), replacements) for i in range(count)]
    return tree.withNewChildren(sequence(session, new))


def regex_problem(session: SparkSession, text: str) -> str | None:
    """Return why the text is no regular expression, or None if it is one."""
    try:
        _class(session, _PATTERN).compile(text)
    except PySparkException as error:
        return str(error).splitlines()[0]
    return None


def eval_mode(tree: JavaObject) -> str:
    """Return what a cast or an arithmetic operation does without a result: legacy, ansi or try."""
    return str(tree.evalMode().toString()).lower()


def text_of(tree: JavaObject) -> str:
    """Return the expression as Spark prints it, without the ids of its attributes.

    Where that would show options which Spark filled in, as in `to_date(x, None, Some(UTC), true)`, it is shown as SQL.
    """
    text = str(tree.toString())
    return re.sub(r"#\d+L?", "", str(tree.sql()) if _OPTION.search(text) else text)


_OPTION = re.compile(r"\b(None|Some\()")


def is_written_cast(cast: JavaObject) -> bool:
    """Return whether the user wrote this cast: others put numbers that are compared or added into a common type."""
    written = JavaClass(f"{_CATALYST}.expressions.Cast", cast._gateway_client).USER_SPECIFIED_CAST()
    return bool(cast.getTagValue(written).isDefined())


def type_of(tree: JavaObject) -> str:
    """Return the type of an expression as JSON text."""
    return str(tree.dataType().json())


def schema_of(plan: JavaObject) -> str:
    """Return the output of an operator as JSON text."""
    return str(plan.schema().json())


def place_of(tree: JavaObject) -> Place | None:
    """Return where the user wrote this, if Spark knows."""
    origin = tree.origin()
    if "Some(" not in str(origin.toString()):  # nothing is known, and this test is quick
        return None
    context = origin.context()
    if str(context.contextType().toString()) == "DataFrame":
        return _call_site(str(context.callSite()), str(context.fragment()))
    line = origin.line()
    if not line.isDefined():
        return None
    range = text_range(tree)
    start = None if range is None else range[0]
    return Place(_text_name(origin), int(line.get()), str(context.fragment()) or None, sql_text(tree), start)


def _text_name(origin: JavaObject) -> str:
    """Return which text a place is in: that of a view by its name, else that of the query."""
    kind, name = origin.objectType(), origin.objectName()
    is_view = kind.isDefined() and name.isDefined() and str(kind.get()).upper() == "VIEW"
    return f"{VIEW_TEXT} {str(name.get()).rsplit('.', 1)[-1]}" if is_view else SQL_TEXT


def sql_text(tree: JavaObject) -> str | None:
    """Return the whole SQL text that this was read from."""
    text = tree.origin().sqlText()
    return str(text.get()) if text.isDefined() else None


def text_range(tree: JavaObject) -> tuple[int, int] | None:
    """Return the first and the last character of this in its SQL text."""
    start, stop = tree.origin().startIndex(), tree.origin().stopIndex()
    return (int(start.get()), int(stop.get())) if start.isDefined() and stop.isDefined() else None


_FILE_AND_LINE = re.compile(r"(?P<file>.+\.py):(?P<line>\d+)|(?P<input><[^>]+>):(?P<number>\d+)")
_CELL = re.compile(r"line (?P<line>\d+) in (?P<cell>cell \[.+\])")


def _call_site(call_site: str, call: str) -> Place | None:
    """Return a Python call site; without one Spark gives a frame of its own Java stack, which says nothing."""
    first = call_site.strip().split("\n", 1)[0]
    if found := _FILE_AND_LINE.fullmatch(first):
        return Place(found["file"] or found["input"], int(found["line"] or found["number"]), call)
    if found := _CELL.fullmatch(first):
        return Place(found["cell"], int(found["line"]), call)
    return None


# --- plumbing ---


def activate(session: SparkSession) -> None:
    """On the thread of the JVM that belongs to this one of Python, the settings of this session hold."""
    _class(session, "org.apache.spark.sql.classic.SparkSession").setActiveSession(session._jsparkSession)


def sequence(session: SparkSession, items: Sequence[Any]) -> JavaObject:
    return _class(session, "org.apache.spark.api.python.PythonUtils").toSeq(list(items))


def _strings(session: SparkSession, texts: Sequence[str]) -> JavaObject:
    """Texts as an array of the JVM, in one piece: handed over one by one, each takes a call."""
    if not texts or any(_BETWEEN in text for text in texts):
        return _array(session, "java.lang.String", texts)
    return _class(session, _PATTERN).compile(_BETWEEN).split(_BETWEEN.join(texts), -1)


_PATTERN = "java.util.regex.Pattern"
_BETWEEN = "\x1f"
"""The character that was made to stand between units of text."""


def _copy(session: SparkSession, node: JavaObject, arguments: Sequence[Any]) -> JavaObject:
    """Return the tree node with other constructor arguments."""
    return node.makeCopy(_array(session, "java.lang.Object", arguments))


def _array(session: SparkSession, kind: str, items: Sequence[Any]) -> JavaObject:
    array = _gateway(session).new_array(_class(session, kind), len(items))
    for position, item in enumerate(items):
        array[position] = item
    return array


def _is_a(session: SparkSession, value: Any, name: str) -> bool:
    return isinstance(value, JavaObject) and is_instance_of(_gateway(session), value, name)


def _gateway(session: SparkSession) -> Any:
    assert session._sc._gateway is not None
    return session._sc._gateway


def _class(session: SparkSession, name: str) -> Any:
    """Return a class by its full name: py4j would look up package after package, each with a call."""
    return JavaClass(name, _gateway(session)._gateway_client)


def _singleton(session: SparkSession, name: str) -> JavaObject:
    """Return a Scala object."""
    return getattr(_class(session, f"{name}$"), "MODULE$")
