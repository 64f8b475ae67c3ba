"""Expressions of the plan become columns of Spark, over the unique column names that `run` gives to attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions.builtin import _invoke_higher_order_function

from sparkwhy.errors import PatternError, assert_never, show_argument
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
from sparkwhy.plan.types import FRACTIONALS, Array, Map
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.literals import literal_column
from sparkwhy.spark.classic.run.sql_text import Texts, sql_texts
from sparkwhy.spark.classic.run.types import spark_type

Variables = Mapping[int, Column]


def name_of(attribute: Attribute) -> str:
    """Return the column that carries an attribute while a plan runs: unlike names, ids never clash."""
    return f"a{attribute.id}"


def to_column(session: SparkSession, expr: Expr) -> Column:
    """Return the expression as a column."""
    return _column(session, expr, {}, sql_texts(expr))


def _column(session: SparkSession, expr: Expr, bound: Variables, texts: Texts) -> Column:
    """Return the expression as a column: as text where it has one, else part by part."""
    text = texts[id(expr)]
    if text is not None and not text.free and not isinstance(expr, Ref | Lambda):
        return jvm.parse_column(session, text.sql)

    def of(inner: Expr) -> Column:
        return _column(session, inner, bound, texts)

    match expr:
        case Ref():
            return jvm.parse_column(session, name_of(expr.attribute))
        case Literal():
            return literal_column(expr.value, expr.type)
        case FieldOf():
            return _field(session, of(expr.input), expr)
        case ItemOf():
            return _item(expr, of(expr.input), of(expr.key))
        case Compare():
            return _COMPARE[expr.op](of(expr.left), of(expr.right))
        case And():
            return reduce(lambda a, b: a & b, map(of, expr.operands))
        case Or():
            return reduce(lambda a, b: a | b, map(of, expr.operands))
        case Not():
            return ~of(expr.input)
        case IsNull():
            return of(expr.input).isNull()
        case IsNotNull():
            return of(expr.input).isNotNull()
        case In():
            return of(expr.input).isin([of(option) for option in expr.options])
        case Cast():
            inner, target = of(expr.input), spark_type(expr.type)
            return inner.try_cast(target) if expr.mode == "try" else inner.cast(target)
        case MakeStruct():
            return _struct(session, expr, of)
        case Case():
            return _case(expr, of)
        case Call():
            return _call(session, expr, bound, texts)
        case Variable():
            return bound[expr.id]
        case AggCall():
            return _aggregate(expr, of)
        case Opaque():
            return _opaque(session, expr, of)
        case Lambda() | WindowCall():
            raise AssertionError(f"{type(expr).__name__} is no column by itself")
        case _:
            assert_never(expr)


_COMPARE: Mapping[str, Callable[[Column, Column], Column]] = {
    "=": lambda a, b: a == b,
    "<=>": lambda a, b: a.eqNullSafe(b),
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _field(session: SparkSession, input: Column, expr: FieldOf) -> Column:
    if not isinstance(expr.input.type, Array):
        return jvm.struct_field(session, input, expr.ordinal, expr.field.name)
    alike = [name for name in expr.struct.names if name.lower() == expr.field.name.lower()]
    if len(alike) == 1:
        return input.getField(expr.field.name)
    return F.transform(input, lambda x: jvm.struct_field(session, x, expr.ordinal, expr.field.name))


def _item(expr: ItemOf, collection: Column, key: Column) -> Column:
    """`get` has no word for failing, `getItem` fails where the session says so; a map never does."""
    tolerant = isinstance(expr.input.type, Array) and expr.mode != "ansi"
    return F.get(collection, key) if tolerant else collection[key]


def _struct(session: SparkSession, expr: MakeStruct, of: Callable[[Expr], Column]) -> Column:
    parts: list[Column] = []
    for name, value in zip(expr.names, expr.values, strict=True):
        column = of(value)
        parts += [F.lit(name), jvm.mark_nullable(session, column) if name in expr.nullable else column]
    return F.named_struct(*parts)


def _case(expr: Case, of: Callable[[Expr], Column]) -> Column:
    (condition, value), *rest = expr.branches
    column = F.when(of(condition), of(value))
    for condition, value in rest:
        column = column.when(of(condition), of(value))
    return column if expr.otherwise is None else column.otherwise(of(expr.otherwise))


def _opaque(session: SparkSession, expr: Opaque, of: Callable[[Expr], Column]) -> Column:
    if callable(expr.handle):  # a condition that the user gave as a function of a column
        return apply_user_function(expr.handle, expr.text, *map(of, expr.inputs))
    inputs = [jvm.expression(session, of(read)) for read in expr.inputs]
    replacements = dict(zip(expr.handle.expr_ids, inputs, strict=True))
    return jvm.column_of(session, jvm.with_attributes(session, expr.handle.expression, replacements))


def apply_user_function(function: Callable[..., Any], name: str, *columns: Column) -> Column:
    """Return what the user's own function makes of a column; the function is not ours, so anything may go wrong in
    it.
    """
    try:
        made = function(*columns)
    except Exception as error:
        raise PatternError(
            f"the function {name} of the pattern failed: {type(error).__name__}: {error}", hint=MAKES_A_CONDITION
        ) from error
    if isinstance(made, Column):
        return made
    raise PatternError(
        f"the function {name} of the pattern makes no column but {show_argument(made)}.", hint=MAKES_A_CONDITION
    )


MAKES_A_CONDITION = "it gets the column and makes a condition: lambda column: column % 2 == 0."


# --- functions ---


def _call(session: SparkSession, expr: Call, variables: Variables, texts: Texts) -> Column:
    plain = [arg for arg in expr.args if not isinstance(arg, Lambda)]
    args = [_column(session, arg, variables, texts) for arg in plain]
    lambdas = [arg for arg in expr.args if isinstance(arg, Lambda)]
    if lambdas:
        functions = [_python_function(session, each, variables, texts) for each in lambdas]
        return _invoke_higher_order_function(expr.function, args, functions)
    if expr.mode == "try" or (expr.function == "element_at" and expr.mode == "legacy"):
        return F.call_function(_TRY[expr.function], *args)
    if expr.function == "at_least_n_non_nulls":
        return _count_present(plain[1:], args[1:]) >= args[0]
    if expr.function == "unscaled_value":
        return jvm.unscaled_value(session, args[0])
    if expr.function in ("size", "legacy_size"):
        return _size(expr, args[0])
    written = _WRITTEN_OTHERWISE.get(expr.function)
    return F.call_function(expr.function, *args) if written is None else written(args)


_TRY = {
    "+": "try_add",
    "-": "try_subtract",
    "*": "try_multiply",
    "/": "try_divide",
    "%": "try_mod",
    "element_at": "try_element_at",
}

_WRITTEN_OTHERWISE: Mapping[str, Callable[[list[Column]], Column]] = {
    "+": lambda args: args[0] + args[1],
    "-": lambda args: args[0] - args[1],
    "*": lambda args: args[0] * args[1],
    "/": lambda args: args[0] / args[1],
    "%": lambda args: args[0] % args[1],
    "&": lambda args: args[0].bitwiseAND(args[1]),
    "|": lambda args: args[0].bitwiseOR(args[1]),
    "^": lambda args: args[0].bitwiseXOR(args[1]),
    "~": lambda args: F.bitwise_not(args[0]),
    "interval_days": lambda args: F.date_part(F.lit("DAY"), args[0]),
    "date_plus_months": lambda args: args[0] + args[1],
    "timestamp_plus_days": lambda args: args[0] + args[1],
}
"""Functions of the catalogue that Spark's SQL has no name for, or another one."""


