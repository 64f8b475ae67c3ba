"""An answer as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparkwhy.explain.explanation import Explanation, Operator, SideEffects
from sparkwhy.explain.missing import SourceGap
from sparkwhy.explain.near_miss import visible
from sparkwhy.plan.exprs import Expr, conjuncts
from sparkwhy.plan.nodes import Filter, Flatten, Plan
from sparkwhy.plan.show import names_for, show_expr, show_op
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import paths_of
from sparkwhy.question.pattern import show_pattern
from sparkwhy.trace.joins import NO_PARTNER, PARTNER
from sparkwhy.trace.trails import time_bounds

if TYPE_CHECKING:
    from sparkwhy.report.answer import Answer

Witness = Mapping[str, Any]
Met = Mapping[str, Any]

_WITNESSES = 2
_WIDTH = 100
"""Where a place in the user's code is aligned to at most, and where a row is cut."""


def render(answer: Answer) -> str:
    """The answer, a few lines for each explanation."""
    head = f"Why is there no row like {show_pattern(answer.question.pattern)}?"
    return "\n".join([head, "", *_body(answer), *(f"Note: {warning}" for warning in answer.warnings)]).rstrip()


def _body(answer: Answer) -> Iterator[str]:
    match answer.outcome:
        case "not_missing":
            yield "It is there:"
            yield from (f"  {_row(row)}" for row in answer.matching)
        case "explained":
            yield from _explanations(answer)
        case "not_in_data":
            yield "No source has such a row:"
            for gap in answer.gaps:
                yield from _gap(gap)
        case "unexplained":
            yield "No set of operators was found that would let such a row through."
            yield from _tried(answer)


def _tried(answer: Answer) -> Iterator[str]:
    if answer.explanations:
        yield "These might, if their constants changed; whether they do was not seen:"
        yield ""
        yield from _explanations(answer)


def _gap(gap: SourceGap) -> Iterator[str]:
    yield f"  {gap.table.text}: no row with {' and '.join(gap.conditions)}"
    for condition, values in gap.nearest.items():
        if values:
            yield f"    nearest to {condition}: {', '.join(map(_value, values))}"


# --- explanations ---


def _explanations(answer: Answer) -> Iterator[str]:
    texts = [operator.text for explanation in answer.explanations for operator in explanation.operators]
    width = min(max(map(len, texts), default=0), _WIDTH)
    for explanation in answer.explanations:
        yield from _explanation(explanation, width)
        yield ""


def _explanation(explanation: Explanation, width: int) -> Iterator[str]:
    nodes = {node.id.step: node for node in walk(explanation.plan) if not node.id.part}
    witnesses = explanation.witnesses[:_WITNESSES]
    for position, operator in enumerate(explanation.operators):
        label = f"{explanation.rank}." if position == 0 else "and"
        yield f"{label:>3} {operator.text:<{width}}   {operator.where or ''}".rstrip()
        yield from _indented(_other_reading(operator, nodes))
        yield from _indented(line for witness in witnesses for line in _met(operator, witness, nodes))
    yield from _indented(line for witness in witnesses for line in _padding(explanation, witness, nodes))
    if explanation.alternative:
        yield from _indented([f"with {show_changes(explanation.alternative)}", *explanation.evidence])
    yield from _indented(_fixes(explanation))
    yield from _indented(f"would give {_row(witness['row'])}" for witness in witnesses)
    if explanation.count > len(witnesses):
        yield from _indented([f"and {explanation.count - len(witnesses)} more like that"])


def _fixes(explanation: Explanation) -> Iterator[str]:
    """What was changed, whether it works, and what else it does."""
    for fix in explanation.fixes:
        yield f"fix: {fix.after}" if fix.after != fix.before else f"fix: {fix.before}"
    if explanation.verified:
        yield f"run and seen to work{_effects(explanation.side_effects)}"
    elif explanation.verified is False:
        yield f"not verified: {explanation.reason}"


def _effects(effects: SideEffects | None) -> str:
    if effects is None:
        return ""
    if effects.added is None or effects.removed is None:
        number = str(effects.lower) if effects.lower == effects.upper else f"{effects.lower} to {effects.upper}"
        return f"; {number} other row{'' if number == '1' else 's'} of the result change"
    return f"; {effects.added} other rows enter, {effects.removed} leave"


