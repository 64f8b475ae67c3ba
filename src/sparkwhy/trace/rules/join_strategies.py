"""What a side of a join brings along for rows of the other side that stay without a partner.

A row without partners is padded by an outer join, or where an inner join is relaxed. A row whose partners exist only
where something is relaxed is both: a pair, and alone. So the first partner of a key knows about all partners of that
key. `general` lists them; the other strategies do less work where they apply. A law test forces each of them on
generated queries and compares it with `general`.

    no_padding         rows of the other side are never padded, or the question rejects them padded
    certain_partners   every partner is there whatever is relaxed: only whether there is one matters
    one_set_per_key    one set of operators says when any row of the key is there: `common`
    general            the liveness of all rows of the key is listed: `partners`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.plan.build import boolean, call, carry, integer
from sparkwhy.plan.exprs import AggCall, Attribute, Call, Expr, Ref, WindowCall
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.join_types import Side, other_side
from sparkwhy.plan.nodes import Column, Join, Plan, SortKey, Window
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array
from sparkwhy.trace.blame import drops
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.joins.inputs import JoinInput, partner_of
from sparkwhy.trace.rows import TracedRows, query_columns
from sparkwhy.trace.worlds import WHOLE_PARTITION


@dataclass(frozen=True)
class JoinCase:
    """A join, one of its sides, and the conditions of the question on joined rows in each variant."""

    tracing: TraceContext
    op: Join
    side: JoinInput
    wanted: Sequence[Conditions]

    @property
    def rows(self) -> TracedRows:
        return self.side.rows

    @property
    def input(self) -> Plan:
        """The input of the query's join on this side."""
        return self.op.left if self.side.side == "left" else self.op.right

    @property
    def keys(self) -> tuple[Expr, ...]:
        return tuple(key.left if self.side.side == "left" else key.right for key in equal_keys(self.op))

    @property
    def has_own_key(self) -> bool:
        """Whether no two rows of the side are known to have the same key."""
        unique = self.rows.unique
        return unique is not None and unique <= {key.attribute for key in self.keys if isinstance(key, Ref)}


@dataclass(frozen=True)
class JoinStrategy:
    """A way to prepare a side, and the cases in which it is right."""

    name: str
    applies: Callable[[JoinCase], bool]
    construct: Callable[[JoinCase], JoinInput]


def choose_join_strategy(case: JoinCase) -> JoinStrategy:
    """Return the first strategy that applies."""
    return next(strategy for strategy in JOIN_STRATEGIES if strategy.applies(case))


def is_padded(op: Join, side: Side) -> bool:
    """Return whether rows of this side can be padded: by the join itself, or if it is relaxed."""
    return side in op.traits.keeps or drops(op, side)


# --- no padding ---


def _needs_no_padding(case: JoinCase) -> bool:
    return not _is_padding_possible(case) or _is_padding_rejected(case)


def _is_padding_possible(case: JoinCase) -> bool:
    return is_padded(case.op, other_side(case.side.side))


def _is_padding_rejected(case: JoinCase) -> bool:
    """Return whether no row is wanted, in any variant, that has only nulls on this side."""
    ids = frozenset(attribute.id for attribute in case.input.output)
    return all(any(rejects_null(condition, ids) for condition in conditions) for conditions in case.wanted)


def _bring_nothing(case: JoinCase) -> JoinInput:
    return case.side


# --- certain partners ---


def _has_certain_partners(case: JoinCase) -> bool:
    return _is_padding_possible(case) and case.rows.is_certain


def _mark_here(case: JoinCase) -> JoinInput:
    """Add a column that is null where a row of the other side has no partner at all.

    before    after
    k         k  here
    1         1  true
    """
    here = case.tracing.fresh.attribute("here", BOOLEAN)
    columns = (*carry(query_columns(case.rows)), Column(here, boolean(True)))
    return replace(case.side, rows=case.tracing.project(case.op, case.rows, columns), here=here)


# --- one set for each key ---


