"""What the witnesses of an explanation met at its operators, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparkwhy.explain.explanation import Explanation, Operator
from sparkwhy.plan.exprs import Expr, conjuncts
from sparkwhy.plan.nodes import Filter, Flatten, Join, Plan
from sparkwhy.plan.show import names_for, show_expr, show_op
from sparkwhy.plan.walk_exprs import paths_of
from sparkwhy.report.values import all_cut, show_cell, show_row, told_values
from sparkwhy.trace.partners import NO_PARTNER, PARTNER
from sparkwhy.trace.trails import time_bounds

Witness = Mapping[str, Any]
Met = Mapping[str, Any]


def findings(operator: Operator, witness: Witness, nodes: Mapping[int, Plan]) -> Iterator[str]:
    """What a witness met at an operator."""
    met = witness["at"].get(operator.id)
    if met is not None:
        yield from _verdicts(nodes.get(operator.id), met)
        yield from _join_facts(met)
        yield from _other_facts(met)
        yield from met.get("hints", ())


def padding(explanation: Explanation, witness: Witness, nodes: Mapping[int, Plan]) -> Iterator[str]:
    """Where nulls came from: outer joins that found no partner for the witness."""
    blamed = {operator.id for operator in explanation.operators}
    failed = [witness["at"][id] for id in blamed if witness["at"].get(id, {}).get("verdicts")]
    nulls = any(value is None for met in failed for value in met["values"].values())
    for step, met in witness["at"].items():
        if nulls and step not in blamed and NO_PARTNER in met["facts"] and step in nodes:
            yield f"the null comes from {show_op(nodes[step])}: {told_values(met['values'])} has no partner"


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


def _join_facts(met: Met) -> Iterator[str]:
    if NO_PARTNER in met["facts"]:
        side = met["facts"][NO_PARTNER]
        yield f"{told_values(met['values'])}: no partner on the {side}"
        yield from _listed(f"nearest on the {side}", met.get("nearest", ()))
    elif PARTNER in met["facts"]:
        yield f"{told_values(met['values'])}: has a partner on the {met['facts'][PARTNER]}"
        yield from _listed("its partner", met.get("partner", ()))


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
