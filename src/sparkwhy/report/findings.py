"""What happened to the witnesses of an explanation at its operators, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sparkwhy.evidence.attach import has_null_for_not_in
from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.plan.exprs import AttrId, Compare, Expr, In, conjuncts
from sparkwhy.plan.nodes import Filter, Flatten, Join, Plan
from sparkwhy.plan.origins import Origins
from sparkwhy.plan.show import main_nodes, names_for, not_in_comparison, show_expr, show_op
from sparkwhy.plan.traits import condition_of
from sparkwhy.plan.walk import inputs
from sparkwhy.plan.walk_exprs import attributes_of, paths_of
from sparkwhy.report.null_origins import explain_null
from sparkwhy.report.value_origins import explain_value
from sparkwhy.report.values import cut, cut_each, show_cell, show_row, show_values
from sparkwhy.trace.encode import print_value
from sparkwhy.trace.observe import time_bounds
from sparkwhy.trace.witness import Observation, Row, Witness


def findings(operator: Operator, witness: Witness, explanation: Explanation) -> Iterator[str]:
    """Yield sentences on what happened to a witness at an operator, at each of its uses."""
    steps = explanation.steps_of(operator)
    for number, step in enumerate(steps, 1):
        use = f"use {number} of {len(steps)}: " if len(steps) > 1 else ""
        yield from (f"{use}{line}" for line in _findings_at(step, witness, explanation))


def _findings_at(step: int, witness: Witness, explanation: Explanation) -> Iterator[str]:
    nodes, seen = main_nodes(explanation.plan), witness.at.get(step)
    if seen is not None:
        node = nodes.get(step)
        yield from _verdicts(node, seen)
        yield from _partners(node, seen)
        yield from _ranks_and_rivals(seen)
        yield from seen.hints
        yield from _origins(node, seen, witness, explanation, nodes)


# --- where values come from ---


def _origins(
    node: Plan | None, seen: Observation, witness: Witness, explanation: Explanation, nodes: Mapping[int, Plan]
) -> Iterator[str]:
    """Yield where the values came from on which a condition failed: what was computed of what, and outer joins
    without a partner.
    """
    condition = None if node is None else condition_of(node)
    if node is None or condition is None:
        return
    origins = Origins.of(explanation.plan)
    blamed = {step for operator in explanation.operators for step in explanation.steps_of(operator)}
    for part in conjuncts(condition):
        for path in dict.fromkeys(paths_of(part)) if _did_not_hold(part, seen) else ():
            if seen.has_value(path) and seen.value_of(path) is not None:
                yield from _explain_made(explain_value, node, path, witness, explanation.plan)
            elif seen.has_value(path):
                behind = origins.ancestors(path)
                padding = list(_padding(behind, witness, nodes))
                yield from (
                    _explain_padding(join, part, origins, witness) for join in padding if join.id.step not in blamed
                )
                if not padding and not _is_relaxed(behind, blamed, nodes):
                    yield from _explain_made(explain_null, node, path, witness, explanation.plan)


def _did_not_hold(part: Expr, seen: Observation) -> bool:
    """Return whether a conjunct is not known to be true: a join without a partner records no verdicts."""
    return not seen.has_verdict(part) or seen.verdict_of(part) is not True


def _padding(behind: frozenset[AttrId], witness: Witness, nodes: Mapping[int, Plan]) -> Iterator[Join]:
    """Yield the joins that had no partner for the witness on the side where these attributes come from."""
    for step, seen in witness.at.items():
        node = nodes.get(step)
        if isinstance(node, Join) and seen.no_partner is not None and behind & _lacking(node, seen):
            yield node


def _lacking(join: Join, seen: Observation) -> frozenset[AttrId]:
    side = join.left if seen.no_partner == "left" else join.right
    return frozenset(attribute.id for attribute in side.output)


def _is_relaxed(behind: frozenset[AttrId], blamed: set[int], nodes: Mapping[int, Plan]) -> bool:
    """Return whether the null is that of an explode of nothing, which the explanation blames already."""
    flattens = (node for step in blamed if isinstance(node := nodes.get(step), Flatten))
    return any(behind & {element.id for element in node.elements} for node in flattens)


def _explain_padding(join: Join, part: Expr, origins: Origins, witness: Witness) -> str:
    seen = witness.at[join.id.step]
    sentence = f"the null comes from {show_op(join)}: {_own_values(join, seen)} has no partner"
    others = {a.id for a in join.output} - _lacking(join, seen)
    movable = _includes(part) and not origins.ancestors(part) & others
    return f"{sentence}; as a condition of the join it would keep the row" if movable else sentence


def _includes(part: Expr) -> bool:
    """Return whether a condition says what is wanted. One of what is not would let that through, as a part of the
    join.
    """
    return isinstance(part, In) or (isinstance(part, Compare) and part.op != "<>")


def _explain_made(
    explain: Callable[[Expr, Plan, Witness, Plan], Iterator[str]],
    node: Plan,
    path: Expr,
    witness: Witness,
    plan: Plan,
) -> Iterator[str]:
    """Yield what made a value that an operator read, in the input that it is from."""
    read = {attribute.id for attribute in attributes_of(path)}
    for below in inputs(node):
        if read <= {attribute.id for attribute in below.output}:
            yield from explain(path, below, witness, plan)


# --- what happened at an operator ---


def _verdicts(node: Plan | None, seen: Observation) -> Iterator[str]:
    """Yield the values, with the conjuncts that failed on them."""
    failed = [(part, verdict) for part, verdict in seen.outcomes if verdict is not True]
    match node:
        case Filter():
            names = names_for(node)
            for part, verdict in failed:
                read = {show_expr(e, names): seen.value_of(e) for e in _values_read_by(part) if seen.has_value(e)}
                yield _verdict(show_expr(part, names), verdict, read)
        case Join():
            names = names_for(node)
            yield from (_verdict(show_expr(part, names), verdict, seen.values) for part, verdict in failed)
        case Flatten():
            names = names_for(node)
            yield from (f"{show_expr(e, names)} is {state}, which makes no row" for e, state in seen.collections)
        case _:
            return


def _values_read_by(part: Expr) -> Iterator[Expr]:
    yield from dict.fromkeys(paths_of(part))
    yield from time_bounds(part)


def _verdict(conjunct: str, verdict: bool | None, values: Mapping[str, Any]) -> str:
    outcome = "NULL, not true" if verdict is None else "FALSE"
    sentence = show_values(values)
    return f"{sentence}, so {conjunct} is {outcome}" if sentence else f"{conjunct} is {outcome}"


def _partners(node: Plan | None, seen: Observation) -> Iterator[str]:
    if isinstance(node, Join) and node.condition is None and not node.traits.pairs:
        yield f"there is {'a' if seen.has_partner else 'no'} row on the right, whatever the row on the left is"
    elif seen.no_partner is not None:
        yield f"{_own_values(node, seen)}: no partner on the {seen.no_partner}"
        yield from _list_rows(f"nearest on the {seen.no_partner}", seen.nearest)
    elif isinstance(node, Join) and seen.partner and all(has_null_for_not_in(node, row) for row in seen.partner):
        yield f"{_own_values(node, seen)}: not known to differ from a null on the right"
        yield from cut_each(f"the row with the null: {show_row(row)}" for row in seen.partner)
    elif seen.partners:
        yield from (_describe_partners(node, seen, side, count) for side, count in seen.partners.items())
    elif seen.has_partner is not None:
        yield f"{_own_values(node, seen)}: {_partner_kind(node, seen)} on the {seen.has_partner}"
        yield from _list_rows("its partner", seen.partner)


def _describe_partners(node: Plan | None, seen: Observation, side: str, count: int) -> str:
    return f"{_own_values(node, seen)}: {count} partners on the {side}, so its values count {count} times"


def _partner_kind(node: Plan | None, seen: Observation) -> str:
    """Return what a row has on the other side; NOT IN takes a null there for a partner, and none was looked up yet."""
    is_not_in = isinstance(node, Join) and not_in_comparison(node) is not None
    return "has an equal value or a null" if is_not_in and not seen.partner else "has a partner"


def _own_values(node: Plan | None, seen: Observation) -> str:
    """Show what a row brings to a join; its columns need not say from which side, for the sentence does."""
    if not isinstance(node, Join) or node.condition is None:
        return show_values(seen.values)
    values: dict[str, Any] = {}
    for expr, value in seen.read:
        values.setdefault(show_expr(expr), value)
    return show_values(values)


def _ranks_and_rivals(seen: Observation) -> Iterator[str]:
    if seen.rank is not None:
        yield show_row({**seen.values, **_ranks(seen)})
    if seen.rival is not None:
        yield cut(f"kept instead: {', '.join(f'{name} = {print_value(value)}' for name, value in seen.rival.items())}")
    yield from (f"copies on the {side}: {count}" for side, count in seen.copies.items())
    yield from _list_rows("kept instead", seen.kept if seen.rival is None else ())


def _ranks(seen: Observation) -> dict[str, Any]:
    found: dict[str, Any] = {"rank": seen.rank}
    if seen.last_rank is not None:
        found["last rank that is kept"] = seen.last_rank
    return {**found, **{f"last {show_expr(e, seen.names)} that is kept": value for e, value in seen.cut_off}}


def _list_rows(label: str, rows: Sequence[Row]) -> Iterator[str]:
    if rows and len(rows[0]) == 1:
        (name,) = rows[0]
        yield f"{label}: {name} = {', '.join(show_cell(row[name]) for row in rows)}"
    else:
        yield from cut_each(f"{label}: {show_row(row)}" for row in rows)