def show_changes(changes: Mapping[str, str]) -> str:
    """`address1 in place of address2`."""
    return ", ".join(f"{new} in place of {old}" for old, new in changes.items())


def _other_reading(operator: Operator, nodes: Mapping[int, Plan]) -> Iterator[str]:
    """How an operator reads under the alternative, where that differs."""
    node = nodes.get(operator.id)
    if node is not None and show_op(node) != operator.text:
        yield f"as {show_op(node)}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    """The lines, each once."""
    return (f"      {line}" for line in dict.fromkeys(lines))


def _met(operator: Operator, witness: Witness, nodes: Mapping[int, Plan]) -> Iterator[str]:
    """What a witness met at an operator."""
    met = witness["at"].get(operator.id)
    if met is not None:
        yield from _verdicts(nodes.get(operator.id), met)
        yield from _join_facts(met)
        yield from _other_facts(met)
        yield from met.get("hints", ())


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
        case Flatten():
            yield from (f"{what} is {state}, which makes no row" for what, state in met["values"].items())
        case _:
            return


def _told(part: Expr) -> Iterator[Expr]:
    yield from dict.fromkeys(paths_of(part))
    yield from time_bounds(part)


def _verdict(conjunct: str, verdict: str, values: Mapping[str, Any]) -> str:
    outcome = "NULL, not true" if verdict == "NULL" else verdict
    told = _told_values(values)
    return f"{told}, so {conjunct} is {outcome}" if told else f"{conjunct} is {outcome}"


def _join_facts(met: Met) -> Iterator[str]:
    if NO_PARTNER in met["facts"]:
        side = met["facts"][NO_PARTNER]
        yield f"{_told_values(met['values'])}: no partner on the {side}"
        yield from _listed(f"nearest on the {side}", met.get("nearest", ()))
    elif PARTNER in met["facts"]:
        yield f"{_told_values(met['values'])}: has a partner on the {met['facts'][PARTNER]}"
        yield from _listed("its partner", met.get("partner", ()))


def _other_facts(met: Met) -> Iterator[str]:
    """Ranks and rivals."""
    facts = {what: value for what, value in met["facts"].items() if what not in (NO_PARTNER, PARTNER)}
    if "rank" in facts:
        yield _row({**met["values"], **facts})
    else:
        yield from _cut(f"{what}: {value}" for what, value in facts.items())
    yield from _listed("kept instead", met.get("kept", ()))


def _padding(explanation: Explanation, witness: Witness, nodes: Mapping[int, Plan]) -> Iterator[str]:
    """Where nulls came from: outer joins that found no partner for the witness."""
    blamed = {operator.id for operator in explanation.operators}
    failed = [witness["at"][id] for id in blamed if witness["at"].get(id, {}).get("verdicts")]
    nulls = any(value is None for met in failed for value in met["values"].values())
    for step, met in witness["at"].items():
        if nulls and step not in blamed and NO_PARTNER in met["facts"] and step in nodes:
            yield f"the null comes from {show_op(nodes[step])}: {_told_values(met['values'])} has no partner"


# --- rows and values ---


def _listed(label: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if rows and len(rows[0]) == 1:
        (name,) = rows[0]
        yield f"{label}: {name} = {', '.join(_value(row[name]) for row in rows)}"
    else:
        yield from _cut(f"{label}: {_row(row)}" for row in rows)


def _cut(lines: Iterable[str]) -> Iterator[str]:
    return (line if len(line) <= _WIDTH else line[: _WIDTH - 3] + "..." for line in lines)


def _row(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in row.items())


def _told_values(values: Mapping[str, Any]) -> str:
    """Values that an operator read, with null said out loud."""
    read = {name: value for name, value in values.items() if name != f"'{value}'"}  # a constant says its own value
    told = (f"{name} is null" if value is None else f"{name} = {_value(value)}" for name, value in read.items())
    return ", ".join(told)


def _value(value: Any) -> str:
    """A value as it is; in quotes, with all to be seen, where one could overlook something."""
    if value is None:
        return "null"
    text = str(value)
    return text if text and text == text.strip() and visible(text) == f"'{text}'" else visible(text)
