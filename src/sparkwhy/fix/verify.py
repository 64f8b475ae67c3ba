"""Evaluate repaired queries, many in one pass, and find which of them return a row that matches the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sparkwhy.backtrace.backtrace import Conditions, KeySets
from sparkwhy.backtrace.selectivity import attributes_from_groups
from sparkwhy.explain.model import column_names
from sparkwhy.explain.repair import Repair
from sparkwhy.messages import Message, Value, Values
from sparkwhy.plan.build import (
    Fresh,
    call,
    carry,
    empty_array,
    keep,
    long,
    transform,
)
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Expr, FieldOf, MakeStruct, Ref, is_true
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, Plan, Project
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import BOOLEAN, LONG, STRING, Array, Field, Struct
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.encode import Typed, decode, encode, print_value
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate

AT_ONCE = 60
"""The number of changed queries that are evaluated in one pass: each has a bit of a long."""

_OUTCOME = Struct((Field("met", Array(BOOLEAN)), Field("row", Array(STRING))))
_RESULT = Struct((Field("repair", LONG), Field("outcome", _OUTCOME)))


@dataclass(frozen=True)
class Outcome:
    """The best row of a repaired query: which conditions of the question it meets, and some of its values."""

    met: tuple[bool, ...]
    row: Mapping[Attribute, Typed]

    @property
    def matches(self) -> bool:
        return all(self.met)


def outcome_plan(
    repairs: Sequence[Repair],
    conditions: Conditions,
    shown: Sequence[Attribute],
    keys: Sequence[KeySets] = (),
    *,
    large: bool = False,
) -> Plan:
    """Return a plan with one row for each repaired query that has any: its best, the one that meets most conditions.

    `keys` are those of join partners, found for these queries and `conditions_on_rows`.
    """
    pruning = conditions_on_rows(repairs[0].plan, conditions)
    evaluated = evaluate([r.plan for r in repairs], [r.relaxed for r in repairs], pruning, keys, large=large)
    plan, fresh = evaluated.plans[0], Fresh(evaluated.rows.plan)
    groups = group_by_columns(evaluated, shown)
    results = [_results(evaluated, each, conditions, shown) for each in groups]
    result = fresh.attribute("result", _RESULT)
    collection = call("concat", *results)
    flat = Flatten(id=fresh.part(plan), input=evaluated.rows.plan, collection=collection, elements=(result,))
    made = Column(fresh.attribute("outcome", _OUTCOME), FieldOf(Ref(result), 1))
    given = Column(fresh.attribute("repair", LONG), FieldOf(Ref(result), 0))
    listed = Project(id=fresh.part(plan), input=flat, columns=(given, made))
    best = Column(fresh.attribute("best", _OUTCOME), AggCall("max", (Ref(made.attribute),)))
    return Aggregate(id=fresh.part(plan), input=listed, keys=carry((given.attribute,)), aggregates=(best,))


def _results(
    evaluated: EvaluatedQueries, queries: Sequence[int], conditions: Conditions, shown: Sequence[Attribute]
) -> Expr:
    """Return the outcome of a row in each of some queries that hold its values in the same columns and have it."""
    rows, i = evaluated.rows, queries[0]
    met = call("array", *(is_true(rows.read_in(i, c)) for c in conditions)) if conditions else empty_array(BOOLEAN)
    texts = [encode(rows.read_in(i, Ref(a))) for a in shown]
    row = call("array", *texts) if texts else empty_array(STRING)
    outcome = MakeStruct(("met", "row"), (met, row))
    return transform(present(evaluated, queries), lambda bit: MakeStruct(("repair", "outcome"), (bit, outcome)))


def returned_attributes(plan: Plan, conditions: Conditions, *, more: int) -> tuple[Attribute, ...]:
    """Return the attributes to collect of a row that a repaired query returns.

    These are the attributes that the question reads and up to `more` others: a result may have thousands of columns.
    """
    asked = dict.fromkeys(attribute for condition in conditions for attribute in attributes_of(condition))
    others = (attribute for attribute in plan.output if attribute not in asked)
    return (*asked, *islice(others, more))


def group_by_columns(evaluated: EvaluatedQueries, attributes: Iterable[Attribute]) -> tuple[tuple[int, ...], ...]:
    """Return groups of evaluated queries that hold these attributes in the same columns.

    Expressions over a row are computed once for each group, not once for each query: a method with sixty copies would
    be too long for Java to compile.
    """
    shown = tuple(attributes)
    groups: dict[tuple[Expr, ...], list[int]] = {}
    for i in range(len(evaluated.plans)):
        groups.setdefault(tuple(evaluated.rows.read_in(i, Ref(a)) for a in shown), []).append(i)
    return tuple(map(tuple, groups.values()))


def present(evaluated: EvaluatedQueries, queries: Sequence[int]) -> Expr:
    """Return the bits of those of some queries that have a row, as an array."""
    return bits_in(present_in(evaluated), queries)


def bits_in(set: Expr, queries: Sequence[int]) -> Expr:
    """Return the bits of those of some queries that are in a set, as an array."""
    bits = call("array", *(long(bit_of_query(i)) for i in queries))
    return keep(bits, lambda bit: Compare("<>", call("&", set, bit), long(0)))


def present_in(evaluated: EvaluatedQueries) -> Expr:
    """Return the queries that have a row, as a bit set."""
    return evaluated.present


def bit_of_query(query: int) -> int:
    return 1 << query


def query_of_bit(bit: int) -> int:
    return bit.bit_length() - 1


def conditions_on_rows(plan: Plan, conditions: Conditions) -> Conditions:
    """Return the conditions on what no aggregate or window computes: rows that fail them say nothing about a repair."""
    computed = attributes_from_groups(plan)
    return tuple(c for c in conditions if computed.isdisjoint(attributes_of(c)))


def outcomes_of(rows: Iterable[Sequence[Any]], shown: Sequence[Attribute], timezone: str) -> Mapping[int, Outcome]:
    """Decode the rows of an `outcome_plan`, by the number of the repair."""

    def decode_row(row: Sequence[str | None]) -> Mapping[Attribute, Typed]:
        return {a: decode(text, a.type, timezone) for a, text in zip(shown, row, strict=True)}

    return {query_of_bit(bit): Outcome(tuple(met), decode_row(row)) for bit, (met, row) in rows}


def returned_row(repair: Repair, outcome: Outcome) -> Mapping[str, Any]:
    """Return the collected values of the row that a repaired query returns, by the names of the result's columns."""
    names = zip(repair.plan.output, column_names(repair.plan), strict=True)
    return {name: outcome.row[a] for a, name in names if a in outcome.row}


def shortfall(repair: Repair, outcome: Outcome | None, conditions: Conditions) -> Message:
    """Return why a repaired query does not answer: `with this change n is 11343, not n < 11000`."""
    if outcome is None:
        return Message("still_missing")
    names = dict(zip(repair.plan.output, column_names(repair.plan), strict=True))
    values = {a.id: (names[a], print_value(value)) for a, value in outcome.row.items()}
    unmet = [condition for condition, met in zip(conditions, outcome.met, strict=True) if not met]
    read = dict.fromkeys(values[a.id] for condition in unmet for a in attributes_of(condition))
    values_read = Values(Value(name, value) for name, value in read)
    return Message("other_values", values=values_read, wanted=" and ".join(map(show_expr, unmet)))
