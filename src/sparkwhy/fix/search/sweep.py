"""Where the bound of a comparison would have to be: all places at once, in one pass over the data.

An aggregate depends on all rows that a filter lets through, and a comparison such as `price < 10` lets through those up
to a bound. So the rows are grouped by their distance from the old bound, exactly where it is near and roughly where it
is far, and what is aggregated up to each distance is what the query with a bound there would return. From that the rest
of the query is computed, and the nearest bounds on either side are returned under which the row is there.

It is a search: a bound is proposed, and it is run like any other fix. The law: where each value has a distance of its
own, the bounds of a group are those that one would find by running the query with each value of its rows as the bound.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from sparkwhy.backtrace.backtrace import Conditions, KeySets, backtrace
from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.repair import Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.proposals.conditions.constants import constant_value
from sparkwhy.fix.propose import propose_with
from sparkwhy.fix.search.constants import ComparedConstant, drop_bound
from sparkwhy.fix.verify import AT_ONCE, bit_of_query, present_in, query_of_bit
from sparkwhy.plan.build import Fresh, all_of, call, carry, either, equal, long, null
from sparkwhy.plan.exprs import (
    AggCall,
    Attribute,
    Case,
    Compare,
    Expr,
    Frame,
    Literal,
    Ref,
    WindowCall,
    conjuncts,
)
from sparkwhy.plan.join_types import SIDES
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Flatten, Join, OpId, Plan, Project, SortKey, Window
from sparkwhy.plan.traits import is_rowwise, reads_rows_alone
from sparkwhy.plan.types import DATE, DOUBLE, INTEGRALS, LONG, Decimal
from sparkwhy.plan.uses import is_used_again
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.plan.walk_exprs import reads_only
from sparkwhy.question.values import convert
from sparkwhy.rewrite.decimals_as_integers import compute_numbers_once, split_decimal_sum
from sparkwhy.rewrite.partial_aggregates import Stages, split_aggregate
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate
from sparkwhy.trace.observe import as_number


class Found(NamedTuple):
    """The nearest values at which a bound works: one that lets more rows through than now, and one that lets fewer."""

    looser: Any
    stricter: Any

    @property
    def values(self) -> list[Any]:
        return [value for value in self if value is not None]


@dataclass(frozen=True)
class Sweep:
    """A comparison whose bound is looked for, in a query in which all else is as it is to be."""

    compared: ComparedConstant
    repair: Repair
    """The query without the comparison."""

    top: Aggregate
    """The grouping above."""

    unit: float
    """The least difference between two values that matters."""

    @classmethod
    def of(cls, query: FixContext, candidate: Candidate, compared: ComparedConstant) -> Sweep | None:
        """Return the sweep; None if the rows up to a bound do not come to one group whose parts can be put together."""
        step, unit = drop_bound(compared), _unit(compared)
        if step is None or unit is None or is_used_again(query.plan, compared.filter.id):
            return None
        for repair in propose_with(query, candidate, {compared.filter.id: [step]}).repairs:
            top, fixed = _top(repair.plan), _top(repair.fixed_plan)
            if top is not None and fixed is not None and _comes_up(fixed.input, compared.filter.id):
                return cls(compared, repair, top, unit) if len(_calls(top)) == len(top.aggregates) else None
        return None

    @property
    def shape(self) -> tuple[object, ...]:
        """What sweeps have in common that share a pass: the same groups are made of other rows."""
        calls = tuple(replace(each, args=(), condition=None) for each in _calls(self.top))
        read = tuple(arg.type for each in _calls(self.top) for arg in each.args)
        above = tuple(tuple(exprs_of(node)) for node in _operators_above(self.repair.plan, self.top))
        return self.top.id, calls, read, tuple(column.expr.type for column in self.top.keys), above

    def place(self, value: Expr) -> Expr:
        """Return what the comparison reads, as a number; rows with a greater one are let through later."""
        return call("*", _number(_sign(self.compared)), _as_number(value))

    def offset(self, value: Expr) -> Expr:
        """Return how far that is behind the old bound, in units."""
        apart = call("-", self.place(value), self.place(self.compared.constant))
        return call("/", apart, _number(self.unit))

    def value(self, place: float) -> Any:
        """Return the value of the side that is at a place; None if Python, or the type, has none there."""
        type, number = self.compared.side.type, _sign(self.compared) * place
        try:
            if type == DATE:
                return dt.date(1970, 1, 1) + dt.timedelta(days=round(number))
            return convert(round(number) if type in INTEGRALS else number, type, "UTC")
        except (ArithmeticError, ValueError):
            return None


class Swept(NamedTuple):
    """Sweeps, by their numbers, whose bounds one plan computes."""

    readings: _Readings
    sweeps: tuple[int, ...]

    def plan(self, keys: Sequence[KeySets] = ()) -> Plan:
        """Return the plan that computes the bounds; `found_in` reads its rows.

        `keys` are those of join partners, found for `readings.plans` and `readings.key_conditions`.
        """
        return _Groups(self.readings, self.readings.evaluate_queries(keys)).bounds()


def swept(sweeps: Sequence[Sweep], conditions: Conditions) -> Iterator[Swept]:
    """Group the sweeps into those that one plan can answer."""
    together: dict[tuple[object, ...], list[int]] = {}
    for at, sweep in enumerate(sweeps):
        together.setdefault(sweep.shape, []).append(at)
    for places in together.values():
        for start in range(0, len(places), AT_ONCE):
            some = tuple(places[start : start + AT_ONCE])
            yield Swept(_Readings(tuple(sweeps[at] for at in some), conditions), some)


def read_sweeps(rows: Iterable[Sequence[Any]], sweeps: Sequence[Sweep]) -> Mapping[int, Found]:
    """Return what the rows of a plan say of its sweeps, by their number among these."""

    def value(at: int, place: float | None) -> Any:
        return None if place is None else sweeps[at].value(place)

    numbered = [(query_of_bit(gate), places) for gate, *places in rows]
    return {at: Found(*(value(at, place) for place in places)) for at, places in numbered}


@dataclass(frozen=True)
class _Readings:
    """The rows that come to the groups of each sweep, wherever the bound is."""

    sweeps: tuple[Sweep, ...]
    conditions: Conditions

    @cached_property
    def _fresh(self) -> Fresh:
        return Fresh(self.sweeps[0].repair.plan)

    @cached_property
    def calls(self) -> tuple[AggCall, ...]:
        """The aggregates over what holds their arguments in all sweeps."""
        fresh = self._fresh

        def collect_held(each: AggCall) -> AggCall:
            args = tuple(Ref(fresh.attribute("value", arg.type, nullable=True)) for arg in each.args)
            return replace(each, args=args, condition=None)

        return tuple(map(collect_held, _calls(self.sweeps[0].top)))

    @cached_property
    def sides(self) -> tuple[Attribute, ...]:
        """What holds the values that the comparison of each sweep reads, from its filter on."""
        return tuple(self._fresh.attribute("side", sweep.compared.side.type, nullable=True) for sweep in self.sweeps)

    @cached_property
    def _operators_above_filters(self) -> Mapping[OpId, OpId]:
        """The operators that add these, by the filter below: the same in all readings."""
        return {sweep.compared.filter.id: self._fresh.part(sweep.compared.filter) for sweep in self.sweeps}

    @cached_property
    def _operator_below_groups(self) -> OpId:
        return self._fresh.part(self.sweeps[0].top)

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """The queries up to their groups, one for each sweep."""
        return tuple(self._reading(sweep) for sweep in self.sweeps)

    def evaluate_queries(self, keys: Sequence[KeySets]) -> EvaluatedQueries:
        relaxed = [sweep.repair.relaxed for sweep in self.sweeps]
        return evaluate(self.plans, relaxed, self.key_conditions, keys, large=True)

    @cached_property
    def key_conditions(self) -> Conditions:
        """What the question asks of the keys of the groups: rows of others need not be looked at."""
        first = self.sweeps[0]
        keys = [column.attribute for column in first.top.keys]
        wanted = backtrace(first.repair.plan, self.conditions)[first.top.id]
        return tuple(condition for condition in wanted if reads_only(condition, keys))

    def _reading(self, sweep: Sweep) -> Plan:
        """Return what is grouped of each row, and what is compared."""
        values = [value for each in _calls(sweep.top) for value in _arguments(each)]
        refs = [arg.attribute for each in self.calls for arg in each.args if isinstance(arg, Ref)]
        columns = (*sweep.top.keys, *map(Column, refs, values), *carry(self.sides))
        return Project(id=self._operator_below_groups, input=fold(sweep.top.input, self._with_sides), columns=columns)

    def _with_sides(self, node: Plan, below: tuple[Plan, ...]) -> Plan:
        """Return an operator above others, with what comparisons read carried along."""
        made = with_inputs(node, below)
        if isinstance(made, Project):
            made = replace(made, columns=made.columns + carry(a for a in below[0].output if a in self.sides))
        own = [(side, s) for side, s in zip(self.sides, self.sweeps, strict=True) if s.compared.filter.id == node.id]
        if not own:
            return made
        sides = (Column(side, sweep.compared.side) for side, sweep in own)
        return Project(id=self._operators_above_filters[node.id], input=made, columns=(*carry(made.output), *sides))


@dataclass(frozen=True)
class _Groups:
    """What the query with each bound would return."""

    readings: _Readings
    evaluated: EvaluatedQueries

    @cached_property
    def fresh(self) -> Fresh:
        return Fresh(self.evaluated.rows.plan)

    @property
    def top(self) -> Aggregate:
        return self.readings.sweeps[0].top

    @cached_property
    def gate(self) -> Attribute:
        return self.fresh.attribute("gate", LONG)

    @cached_property
    def edges(self) -> tuple[Attribute, Attribute]:
        """The place of a row, and how far that is behind the old bound."""
        place, offset = (self.fresh.attribute(name, DOUBLE, nullable=True) for name in ("place", "offset"))
        return place, offset

    def bounds(self) -> Plan:
        """Return the sweeps for which some bound works, by their gates, with the nearest places."""
        rows = self._accumulate(self._group_by_distance(self._entries()))
        asked = all_of(self.readings.conditions)
        matching = Filter(id=self.fresh.part(rows), input=self._operators_over(rows), condition=asked)
        (place, offset), none = map(Ref, self.edges), _number(0)
        looser = AggCall("min", (place,), condition=Compare(">=", offset, none))
        stricter = AggCall("max", (place,), condition=Compare("<", offset, none))
        nearest = tuple(Column(self.fresh.attribute("nearest", DOUBLE, nullable=True), e) for e in (looser, stricter))
        return Aggregate(id=self.fresh.part(rows), input=matching, keys=carry((self.gate,)), aggregates=nearest)

    def _entries(self) -> Plan:
        """Return each row once for each sweep to whose groups it comes."""
        rows, fresh, sweeps = self.evaluated.rows, self.fresh, self.readings.sweeps
        gates = call("array", *(call("&", present_in(self.evaluated), long(gate)) for gate in self._gates))
        flat = Flatten(id=fresh.part(self.top), input=rows.plan, collection=gates, elements=(self.gate,))
        here = Compare("<>", Ref(self.gate), long(0))
        some = Filter(id=fresh.part(self.top), input=flat, condition=here)
        held = (a for a in self.evaluated.plans[0].output if a not in self.readings.sides)
        read = [rows.read_in(i, Ref(side)) for i, side in enumerate(self.readings.sides)]
        place, offset = self.edges
        columns = (
            *carry((self.gate,)),
            *(Column(a, self._own(rows.read_in(i, Ref(a)) for i in range(len(sweeps)))) for a in held),
            Column(place, self._own(sweep.place(side) for sweep, side in zip(sweeps, read, strict=True))),
            Column(offset, self._own(sweep.offset(side) for sweep, side in zip(sweeps, read, strict=True))),
        )
        rows_of_all = Project(id=fresh.part(self.top), input=some, columns=columns)
        measured = Compare("<", call("abs", Ref(offset)), _number(_FARTHEST))
        return Filter(id=fresh.part(self.top), input=rows_of_all, condition=measured)

    @cached_property
    def _gates(self) -> list[int]:
        return [bit_of_query(i) for i in range(len(self.readings.sweeps))]

    def _own(self, values: Iterable[Expr]) -> Expr:
        """Return the value that belongs to the sweep of a row, given one for each."""
        *first, last = values
        others = [(gate, value) for gate, value in zip(self._gates, first, strict=False) if value != last]
        cases = tuple((equal(Ref(self.gate), long(gate)), value) for gate, value in others)
        return Case(cases, last) if cases else last

    @cached_property
    def _stages(self) -> tuple[Stages, ...]:
        made = (
            split_decimal_sum(self.fresh, each) or split_aggregate(self.fresh, each) for each in self.readings.calls
        )
        return tuple(each for each in made if each is not None)

    @cached_property
    def _keys(self) -> tuple[Attribute, ...]:
        """What tells the groups of a sweep apart from others."""
        return (self.gate, *(column.attribute for column in self.top.keys))

    @cached_property
    def _distance(self) -> Attribute:
        return self.fresh.attribute("distance", LONG)

    def _group_by_distance(self, rows: Plan) -> Plan:
        """Return the parts of each group: its rows at about the same distance."""
        fresh = self.fresh
        near = Column(self._distance, _rounded_distance(Ref(self.edges[1])))
        edges = [Column(edge, AggCall("max", (Ref(edge),))) for edge in self.edges]
        first = tuple(column for stage in self._stages for column in stage.first)
        below, first = compute_numbers_once(fresh, self.top, rows, first)
        return Aggregate(
            id=fresh.part(self.top), input=below, keys=(*carry(self._keys), near), aggregates=(*first, *edges)
        )

    def _accumulate(self, parts: Plan) -> Plan:
        """Return the groups as they are with a bound at each distance."""
        columns = tuple(
            replace(column, expr=WindowCall(column.expr, _UP_TO_HERE))
            for stage in self._stages
            for column in stage.second
            if isinstance(column.expr, AggCall)
        )
        id = self.fresh.part(self.top)
        order = (SortKey(Ref(self._distance)),)
        sums = Window(id=id, input=parts, partition=tuple(map(Ref, self._keys)), order=order, columns=columns)
        values = zip(self.top.aggregates, self._stages, strict=True)
        made = (*carry(self._keys), *(Column(column.attribute, stage.value) for column, stage in values))
        return Project(id=self.fresh.part(self.top), input=sums, columns=made + self._marks[1:])

    @cached_property
    def _marks(self) -> tuple[Column, ...]:
        return carry((self.gate, *self.edges))

    def _operators_over(self, groups: Plan) -> Plan:
        """Return the rest of the query."""
        for node in reversed(list(_operators_above(self.readings.sweeps[0].repair.plan, self.top))):
            if isinstance(node, Project):
                groups = replace(node, input=groups, columns=node.columns + self._marks)
            elif isinstance(node, Filter):
                groups = replace(node, input=groups)
        return groups


_FARTHEST = 1e300
"""What is further away is infinite, or no number."""

_UP_TO_HERE = Frame("rows", None, "current row")


def _rounded_distance(offset: Expr) -> Expr:
    """Return a whole number that grows with an offset: another one for each unit up to some thousands, for fewer
    beyond.
    """
    far = call("abs", offset)
    rough = call("+", call("*", _number(_FINENESS), call("power", far, _number(0.2))), _number(_EXACT))
    steps = call("floor", either(Compare("<", far, _number(_EXACT)), far, rough))
    return either(Compare("<", offset, _number(0)), call("-", long(-1), steps), steps)


_EXACT = 4096
_FINENESS = 512
"""There are some twelve thousand distances up to a million units, and three times as many up to a billion."""


def _number(value: float) -> Expr:
    return Literal(float(value), DOUBLE)


def _sign(compared: ComparedConstant) -> int:
    part = conjuncts(compared.filter.condition)[compared.at]
    assert isinstance(part, Compare)
    return 1 if (part.op[0] == "<") == (part.left == compared.side) else -1


def _unit(compared: ComparedConstant) -> float | None:
    """Return the unit of distances; None if values are not dates, or numbers that a double tells apart."""
    type, value = compared.side.type, constant_value(compared.constant)
    if type == DATE or type in INTEGRALS:
        return 1.0
    if isinstance(type, Decimal):
        return float(decimal.Decimal(1).scaleb(-type.scale))
    if type == DOUBLE and isinstance(value, int | float | decimal.Decimal):
        return max(abs(float(value)), 1.0) * 1e-6
    return None


def _as_number(expr: Expr) -> Expr:
    number = as_number(expr)
    assert number is not None, "other comparisons are not swept"
    return number


def _calls(top: Aggregate) -> tuple[AggCall, ...]:
    """Return the aggregates of a grouping, as far as they can be made of the aggregates of parts."""
    calls = (column.expr for column in top.aggregates)
    return tuple(e for e in calls if isinstance(e, AggCall) and not e.distinct and e.function in _OF_PARTS)


_OF_PARTS = ("sum", "count", "avg", "min", "max")


def _arguments(expr: AggCall) -> tuple[Expr, ...]:
    """Return what an aggregate reads: null where its condition leaves a row out."""
    if expr.condition is None:
        return expr.args
    return tuple(either(expr.condition, arg, null(arg.type)) for arg in expr.args)


def _top(plan: Plan) -> Aggregate | None:
    """Return the grouping above which each row is read by itself."""
    while is_rowwise(plan):
        plan = plan.input
    return plan if isinstance(plan, Aggregate) else None


def _operators_above(plan: Plan, top: Aggregate) -> Iterator[Plan]:
    """Yield the operators above the grouping, the last one first."""
    while is_rowwise(plan) and plan.id != top.id:
        yield plan
        plan = plan.input


def _comes_up(plan: Plan, filter: OpId) -> bool:
    """Return whether each row of a filter comes up to here or not by itself, whatever other rows there are."""

    def comes(node: Plan, below: tuple[bool | None, ...]) -> bool | None:
        """Return whether rows come alone so far; None if the filter is not below."""
        if node.id == filter:
            return True
        sides = [side for side, each in enumerate(below) if each is not None]
        if not sides:
            return None
        alone = reads_rows_alone(node) or (isinstance(node, Join) and SIDES[sides[0]] in node.traits.independent)
        return alone and all(below[side] for side in sides) and len(sides) == 1

    return fold(plan, comes) is True
