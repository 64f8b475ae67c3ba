"""Probes: small queries that tell more of a witness: the nearest keys beside a join, the partner that an anti join
found, the rows of a group. Each looks at the query as it stands, below the operator in question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from sparkwhy.explain.model import Explanation
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.build import Fresh, all_of, carry, long, null
from sparkwhy.plan.exprs import AggCall, Cast, Compare, Expr, IsNotNull, Literal, Ref, conjuncts
from sparkwhy.plan.filter_inputs import group_keys_tested_by, grouping_tested_by, ranking_tested_by
from sparkwhy.plan.join_keys import equal_keys, residual_conditions, strip_casts
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Filter, Join, Plan, Project
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import BOOLEAN, DATE, LONG, STRING, TIMESTAMP, TIMESTAMP_NTZ, Type, is_numeric
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of, paths_of, rewrite
from sparkwhy.trace.encode import Typed, print_value
from sparkwhy.trace.witness import Observation


@dataclass(frozen=True)
class Probe:
    """A query about an observation at a step: its rows nearest to the wanted values become the field `what`.

    It is `about` the values that were read there, and holds for every witness with the same.
    """

    step: int
    what: OneOf["nearest", "null_safe_partner", "partner", "group", "kept"]
    about: tuple[tuple[Expr, Typed], ...]
    plan: Plan
    wanted: tuple[str | None, ...] = ()


def probes(plan: Plan, explanations: Iterable[Explanation], limits: Limits = DEFAULT_LIMITS) -> tuple[Probe, ...]:
    """Return at most one probe for each operator of the answer: for the first witness that gives reason for one."""
    nodes = {node.id.step: node for node in walk(plan) if not node.id.part}
    fresh = Fresh(plan)
    found: dict[int, Probe] = {}
    for explanation in explanations:
        for step, seen in _observations(explanation):
            if step not in found and step in nodes:
                alone, columns = len(explanation.operators) == 1, limits.probed_columns
                made = _probe(fresh, nodes[step], seen, alone=alone, columns=columns)
                found.update((probe.step, probe) for probe in made)
    return tuple(found.values())


def _observations(explanation: Explanation) -> Iterator[tuple[int, Observation]]:
    for step in (step for operator in explanation.operators for step in explanation.steps_of(operator)):
        for witness in explanation.witnesses:
            if step in witness.at:
                yield step, witness.at[step]


def _probe(fresh: Fresh, node: Plan, seen: Observation, *, alone: bool, columns: int) -> Iterator[Probe]:
    match node:
        case Join() if seen.no_partner is not None:
            yield from _nearest(fresh, node, seen)
            yield from _null_safe_partner(fresh, node, seen)
        case Join(how="anti") if seen.has_partner is not None:
            yield from _partner(fresh, node, seen, columns)
        case Filter() if ranking_tested_by(node) is not None:
            yield from _probe_kept_rows(fresh, node, group_keys_tested_by(node), seen, columns)
        case Distinct(keys=tuple(keys)) if not alone:  # tracing knows the rival if nothing else is relaxed
            yield from _probe_kept_rows(fresh, node, tuple(map(Ref, keys)), seen, columns)
        case Filter() if alone:  # what is relaxed below a group would change it
            yield from _group(fresh, node, seen)
        case _:
            return


def own_keys(join: Join, seen: Observation) -> tuple[tuple[Expr, Expr], ...]:
    """Return the keys of a join before any cast: the one of the row without a partner, and the one on the other
    side.
    """
    keys = [(strip_casts(key.left), strip_casts(key.right)) for key in equal_keys(join)]
    return tuple((left, right) if seen.no_partner == "right" else (right, left) for left, right in keys)


def texts_of(exprs: Iterable[Expr], seen: Observation) -> tuple[str | None, ...]:
    """Return the values of these expressions as Spark prints them; None for null, and for what was not recorded."""
    values = (seen.value_of(expr) if seen.has_value(expr) else None for expr in exprs)
    return tuple(None if value is None else print_value(value) for value in values)


def _nearest(fresh: Fresh, join: Join, seen: Observation) -> Iterator[Probe]:
    """Yield the keys of the other side that come nearest; none is near a null."""
    keys = own_keys(join, seen)
    wanted = texts_of((own for own, _ in keys), seen)
    if keys and None not in wanted:
        side = join.right if seen.no_partner == "right" else join.left
        columns = tuple(Column(fresh.attribute(show_expr(o), o.type, nullable=True), o) for _, o in keys)
        present = all_of(IsNotNull(other) for _, other in keys)
        rows = Filter(id=fresh.part(join), input=side, condition=present)
        shown = Project(id=fresh.part(join), input=rows, columns=columns)
        yield Probe(join.id.step, "nearest", seen.read, shown, wanted)


def _null_safe_partner(fresh: Fresh, join: Join, seen: Observation) -> Iterator[Probe]:
    """Yield the rows of the other side that a row with a null key is joined with if null equals null."""
    own, other = (join.left, join.right) if seen.no_partner == "right" else (join.right, join.left)
    keys = [key for key in equal_keys(join) if not key.null_safe]
    mine = texts_of((key.left if seen.no_partner == "right" else key.right for key in keys), seen)
    condition = None if None not in mine else _fill_in(own, _null_safe_condition(join), seen)
    if condition is not None:
        rows = Filter(id=fresh.part(join), input=other, condition=condition)
        one = Column(fresh.attribute(ROWS, LONG), long(1))
        shown = Project(id=fresh.part(join), input=rows, columns=(one,))
        yield Probe(join.id.step, "null_safe_partner", seen.read, shown)


def _null_safe_condition(join: Join) -> Expr:
    equal = (Compare("<=>", key.left, key.right) for key in equal_keys(join))
    return all_of((*equal, *residual_conditions(join)))


def _fill_in(side: Plan, condition: Expr, seen: Observation) -> Expr | None:
    """Return the condition of a join with the values of a row of one side; None if these are not all known."""
    own = {attribute.id for attribute in side.output}
    read = [path for path in dict.fromkeys(paths_of(condition)) if all(a.id in own for a in attributes_of(path))]
    known = constants_for(read, texts_of(read, seen)) if all(map(seen.has_value, read)) else None
    return None if known is None else rewrite(condition, known.get)


def _partner(fresh: Fresh, join: Join, seen: Observation, shown_columns: int) -> Iterator[Probe]:
    """Yield the rows of the right side that are partners of the witness, with the columns that they had before the
    right side selected some: these tell which row it is.
    """
    condition = None if join.condition is None else _fill_in(join.left, join.condition, seen)
    if condition is not None:
        right = _rows_selected_from(join.right, condition)
        rows = Filter(id=fresh.part(join), input=right, condition=condition)
        columns = carry(right.output[:shown_columns])
        shown = Project(id=fresh.part(join), input=rows, columns=columns)
        yield Probe(join.id.step, "partner", seen.read, shown)


def _rows_selected_from(plan: Plan, condition: Expr) -> Plan:
    """Return the plan below the projections that only pass on what a condition reads."""
    read = {attribute.id for attribute in attributes_of(condition)}
    while isinstance(plan, Project) and read <= {attribute.id for attribute in plan.input.output}:
        plan = plan.input
    return plan


def _probe_kept_rows(
    fresh: Fresh, op: Filter | Distinct, keys: tuple[Expr, ...], seen: Observation, shown_columns: int
) -> Iterator[Probe]:
    """Yield the rows that a filter on ranks, or `dropDuplicates`, keeps of those with the keys of the witness."""
    known = constants_for(keys, texts_of(keys, seen)) if all(map(seen.has_value, keys)) else None
    if known is not None:
        rows = Filter(id=fresh.part(op), input=op, condition=_same(known))
        columns = carry(op.output[:shown_columns])
        shown = Project(id=fresh.part(op), input=rows, columns=columns)
        yield Probe(op.id.step, "kept", seen.read, shown)


def _group(fresh: Fresh, filter: Filter, seen: Observation) -> Iterator[Probe]:
    """Yield how many rows the group of the witness has, and in how many what is aggregated is there."""
    group = grouping_tested_by(filter)
    if group is None or not group.keys or all(verdict is True for _, verdict in seen.outcomes):
        return
    texts = texts_of((Ref(key.attribute) for key in group.keys), seen)
    known = constants_for([key.expr for key in group.keys], texts)
    counts = tuple(_counts(fresh, group, filter))
    if known is not None and len(counts) > 1:
        rows = Filter(id=fresh.part(filter), input=group.input, condition=_same(known))
        counted = Aggregate(id=fresh.part(filter), input=rows, keys=(), aggregates=counts)
        yield Probe(filter.id.step, "group", seen.read, counted)


def _counts(fresh: Fresh, group: Aggregate, filter: Filter) -> Iterator[Column]:
    read = {attribute.id for part in conjuncts(filter.condition) for attribute in attributes_of(part)}
    tested = [c.expr for c in group.aggregates if c.attribute.id in read and isinstance(c.expr, AggCall)]
    yield Column(fresh.attribute(ROWS, LONG), AggCall("count", (long(1),)))
    for arg in dict.fromkeys(arg for expr in tested for arg in expr.args if any(attributes_of(arg))):
        yield Column(fresh.attribute(show_expr(arg), LONG), AggCall("count", (arg,)))


ROWS = "rows"


def _same(known: Mapping[Expr, Expr]) -> Expr:
    return all_of(Compare("<=>", expr, value) for expr, value in known.items())


def constants_for(exprs: Sequence[Expr], texts: Sequence[str | None]) -> dict[Expr, Expr] | None:
    """Return what the expressions were, as constants; None if text does not tell."""
    if not all(_is_told_by_text(expr.type) for expr in exprs):
        return None
    return {expr: _constant(text, expr.type) for expr, text in zip(exprs, texts, strict=True)}


def _constant(text: str | None, type: Type) -> Expr:
    if text is None:
        return null(type)
    return Literal(text, STRING) if type == STRING else Cast(Literal(text, STRING), type)


def _is_told_by_text(type: Type) -> bool:
    return is_numeric(type) or type in (BOOLEAN, STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ)
