"""Inputs of unions and set operations whose columns come under the names of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparkwhy.explain.model import Operator
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import Plan, Union
from sparkwhy.plan.traits import is_positional
from sparkwhy.plan.walk import inputs, walk

_MAX_NAMED = 4
"""At most this many columns are named."""


def find_swapped_columns(plan: Plan) -> tuple[Message, ...]:
    """Return a note for each operator that goes by position and whose inputs name the same columns in another order."""
    going = (node for node in walk(plan) if is_positional(node))
    return tuple(_note(node, found) for node in going if (found := list(_swapped_columns(node))))


def _swapped_columns(node: Plan) -> Iterator[tuple[str, str]]:
    """Yield the columns that come under another name although their input has a column of that name, each with this
    name.
    """
    first, *others = inputs(node)
    for other in others:
        names = {attribute.name.lower() for attribute in other.output}
        for given, wanted in zip(other.output, first.output, strict=True):
            if given.name.lower() != wanted.name.lower() and wanted.name.lower() in names:
                yield given.name, wanted.name


def _note(node: Plan, found: Sequence[tuple[str, str]]) -> Message:
    operator = Operator.of(node)
    place = "" if operator.where is None else f" ({operator.where})"
    pairs = list(dict.fromkeys(found))
    named = ", ".join(f"{given} becomes {wanted}" for given, wanted in pairs[:_MAX_NAMED])
    more = ", ..." if len(pairs) > _MAX_NAMED else ""
    code = "union_by_position" if isinstance(node, Union) else "by_position"
    return Message(code, operator=f"{operator.text}{place}", columns=f"{named}{more}")
