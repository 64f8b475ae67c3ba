"""Catalyst expressions become expressions of the plan; what is not modelled becomes `Opaque`, as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from py4j.java_gateway import JavaObject

from sparkwhy.errors import UnsupportedOperator
from sparkwhy.plan.exprs import (
    And,
    Call,
    Case,
    Cast,
    Compare,
    CompareOp,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    MakeStruct,
    Mode,
    Not,
    Or,
    Ref,
    Variable,
)
from sparkwhy.plan.types import (
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    INTEGRALS,
    STRING,
    TIMESTAMP,
    Decimal,
    Type,
    is_day_time,
    is_numeric,
    is_year_month,
    type_from_json,
)
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.catalyst import Tree
from sparkwhy.spark.classic.literals import moment, parse_literal
from sparkwhy.spark.classic.read.calls import read_aggregate_call, read_window_call
from sparkwhy.spark.classic.read.scope import HasFreeVariable, NotModelled, Reader, Scope, opaque, place_text, read_call


def read_expr(tree: Tree, scope: Scope) -> Expr:
    """Return the expression that a Catalyst tree stands for."""
    reader = _READERS.get(tree.name)
    try:
        if reader is not None:
            return reader(tree, scope)
        if tree.name in _CALLS:
            return read_call(_CALLS[tree.name], tree, scope)
        if isinstance(tree.fields.get("replacement"), int):
            return scope.read(tree.children[tree.fields["replacement"]])
    except NotModelled:
        pass
    return opaque(tree, scope)


# --- leaves and access ---


def _attribute(tree: Tree, scope: Scope) -> Expr:
    attribute = scope.attributes[tree.expr_id]
    return Ref(replace(attribute, qualifier=_qualifier(tree)))


def _qualifier(tree: Tree) -> str | None:
    """Return the alias of an attribute, or the last part of the name of its table: `[spark_catalog, default, o]`."""
    names = tree.fields.get("qualifier") or "[]"
    last = str(names).strip("[]").rsplit(", ", 1)[-1]
    return None if not last or last.startswith("__auto_generated") else last


def _alias(tree: Tree, scope: Scope) -> Expr:
    return scope.read(tree.children[0])


def _literal(tree: Tree, scope: Scope) -> Expr:
    type = type_from_json(tree.fields["dataType"])
    text = tree.fields["value"]
    if type == BINARY and text is not None:
        return Literal(bytes(tree.handle.value()), type)
    if type == TIMESTAMP and text is not None:  # of an hour that comes twice the text is the same
        value = moment(int(tree.handle.value()), scope.timezone)
    else:
        value = parse_literal(text, type, scope.timezone)
    if value is NotImplemented:
        raise NotModelled
    return Literal(value, type)


def _field(tree: Tree, scope: Scope) -> Expr:
    return FieldOf(scope.read(tree.children[0]), tree.fields["ordinal"])


def _array_item(tree: Tree, scope: Scope) -> Expr:
    array, index = scope.operands(tree)
    return ItemOf(array, index, _failing(tree, scope))


def _failing(tree: Tree, scope: Scope) -> Mode:
    """Return the mode of an access that either fails or gives null; failing is only the session's choice."""
    return scope.same_mode("ansi") if tree.fields["failOnError"] else "legacy"


def _tolerant_item(tree: Tree, scope: Scope) -> Expr:
    """`get` and access to a map: what is not there is null. Before Spark 4.2 `get` stands for another expression."""
    if len(tree.children) == 1:
        return scope.read(tree.children[0])
    return ItemOf(*scope.operands(tree))


def _scalar_subquery(tree: Tree, scope: Scope) -> Expr:
    found = scope.scalars.get(tree.expr_id)
    if found is None:
        raise UnsupportedOperator("a subquery in this place", where=place_text(tree), hint="join with it instead.")
    return Ref(found)


# --- logic ---


