"""Runs repaired queries, all at once, and says which of them return a row that matches the question."""

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
"""So many changed queries are evaluated in one pass: each has a gate, and gates are bits of a long."""

_OUTCOME = Struct((Field("met", Array(BOOLEAN)), Field("row", Array(STRING))))
_RESULT = Struct((Field("repair", LONG), Field("outcome", _OUTCOME)))


@dataclass(frozen=True)
class Outcome:
    """What a repaired query returned: which conditions of the question its best row meets, and what is told of it."""

    met: tuple[bool, ...]
    row: Mapping[Attribute, Typed]

    @property
    def matches(self) -> bool:
        return all(self.met)


def outcome_plan(
    repairs: Sequence[Repair],
    conditions: Conditions,
    told: Sequence[Attribute],
    keys: Sequence[KeySets] = (),
    *,
    much: bool = False,
) -> Plan:
    """One row for each repaired query that returns any row like the one that is asked for: its best.

    `keys` are those of join partners, found for these queries and `conditions_on_rows`.
    """
    pruning = conditions_on_rows(repairs[0].plan, conditions)
    evaluated = evaluate([r.plan for r in repairs], [r.relaxed for r in repairs], pruning, keys, much=much)
    plan, fresh = evaluated.plans[0], Fresh(evaluated.rows.plan)
    groups = alike(evaluated, told)
    results = [_results(evaluated, each, conditions, told) for each in groups]
    result = fresh.attribute("result", _RESULT)
    collection = call("concat", *results)
    flat = Flatten(id=fresh.part(plan), input=evaluated.rows.plan, collection=collection, elements=(result,))
    made = Column(fresh.attribute("outcome", _OUTCOME), FieldOf(Ref(result), 1))
    given = Column(fresh.attribute("repair", LONG), FieldOf(Ref(result), 0))
    listed = Project(id=fresh.part(plan), input=flat, columns=(given, made))
    best = Column(fresh.attribute("best", _OUTCOME), AggCall("max", (Ref(made.attribute),)))
    return Aggregate(id=fresh.part(plan), input=listed, keys=carry((given.attribute,)), aggregates=(best,))


def _results(
    evaluated: EvaluatedQueries, readings: Sequence[int], conditions: Conditions, told: Sequence[Attribute]
) -> Expr:
    """The outcome of a row in each of some queries that read it alike and have it, by their gates."""
    rows, i = evaluated.rows, readings[0]
    met = call("array", *(is_true(rows.read_in(i, c)) for c in conditions)) if conditions else empty_array(BOOLEAN)
    texts = [encode(rows.read_in(i, Ref(a))) for a in told]
    row = call("array", *texts) if texts else empty_array(STRING)
    outcome = MakeStruct(("met", "row"), (met, row))
    return transform(present(evaluated, readings), lambda gate: MakeStruct(("repair", "outcome"), (gate, outcome)))


def returned_attributes(plan: Plan, conditions: Conditions, *, more: int) -> tuple[Attribute, ...]:
    """Return the attributes to collect of a row that a repaired query returns.

    These are the attributes that the question reads and up to `more` others: a result may have thousands of columns.
    """
    asked = dict.fromkeys(attribute for condition in conditions for attribute in attributes_of(condition))
    others = (attribute for attribute in plan.output if attribute not in asked)
    return (*asked, *islice(others, more))


def alike(evaluated: EvaluatedQueries, attributes: Iterable[Attribute]) -> tuple[tuple[int, ...], ...]:
    """The queries that were evaluated, those together in which these attributes are held by the same columns.

    What is said of a row is said once for each group and not once for each query: Java compiles no method that is
    as long as that.
    """
    told = tuple(attributes)
    groups: dict[tuple[Expr, ...], list[int]] = {}
    for i in range(len(evaluated.plans)):
        groups.setdefault(tuple(evaluated.rows.read_in(i, Ref(a)) for a in told), []).append(i)
    return tuple(map(tuple, groups.values()))


def present(evaluated: EvaluatedQueries, readings: Sequence[int]) -> Expr:
    """The gates of those of some queries that have a row."""
    return bits_in(present_in(evaluated), readings)


def bits_in(set: Expr, readings: Sequence[int]) -> Expr:
    """The gates of those of some queries that are in a set, as an array."""
    gates = call("array", *(long(bit_of_query(i)) for i in readings))
    return keep(gates, lambda gate: Compare("<>", call("&", set, gate), long(0)))


def present_in(evaluated: EvaluatedQueries) -> Expr:
    """Return the queries that have a row, as a bit set."""
    return evaluated.present


def bit_of_query(reading: int) -> int:
    return 1 << reading


def query_of_bit(gate: int) -> int:
    return gate.bit_length() - 1


def conditions_on_rows(plan: Plan, conditions: Conditions) -> Conditions:
    """Return the conditions on what no aggregate or window computes: rows that fail them say nothing about a repair."""
    computed = attributes_from_groups(plan)
    return tuple(c for c in conditions if computed.isdisjoint(attributes_of(c)))


def outcomes_of(rows: Iterable[Sequence[Any]], told: Sequence[Attribute], timezone: str) -> Mapping[int, Outcome]:
    """Decode the rows of an `outcome_plan`, by the number of the repair."""

    def decode_row(row: Sequence[str | None]) -> Mapping[Attribute, Typed]:
        return {a: decode(text, a.type, timezone) for a, text in zip(told, row, strict=True)}

    return {query_of_bit(gate): Outcome(tuple(met), decode_row(row)) for gate, (met, row) in rows}


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
