"""The partners of a row in a join: rows of one side by key, and those that meet the rest of the condition."""

from __future__ import annotations

from sparkwhy.plan.build import Fresh, all_of, keep
from sparkwhy.plan.exprs import Attribute, Compare, Expr, FieldOf, Ref
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.join_types import Side
from sparkwhy.plan.nodes import Aggregate, Column, Join, Plan
from sparkwhy.plan.walk_exprs import attributes_of, rewrite


def group_by_key(fresh: Fresh, op: Join, right: Plan, aggregates: tuple[Column, ...]) -> tuple[Plan, Expr | None]:
    """Return one row for each key of the right side, with these aggregates, and the condition to join it.

    For `l.k = r.k`: `aggregate by r.k as key`, to be joined on `l.k = key`.
    """
    keys = equal_keys(op)
    columns = tuple(Column(fresh.attribute("key", k.right.type, nullable=True), k.right) for k in keys)
    plan = Aggregate(id=fresh.part(op), input=right, keys=columns, aggregates=aggregates)
    pairs = zip(keys, columns, strict=True)
    equal = [Compare("<=>" if k.null_safe else "=", k.left, Ref(c.attribute)) for k, c in pairs]
    return plan, all_of(equal) if equal else None


def read_by_residual(op: Join, side: Side) -> tuple[Attribute, ...]:
    """Return the attributes of this side that the condition reads besides keys."""
    own = {a.id for a in (op.left if side == "left" else op.right).output}
    return tuple(dict.fromkeys(a for part in residual_conditions(op) for a in attributes_of(part) if a.id in own))


def matching(op: Join, side: Side, partners: Expr, offset: int) -> Expr:
    """Keep the partners, of all with the same key, that meet the rest of the condition too.

    Each partner is a struct; what the rest of the condition reads of it is in the fields from `offset` on.
    """
    if not residual_conditions(op):
        return partners
    places = {a.id: offset + i for i, a in enumerate(read_by_residual(op, side))}

    def meets(partner: Expr) -> Expr:
        def field(part: Expr) -> Expr | None:
            found = isinstance(part, Ref) and part.attribute.id in places
            return FieldOf(partner, places[part.attribute.id]) if found and isinstance(part, Ref) else None

        return all_of(rewrite(part, field) for part in residual_conditions(op))

    return keep(partners, meets)
