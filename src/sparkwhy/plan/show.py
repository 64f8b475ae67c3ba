"""Plans and expressions as a user would say them.

A plan prints as numbered steps in reading order; a step names its inputs where they are not the step before.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    AttrId,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    FieldOf,
    Frame,
    FrameBound,
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
    conjuncts,
)
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
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
from sparkwhy.plan.types import DATE, STRING, TIMESTAMP, Type, ddl, is_numeric
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import attributes_of, fold_expr, parts, rewrite
from sparkwhy.wording import MASK

Names = Callable[[Attribute], str]

_SHOWN_COLUMNS = 12
_INFIX = frozenset({"+", "-", "*", "/", "%", "div", "&", "|", "^"})


def plain(attribute: Attribute) -> str:
    """Return an attribute by its own name, in backticks where it would not read as one.

    An attribute that Spark named after its expression keeps that name: `sum(amount)`.
    """
    name = _NAMES_OF_SPARK.get(attribute.name, attribute.name)
    return name if _CALLED.fullmatch(name) else quote_identifier(name)


_NAMES_OF_SPARK = {"spark_grouping_id": "grouping_id()"}
"""Names that Spark gives, and what a user writes for them."""

_CALLED = re.compile(r"[a-z_]+\((distinct )?[\w.]+(, [\w.]+)*\)|(count\(\*|grouping_id\()\)", re.IGNORECASE)


def quote_identifier(name: str) -> str:
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


# --- expressions ---


def show_expr(expr: Expr, names: Names = plain) -> str:
    """Return the expression as SQL says it."""
    return fold_expr(expr, lambda part, inner: show_part(part, inner, names))


def show_part(expr: Expr, inner: tuple[str, ...], names: Names) -> str:
    """Return one part of an expression, given the text of its operands."""
    match expr:
        case Ref():
            return names(expr.attribute)
        case Literal():
            return show_value(expr.value) if expr.text is None else expr.text
        case FieldOf():
            return f"{inner[0]}.{quote_identifier(expr.field.name)}"
        case ItemOf():
            return f"{inner[0]}[{inner[1]}]"
        case Compare("<=>", _, Literal(True)):
            return inner[0]  # that a condition is true is how a condition is meant
        case Compare():
            return f"{with_parens(expr.left, inner[0])} {expr.op} {with_parens(expr.right, inner[1])}"
        case And() | Or():
            word = " and " if isinstance(expr, And) else " or "
            return word.join(with_parens(*pair) for pair in zip(expr.operands, inner, strict=True))
        case Not():
            return f"not {with_parens(expr.input, inner[0])}"
        case IsNull():
            return f"{with_parens(expr.input, inner[0])} is null"
        case IsNotNull():
            return f"{with_parens(expr.input, inner[0])} is not null"
        case In():
            return f"{with_parens(expr.input, inner[0])} in ({', '.join(inner[1:])})"
        case Cast():
            if expr.implied or (isinstance(expr.input, Literal) and _is_adjusted(expr.input.type, expr.type)):
                return inner[0]
            word = "try_cast" if expr.mode == "try" and not expr.spared else "cast"
            return f"{word}({inner[0]} as {ddl(expr.type)})"
        case MakeStruct():
            pairs = zip(expr.names, inner, strict=True)
            return f"struct({', '.join(_with_name(value, name) for name, value in pairs)})"
        case Case():
            return _show_case(expr, inner)
        case Call():
            return _show_call(expr, inner)
        case Variable():
            return expr.name
        case Lambda():
            *params, body = inner
            return f"{params[0] if len(params) == 1 else '(' + ', '.join(params) + ')'} -> {body}"
        case AggCall():
            return _show_aggregate(expr, inner)
        case WindowCall():
            return inner[0] + _show_frame(expr.frame)
        case Opaque():
            return expr.text
        case _:
            assert_never(expr)


def show_value(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case dt.datetime():
            shown = value if value.fold else value.replace(tzinfo=None)
            return f"timestamp '{shown.isoformat(sep=' ')}'"
        case dt.date():
            return f"date '{value}'"
        case _:
            return str(value)


def is_infix(expr: Expr) -> bool:
    """Return whether an expression is a call that is written between its arguments: `a + b`."""
    return isinstance(expr, Call) and expr.function in _INFIX and len(expr.args) == 2


def with_parens(expr: Expr, text: str) -> str:
    """Return the text of an operand, in parentheses if its own operands stand beside each other: `(a + b)`."""
    infix = isinstance(expr, Call) and expr.function in _INFIX
    return f"({text})" if infix or isinstance(expr, And | Or | Compare | In | IsNull | IsNotNull) else text


def _is_adjusted(given: Type, wanted: Type) -> bool:
    """Return whether a cast only puts a constant into the type of the column that it is compared with, as Spark
    does.
    """
    return (is_numeric(given) and is_numeric(wanted)) or (given == STRING and wanted in (DATE, TIMESTAMP, STRING))


def _with_name(value: str, name: str) -> str:
    last = value.rsplit(".", 1)[-1].split("#")[0]
    return value if quote_identifier(name) in (value, last) or name == value else f"{value} as {quote_identifier(name)}"


def _show_case(expr: Case, inner: tuple[str, ...]) -> str:
    count = len(expr.branches)
    branches = [f"when {inner[2 * i]} then {inner[2 * i + 1]}" for i in range(count)]
    otherwise = [] if expr.otherwise is None else [f"else {inner[2 * count]}"]
    return " ".join(["case", *branches, *otherwise, "end"])


def _show_call(expr: Call, inner: tuple[str, ...]) -> str:
    if is_infix(expr):
        left, right = (with_parens(*pair) for pair in zip(expr.args, inner, strict=True))
        return f"{left} {expr.function} {right}"
    if expr.function in ("like", "rlike", "contains", "startswith", "endswith") and len(inner) == 2:
        return f"{inner[0]} {expr.function} {inner[1]}"
    return f"{expr.function}({', '.join(inner)})"


def _show_aggregate(expr: AggCall, inner: tuple[str, ...]) -> str:
    args = inner[: len(expr.args)]
    if expr.function == "count" and args == ("1",):
        args = ("*",)
    if expr.function in ("first", "last"):
        args = args[:1]
    where = "" if expr.condition is None else f" filter (where {inner[-1]})"
    return f"{expr.function}({'distinct ' if expr.distinct else ''}{', '.join(args)}){where}"


def _show_frame(frame: Frame) -> str:
    if (frame.lower, frame.upper) in ((None, "current row"), (None, None)):
        return ""
    return f" {frame.unit} from {_show_bound(frame.lower)} to {_show_bound(frame.upper)}"


def _show_bound(bound: FrameBound) -> str:
    return "the end" if bound is None else str(bound)


# --- operators ---


def show_op(op: Plan) -> str:
    """Return one operator, without its inputs: `filter a.year >= 2019`."""
    names = names_for(op)
    match op:
        case Table():
            return f"table {op.source.name} ({_list_some(plain(a) for a in op.attributes)})"
        case OneRow():
            return "one row"
        case Project():
            return _show_project(op, names)
        case Filter():
            return f"filter {show_expr(op.condition, names)}"
        case Join():
            return _show_join(op, names)
        case Flatten():
            return _show_flatten(op, names)
        case Aggregate():
            return _show_group(op, names)
        case Window():
            return _show_window(op, names)
        case Union():
            return "union"
        case SetOperation():
            return op.operation + (" all" if op.all else "")
        case Distinct():
            return "distinct" + ("" if op.keys is None else f" by {_list_some(map(plain, op.keys))}")
        case Sort():
            return f"sort by {', '.join(show_key(key, show_expr(key.expr, names)) for key in op.order)}"
        case Limit():
            limit = [] if op.count is None else [f"limit {op.count}"]
            return " ".join([*limit, *([f"offset {op.offset}"] if op.offset else [])])
        case Sample():
            share = round(op.upper - op.lower, 6)
            return f"sample {share:g} of the rows" + (" with replacement" if op.replacement else "")
        case _:
            assert_never(op)


def title_of(op: Plan) -> str:
    """Return the word by which users know an operator: `select`, `posexplode`, `filter`."""
    match op:
        case Project():
            return "select"
        case Flatten():
            return f"{'' if op.position is None else 'pos'}explode{'_outer' if op.outer else ''}"
        case _:
            return op.kind


def names_for(op: Plan) -> Names:
    """Return names of what an operator reads; one that its inputs have twice gets more than its name.

    It has the alias that was written, the side of a join, or a number: `o.city`, `left.city`, `city (2)`.
    """
    read = [attribute for below in inputs(op) for attribute in below.output]
    count = Counter(attribute.name for attribute in read)
    sides: dict[AttrId, str] = {}
    if isinstance(op, Join):
        sides = {a.id: "left" for a in op.left.output} | {a.id: "right" for a in op.right.output}
    sides |= _qualifiers(op)

    def name(attribute: Attribute) -> str:
        if count[attribute.name] < 2:
            return plain(attribute)
        side = sides.get(attribute.id)
        return f"{quote_identifier(side)}.{plain(attribute)}" if side is not None else number(attribute)

    def number(attribute: Attribute) -> str:
        alike = [each.id for each in read if each.name == attribute.name]
        position = alike.index(attribute.id) + 1 if attribute.id in alike else 1
        return f"{plain(attribute)} ({position})" if position > 1 else plain(attribute)

    return name


def _qualifiers(op: Plan) -> dict[AttrId, str]:
    """Return the aliases that an operator names attributes by, where these tell them apart."""
    read = {a.id: a for expr in exprs_of(op) for a in attributes_of(expr) if a.qualifier is not None}
    count = Counter((a.qualifier, a.name) for a in read.values())
    return {a.id: a.qualifier for a in read.values() if a.qualifier is not None and count[a.qualifier, a.name] == 1}


def _list_some(items: Iterable[str]) -> str:
    """Return a list of names, at most `_SHOWN_COLUMNS` of them."""
    found = list(items)
    more = len(found) - _SHOWN_COLUMNS
    return ", ".join(found[:_SHOWN_COLUMNS]) + (f", and {more} more" if more > 0 else "")


def _show_columns(columns: Iterable[Column], names: Names = plain) -> str:
    return _list_some(_with_name(show_expr(c.expr, names), c.attribute.name) for c in columns)


def _show_project(op: Project, names: Names) -> str:
    """Return what a projection makes; `*` stands for all that it passes on, if it drops nothing but what it makes
    anew.
    """
    made = [column for column in op.columns if not column.is_carried]
    kept = {column.attribute for column in op.columns if column.is_carried}
    again = {column.attribute.name for column in made}
    everything = all(a in kept or a.name in again for a in op.input.output)
    if made and kept and everything:
        return f"select *, {_show_columns(made, names)}"
    return f"select {_show_columns(op.columns, names)}"


def _show_join(op: Join, names: Names) -> str:
    """Return a join; one on columns with the same names on both sides shows only these: `join on station`."""
    if op.condition is None:
        return "cross join" if op.how == "inner" else f"{op.how} join"
    how = "" if op.how == "inner" else f"{op.how} "
    equal = not_in_comparison(op)
    if equal is not None:
        return f"{how}join (not in) on {show_expr(equal, names)}"
    shared = shared_names(op)
    return f"{how}join on {show_expr(op.condition, names) if shared is None else ', '.join(shared)}"


def shared_names(join: Join) -> tuple[str, ...] | None:
    """Return the names of the columns on which a join compares columns of the same name; None if it does not."""
    if join.condition is None:
        return None
    names = [_shared_name(part, join) for part in conjuncts(join.condition)]
    return tuple(name for name in names if name is not None) if None not in names else None


def not_in_comparison(join: Join) -> Expr | None:
    """Return what NOT IN compares: Spark makes an anti join of it, for which null counts as a partner."""
    match join.condition:
        case Or((equal, IsNull(same))) if join.how == "anti" and equal == same:
            return equal
        case _:
            return None


def _shared_name(condition: Expr, join: Join) -> str | None:
    """Return the name of two columns that must be equal, if it is the same and each side has one such column."""
    match condition:
        case Compare("=", Ref(one), Ref(other)) if one.name == other.name:
            sides = [[a.id for a in side.output if a.name == one.name] for side in (join.left, join.right)]
            return plain(one) if sorted(sides) == sorted([[one.id], [other.id]]) else None
        case _:
            return None


def _show_flatten(op: Flatten, names: Names) -> str:
    made = (() if op.position is None else (op.position,)) + op.elements
    return f"{title_of(op)} {show_expr(op.collection, names)} as {_list_some(map(plain, made))}"


def _show_group(op: Aggregate, names: Names) -> str:
    keys = f" by {_show_columns(op.keys, names)}" if op.keys else ""
    if op.kind == "nest":
        nested = (
            f"{', '.join(show_expr(arg, names) for arg in c.expr.args)} as {plain(c.attribute)}"
            for c in op.aggregates
            if isinstance(c.expr, AggCall)
        )
        return f"nest {_list_some(nested)}{keys}"
    return f"{op.kind} {_show_columns(op.aggregates, names)}".rstrip() + keys


def _show_window(op: Window, names: Names) -> str:
    partition = f" by {', '.join(show_expr(expr, names) for expr in op.partition)}" if op.partition else ""
    order = (
        f" ordered by {', '.join(show_key(key, show_expr(key.expr, names)) for key in op.order)}" if op.order else ""
    )
    return f"window {_show_columns(op.columns, names)}{partition}{order}"


def show_key(key: SortKey, expr: str) -> str:
    """Return a sort key, given the text of its expression: `amount desc nulls first`."""
    usual = key.nulls_first == key.ascending
    nulls = "" if usual else " nulls first" if key.nulls_first else " nulls last"
    return expr + ("" if key.ascending else " desc") + nulls


# --- plans ---


def show_plan(plan: Plan) -> str:
    """Return the whole plan, a line for each step, with the place in the user's code where it is known."""
    lines = []
    before: int | None = None
    last = {node.id.step: node for node in walk(plan)}
    for step, node in main_nodes(plan).items():
        read = [below.id.step for below in inputs_of_step(node)]
        sources = "" if read == ([] if before is None else [before]) or not read else f" of {_list_steps(read)}"
        lines.append((str(step), show_step(node, last[step]) + sources, "" if node.where is None else str(node.where)))
        before = step
    return _align(lines)