def _compare(op: CompareOp) -> Reader:
    def read(tree: Tree, scope: Scope) -> Expr:
        left, right = (_as_written(each, tree) for each in zip(scope.operands(tree), tree.children, strict=True))
        return Compare(op, left, right)

    return read


_DECIMAL = re.compile(r"(?<![\w.])-?(\d+\.\d*|\.\d+)(?![\w.])")


def _as_written(side: tuple[Expr, Tree], comparison: Tree) -> Expr:
    """Return a side of a comparison; of a whole number that Spark put in the place of a decimal, with what was
    written.
    """
    expr, tree = side
    if not isinstance(expr, Literal) or expr.type not in INTEGRALS or tree.name != "Literal":
        return expr
    written = _decimals_in(comparison) if _has_place_of(tree, comparison) else []
    return replace(expr, text=written[0]) if len(written) == 1 else expr


def _has_place_of(tree: Tree, whole: Tree) -> bool:
    """Return whether Spark made a part of an expression anew: it has the place of the whole."""
    try:
        return jvm.text_range(tree.handle) == jvm.text_range(whole.handle)
    except NotModelled:  # `between` is made of parts that no tree of the JVM has
        return False


def _decimals_in(tree: Tree) -> list[str]:
    """Return the decimals in the SQL text of an expression."""
    text, range = jvm.sql_text(tree.handle), jvm.text_range(tree.handle)
    fragment = "" if text is None or range is None else text[range[0] : range[1] + 1]
    return [found[0] for found in _DECIMAL.finditer(fragment)]


def _not(tree: Tree, scope: Scope) -> Expr:
    (inner,) = scope.operands(tree)
    return Compare("<>", inner.left, inner.right) if isinstance(inner, Compare) and inner.op == "=" else Not(inner)


def _chain(kind: type[And] | type[Or], name: str) -> Reader:
    """`a AND b AND c` is a deep tree for Spark and one condition of three parts for people."""

    def read(tree: Tree, scope: Scope) -> Expr:
        todo = [tree]
        found: list[Expr] = []
        while todo:
            current = todo.pop()
            if current.name == name:
                todo.extend(reversed(current.children))
            else:
                part = scope.read(current)
                found.extend(part.operands if isinstance(part, kind) else (part,))
        return kind(tuple(found))

    return read


def _read_in(tree: Tree, scope: Scope) -> Expr:
    value, *options = scope.operands(tree)
    return In(value, tuple(options))


def _count_non_nulls(tree: Tree, scope: Scope) -> Expr:
    """Read `dropna`: as one condition for each column where all or one must be there, so that the missing one can be
    named."""
    columns, n = scope.operands(tree), tree.fields["n"]
    present = tuple(_is_present(column) for column in columns)
    if n == len(columns):
        return present[0] if n == 1 else And(present)
    if n == 1:
        return Or(present)
    return Call("at_least_n_non_nulls", (Literal(n, INTEGER), *columns))


def _is_present(column: Expr) -> Expr:
    """Neither null nor, as `dropna` has it, NaN."""
    if column.type in (FLOAT, DOUBLE):
        return And((IsNotNull(column), Not(Call("isnan", (column,)))))
    return IsNotNull(column)


def _if(tree: Tree, scope: Scope) -> Expr:
    condition, value, otherwise = scope.operands(tree)
    return Case(((condition, value),), otherwise)


def _null_if_result(tree: Tree, scope: Scope) -> Expr:
    condition, value = scope.operands(tree)
    return Case(((condition, Literal(None, value.type)),), value)


def _case(tree: Tree, scope: Scope) -> Expr:
    read = scope.operands(tree)
    pairs = len(read) // 2
    branches = tuple((read[2 * i], read[2 * i + 1]) for i in range(pairs))
    return Case(branches, read[-1] if len(read) % 2 else None)


def _with(tree: Tree, scope: Scope) -> Expr:
    """`With` names common expressions; they are put back where they are used."""
    body, *definitions = tree.children
    named = {str(d.handle.id().toString()): d.children[0] for d in definitions}
    return read_expr(_inline_common(body, named), scope)