def _count_present(exprs: Sequence[Expr], columns: Sequence[Column]) -> Column:
    """Return how many of the columns are neither null nor NaN."""

    def is_absent(expr: Expr, column: Column) -> Column:
        return column.isNull() | F.isnan(column) if expr.type in FRACTIONALS else column.isNull()

    present = [F.when(is_absent(*pair), 0).otherwise(1) for pair in zip(exprs, columns, strict=True)]
    return reduce(lambda a, b: a + b, present)


def _size(expr: Call, collection: Column) -> Column:
    """Independent of the session's setting for the size of null."""
    array = F.map_keys(collection) if isinstance(expr.args[0].type, Map) else collection
    size = F.array_size(array)
    return size if expr.function == "size" else F.coalesce(size, F.lit(-1))


def _python_function(session: SparkSession, expr: Lambda, variables: Variables, texts: Texts) -> Callable[..., Column]:
    """Return the lambda as Spark's Python API wants it: a function whose signature says how many arguments it takes."""

    def body(*values: Column) -> Column:
        names = [param.id for param in expr.params]
        return _column(session, expr.body, {**variables, **dict(zip(names, values, strict=True))}, texts)

    match len(expr.params):
        case 1:
            return lambda x: body(x)
        case 2:
            return lambda x, y: body(x, y)
        case _:
            return lambda x, y, z: body(x, y, z)


# --- aggregates ---


def _aggregate(expr: AggCall, of: Callable[[Expr], Column]) -> Column:
    assert not expr.distinct, "`run` writes DISTINCT as SQL over columns"
    assert expr.condition is None, "`run` writes FILTER as SQL over columns"
    return F.call_function(_AGGREGATE_NAMES.get(expr.function, expr.function), *map(of, expr.args))


_AGGREGATE_NAMES = {"bool_and": "every", "bool_or": "some"}


def aggregate_sql(expr: AggCall, args: list[str], condition: str | None) -> str:
    """DISTINCT and FILTER, which the Python API has no word for, over columns with names of ours."""
    skips = {"first": 1, "last": 1}.get(expr.function)
    names = [f"`{arg}`" for arg in args[:skips]]
    literal = [str(arg.value).lower() for arg in expr.args[1:] if skips and isinstance(arg, Literal)]
    distinct = "DISTINCT " if expr.distinct else ""
    where = "" if condition is None else f" FILTER (WHERE `{condition}`)"
    return f"{expr.function}({distinct}{', '.join(names + literal)}){where}"
