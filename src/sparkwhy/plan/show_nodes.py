"""Plans node by node, exactly: for golden files, and for looking at what a pass wrote.

`show.show_plan` prints the steps of the user, in the user's words. Here every node has a line and nothing is left out:
casts, the mode of each operation and all columns are printed, and names that several attributes have are numbered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import AggCall, Attribute, Call, Cast, Compare, Expr, ItemOf, Mode, WindowCall
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
from sparkwhy.plan.show import Names, is_infix, plain, show_key, show_part, with_parens
from sparkwhy.plan.types import ddl
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import fold_expr


def show_nodes(plan: Plan, names: Names | None = None) -> str:
    """Return the nodes of a plan, one a line, each above what it reads; several inputs are indented.

        5 inner join on k#1 = k#2
          4 project k#1, v + 1 as w
          3 filter v > 2
          1 table orders (k#1 int, v int)
          2 table customers (k#2 int)

    To show several plans alike, give them the same `number_names(plans)`.
    """
    names = number_names((plan,)) if names is None else names
    lines: list[str] = []
    todo: list[tuple[Plan, int]] = [(plan, 0)]
    while todo:
        node, depth = todo.pop()
        lines.append("  " * depth + f"{node.id} {show_node(node, names)}".replace("\n", "\\n"))
        below = inputs(node)
        todo.extend((each, depth + (len(below) > 1)) for each in reversed(below))
    return "\n".join(lines)


def number_names(plans: Iterable[Plan]) -> Names:
    """Return names for the attributes of these plans: `k`, or `k#1` and `k#2` where two attributes are called `k`."""
    ids: dict[str, list[int]] = {}
    for attribute in (attribute for plan in plans for node in walk(plan) for attribute in _attributes(node)):
        same = ids.setdefault(attribute.name, [])
        if attribute.id not in same:
            same.append(attribute.id)
    numbers = {id: place for same in ids.values() if len(same) > 1 for place, id in enumerate(same, start=1)}
    return lambda attribute: _with_number(attribute, numbers)


def _with_number(attribute: Attribute, numbers: Mapping[int, int]) -> str:
    number = numbers.get(attribute.id)
    return plain(attribute) if number is None else f"{plain(attribute)}#{number}"


def _attributes(node: Plan) -> tuple[Attribute, ...]:
    """Return the attributes of a node's output, and those of its input, which its expressions read."""
    return tuple(attribute for each in (*inputs(node), node) for attribute in each.output)


def show_node(node: Plan, names: Names) -> str:
    """Return one operator with all its expressions and the attributes that it makes."""
    match node:
        case Table():
            return f"table {node.source.name} ({_list(f'{names(a)} {ddl(a.type)}' for a in node.attributes)})"
        case OneRow():
            return "one row"
        case Project():
            return f"project {_show_columns(node.columns, names)}".rstrip()
        case Filter():
            return f"filter {show_exactly(node.condition, names)}"
        case Join():
            return _show_join(node, names)
        case Flatten():
            return _show_flatten(node, names)
        case Aggregate():
            keys = f" by {_show_columns(node.keys, names)}" if node.keys else ""
            return f"aggregate {_show_columns(node.aggregates, names)}".rstrip() + keys
        case Window():
            return _show_window(node, names)
        case Union():
            return f"union as {_list(map(names, node.attributes))}"
        case SetOperation():
            return node.operation + (" all" if node.all else "")
        case Distinct():
            return "distinct" + ("" if node.keys is None else f" by {_list(map(names, node.keys))}")
        case Sort():
            return f"sort by {_show_order(node.order, names)}"
        case Limit():
            return f"limit {'all' if node.count is None else node.count} offset {node.offset}"
        case Sample():
            how = " with replacement" if node.replacement else " split" if node.split else ""
            return f"sample from {node.lower:g} to {node.upper:g}{how} seed {node.seed}"
        case _:
            assert_never(node)


def _show_join(node: Join, names: Names) -> str:
    condition = "" if node.condition is None else f" on {show_exactly(node.condition, names)}"
    return f"{node.how} join{condition}{'' if node.exists is None else f' as {names(node.exists)}'}"


def _show_flatten(node: Flatten, names: Names) -> str:
    words = [word for word, holds in (("outer", node.outer), ("flatten", True), ("inline", node.inline)) if holds]
    position = "" if node.position is None else f" at {names(node.position)}"
    return f"{' '.join(words)} {show_exactly(node.collection, names)} as {_list(map(names, node.elements))}{position}"


def _show_window(node: Window, names: Names) -> str:
    partition = f" by {_list(show_exactly(expr, names) for expr in node.partition)}" if node.partition else ""
    order = f" order by {_show_order(node.order, names)}" if node.order else ""
    return f"window {_show_columns(node.columns, names)}{partition}{order}"


def _show_order(order: Sequence[SortKey], names: Names) -> str:
    return _list(show_key(key, show_exactly(key.expr, names)) for key in order)


def _show_columns(columns: Iterable[Column], names: Names) -> str:
    return _list(
        names(c.attribute) if c.is_carried else f"{show_exactly(c.expr, names)} as {names(c.attribute)}"
        for c in columns
    )


def _list(items: Iterable[str]) -> str:
    return ", ".join(items)


# --- expressions ---


def show_exactly(expr: Expr, names: Names = plain) -> str:
    """Return an expression with what `show_expr` leaves out: `try(a / b)`, `ansi_cast('1' as int)`, `c <=> true`."""
    return fold_expr(expr, lambda part, inner: _show_part(part, inner, names))


def _show_part(expr: Expr, inner: tuple[str, ...], names: Names) -> str:
    match expr:
        case Compare():
            return f"{with_parens(expr.left, inner[0])} {expr.op} {with_parens(expr.right, inner[1])}"
        case Cast():
            return _with_mode(f"cast({inner[0]} as {ddl(expr.type)})", expr.mode)
        case Call() if is_infix(expr) and expr.mode != "legacy":
            return f"{expr.mode}({show_part(expr, inner, names)})"
        case ItemOf() if expr.mode != "legacy":
            return f"{expr.mode}({show_part(expr, inner, names)})"
        case Call() | AggCall():
            return _with_mode(show_part(expr, inner, names), expr.mode)
        case WindowCall():
            lower, upper = ("unbounded" if bound is None else bound for bound in (expr.frame.lower, expr.frame.upper))
            return f"{inner[0]} {expr.frame.unit} from {lower} to {upper}"
        case _:
            return show_part(expr, inner, names)


def _with_mode(text: str, mode: Mode) -> str:
    return text if mode == "legacy" else f"{mode}_{text}"