def _inline_common(tree: Tree, named: Mapping[str, Tree]) -> Tree:
    if tree.name == "CommonExpressionRef":
        return named[str(tree.handle.id().toString())]
    if not any(part.name == "CommonExpressionRef" for part in tree.walk()):
        return tree
    return _Rebuilt(tree, tuple(_inline_common(child, named) for child in tree.children))


class _Rebuilt(Tree):
    """A tree with other children than the JVM object behind it: it can be read, but not be opaque."""

    def __init__(self, original: Tree, children: tuple[Tree, ...]) -> None:
        self.name, self.fields, self.children = original.name, original.fields, children

    @property
    def handle(self) -> JavaObject:
        raise NotModelled


# --- casts and arithmetic ---


def _cast(tree: Tree, scope: Scope) -> Expr:
    (inner,) = scope.operands(tree)
    type = type_from_json(tree.fields["dataType"])
    implied = _is_exact(inner.type, type) and not jvm.is_written_cast(tree.handle)
    return Cast(inner, type, _mode(tree, scope), implied=implied)


def _is_exact(given: Type, wanted: Type) -> bool:
    """Return whether a number stays the same in another type: what else a cast does belongs to the explanation."""
    if given not in INTEGRALS:
        return isinstance(given, Decimal) and isinstance(wanted, Decimal)
    digits = {**INTEGRALS, DOUBLE: 53}
    return isinstance(wanted, Decimal) or (wanted in digits and INTEGRALS[given] <= digits[wanted])


def _read_parsing(to: Type | None, fails: str) -> Reader:
    """`to_date` and `to_timestamp`; without a pattern they are a cast."""

    def read(tree: Tree, scope: Scope) -> Expr:
        if len(tree.children) != 1:
            raise NotModelled
        (inner,) = scope.operands(tree)
        mode = scope.same_mode("ansi" if tree.fields[fails] else "legacy")
        return Cast(inner, type_from_json(tree.fields["dataType"]) if to is None else to, mode)

    return read


def _mode(tree: Tree, scope: Scope) -> Mode:
    return scope.same_mode(jvm.eval_mode(tree.handle))


def _arithmetic(function: str) -> Reader:
    def read(tree: Tree, scope: Scope) -> Expr:
        left, right = scope.operands(tree)
        if not (is_numeric(left.type) and is_numeric(right.type)):
            raise NotModelled  # intervals
        return Call(function, (left, right), _mode(tree, scope))

    return read


def _unary(function: str) -> Reader:
    def read(tree: Tree, scope: Scope) -> Expr:
        (inner,) = scope.operands(tree)
        fails = bool(tree.fields["failOnError"])
        if not is_numeric(inner.type) or fails != (scope.mode == "ansi"):
            raise NotModelled
        return Call(function, (inner,), scope.mode)

    return read


def _call_in_session_mode(function: str) -> Reader:
    """Return a function that fails or not as the session says when it runs."""
    return lambda tree, scope: Call(function, scope.operands(tree), scope.mode)


def _round(tree: Tree, scope: Scope) -> Expr:
    value, scale = scope.operands(tree)
    if isinstance(value.type, Decimal):
        raise NotModelled  # the type of the result depends on the constant
    return Call("round", (value, scale), scope.mode)


# --- strings, dates, collections ---


def _call_for_types(types: Callable[[Type], bool], function: str) -> Reader:
    """Return a function that is modelled for some types of its first argument."""

    def read(tree: Tree, scope: Scope) -> Expr:
        args = scope.operands(tree)
        if not args or not types(args[0].type):
            raise NotModelled
        return Call(function, args)

    return read


def _is_text_or_array(type: Type) -> bool:
    return type != BINARY


def _trim(function: str) -> Reader:
    def read(tree: Tree, scope: Scope) -> Expr:
        if len(tree.children) != 1:
            raise NotModelled
        return read_call(function, tree, scope)

    return read


