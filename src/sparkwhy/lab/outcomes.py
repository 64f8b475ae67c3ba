"""The bags that the reparameterizations of a plan lead to: one for each that data can tell apart.

Bottom-up, as in the paper's proof of `theo:expl-hardness`: for each operator and each bag that may come into it, all
admissible changes of the operator; changes with the same output are one. Of two ways to the same bag, the one that
changes more operators can never be minimal and is dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from sparkwhy.errors import EvaluationError, assert_never
from sparkwhy.lab.apply import Operation, as_function
from sparkwhy.lab.changes import Changer, Rows, Variant
from sparkwhy.lab.swaps import Kind
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import bag, grouping_key
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Source,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.show import show_op
from sparkwhy.plan.types import FRACTIONALS, Array, Map, Struct, Type
from sparkwhy.plan.uses import change_all_uses
from sparkwhy.plan.walk import fold, inputs, push_down, walk, with_inputs

Effect: TypeAlias = OneOf["relaxes", "restricts", "exchanges"]
"""What a change does to the output of its operator on the same input: more rows, fewer, or others."""


@dataclass(frozen=True, slots=True)
class OperatorChange:
    """Another parameterization of one operator."""

    before: Plan
    after: Plan
    kinds: tuple[Kind, ...]
    effect: Effect

    @property
    def op(self) -> OpId:
        return self.before.id

    def __str__(self) -> str:
        return f"{show_op(self.before)} -> {show_op(self.after)}"


@dataclass(frozen=True, slots=True)
class ChangePath:
    """The changes that lead to a bag, and the operators that they change: the paper's Delta.

    Of two ways through the same operators the one of less `weight` is kept: one that only relaxes, or else the one
    with fewer edits.
    """

    changes: tuple[OperatorChange, ...] = ()
    ops: frozenset[OpId] = frozenset()
    weight: tuple[int, int] = (0, 0)

    def with_change(self, change: OperatorChange) -> ChangePath:
        unlike, edits = self.weight
        weight = unlike + (change.effect != "relaxes"), edits + len(change.kinds)
        return ChangePath((*self.changes, change), self.ops | {change.op}, weight)

    def combine(self, other: ChangePath) -> ChangePath:
        """Combine two ways that lead through different inputs of an operator."""
        weight = self.weight[0] + other.weight[0], self.weight[1] + other.weight[1]
        return ChangePath(self.changes + other.changes, self.ops | other.ops, weight)


@dataclass(frozen=True, slots=True)
class PossibleBag:
    """A bag of rows, and the ways that lead to it."""

    rows: Rows
    ways: tuple[ChangePath, ...]


@dataclass(frozen=True, slots=True)
class PossibleBags:
    """The different bags that may come out of an operator, and what was left out below or here."""

    found: tuple[PossibleBag, ...]
    cut: tuple[str, ...] = ()


def possible_bags(plan: Plan, tables: Mapping[OpId, Rows], changer: Changer) -> PossibleBags:
    """Return all that can come out of the plan; at most `changer.most` outputs are computed for an operator.

    What was written once and is used several times comes out the same at all its uses.
    """
    shared = _shared_root(plan)
    if shared is None:
        return _bags_of_single_uses(plan, tables, changer)
    below = possible_bags(shared, tables, changer)
    bags, cut = _FoundBags(), list(below.cut)
    for outcome in below.found:
        rest, known = _with_rows(plan, shared, outcome.rows, tables)
        found = possible_bags(rest, known, changer)
        cut += [reason for reason in found.cut if reason not in cut]
        for each in found.found:
            bags.add_rows(each.rows, [one.combine(other) for one in outcome.ways for other in each.ways])
    return PossibleBags(bags.bags(), tuple(cut))


def _shared_root(plan: Plan) -> Plan | None:
    """Return the first use of the largest part of a plan that is used several times, None if there is none."""
    used_again = {node.use_of for node in walk(plan) if node.use_of is not None and inputs(node)}
    return next((node for node in reversed(list(walk(plan))) if node.id in used_again), None)


def _with_rows(plan: Plan, shared: Plan, rows: Rows, tables: Mapping[OpId, Rows]) -> tuple[Plan, Mapping[OpId, Rows]]:
    """Return the plan with tables that have these rows in the place of all uses of a part of it."""
    known = dict(tables)

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        if node.first_use != shared.id:
            return with_inputs(node, below)
        known[node.id] = rows
        return Table(id=node.id, attributes=node.output, source=Source("use"))

    return fold(plan, combine), known


def _bags_of_single_uses(plan: Plan, tables: Mapping[OpId, Rows], changer: Changer) -> PossibleBags:
    """Return all that can come out of a plan in which every operator is used once."""
    ordered = push_down(plan, False, _order_matters)

    def combine(node: Plan, below: tuple[PossibleBags, ...]) -> PossibleBags:
        match node:
            case Table():
                return PossibleBags((PossibleBag(tables[node.id], (ChangePath(),)),))
            case OneRow():
                return PossibleBags((PossibleBag([()], (ChangePath(),)),))
            case _:
                return _possible_bags(node, below, changer, ordered=ordered[node.id])

    return fold(plan, combine)


def _order_matters(node: Plan, above: bool) -> tuple[bool, ...]:
    """Bags have no order, but a limit sees that of a sort: between the two, results are sequences."""
    match node:
        case Limit():
            return (True,)
        case Project() | Filter() | Flatten():
            return (above,)
        case Table() | OneRow() | Join() | Aggregate() | Window() | Union() | SetOperation():
            return (False,) * len(inputs(node))
        case Distinct() | Sort() | Sample():
            return (False,)
        case _:
            assert_never(node)


def apply_path(plan: Plan, way: ChangePath) -> Plan:
    """Return the plan with these changes."""
    return change_all_uses(plan, {change.op: change.after for change in way.changes})


# --- one operator -------------------------------------------------------------------------------------------


def _possible_bags(node: Plan, below: Sequence[PossibleBags], changer: Changer, *, ordered: bool) -> PossibleBags:
    variants = changer.variants(node, [[outcome.rows for outcome in each.found] for each in below])
    machine = _Machine(node, variants.found, changer.settings, ordered)
    cut = [reason for each in below for reason in each.cut]
    if not variants.complete:
        cut.append(f"some parameters of operator {node.id}")
    bags, left = _FoundBags(), changer.most
    for combination in _order_by_changes(below):
        if left <= 0:
            cut.append(f"some inputs of operator {node.id}")
            break
        left -= 1 + len(variants.found)
        ways = _combine_paths(combination)
        for output, change in machine.outputs([outcome.rows for outcome in combination]):
            bags.add(output, ways if change is None else [way.with_change(change) for way in ways])
    return PossibleBags(bags.bags(), tuple(cut))


def _order_by_changes(below: Sequence[PossibleBags]) -> Iterator[tuple[PossibleBag, ...]]:
    """Yield all combinations of inputs; what changes little comes first, so that a cut leaves it in."""
    stages: list[dict[int, list[PossibleBag]]] = []
    for each in below:
        stages.append(defaultdict(list))
        for outcome in each.found:
            stages[-1][min(len(way.ops) for way in outcome.ways)].append(outcome)
    for counts in sorted(product(*stages), key=sum):
        yield from product(*(stage[count] for stage, count in zip(stages, counts, strict=True)))


def _combine_paths(combination: Sequence[PossibleBag]) -> list[ChangePath]:
    return [reduce(ChangePath.combine, chosen) for chosen in product(*(outcome.ways for outcome in combination))]


class _Output(NamedTuple):
    """Rows, how often each is there, and a form that is equal for outputs that nothing tells apart."""

    rows: Rows
    bag: Counter[Hashable]
    form: Hashable


class _Machine:
    """An operator and its variants, ready to be applied to many inputs."""

    def __init__(self, node: Plan, variants: Iterable[Variant], settings: Settings, ordered: bool) -> None:
        self.node = node
        self.ordered = ordered
        self.apply = as_function(node, settings)
        self.variants = [(variant, as_function(variant.node, settings)) for variant in variants]
        self.count = bag if any(_has_forms(a.type) for a in node.output) else Counter[Hashable]

    def outputs(self, inputs: Sequence[Rows]) -> Iterator[tuple[_Output, OperatorChange | None]]:
        """Yield what the operator makes of its inputs, as it is and with each change that makes a difference."""
        original = self._output(self.apply, inputs)
        if original is not None:
            yield original, None
        for variant, apply in self.variants:
            output = self._output(apply, inputs)
            if output is not None and (original is None or output.form != original.form):
                yield output, OperatorChange(self.node, variant.node, variant.kinds, _effect(original, output))

    def _output(self, apply: Operation, inputs: Sequence[Rows]) -> _Output | None:
        """Return a query that fails, as ANSI mode lets it, has no output."""
        try:
            rows = apply(inputs)
        except EvaluationError:
            return None
        counted = self.count(rows)
        return _Output(rows, counted, grouping_key(tuple(rows)) if self.ordered else frozenset(counted.items()))


def _has_forms(type: Type) -> bool:
    """Return whether equal values of the type may look different: NaN and -0.0, maps in another order."""
    match type:
        case Map():
            return True
        case Array(element):
            return _has_forms(element)
        case Struct(fields):
            return any(_has_forms(field.type) for field in fields)
        case _:
            return type in FRACTIONALS


def _effect(before: _Output | None, after: _Output) -> Effect:
    if before is not None and len(before.rows) < len(after.rows) and before.bag <= after.bag:
        return "relaxes"
    if before is not None and len(before.rows) > len(after.rows) and before.bag >= after.bag:
        return "restricts"
    return "exchanges"


# --- merging ------------------------------------------------------------------------------------------------


class _FoundBags:
    """The bags found so far, each with its ways, by the operators that these change."""

    def __init__(self) -> None:
        self._rows: dict[Hashable, Rows] = {}
        self._ways: dict[Hashable, dict[frozenset[OpId], ChangePath]] = defaultdict(dict)

    def add_rows(self, rows: Rows, ways: Iterable[ChangePath]) -> None:
        """Add a bag that comes out of a whole plan."""
        counted = bag(rows)
        self.add(_Output(rows, counted, frozenset(counted.items())), ways)

    def add(self, output: _Output, ways: Iterable[ChangePath]) -> None:
        self._rows.setdefault(output.form, output.rows)
        known = self._ways[output.form]
        for way in ways:
            if way.ops not in known or way.weight < known[way.ops].weight:
                known[way.ops] = way

    def bags(self) -> tuple[PossibleBag, ...]:
        return tuple(PossibleBag(rows, _smallest(self._ways[form])) for form, rows in self._rows.items())


def _smallest(ways: Mapping[frozenset[OpId], ChangePath]) -> tuple[ChangePath, ...]:
    return tuple(way for ops, way in ways.items() if not any(other < ops for other in ways))
