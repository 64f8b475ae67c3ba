"""What the witnesses of an explanation met at its operators, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparkwhy.evidence.text_differences import date_formats
from sparkwhy.explain.model import Explanation, Operator, column_names
from sparkwhy.plan.exprs import AttrId, Compare, Expr, In, conjuncts
from sparkwhy.plan.nodes import Filter, Flatten, Join, Plan
from sparkwhy.plan.origins import Origins
from sparkwhy.plan.show import main_nodes, names_for, show_expr, show_op
from sparkwhy.plan.types import TIMES
from sparkwhy.plan.walk_exprs import attributes_of, parts, paths_of
from sparkwhy.report.values import all_cut, cut, show_cell, show_row, told_values
from sparkwhy.trace.observe import time_bounds
from sparkwhy.trace.rules.join_inputs import NO_PARTNER, PARTNER

Witness = Mapping[str, Any]
Met = Mapping[str, Any]


def findings(operator: Operator, witness: Witness, explanation: Explanation) -> Iterator[str]:
    """What a witness met at an operator."""
    nodes, met = main_nodes(explanation.plan), witness["at"].get(operator.id)
    if met is not None:
        node = nodes.get(operator.id)
        yield from _verdicts(node, met)
        yield from _join_facts(node, met)
        yield from _other_facts(met)
        yield from met.get("hints", ())
        yield from _nulls(node, met, witness, explanation, nodes)


# --- where nulls come from ---


def _nulls(
    node: Plan | None, met: Met, witness: Witness, explanation: Explanation, nodes: Mapping[int, Plan]
) -> Iterator[str]:
    """Where the nulls came from on which a condition failed: outer joins without a partner, or what was computed."""
    if not isinstance(node, Filter | Join) or node.condition is None:
        return
    names, origins = names_for(node), Origins.of(explanation.plan)
    blamed = {operator.id for operator in explanation.operators}
    for part in conjuncts(node.condition):
        failed = met["verdicts"].get(show_expr(part, names), "NULL") != "TRUE"
        for path in dict.fromkeys(paths_of(part)) if failed else ():
            if met["values"].get(show_expr(path, names), "") is None:
                behind = origins.ancestors(path)
                padding = list(_padding(behind, witness, nodes))
                yield from (_padded(join, part, origins, witness) for join in padding if join.id.step not in blamed)
                if not padding and not _is_relaxed(behind, blamed, nodes):
                    yield from _computed(path, origins, witness, explanation.plan)


def _padding(behind: frozenset[AttrId], witness: Witness, nodes: Mapping[int, Plan]) -> Iterator[Join]:
    """The joins that had no partner for the witness on the side where these attributes come from."""
    for step, met in witness["at"].items():
        node = nodes.get(step)
        if isinstance(node, Join) and NO_PARTNER in met["facts"] and behind & _lacking(node, met):
            yield node


def _lacking(join: Join, met: Met) -> frozenset[AttrId]:
    side = join.left if met["facts"][NO_PARTNER] == "left" else join.right
    return frozenset(attribute.id for attribute in side.output)


def _is_relaxed(behind: frozenset[AttrId], blamed: set[int], nodes: Mapping[int, Plan]) -> bool:
    """Whether the null is that of an explode of nothing, which the explanation blames already."""
    flattens = (node for step in blamed if isinstance(node := nodes.get(step), Flatten))
    return any(behind & {element.id for element in node.elements} for node in flattens)


def _padded(join: Join, part: Expr, origins: Origins, witness: Witness) -> str:
    met = witness["at"][join.id.step]
    told = f"the null comes from {show_op(join)}: {_own_values(join, met)} has no partner"
    others = {a.id for a in join.output} - _lacking(join, met)
    movable = _includes(part) and not origins.ancestors(part) & others
    return f"{told}; as a condition of the join it would keep the row" if movable else told


def _includes(part: Expr) -> bool:
    """Whether a condition says what is wanted. One of what is not would let that through, as a part of the join."""
    return isinstance(part, In) or (isinstance(part, Compare) and part.op != "<>")


def _computed(path: Expr, origins: Origins, witness: Witness, plan: Plan) -> Iterator[str]:
    """What computed a null, and of what, as far as the result shows that."""
    expr = origins.computation(path)
    if expr is not None:
        read = {attribute.id for attribute in attributes_of(expr)}
        columns = zip(column_names(plan), plan.output, strict=True)
        values = {name: witness["row"].get(name) for name, attribute in columns if attribute.id in read}
        told = f": {told_values(values)}{_format(path, values)}" if values else ""
        yield cut(f"the null comes from {show_expr(expr)}{told}")


def _format(path: Expr, values: Mapping[str, Any]) -> str:
    """The format of a text that is no date as it stands."""
    formats = [each for text in values.values() for each in date_formats(str(text))]
    return f", which has the format {' or '.join(formats)}" if formats and path.type in TIMES else ""


# --- what an operator says of a row ---


def _verdicts(node: Plan | None, met: Met) -> Iterator[str]:
    """The values, with the conjuncts that failed on them."""
    match node:
        case Filter():
            names = names_for(node)
            for part in conjuncts(node.condition):
                conjunct = show_expr(part, names)
                verdict = met["verdicts"].get(conjunct, "TRUE")
                if verdict != "TRUE":
                    read = [show_expr(e, names) for e in _told(part)]
                    yield _verdict(conjunct, verdict, {what: met["values"].get(what) for what in read})
        case Join():
            failed = {conjunct: verdict for conjunct, verdict in met["verdicts"].items() if verdict != "TRUE"}
            yield from (_verdict(conjunct, verdict, met["values"]) for conjunct, verdict in failed.items())
        case Flatten():
            yield from (f"{what} is {state}, which makes no row" for what, state in met["values"].items())
        case _:
            return


def _told(part: Expr) -> Iterator[Expr]:
    yield from dict.fromkeys(paths_of(part))
    yield from time_bounds(part)


def _verdict(conjunct: str, verdict: str, values: Mapping[str, Any]) -> str:
    outcome = "NULL, not true" if verdict == "NULL" else verdict
    told = told_values(values)
    return f"{told}, so {conjunct} is {outcome}" if told else f"{conjunct} is {outcome}"


def _join_facts(node: Plan | None, met: Met) -> Iterator[str]:
    if NO_PARTNER in met["facts"]:
        side = met["facts"][NO_PARTNER]
        yield f"{_own_values(node, met)}: no partner on the {side}"
        yield from _listed(f"nearest on the {side}", met.get("nearest", ()))
    elif PARTNER in met["facts"]:
        yield f"{_own_values(node, met)}: has a partner on the {met['facts'][PARTNER]}"
        yield from _listed("its partner", met.get("partner", ()))


def _own_values(node: Plan | None, met: Met) -> str:
    """What a row brings to a join; its columns need not say from which side, for the sentence does."""
    if not isinstance(node, Join) or node.condition is None:
        return told_values(met["values"])
    names, read = names_for(node), tuple(parts(node.condition))
    short = {show_expr(part, names): show_expr(part) for part in read}
    return told_values({short.get(what, what): value for what, value in met["values"].items()})


def _other_facts(met: Met) -> Iterator[str]:
    """Ranks and rivals."""
    facts = {what: value for what, value in met["facts"].items() if what not in (NO_PARTNER, PARTNER)}
    if "rank" in facts:
        yield show_row({**met["values"], **facts})
    else:
        yield from all_cut(f"{what}: {value}" for what, value in facts.items())
    yield from _listed("kept instead", met.get("kept", ()))


def _listed(label: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if rows and len(rows[0]) == 1:
        (name,) = rows[0]
        yield f"{label}: {name} = {', '.join(show_cell(row[name]) for row in rows)}"
    else:
        yield from all_cut(f"{label}: {show_row(row)}" for row in rows)