def _like(tree: Tree, scope: Scope) -> Expr:
    escape = str(tree.handle.escapeChar())
    args = scope.operands(tree)
    if escape == "\\":
        return Call("like", args)
    return Call("like", (*args, Literal(escape, STRING)))


def _regexp_replace(tree: Tree, scope: Scope) -> Expr:
    subject, pattern, new, position = scope.operands(tree)
    if position != Literal(1, INTEGER):
        raise NotModelled
    return Call("regexp_replace", (subject, pattern, new))


def _size(tree: Tree, scope: Scope) -> Expr:
    return read_call("legacy_size" if tree.fields["legacySizeOfNull"] else "size", tree, scope)


def _element_at(tree: Tree, scope: Scope) -> Expr:
    if len(tree.children) != 2:
        raise NotModelled
    return Call("element_at", scope.operands(tree), _failing(tree, scope))


def _struct(tree: Tree, scope: Scope) -> Expr:
    names = [scope.read(child) for child in tree.children[0::2]]
    if not all(isinstance(name, Literal) for name in names):
        raise NotModelled
    values = tuple(scope.read(child) for child in tree.children[1::2])
    return MakeStruct(tuple(str(name.value) for name in names if isinstance(name, Literal)), values)


def _date_plus(function: str, is_interval: Callable[[Type], bool]) -> Reader:
    def read(tree: Tree, scope: Scope) -> Expr:
        moment, interval = scope.operands(tree)
        if not is_interval(interval.type):
            raise NotModelled
        return Call(function, (moment, interval))

    return read


# --- lambdas ---


def _higher_order(function: str) -> Reader:
    def read(tree: Tree, scope: Scope) -> Expr:
        if tree.fields.get("followThreeValuedLogic") is False:
            raise NotModelled
        try:
            return read_call(function, tree, scope)
        except HasFreeVariable:
            return opaque(tree, scope)

    return read


def _lambda(tree: Tree, scope: Scope) -> Expr:
    body, *params = tree.children
    variables = {
        p.expr_id: Variable(next(scope.numbers), p.fields["name"], type_from_json(p.fields["dataType"])) for p in params
    }
    return Lambda(tuple(variables.values()), read_expr(body, scope.with_variables(variables)))


def _variable(tree: Tree, scope: Scope) -> Expr:
    return scope.variables[tree.expr_id]


# --- the tables ---

_CALLS: Mapping[str, str] = {
    "BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^", "BitwiseNot": "~",
    "ShiftLeft": "shiftleft", "ShiftRight": "shiftright", "BitwiseCount": "bit_count",
    "Sqrt": "sqrt", "Pow": "power", "Greatest": "greatest", "Least": "least",
    "Upper": "upper", "Lower": "lower", "ConcatWs": "concat_ws", "Contains": "contains",
    "StartsWith": "startswith", "EndsWith": "endswith", "RLike": "rlike", "StringReplace": "replace",
    "StringInstr": "instr", "StringRepeat": "repeat", "Hex": "hex",
    "Year": "year", "Quarter": "quarter", "Month": "month", "DayOfMonth": "day", "DayOfWeek": "dayofweek",
    "Hour": "hour", "Minute": "minute", "DateAdd": "date_add", "DateSub": "date_sub", "DateDiff": "datediff",
    "AddMonths": "add_months", "ExtractANSIIntervalDays": "interval_days",
    "Coalesce": "coalesce", "IsNaN": "isnan", "NaNvl": "nanvl",
    "CreateArray": "array", "CreateMap": "map", "ArrayContains": "array_contains",
    "ArrayPosition": "array_position", "ArrayDistinct": "array_distinct", "ArrayUnion": "array_union",
    "ArrayIntersect": "array_intersect", "ArrayExcept": "array_except", "ArrayMin": "array_min",
    "ArrayMax": "array_max", "ArrayRepeat": "array_repeat", "ArraysOverlap": "arrays_overlap",
    "SortArray": "sort_array", "Slice": "slice", "Flatten": "flatten", "MapKeys": "map_keys",
    "MapValues": "map_values", "MapEntries": "map_entries", "MapFromArrays": "map_from_arrays",
    "MapFromEntries": "map_from_entries",
}  # fmt: skip
"""Catalyst classes whose children are just the arguments of a function of the catalogue."""