def show_step(main: Plan, last: Plan) -> str:
    """Return a user's operation: its main operator, and the projection that ends it where that computes something."""
    text = show_op(main)
    if last is main or not isinstance(last, Project) or all(c.is_carried for c in last.columns):
        return text
    computed = [column for column in last.columns if not column.is_carried]
    return f"{text}, then {_show_columns(computed)}"


def show_bare(before: Plan, after: Plan) -> str:
    """Return an operator after a change, without the constants that it did not have before."""
    known = [part for expr in exprs_of(before) for part in parts(expr) if isinstance(part, Literal)]

    def hide(expr: Expr) -> Expr | None:
        return Opaque(MASK, (), expr.type) if isinstance(expr, Literal) and expr not in known else None

    return show_op(with_exprs(after, [rewrite(expr, hide) for expr in exprs_of(after)]))


def main_nodes(plan: Plan) -> dict[int, Plan]:
    """Return the operator that stands for each step, in reading order."""
    return {node.id.step: node for node in walk(plan) if not node.id.part}


def inputs_of_step(node: Plan) -> list[Plan]:
    """Return the operators of other steps that this step reads."""
    found: list[Plan] = []
    todo = list(reversed(inputs(node)))
    while todo:
        below = todo.pop()
        if below.id.step == node.id.step:
            todo.extend(reversed(inputs(below)))
        else:
            found.append(below)
    return found


def _list_steps(steps: list[int]) -> str:
    return " and ".join(map(str, steps)) if len(steps) < 3 else ", ".join(map(str, steps))


def _align(lines: list[tuple[str, str, str]]) -> str:
    number = max(len(line[0]) for line in lines)
    text = min(max(len(line[1]) for line in lines), 90)
    return "\n".join(f"{n:>{number}}  {t:<{text}}  {w}".rstrip() for n, t, w in lines)
