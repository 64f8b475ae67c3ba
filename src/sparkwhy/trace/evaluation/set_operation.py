"""Except and intersect, by what they are made of: a semi or anti join, or counts of copies."""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of, call, carry, either, empty_array, equal, long
from sparkwhy.plan.exprs import AggCall, Compare, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Flatten, Join, Project, SetOperation, Union
from sparkwhy.plan.types import LONG
from sparkwhy.trace.evaluation.aggregate import evaluate_distinct, group_rows
from sparkwhy.trace.evaluation.bounds_by_halving import QueryCondition
from sparkwhy.trace.evaluation.filter import keep_where
from sparkwhy.trace.evaluation.project import evaluate_union
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation
from sparkwhy.trace.evaluation.semi_join import evaluate_semi_join


def evaluate_set_operation(
    evaluation: Evaluation, op: SetOperation, left: EvaluatedRows, right: EvaluatedRows
) -> EvaluatedRows:
    """Return the rows of the left side that the right side has too, or has not; all of them where it is relaxed."""
    return (_keep_copies if op.all else _keep_once)(evaluation, op, left, right)


def _keep_once(evaluation: Evaluation, op: SetOperation, left: EvaluatedRows, right: EvaluatedRows) -> EvaluatedRows:
    """Return each row of the left once: a semi or anti join on all columns."""
    once = Distinct(id=op.id, where=op.where, input=op.left)
    pairs = zip(op.left.output, op.right.output, strict=True)
    join = Join(
        id=op.id,
        where=op.where,
        use_of=op.use_of,
        left=once,
        right=op.right,
        how="anti" if op.operation == "except" else "semi",
        condition=all_of(Compare("<=>", Ref(a), Ref(b)) for a, b in pairs),
    )
    return evaluate_semi_join(evaluation, join, evaluate_distinct(evaluation, once, left), right)


def _keep_copies(evaluation: Evaluation, op: SetOperation, left: EvaluatedRows, right: EvaluatedRows) -> EvaluatedRows:
    """Number the copies of a row on the left; those up to its number on the right are dropped (except) or kept.

    Three copies on the left and one on the right: `except all` keeps two, `intersect all` one.
    """
    counted, here, there = _count_copies(evaluation, op, left, right)
    copy = evaluation.fresh.attribute("copy", LONG)
    copies = either(Compare(">", here, long(0)), call("sequence", long(1), here), empty_array(LONG))
    flat = Flatten(
        id=evaluation.fresh.part(op), where=op.where, input=counted.plan, collection=copies, elements=(copy,)
    )
    kept = Compare(">" if op.operation == "except" else "<=", Ref(copy), there)
    asked = QueryCondition(kept, evaluation.queries_that_drop(op.first_use))
    return keep_where(evaluation, op, replace(counted, plan=flat, unique=None), carry(op.output), [asked])


def _count_copies(
    evaluation: Evaluation, op: SetOperation, left: EvaluatedRows, right: EvaluatedRows
) -> tuple[EvaluatedRows, Expr, Expr]:
    """Return each row once in every query, with the numbers of its copies on the left and on the right."""
    fresh = evaluation.fresh
    side = fresh.attribute("side", LONG)
    branches = []
    for plan, rows, number in ((op.left, left, 1), (op.right, right, 2)):
        given = Column(fresh.attribute("side", LONG), long(number))
        labelled = evaluation.project(op, rows, (*carry(rows.holders(plan.output)), given))
        shape = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), given))
        branches.append((labelled, shape))
    both = Union(id=fresh.part(op), branches=tuple(shape for _, shape in branches), attributes=(*op.output, side))
    rows = evaluate_union(evaluation, both, tuple(labelled for labelled, _ in branches))
    here, there = fresh.attribute("here", LONG), fresh.attribute("there", LONG)
    counts = [AggCall("count", (long(1),), condition=equal(Ref(side), long(n))) for n in (1, 2)]
    grouped = Aggregate(
        id=op.id,
        input=rows.plan,
        keys=carry(op.output),
        aggregates=(Column(here, counts[0]), Column(there, counts[1])),
    )
    return group_rows(evaluation, grouped, rows), Ref(here), Ref(there)
