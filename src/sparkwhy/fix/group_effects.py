"""What else repairs do to a query that ends with a grouping, counted without the values of the groups.

A group into which no row comes and out of which none goes is the same as before. So it is enough to follow the rows as
far as their keys, and to count the groups that come, that go, and that have other rows than before. Whether a sum of
other rows is another sum stays open: there are bounds. Rows that match the question do not count, as in `effects`.

The law: what `effects` counts is within these bounds, for every repair that was seen to work.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from sparkwhy.backtrace.backtrace import Conditions, backtrace, substitute_attributes
from sparkwhy.explain.model import SideEffects
from sparkwhy.explain.repair import Repair
from sparkwhy.fix.effects import same_value
from sparkwhy.fix.verify import bit_of_query, group_by_columns, present_in
from sparkwhy.plan.build import Fresh, all_of, call, carry, either, long
from sparkwhy.plan.exprs import (
    AggCall,
    Attribute,
    Cast,
    Compare,
    Expr,
    FieldOf,
    IsNotNull,
    Literal,
    MakeStruct,
    Opaque,
    Ref,
    is_true,
)
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Flatten, Plan, Project
from sparkwhy.plan.traits import is_row_map
from sparkwhy.plan.types import BOOLEAN, INTEGRALS, LONG, UNCOMPARABLE, Atom, Decimal, Struct, Type
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import is_random, reads_only
from sparkwhy.rewrite.decimals_as_integers import MOST_DIGITS
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate
from sparkwhy.trace.liveness import minus


class Seen(NamedTuple):
    """A number of groups with the same fate: in which queries they are, in which rows come or go, as sets of gates.

    In `changed` they are other groups for certain: what comes does not cancel out what goes.
    `asked`: the keys are those that the question asks for.
    """

    inside: int
    moved: int
    changed: int
    asked: bool
    groups: int


class RowRange(NamedTuple):
    """A number of rows, at least and at most."""

    least: int
    most: int

    @classmethod
    def sum(cls, parts: Iterable[tuple[RowRange, int]]) -> RowRange:
        """Return the sum of the ranges, each taken as often as its number says."""
        known = list(parts)
        return cls(sum(each.least * times for each, times in known), sum(each.most * times for each, times in known))


@dataclass(frozen=True)
class GroupEffects:
    """A query that ends with a grouping, and the same query under repairs.

    `tops` are the groupings of the query and of all repairs. If one looks `closely`, values are read for narrow bounds.
    """

    plan: Plan
    repairs: Sequence[Repair]
    conditions: Conditions
    tops: tuple[Aggregate, ...]
    closely: bool = False

    @classmethod
    def of(
        cls, plan: Plan, repairs: Sequence[Repair], conditions: Conditions, *, closely: bool = False
    ) -> GroupEffects | None:
        """Return the effects to count; None if something above the groups depends on their values, or is changed."""
        plans = (plan, *(repair.plan for repair in repairs))
        tops = tuple(top for each in plans if (top := _top(each)) is not None)
        if len(tops) < len(plans) or len({_exprs_above(each) for each in plans}) > 1 or len(set(map(_types, tops))) > 1:
            return None
        return cls(plan, repairs, conditions, tops, closely)

    @property
    def tells_changes(self) -> bool:
        """Whether counts may tell that a group with other rows is another one; without keys there is but one group."""
        return not self.tops[0].keys or self._telling is not None

    # --- what is counted ---

    def counting(self) -> Plan | None:
        """Return a plan whose rows are `Seen`. None if there is nothing to count: without keys there is one group."""
        if not self.tops[0].keys:
            return None
        relaxed = [frozenset(), *(repair.relaxed for repair in self.repairs)]
        return self._count_groups(self._moves(evaluate(self._rows_with_keys(), relaxed)))

    def _rows_with_keys(self) -> list[Plan]:
        """Return the rows of each query with the keys of their groups and their weight, and if need be their values."""
        fresh = Fresh(self.plan)
        values = [(self._weight(top), *(_read_by(top) if self._read_other_values() else ())) for top in self.tops]
        held = [fresh.attribute("value", value.type, nullable=True) for value in values[0]]
        id = fresh.part(self.tops[0])
        return [
            Project(id=id, input=top.input, columns=(*top.keys, *map(Column, held, own)))
            for top, own in zip(self.tops, values, strict=True)
        ]

    def _read_other_values(self) -> bool:
        """Return whether the queries differ in more than their conditions."""
        known, *others = (
            (_read_by(top), {node.id: exprs_of(node) for node in walk(top.input) if not isinstance(node, Filter)})
            for top in self.tops
        )
        return any(each != known for each in others)

    def _weight(self, top: Aggregate) -> Expr:
        """Return what a row adds to its group: if all that comes and goes does not cancel out, the group is another
        one.
        """
        if self._telling is None:
            return long(0)
        at, weighing = self._telling
        expr = top.aggregates[at].expr
        assert isinstance(expr, AggCall), "only these were weighed"
        return weighing.weight(expr.args)

    @cached_property
    def _telling(self) -> tuple[int, Weighing] | None:
        """The aggregate that tells most, and how. One is enough; in two, rows may cancel out that differ in sum."""
        columns = enumerate(self.tops[0].aggregates)
        known = [
            (at, _weighing(c.expr, closely=self.closely)) for at, c in columns if c.attribute in self._result_attributes
        ]
        found = [(at, weighing) for at, weighing in known if weighing is not None]
        return min(found, key=lambda each: list(Weighing).index(each[1])) if found else None

    def _moves(self, evaluated: EvaluatedQueries) -> Plan:
        """Return each row with its keys and the queries that have it; as several rows where it has several keys."""
        rows, at, fresh = evaluated.rows, self.tops[0], Fresh(evaluated.rows.plan)
        inside = Column(fresh.attribute("inside", LONG), present_in(evaluated))
        known = Project(id=fresh.part(at), input=rows.plan, columns=(*carry(rows.plan.output), inside))
        classes = group_by_columns(evaluated, evaluated.plans[0].output)
        entries = list(self._entries(evaluated, classes, Ref(inside.attribute)))
        if len(entries) > 1:
            entry = fresh.attribute("entry", entries[0].type)
            known_entries = call("array", *entries)
            flat = Flatten(id=fresh.part(at), input=known, collection=known_entries, elements=(entry,))
            fields = [FieldOf(Ref(entry), i) for i in range(len(at.keys) + 2)]
            somewhere = Compare("<>", fields[-1], long(0))
            return self._group_entries(fresh, Filter(id=fresh.part(at), input=flat, condition=somewhere), fields)
        return self._group_entries(fresh, known, list(entries[0].values))

    def _entries(
        self, evaluated: EvaluatedQueries, classes: Sequence[Sequence[int]], inside: Expr
    ) -> Iterator[MakeStruct]:
        """Yield a row as the query reads it, with all queries that read it the same; and as others read it, if not
        so.
        """
        held = [[evaluated.rows.read_in(each[0], Ref(a)) for a in evaluated.plans[0].output] for each in classes]
        gates = [sum(map(bit_of_query, each)) for each in classes]
        same = [all_of(same_value(*pair) for pair in zip(held[0], each, strict=True)) for each in held]
        here = long(gates[0])
        for at in range(1, len(classes)):
            here = call("|", here, either(same[at], long(gates[at]), long(0)))
        yield self._entry(held[0], call("&", inside, here))
        for at in range(1, len(classes)):
            yield self._entry(held[at], either(same[at], long(0), call("&", inside, long(gates[at]))))

    def _entry(self, held: Sequence[Expr], inside: Expr) -> MakeStruct:
        values = tuple(held[: len(self.tops[0].keys) + 1])
        return MakeStruct((*(f"v{i}" for i in range(len(values))), "inside"), (*values, inside))

    def _group_entries(self, fresh: Fresh, rows: Plan, entry: Sequence[Expr]) -> Plan:
        """Return the keys of a row, its weight, the queries that have it, and those that differ in that from the
        query.
        """
        at = self.tops[0]
        *keys, weight, inside = entry
        named = [Column(fresh.attribute("key", key.type, nullable=True), key) for key in keys]
        some = Column(fresh.attribute("weight", weight.type, nullable=True), weight)
        known = Column(fresh.attribute("inside", LONG), inside)
        listed = Project(id=fresh.part(at), input=rows, columns=(*named, some, known))
        everywhere = long(sum(map(bit_of_query, range(len(self.tops)))))
        others = either(_has(Ref(known.attribute), 0), minus(everywhere, Ref(known.attribute)), Ref(known.attribute))
        moved = Column(fresh.attribute("moved", LONG), others)
        return Project(id=fresh.part(at), input=listed, columns=(*carry(listed.output), moved))

    def _count_groups(self, moves: Plan) -> Plan:
        """Return how many groups there are of each fate."""
        at, fresh = self.tops[0], Fresh(moves)
        keys, (weight, inside, moved) = moves.output[: len(at.keys)], moves.output[len(at.keys) :]
        merged = [Column(fresh.attribute(a.name, LONG), AggCall("bit_or", (Ref(a),))) for a in (inside, moved)]
        signed: Expr = Ref(weight)
        if not self._cancels_itself:
            signed = either(_has(Ref(inside), 0), call("negative", signed), signed)
        sums = [self._total(either(_has(Ref(moved), i), signed, long(0))) for i in self._repairs_with_sums]
        summed = [Column(fresh.attribute("net", each.type, nullable=True), each) for each in sums]
        groups = Aggregate(id=fresh.part(at), input=moves, keys=carry(keys), aggregates=(*merged, *summed))
        names = {column.attribute: Ref(key) for column, key in zip(at.keys, keys, strict=True)}
        asked = is_true(all_of(substitute_attributes(condition, names) for condition in self._key_conditions))
        changed: Expr = long(0)
        for i, net in zip(self._repairs_with_sums, summed, strict=True):
            changed = call("|", changed, either(self._differs(Ref(net.attribute)), long(bit_of_query(i)), long(0)))
        fate = (
            *carry(c.attribute for c in merged),
            Column(fresh.attribute("changed", LONG), changed),
            Column(fresh.attribute("asked", BOOLEAN), asked),
        )
        number = Column(fresh.attribute("groups", LONG), AggCall("count", (long(1),)))
        return Aggregate(id=fresh.part(at), input=groups, keys=fate, aggregates=(number,))

    def _differs(self, net: Expr) -> Expr:
        """Return whether what came and went does surely not cancel out."""
        left = call("%", net, long(_PRIME)) if self._telling and self._telling[1] is Weighing.SUMMED else net
        return Compare("<>", left, long(0))

    def _total(self, weight: Expr) -> AggCall:
        return AggCall("bit_xor" if self._cancels_itself else "sum", (weight,))

    @property
    def _cancels_itself(self) -> bool:
        """Whether weights are merged so that what comes cancels out what goes without a sign."""
        return self._telling is not None and self._telling[1] is Weighing.LISTED

    @property
    def _repairs_with_sums(self) -> range:
        """The repairs of which weights are summed up; of more it would be too long for Java."""
        return range(1, len(self.tops)) if self._telling and len(self.tops) <= _MOST_NETTED else range(0)

    # --- what the counts say ---

    def effects(self, seen: Iterable[Seen]) -> Mapping[int, SideEffects]:
        """Return the side effects of each repair, numbered from 0."""
        if not self.tops[0].keys:  # the one row was not what was asked for, and now it is
            return {i: SideEffects(1, 1, 0, 1) for i in range(len(self.repairs))}
        known = tuple(seen)
        return {i: self._effects(known, i + 1) for i in range(len(self.repairs))}

    def _effects(self, seen: Sequence[Seen], query: int) -> SideEffects:
        alone = self._is_asked_alone(seen, query)
        fates = [(self._fate(each, query, alone=alone), each.groups) for each in seen]
        entering = RowRange.sum((enters, groups) for (enters, _), groups in fates)
        leaving = RowRange.sum((leaves, groups) for (_, leaves), groups in fates)
        upper = entering.most + leaving.most
        if not self._tells_apart:  # a row that enters may be the same as one that leaves
            return SideEffects(max(entering.least - leaving.most, leaving.least - entering.most, 0), upper)
        lower = entering.least + leaving.least
        return SideEffects(lower, upper, *((entering.least, leaving.least) if lower == upper else ()))

    def _is_asked_alone(self, seen: Sequence[Seen], query: int) -> bool:
        """Return whether a repair has one group with such keys as are asked for: it is the answer, which was seen."""
        return sum(each.groups for each in seen if each.asked and each.inside & bit_of_query(query)) == 1

    def _fate(self, each: Seen, query: int, *, alone: bool) -> tuple[RowRange, RowRange]:
        """Return how many rows enter the result of a repair, and how many leave, for each such group."""
        before, after = each.inside & bit_of_query(0) > 0, each.inside & bit_of_query(query) > 0
        if each.asked and self._asks_for_keys_alone:
            return RowRange(0, 0), RowRange(0, 0)
        if each.asked and after and alone:  # what enters is what was asked for, and what leaves is not
            return RowRange(0, 0), RowRange(int(before), int(before))
        changed = self._has_other_values(each, query) if before and after else RowRange(1, 1)
        enters = RowRange(0 if each.asked else changed.least, changed.most) if after else RowRange(0, 0)
        return enters, changed if before else RowRange(0, 0)

    def _has_other_values(self, each: Seen, query: int) -> RowRange:
        """Return whether a group that is in both results has other values."""
        same_functions = _functions(self.tops[query]) == _functions(self.tops[0])
        if same_functions and not each.moved & bit_of_query(query):
            return RowRange(0, 0)
        surely = same_functions and each.changed & bit_of_query(query) > 0
        return RowRange(int(surely), int(bool(self.tops[0].aggregates)))

    @property
    def _tells_apart(self) -> bool:
        """Whether rows of different groups are different: the result has all keys."""
        return all(column.attribute in self._result_attributes for column in self.tops[0].keys)

    @cached_property
    def _result_attributes(self) -> frozenset[Attribute]:
        """The keys and aggregates that are columns of the result."""
        passed = {attribute: attribute for attribute in self.tops[0].output}
        for node in reversed(_projections_above(self.plan)):
            named = [(c.attribute, c.expr.attribute) for c in node.columns if isinstance(c.expr, Ref)]
            passed = {new: passed[old] for new, old in named if old in passed}
        return frozenset(passed.values())

    @cached_property
    def _key_conditions(self) -> Conditions:
        """What the question asks of the keys of a group."""
        keys = [column.attribute for column in self.tops[0].keys]
        wanted = backtrace(self.plan, self.conditions)[self.tops[0].id]
        return tuple(condition for condition in wanted if reads_only(condition, keys))

    @property
    def _asks_for_keys_alone(self) -> bool:
        return len(self._key_conditions) == len(self.conditions)


_MOST_NETTED = 16


def _has(gates: Expr, query: int) -> Expr:
    """Return whether a set of gates has that of a query."""
    return Compare("<>", call("&", gates, long(bit_of_query(query))), long(0))


def _top(plan: Plan) -> Aggregate | None:
    """Return the grouping with which a query ends, but for an order and columns that are computed of each row."""
    while is_row_map(plan):
        if any(map(is_random, exprs_of(plan))):
            return None
        plan = plan.input
    return plan if isinstance(plan, Aggregate) else None


def _projections_above(plan: Plan) -> list[Project]:
    """Return those above the grouping, the last one first."""
    found = []
    while is_row_map(plan):
        found += [plan] if isinstance(plan, Project) else []
        plan = plan.input
    return found


def _exprs_above(plan: Plan) -> tuple[tuple[Expr, ...], ...]:
    return tuple(tuple(exprs_of(node)) for node in _projections_above(plan))


def _types(top: Aggregate) -> tuple[Type, ...]:
    return tuple(expr.type for expr in (*(column.expr for column in top.keys), *_read_by(top)))


def _read_by(top: Aggregate) -> tuple[Expr, ...]:
    """Return what the aggregates are computed of."""
    found: list[Expr] = []
    for column in top.aggregates:
        match column.expr:
            case AggCall(args=args, condition=condition):
                found += [*args, *(() if condition is None else (condition,))]
            case Opaque(inputs=inputs):
                found += inputs
            case _:
                raise AssertionError(f"{column.expr} does not aggregate")
    return tuple(found)


def _functions(top: Aggregate) -> tuple[object, ...]:
    """Return the aggregates, whatever they read."""
    exprs = (column.expr for column in top.aggregates)
    return tuple((e.function, e.distinct, e.mode) if isinstance(e, AggCall) else e for e in exprs)


class Weighing(Enum):
    """How rows are weighed, those that tell most first."""

    LISTED = "by a hash of what is listed"
    SUMMED = "by what is summed up"
    COUNTED = "one by one"

    def weight(self, args: Sequence[Expr]) -> Expr:
        match self:
            case Weighing.LISTED:
                return either(IsNotNull(args[0]), call("xxhash64", args[0]), long(0))
            case Weighing.SUMMED:
                return _residue(args[0])
            case Weighing.COUNTED:
                return either(all_of(map(IsNotNull, args)), long(1), long(0))


def _weighing(expr: Expr, *, closely: bool) -> Weighing | None:
    """Return how a row that an aggregate reads can be weighed; None if it does not tell."""
    match expr:
        case AggCall("collect_list", (arg,), distinct=False, condition=None) if closely and _is_hashed(arg.type):
            return Weighing.LISTED
        case AggCall("sum", (arg,), distinct=False, condition=None) if closely and _is_exact(arg.type):
            return Weighing.SUMMED
        case AggCall("count" | "collect_list", distinct=False, condition=None):
            return Weighing.COUNTED
        case _:
            return None


def _is_hashed(type: Type) -> bool:
    """Return whether equal values have equal hashes; lists inside of values have no order."""
    if isinstance(type, Struct):
        return all(_is_hashed(field.type) for field in type.fields)
    return isinstance(type, Decimal) or (isinstance(type, Atom) and type not in UNCOMPARABLE)


def _is_exact(type: Type) -> bool:
    """Return whether sums do not depend on the order in which they are built, and residues are known."""
    if isinstance(type, Decimal):
        return type.precision <= MOST_DIGITS or type.scale <= _MOST_PLACES
    return type in INTEGRALS


def _residue(value: Expr) -> Expr:
    """Return what is left of a number, in its last digit, when it is divided by a large prime.

    If what is left of a sum is not zero, neither is the sum. It is a whole number, which Spark adds up for each of many
    repairs in a fraction of the time that decimals take; and there are few numbers that a whole one does not hold.
    """
    if not isinstance(value.type, Decimal):
        return call("%", Cast(value, LONG), long(_PRIME))
    if value.type.precision <= MOST_DIGITS:
        return call("%", call("unscaled_value", value), long(_PRIME))
    scale = value.type.scale
    digits = call("unscaled_value", Cast(value, Decimal(MOST_DIGITS, scale), mode="try"))
    left = call("%", value, Literal(decimal.Decimal(_PRIME), Decimal(10, 0)))
    of_many = Cast(call("*", left, Literal(decimal.Decimal(10**scale), Decimal(scale + 1, 0))), LONG)
    return call("%", call("coalesce", digits, of_many), long(_PRIME))


_PRIME = 2**31 - 1
"""What is left of four billion rows adds up to a whole number."""

_MOST_PLACES = 9
"""Digits after the point up to which a number below the prime is a whole number of units."""
