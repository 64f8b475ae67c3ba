"""Semi, anti and existence joins: the queries in which a left row has a partner are one set, `found`."""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import boolean, call, carry, either, empty_array, long, reduce
from sparkwhy.plan.exprs import AggCall, Expr, FieldOf, MakeStruct, Not, Ref
from sparkwhy.plan.join_keys import residual_conditions
from sparkwhy.plan.nodes import Column, Flatten, Join, Plan, Project
from sparkwhy.plan.types import BOOLEAN, LONG, Array, Field, Struct
from sparkwhy.trace.evaluation.bounds_by_halving import QueryCondition
from sparkwhy.trace.evaluation.filter import keep_where
from sparkwhy.trace.evaluation.join_sides import split_sides
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, intersect, is_any, subtract, unite
from sparkwhy.trace.joins.partners import group_by_key, matching, read_by_residual
from sparkwhy.trace.variants.partitions import refine

_CASE = Struct((Field("found", BOOLEAN), Field("present", LONG)))


def evaluate_semi_join(evaluation: Evaluation, op: Join, left: EvaluatedRows, right: EvaluatedRows) -> EvaluatedRows:
    """Keep a left row in query i if it has a partner there (semi) or none (anti), or if query i relaxes the join.

    l.k  present     r.k  present                     l.k  present
    1    0b11        1    0b01       semi join  ->    1    0b01
    """
    op, left, right = split_sides(evaluation, op, left, right)
    if right.present is None:
        return _join_by_existence(evaluation, op, left, right)
    rows, found = _find_partners(evaluation, op, left, right)
    columns = carry(left.holders(op.left.output))
    if not op.traits.drops:
        return _list_cases(evaluation, op, rows, columns, found)
    drop = evaluation.queries_that_drop(op.first_use)
    missing = intersect(long(drop), found) if op.traits.rejects_partners else subtract(long(drop), found)
    kept = evaluation.project(op, rows, columns, present=subtract(rows.present_expr, missing))
    return evaluation.drop_absent(op, kept.differ_by([drop]))


def _join_by_existence(evaluation: Evaluation, op: Join, left: EvaluatedRows, right: EvaluatedRows) -> EvaluatedRows:
    """Join as Spark does, where all queries have the same partners."""
    found = op.exists or evaluation.fresh.attribute("found", BOOLEAN)
    plan = Join(
        id=evaluation.fresh.part(op),
        where=op.where,
        left=left.plan,
        right=right.plan,
        how="existence",
        condition=op.condition,
        exists=found,
    )
    rows, columns = replace(left, plan=plan), carry(left.holders(op.left.output))
    if not op.traits.drops:
        return evaluation.project(op, rows, (*columns, *carry((found,))))
    kept = Not(Ref(found)) if op.traits.rejects_partners else Ref(found)
    return keep_where(evaluation, op, rows, columns, [QueryCondition(kept, evaluation.queries_that_drop(op.first_use))])


def _find_partners(
    evaluation: Evaluation, op: Join, left: EvaluatedRows, right: EvaluatedRows
) -> tuple[EvaluatedRows, Expr]:
    """Return the left rows, and the queries in which each has a partner."""
    fresh = evaluation.fresh
    collected = _collect(op, right)
    known = fresh.attribute("known", collected.type, nullable=True)
    summary, condition = group_by_key(fresh, op, right.plan, (Column(known, collected),))
    joined: Plan = Join(id=fresh.part(op), left=left.plan, right=summary, how="left", condition=condition)
    found = fresh.attribute("found", LONG)
    column = Column(found, call("coalesce", _any_present(op, Ref(known)), long(0)))
    plan = Project(id=fresh.part(op), input=joined, columns=(*carry(left.plan.output), column))
    between = refine([left.present_differs_between, right.present_differs_between])
    return replace(left, plan=plan, present_differs_between=between, unique=None), Ref(found)


def _collect(op: Join, right: EvaluatedRows) -> AggCall:
    """Collect the queries of the rows of a key; with what the rest of the condition reads, if there is any."""
    if not residual_conditions(op):
        return AggCall("bit_or", (right.present_expr,))
    read = read_by_residual(op, "right")
    names = ("present", *(f"c{i}" for i in range(len(read))))
    return AggCall("collect_set", (MakeStruct(names, (right.present_expr, *map(Ref, read))),))


def _any_present(op: Join, known: Expr) -> Expr:
    if not isinstance(known.type, Array):
        return known
    return reduce(
        matching(op, "right", known, offset=1), long(0), lambda found, partner: unite(found, FieldOf(partner, 0))
    )


def _list_cases(
    evaluation: Evaluation, op: Join, rows: EvaluatedRows, columns: tuple[Column, ...], found: Expr
) -> EvaluatedRows:
    """Return every row with `exists` true in the queries where it has a partner, and false in the others."""
    assert op.exists is not None
    case = evaluation.fresh.attribute("case", _CASE)

    def keep_wanted(exists: bool, present: Expr) -> Expr:
        listed = call("array", MakeStruct(("found", "present"), (boolean(exists), present)))
        return either(is_any(present), listed, empty_array(_CASE))

    own = rows.present_expr
    cases = call("concat", keep_wanted(True, intersect(own, found)), keep_wanted(False, subtract(own, found)))
    flat = Flatten(id=evaluation.fresh.part(op), input=rows.plan, collection=cases, elements=(case,))
    exists = Column(op.exists, FieldOf(Ref(case), 0))
    spread = replace(rows, plan=flat, unique=None)
    return evaluation.project(op, spread, (*columns, exists), present=FieldOf(Ref(case), 1))
