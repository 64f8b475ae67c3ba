"""Repairs of a query: for every operator of an explanation a concrete change, those that invent least first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.explain.candidates import Candidate, witnesses_of
from sparkwhy.explain.model import Fix, FixKind, Operator
from sparkwhy.fix.code.line_diff import line_diff
from sparkwhy.fix.conditions import INVENTION, Unknown, admitting
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.nodes import Filter, Flatten, Join, Limit, OpId, Plan
from sparkwhy.plan.show import names_for, show_bare, show_expr, show_op
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.question.values import convert
from sparkwhy.trace.blame import Bits, Dropper
from sparkwhy.trace.relax import relax

MAX_REPAIRS = 6
"""So many repairs of one explanation are tried at first."""

MAX_STEPS = 40
"""So many, where constants are looked for in the data."""

Met = Mapping[str, Mapping[str, Any]]
"""What a witness met at one operator."""


@dataclass(frozen=True)
class Step:
    """One change: another operator in the place of one, or an outer join or flatten for an inner one."""

    op: OpId
    kind: FixKind
    node: Plan | None = None
    relaxed: Dropper | None = None


@dataclass(frozen=True)
class Repair:
    """A changed query: other expressions in `plan`, and joins and flattens of another type as `relaxed`."""

    plan: Plan
    relaxed: frozenset[Dropper]
    fixes: tuple[Fix, ...]
    steps: tuple[Step, ...] = ()
    alternative: int = 0

    @property
    def fixed(self) -> Plan:
        """The changed query itself."""
        return relax(self.plan, self.relaxed)

    @property
    def invention(self) -> tuple[int, int]:
        """How much is made up: the worst change, then all together."""
        costs = [INVENTION[fix.kind] for fix in self.fixes]
        return max(costs, default=0), sum(costs)


@dataclass(frozen=True)
class Proposed:
    """The repairs of an explanation; if an operator has none, why."""

    repairs: tuple[Repair, ...]
    reasons: tuple[str, ...]

    def __add__(self, other: Proposed) -> Proposed:
        return Proposed(self.repairs + other.repairs, self.reasons + other.reasons)


@dataclass(frozen=True)
class Query:
    """What proposals are made from."""

    alternatives: Sequence[QueryVariant]
    bits: Bits
    timezone: str
    other_readings: Mapping[OpId, tuple[Plan, ...]] = field(default_factory=dict)
    """Operators of the query as written that read another attribute of a declared group."""

    @property
    def plan(self) -> Plan:
        return self.alternatives[0].plan


def proposed(query: Query, candidates: Sequence[Candidate]) -> Proposed:
    """Repairs for the candidates of one explanation."""
    found: dict[tuple[str, ...], Repair] = {}
    reasons: dict[str, None] = {}
    for candidate in candidates:
        for steps, why in _step_lists(query, candidate):
            reasons.update(dict.fromkeys(why))
            if steps is not None:
                repair = repaired(query, candidate.alternative, steps)
                found.setdefault(tuple(fix.after for fix in repair.fixes), repair)
    ordered = sorted(found.values(), key=lambda repair: repair.invention)
    return Proposed(tuple(ordered[:MAX_REPAIRS]), tuple(reasons))


def with_steps(query: Query, candidate: Candidate, known: Mapping[OpId, Sequence[Step]]) -> Proposed:
    """Repairs in which operators take one of these steps, and the others one of their own."""
    plan = query.alternatives[candidate.alternative].plan
    nodes = {node.id: node for node in walk(plan)}
    met: Mapping[int, Met] = next((witness["at"] for witness in witnesses_of(plan, [candidate])), {})
    options: list[Sequence[Step]] = []
    for dropper in query.bits.droppers(candidate.blame, candidate.alternative):
        if dropper.op in known:
            options.append(known[dropper.op])
        else:
            options.append(_steps(query, candidate, nodes[dropper.op], dropper, met.get(dropper.op.step))[0][:1])
    chosen = islice(product(*options), MAX_STEPS)
    return Proposed(tuple(repaired(query, candidate.alternative, steps) for steps in chosen), ())


def _step_lists(query: Query, candidate: Candidate) -> Iterator[tuple[tuple[Step, ...] | None, tuple[str, ...]]]:
    """Changes that together let a witness of the candidate through, or why there are none."""
    plan = query.alternatives[candidate.alternative].plan
    nodes = {node.id: node for node in walk(plan)}
    droppers = query.bits.droppers(candidate.blame, candidate.alternative)
    for witness in witnesses_of(plan, [candidate]):
        options: list[tuple[Step, ...]] = []
        missing: list[str] = []
        for dropper in droppers:
            steps, why = _steps(query, candidate, nodes[dropper.op], dropper, witness["at"].get(dropper.op.step))
            options.append(steps)
            missing.extend(why)
        if all(options):
            yield from ((chosen, ()) for chosen in islice(product(*options), MAX_REPAIRS))
        else:
            yield None, tuple(missing)


def _steps(
    query: Query, candidate: Candidate, node: Plan, dropper: Dropper, met: Met | None
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """The changes of one operator that let a witness through, or may do so; or why there are none."""
    others = query.other_readings.get(node.id, ()) if candidate.alternative == 0 else ()
    reading = tuple(Step(node.id, "attribute", other) for other in others)
    steps, why = _own_steps(query, node, dropper, met)
    return reading + steps, () if reading else why


def _own_steps(query: Query, node: Plan, dropper: Dropper, met: Met | None) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    match node:
        case Flatten():
            return (Step(node.id, "flatten type", relaxed=dropper),), ()
        case Join(how="inner" | "cross" | "left" | "right" | "full"):
            return (Step(node.id, "join type", relaxed=dropper),), ()
        case Filter() if met is not None:
            return _filter_steps(query, node, met)
        case Limit() if met is not None and "rank" in met["facts"]:
            rank = int(met["facts"]["rank"])
            if rank <= node.offset:
                return (Step(node.id, "constant", replace(node, offset=rank - 1)),), ()
            return (Step(node.id, "constant", replace(node, count=rank - node.offset)),), ()
        case Filter():
            return (), (f"it is not known what {show_op(node)} would have to let through",)
        case _:
            return (), (f"there is nothing to change in {show_op(node)}: only without it would the row come through",)


def _filter_steps(query: Query, node: Filter, met: Met) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    names = names_for(node)

    def show(expr: Expr) -> str:
        return show_expr(expr, names)

    def failed(part: Expr) -> bool:
        return bool(met["verdicts"].get(show(part), "TRUE") != "TRUE")

    def value(expr: Expr) -> Any:
        return value_in(query, met, show(expr), expr)

    ways = admitting(node.condition, failed, value, show)
    changed = [way for way in ways.found if way.condition != node.condition]
    return tuple(Step(node.id, way.kind, replace(node, condition=way.condition)) for way in changed), ways.reasons


def value_in(query: Query, met: Met, text: str, expr: Expr) -> Any:
    """What an expression was on a witness, as a value of its type."""
    if text not in met["values"]:
        raise Unknown(text)
    written = met["values"][text]
    if written is None:
        return None
    try:
        return convert(written, expr.type, query.timezone)
    except ValueError:
        raise Unknown(text) from None


def repaired(query: Query, alternative: int, steps: Sequence[Step]) -> Repair:
    """The query under an alternative with these changes."""
    rewritten = query.alternatives[alternative]
    nodes = {step.op: step.node for step in steps if step.node is not None}

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        return with_inputs(nodes.get(node.id, node), inputs)

    plan = fold(rewritten.plan, combine)
    relaxed = frozenset(step.relaxed for step in steps if step.relaxed is not None)
    kinds: dict[int, FixKind] = {id.step: rewritten.kind for id in rewritten.changed}
    for step in steps:
        kinds[step.op.step] = max(kinds.get(step.op.step, "attribute"), step.kind, key=lambda kind: INVENTION[kind])
    fixes = fixes_of(query.plan, relax(plan, relaxed), kinds)
    return Repair(plan, relaxed, fixes, tuple(steps), alternative)


def fixes_of(before: Plan, after: Plan, kinds: Mapping[int, FixKind]) -> tuple[Fix, ...]:
    """The changes, one for each operation of the user, in reading order."""
    return tuple(_fixes(before, after, kinds))


def _fixes(before: Plan, after: Plan, kinds: Mapping[int, FixKind]) -> Iterator[Fix]:
    new = {node.id: node for node in walk(after)}
    for node in walk(before):
        if node.id.step in kinds and not node.id.part:
            changed = _changed_node(before, new, node)
            now = show_op(new[changed.id]) if changed.id in new else "nothing"
            diff = line_diff(changed, new[changed.id]) if changed.id in new else None
            bare = show_bare(changed, new[changed.id]) if changed.id in new else None
            yield Fix(Operator.of(node), show_op(changed), now, kinds[node.id.step], diff, bare)


def _changed_node(before: Plan, new: Mapping[OpId, Plan], node: Plan) -> Plan:
    """The part of an operation that shows the change: a projection that Spark made of it, or itself."""
    parts = [each for each in walk(before) if each.id.step == node.id.step]
    return next((each for each in parts if each.id in new and show_op(new[each.id]) != show_op(each)), node)
