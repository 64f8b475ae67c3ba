"""Grouping sets, rollups and cubes that have no set for the row that is asked for.

`group by grouping sets ((city), (year))` has no row with a city and a year: no operator drops it, and no relaxed
operator brings it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import Attribute, Call, Expr, IsNull, Literal, MakeStruct, Ref
from sparkwhy.plan.nodes import Aggregate, Flatten, Plan
from sparkwhy.plan.show import plain
from sparkwhy.plan.walk import walk


def note_missing_sets(plan: Plan, asked: Conditions) -> tuple[Message, ...]:
    """Return a note for each grouping that has no set with just the keys that the question wants."""
    wanted = backtrace(plan, asked)
    groupings = ((node, _flatten_below(node)) for node in walk(plan) if isinstance(node, Aggregate))
    found = (_note(node, flat, wanted[node.id]) for node, flat in groupings if flat is not None)
    return tuple(note for note in found if note is not None)


def _flatten_below(grouping: Aggregate) -> Flatten | None:
    """Return the flatten that makes a copy of each row for each grouping set: a part of the grouping's step."""
    parts = (node for node in walk(grouping.input) if node.id.step == grouping.id.step)
    return next((node for node in parts if isinstance(node, Flatten) and node.inline), None)


def _note(grouping: Aggregate, flat: Flatten, wanted: Conditions) -> Message | None:
    keys = [key.attribute for key in grouping.keys if isinstance(key.expr, Ref) and key.expr.attribute in flat.elements]
    kept = [key for key in keys if any(rejects_null(condition, {key.id}) for condition in wanted)]
    left_out = [key for key in keys if any(_is_null_of(condition, key) for condition in wanted)]
    sets = list(_sets(grouping, flat, keys))
    if not kept or any(set(kept) <= set(each) and not set(left_out) & set(each) for each in sets):
        return None
    without = f" without {_list(left_out)}" if left_out else ""
    return Message("no_grouping_set", keys=_list(kept) + without, sets=", ".join(f"({_names(each)})" for each in sets))


def _is_null_of(condition: Expr, key: Attribute) -> bool:
    return isinstance(condition, IsNull) and condition.input == Ref(key)


def _sets(grouping: Aggregate, flat: Flatten, keys: Sequence[Attribute]) -> Iterator[list[Attribute]]:
    """Yield the keys of each grouping set: those that are not null in its copies of the rows."""
    element_of = {key.attribute: key.expr.attribute for key in grouping.keys if isinstance(key.expr, Ref)}
    copies = flat.collection.args if isinstance(flat.collection, Call) else ()
    for copy in copies:
        if isinstance(copy, MakeStruct):
            values = dict(zip(flat.elements, copy.values, strict=True))
            yield [key for key in keys if not _is_nothing(values[element_of[key]]) and not _is_internal(key)]


def _is_nothing(value: Expr) -> bool:
    return isinstance(value, Literal) and value.value is None


def _is_internal(key: Attribute) -> bool:
    """Return whether Spark numbers the sets by this key."""
    return key.name in ("spark_grouping_id", "_gen_grouping_pos")


def _names(keys: Sequence[Attribute]) -> str:
    return ", ".join(map(plain, keys))


def _list(keys: Sequence[Attribute]) -> str:
    return " and ".join(map(plain, keys))