_READERS: Mapping[str, Reader] = {
    "AttributeReference": _attribute,
    "Alias": _alias,
    "Literal": _literal,
    "GetStructField": _field,
    "GetArrayStructFields": _field,
    "GetArrayItem": _array_item,
    "GetMapValue": _tolerant_item,
    "Get": _tolerant_item,
    "ScalarSubquery": _scalar_subquery,
    "Exists": _scalar_subquery,
    "EqualTo": _compare("="),
    "EqualNullSafe": _compare("<=>"),
    "LessThan": _compare("<"),
    "LessThanOrEqual": _compare("<="),
    "GreaterThan": _compare(">"),
    "GreaterThanOrEqual": _compare(">="),
    "And": _chain(And, "And"),
    "Or": _chain(Or, "Or"),
    "Not": _not,
    "IsNull": lambda tree, scope: IsNull(*scope.operands(tree)),
    "IsNotNull": lambda tree, scope: IsNotNull(*scope.operands(tree)),
    "In": _read_in,
    "AtLeastNNonNulls": _count_non_nulls,
    "If": _if,
    "NullIfResult": _null_if_result,
    "CaseWhen": _case,
    "With": _with,
    "Cast": _cast,
    "ParseToDate": _read_parsing(DATE, "ansiEnabled"),
    "ParseToTimestamp": _read_parsing(None, "failOnError"),
    "Add": _arithmetic("+"),
    "Subtract": _arithmetic("-"),
    "Multiply": _arithmetic("*"),
    "Divide": _arithmetic("/"),
    "Remainder": _arithmetic("%"),
    "IntegralDivide": _arithmetic("div"),
    "Pmod": _arithmetic("pmod"),
    "UnaryMinus": _unary("negative"),
    "UnaryPositive": _alias,
    "Abs": _unary("abs"),
    "Round": _round,
    "Floor": _call_in_session_mode("floor"),
    "Ceil": _call_in_session_mode("ceil"),
    "Length": _call_for_types(_is_text_or_array, "length"),
    "Substring": _call_for_types(_is_text_or_array, "substring"),
    "Concat": _call_for_types(_is_text_or_array, "concat"),
    "Reverse": _call_for_types(_is_text_or_array, "reverse"),
    "StringLPad": _call_for_types(_is_text_or_array, "lpad"),
    "StringRPad": _call_for_types(_is_text_or_array, "rpad"),
    "StringSplit": _call_for_types(_is_text_or_array, "split"),
    "Sequence": _call_for_types(lambda type: type in INTEGRALS, "sequence"),
    "StringTrim": _trim("trim"),
    "StringTrimLeft": _trim("ltrim"),
    "StringTrimRight": _trim("rtrim"),
    "Like": _like,
    "RegExpReplace": _regexp_replace,
    "Size": _size,
    "ElementAt": _element_at,
    "CreateNamedStruct": _struct,
    "DateAddYMInterval": _date_plus("date_plus_months", is_year_month),
    "TimestampAddInterval": _date_plus("timestamp_plus_days", is_day_time),
    "TimeAdd": _date_plus("timestamp_plus_days", is_day_time),
    "ArrayTransform": _higher_order("transform"),
    "ArrayFilter": _higher_order("filter"),
    "ArrayExists": _higher_order("exists"),
    "ArrayForAll": _higher_order("forall"),
    "ArrayAggregate": _higher_order("aggregate"),
    "ZipWith": _higher_order("zip_with"),
    "LambdaFunction": _lambda,
    "NamedLambdaVariable": _variable,
    "AggregateExpression": read_aggregate_call,
    "WindowExpression": read_window_call,
}