def _is_one_set_enough(case: JoinCase) -> bool:
    """Return whether one set says when any of the rows with the same key is there."""
    if not _is_padding_possible(case) or residual_conditions(case.op):
        return False
    if case.tracing.is_one_set_enough((case.input,), case.rows):
        return True
    return case.rows.unless is None and case.has_own_key


def _add_common_set(case: JoinCase) -> JoinInput:
    """Number the rows of each key, and add the blame that all of them have: without it none of them exists.

    before        after
    k  blame      k  blame  here  rank  common
    1  0b01       1  0b01   true  1     0b01
    1  0b01       1  0b01   true  2     0b01
    """
    case = replace(case, side=_mark_here(case))
    rank, common = case.tracing.fresh.attribute("rank", INTEGER), case.tracing.fresh.attribute("common", LONG)
    if case.has_own_key:
        known = (Column(rank, integer(1)), Column(common, case.rows.blame_expr))
        rows = case.tracing.project(case.op, case.rows, (*carry(query_columns(case.rows)), *known))
    else:
        needed = Column(common, WindowCall(AggCall("bit_and", (case.rows.blame_expr,)), WHOLE_PARTITION))
        rows = _compute_within_key(case, _number(rank), needed)
    return replace(case.side, rows=rows, rank=rank, common=common)


def _compute_within_key(case: JoinCase, *columns: Column) -> TracedRows:
    """Compute columns over the rows of the same key, in one pass."""
    plan = Window(
        id=case.tracing.fresh.part(case.op),
        input=case.rows.plan,
        partition=case.keys,
        order=(SortKey(integer(1)),),
        columns=columns,
    )
    return replace(case.rows, plan=plan)


def _number(rank: Attribute) -> Column:
    return Column(rank, WindowCall(Call("row_number", ()), WHOLE_PARTITION))


# --- all partners ---


def _list_partners(case: JoinCase) -> JoinInput:
    """Number the rows of each key, and add a list of what is known of all of them.

    before        after
    k  blame      k  blame  here  rank  partners
    1  0b01       1  0b01   true  1     [0b01, 0b10]
    1  0b10       1  0b10   true  2     [0b01, 0b10]
    """
    case = replace(case, side=_mark_here(case))
    rank = case.tracing.fresh.attribute("rank", INTEGER)
    partner = partner_of(case.op, case.side, rank)
    partners = case.tracing.fresh.attribute("partners", Array(partner.type, False))
    listed = _list_one if case.has_own_key else _list_within_key
    return replace(case.side, rows=listed(case, rank, Column(partners, partner)), rank=rank, partners=partners)


def _list_one(case: JoinCase, rank: Attribute, partner: Column) -> TracedRows:
    """List the row itself, where no two rows have the same key: nothing has to be brought together."""
    tracing, op, rows = case.tracing, case.op, case.rows
    numbered = tracing.project(op, rows, (*carry(query_columns(rows)), Column(rank, integer(1))))
    known = Column(partner.attribute, call("array", partner.expr))
    return tracing.project(op, numbered, (*carry(query_columns(numbered)), known))


def _list_within_key(case: JoinCase, rank: Attribute, partner: Column) -> TracedRows:
    """List the rows of the same key; with more to the condition than keys, each with its number and what is read."""
    if not residual_conditions(case.op):
        listed = WindowCall(AggCall("collect_set", (partner.expr,)), WHOLE_PARTITION)
        return _compute_within_key(case, _number(rank), Column(partner.attribute, listed))
    listed = WindowCall(AggCall("collect_list", (partner.expr,)), WHOLE_PARTITION)
    numbered = replace(case, side=replace(case.side, rows=_compute_within_key(case, _number(rank))))
    return _compute_within_key(numbered, Column(partner.attribute, listed))


JOIN_STRATEGIES = (
    JoinStrategy("no_padding", _needs_no_padding, _bring_nothing),
    JoinStrategy("certain_partners", _has_certain_partners, _mark_here),
    JoinStrategy("one_set_per_key", _is_one_set_enough, _add_common_set),
    JoinStrategy("general", _is_padding_possible, _list_partners),
)
