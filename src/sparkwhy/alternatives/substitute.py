"""Rewrites a query for one given substitution of source attributes, as late in the query as possible.

A reference is replaced at the operator that uses it if the substitute still reaches that operator, otherwise at the
projection below that dropped the substitute. What replaces a value has its type, or is mapped to it without loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from sparkwhy.alternatives.fitting import CannotSubstitute, describe_mapping, fit_type
from sparkwhy.alternatives.paths import (
    Meaning,
    Meanings,
    MeaningScope,
    Names,
    Origin,
    ProjectedColumn,
    Reference,
    as_reference,
    field_names_read,
    fields_in,
    meanings_of,
    path_text,
    recompute_column,
    references_of,
    scope_below,
    spelling_in,
    with_references,
    with_uses,
)
from sparkwhy.errors import assert_never
from sparkwhy.messages import Message
from sparkwhy.plan.build import transform
from sparkwhy.plan.exprs import Attribute, AttrId, Expr, FieldOf, ItemOf, Ref
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
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
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import (
    Array,
)
from sparkwhy.plan.walk import fold, inputs, push_down, walk, with_inputs

RESULT = OpId(-1)
"""Stands for whoever reads the result: a column that is only selected has no other use."""


class Use(NamedTuple):
    """The references of one operator to one path."""

    operator: OpId
    table: OpId
    names: Names


@dataclass(frozen=True, slots=True)
class Substitution:
    """One path of a table replaced by another: in all operators, or in one use."""

    table: OpId
    old: Names
    new: Names
    use: Use | None = None

    def covers(self, operator: OpId, origin: Origin) -> bool:
        """Return whether it changes a reference of the operator; a path that leads to flattened elements is settled."""
        reached = origin.goes_through(self.table, self.old)
        if self.use is None:
            return reached and operator != RESULT
        return reached and self.use == Use(operator, origin.table, origin.names)


@dataclass(frozen=True)
class Analysis:
    """A query and what is known of it, once for all substitutions."""

    plan: Plan
    meanings: Mapping[OpId, Meanings]
    tables: Mapping[OpId, Table]
    references: Mapping[OpId, tuple[Reference, ...]]
    fields_read: frozenset[str]

    @classmethod
    def of(cls, plan: Plan) -> Analysis:
        meanings = meanings_of(plan)
        tables = {node.id: node for node in walk(plan) if isinstance(node, Table)}
        references = {node.id: references_of(node, scope_below(node, meanings)) for node in walk(plan)}
        references[RESULT] = _references_of_result(plan, meanings[plan.id])
        return cls(plan, meanings, tables, references, field_names_read(plan))


def _references_of_result(plan: Plan, meanings: Meanings) -> tuple[Reference, ...]:
    scope = MeaningScope(meanings)
    found = (as_reference(Ref(attribute), scope) for attribute in plan.output)
    return tuple(read for read in found if read is not None)


def substitute(query: Analysis, changes: tuple[Substitution, ...]) -> tuple[Plan, tuple[Message, ...]]:
    """Return the rewritten query and notes on what was mapped; `CannotSubstitute` if it cannot be."""
    planned = _plan_substitution(query, changes)
    notes: dict[Message, None] = {}

    def rewritten(node: Plan, below: tuple[Plan, ...]) -> Plan:
        return with_inputs(_rewrite_node(planned, node, notes), below)

    return fold(query.plan, rewritten), tuple(notes)


# --- where to replace ---

Pending: TypeAlias = Mapping[AttrId, frozenset[Meaning]]
"""What the operators above want each attribute to stand for."""


@dataclass(frozen=True)
class SubstitutionPlan:
    """A substitution in the making: the columns of projections that become others, and what is offered beside them."""

    query: Analysis
    changes: tuple[Substitution, ...]
    offered: Mapping[OpId, Meanings]
    columns: Mapping[ProjectedColumn, Meaning] = field(default_factory=dict)

    def target(self, operator: OpId, meaning: Meaning) -> Meaning:
        """Return what a reference of the operator shall stand for."""
        return tuple(self.move(origin, self.change(operator, origin)) for origin in meaning)

    def change(self, operator: OpId, origin: Origin) -> Substitution | None:
        """Return the change of a reference, of several the most specific one."""
        covering = [c for c in self.changes if c.old != c.new and c.covers(operator, origin)]
        return max(covering, key=lambda change: len(change.old), default=None)

    def move(self, origin: Origin, change: Substitution | None) -> Origin:
        if change is None:
            return origin
        names = change.new + origin.names[len(change.old) :]
        found = spelling_in(self.query.tables[origin.table], names)
        if found is None:
            lacking = path_text(names[len(change.new) :])
            raise CannotSubstitute(Message("has_no_field", path=path_text(change.new), field=lacking))
        return replace(origin, names=found)

    def offers(self, node: Plan, target: Meaning, scope: MeaningScope) -> list[tuple[Expr, Names]]:
        """Return what below the operator leads to the target, with the fields to take of it; the nearest first."""
        known = scope_below(node, self.offered).attributes
        attributes = [a for each in inputs(node) for a in each.output if a.id in known]
        return self._offers_among(attributes, known, target, scope)

    def is_in_result(self, target: Meaning) -> bool:
        """Return whether the result shows the target too: then nothing says that another column was meant."""
        plan, known = self.query.plan, self.offered[self.query.plan.id]
        attributes = [attribute for attribute in plan.output if attribute.id in known]
        return bool(self._offers_among(attributes, known, target, MeaningScope({})))

    def _offers_among(
        self, attributes: Sequence[Attribute], known: Meanings, target: Meaning, scope: MeaningScope
    ) -> list[tuple[Expr, Names]]:
        bases: list[tuple[Expr, Meaning]] = [*scope.variables.items(), *((Ref(a), known[a.id]) for a in attributes)]
        leading = [(base, meaning) for base, meaning in bases if _leads_to(meaning, target)]
        nearest = sorted(leading, key=lambda it: _distance(it[1], target))
        return [(base, target[0].names[len(meaning[0].names) :]) for base, meaning in nearest]


def _leads_to(meaning: Meaning, target: Meaning) -> bool:
    """Return whether the same fields lead from each origin to its counterpart."""
    if meaning[0].names[0] != target[0].names[0]:  # nearly always, and quickly
        return False
    if [origin.table for origin in meaning] != [origin.table for origin in target]:
        return False
    pairs = list(zip(meaning, target, strict=True))
    rests = {after.names[len(before.names) :] for before, after in pairs}
    return len(rests) == 1 and all(after.names[: len(before.names)] == before.names for before, after in pairs)


def _distance(meaning: Meaning, target: Meaning) -> tuple[bool, int, int]:
    """Elements of the same flatten are nearest, then what is around them, then elements of other flattens."""
    (a, b) = meaning[0], target[0]
    return a.through != b.through[: len(a.through)], -len(a.through), -len(a.names)


def _plan_substitution(query: Analysis, changes: tuple[Substitution, ...]) -> SubstitutionPlan:
    """Find the columns to change; one that is changed is no substitute any more above it, so until nothing is new."""
    changed: frozenset[ProjectedColumn] = frozenset()
    planned = SubstitutionPlan(query, changes, query.meanings)
    while True:
        columns = _columns_to_change(planned)
        if changed.issuperset(columns):
            return replace(planned, columns=columns)
        changed |= frozenset(columns)
        planned = SubstitutionPlan(query, changes, meanings_of(query.plan, changed))


def _columns_to_change(planned: SubstitutionPlan) -> Mapping[ProjectedColumn, Meaning]:
    """Return the columns of projections that have to become others, given what is offered."""
    plan = planned.query.plan
    came = push_down(plan, _pending_of_result(planned), lambda node, pending: _push_through(planned, node, pending))
    projections = [node for node in walk(plan) if isinstance(node, Project)]
    return {
        (node.id, id): meaning
        for node in projections
        for id, meaning in _columns_replaced_by(planned, node, came[node.id]).items()
    }


def _push_through(planned: SubstitutionPlan, node: Plan, pending: Pending) -> tuple[Pending, ...]:
    """Return what is pending below an operator: what came from above and was not settled here, and its own
    references.
    """
    below = _pass_through(planned, node, pending)
    own = _merge(_pending_of(planned, node, read) for read in planned.query.references[node.id])
    return tuple(_merge([came, _restrict(own, each)]) for came, each in zip(below, inputs(node), strict=True))


def _pass_through(planned: SubstitutionPlan, node: Plan, pending: Pending) -> tuple[Pending, ...]:
    match node:
        case Table():
            _check_reached(planned, node, pending)
            return ()
        case OneRow():
            return ()
        case Project():
            here = _columns_replaced_by(planned, node, pending)
            rest = {id: wanted for id, wanted in pending.items() if id not in here}
            return (_merge(_pass_columns(planned, node, rest)),)
        case Flatten():
            made = {id: wanted for id, wanted in pending.items() if id in {e.id for e in node.elements}}
            _check_reached(planned, node, made)
            return (_restrict(pending, node.input),)
        case Join():
            return _restrict(pending, node.left), _restrict(pending, node.right)
        case Union():
            return _split_by_branch(planned, node, pending)
        case SetOperation():
            return pending, {}
        case Aggregate():
            return ({},)
        case Filter() | Window() | Distinct() | Sort() | Limit() | Sample():
            return (pending,)
        case _:
            assert_never(node)


def _pass_columns(planned: SubstitutionPlan, node: Project, pending: Pending) -> Iterator[Pending]:
    """Yield what is wanted of the columns that a projection carries along, as wants of what it takes them from."""
    scope = scope_below(node, planned.query.meanings)
    for column in node.columns:
        wanted = pending.get(column.attribute.id)
        read = None if wanted is None else as_reference(column.expr, scope)
        if wanted is not None and read is not None:
            fields = read.meaning[0].names[len(_root_meaning(read)[0].names) :]
            assert isinstance(read.root, Ref)
            yield {read.root.attribute.id: frozenset(_drop_fields(target, fields, node) for target in wanted)}


def _drop_fields(target: Meaning, fields: Names, node: Plan) -> Meaning:
    """Return what the struct has to become of which these fields are taken."""
    count = len(fields)
    if any(origin.names[len(origin.names) - count :] != fields for origin in target):
        raise CannotSubstitute(Message("does_not_reach", path=_text(target), step=str(node.id)))
    return tuple(replace(origin, names=origin.names[: len(origin.names) - count]) for origin in target)


def _restrict(pending: Pending, node: Plan) -> Pending:
    known = {attribute.id for attribute in node.output}
    return {id: wanted for id, wanted in pending.items() if id in known}


def _merge(many: Iterable[Pending]) -> Pending:
    found: dict[AttrId, frozenset[Meaning]] = {}
    for pending in many:
        for id, wanted in pending.items():
            found[id] = found.get(id, frozenset()) | wanted
    return found


def _check_reached(planned: SubstitutionPlan, node: Plan, pending: Pending) -> None:
    """Return whether no operator wants an attribute to be another one where it begins."""
    for id, wanted in pending.items():
        for target in wanted - {planned.query.meanings[node.id][id]}:
            raise CannotSubstitute(Message("does_not_reach_readers", path=_text(target)))


def _text(meaning: Meaning) -> str:
    return path_text(meaning[0].names)


def _split_by_branch(planned: SubstitutionPlan, node: Union, pending: Pending) -> tuple[Pending, ...]:
    """Return what is wanted of an attribute of a union, as wants of the attributes of its branches."""
    found: list[dict[AttrId, frozenset[Meaning]]] = [{} for _ in node.branches]
    for position, attribute in enumerate(node.attributes):
        start = 0
        for into, branch in zip(found, node.branches, strict=True):
            given = branch.output[position].id
            width = len(planned.query.meanings[branch.id].get(given, ()))
            if attribute.id in pending:
                into[given] = frozenset(target[start : start + width] for target in pending[attribute.id])
            start += width
    return tuple(found)


def _columns_replaced_by(planned: SubstitutionPlan, node: Project, pending: Pending) -> Mapping[AttrId, Meaning]:
    """Return the columns of a projection that become others: what is wanted is offered below it, and no more above."""
    found: dict[AttrId, Meaning] = {}
    for id, wanted in pending.items():
        own = planned.query.meanings[node.id][id]
        offered = [target for target in wanted - {own} if planned.offers(node, target, MeaningScope({}))]
        if offered and len(wanted) > 1:
            raise CannotSubstitute(Message("different_substitutes", step=str(node.id), path=_text(own)))
        if offered:
            found[id] = offered[0]
    return found


def _pending_of(planned: SubstitutionPlan, node: Plan, read: Reference) -> Pending:
    """Return what a reference asks of the operators below: to leave its attribute alone, or to replace it."""
    target = planned.target(node.id, read.meaning)
    if target == read.meaning:
        return {read.root.attribute.id: frozenset({_root_meaning(read)})} if isinstance(read.root, Ref) else {}
    if planned.offers(node, target, read.scope):
        return {}
    if not isinstance(read.root, Ref):
        raise CannotSubstitute(Message("does_not_reach", path=_text(target), step=str(node.id)))
    return {read.root.attribute.id: frozenset({_root_target(planned, node, read)})}


def _pending_of_result(planned: SubstitutionPlan) -> Pending:
    """Return what columns of the result have to become others: those whose substitutes the result does not show."""
    found: dict[AttrId, frozenset[Meaning]] = {}
    for read in planned.query.references[RESULT]:
        target = planned.target(RESULT, read.meaning)
        if target != read.meaning and not planned.is_in_result(target) and isinstance(read.root, Ref):
            found[read.root.attribute.id] = frozenset({target})
    return found


def _root_meaning(read: Reference) -> Meaning:
    meaning = read.scope.meaning(read.root)
    assert meaning is not None
    return meaning


def _root_target(planned: SubstitutionPlan, node: Plan, read: Reference) -> Meaning:
    """Return what the attribute of a reference has to become, so that the fields taken of it become others."""
    found = []
    for root, whole in zip(_root_meaning(read), read.meaning, strict=True):
        change = planned.change(node.id, whole)
        if change is not None and len(change.old) > len(root.names):
            raise CannotSubstitute(Message("does_not_reach", path=path_text(change.new), step=str(node.id)))
        found.append(planned.move(root, change))
    return tuple(found)


# --- how to replace ---


def _rewrite_node(planned: SubstitutionPlan, node: Plan, notes: dict[Message, None]) -> Plan:
    """Return the operator with its references replaced, and the columns that have to become others."""
    scope = scope_below(node, planned.query.meanings)

    def change(read: Reference) -> Expr:
        target = planned.target(node.id, read.meaning)
        if target == read.meaning or not planned.offers(node, target, read.scope):
            return read.expr
        return _check_key(node, _replacement(planned, node, read, target, notes))

    new = with_uses(node, lambda expr: with_references(expr, scope, change), scope)
    if isinstance(new, Project):
        return replace(new, columns=tuple(_column(planned, new, c, scope, notes) for c in new.columns))
    return new


def _check_key(node: Plan, expr: Expr) -> Expr:
    if isinstance(node, Distinct) and not isinstance(expr, Ref):
        raise CannotSubstitute(Message("whole_columns_only", step=str(node.id)))
    return expr


def _column(
    planned: SubstitutionPlan, node: Project, column: Column, scope: MeaningScope, notes: dict[Message, None]
) -> Column:
    target = planned.columns.get((node.id, column.attribute.id))
    if target is None:
        return column
    read = as_reference(column.expr, scope)
    assert read is not None
    return recompute_column(column.attribute, _replacement(planned, node, read, target, notes), column)


def _replacement(
    planned: SubstitutionPlan, node: Plan, read: Reference, target: Meaning, notes: dict[Message, None]
) -> Expr:
    """Return the expression for the target that fits in the place of the reference."""
    reasons: list[Message] = []
    for base, rest in planned.offers(node, target, read.scope):
        found = _take_fields(base, rest, target, read)
        try:
            described = tuple(describe_mapping(found.type, read.expr.type, _text(target), planned.query.fields_read))
        except CannotSubstitute as error:
            reasons.append(error.reason)
            continue
        notes.update(dict.fromkeys(described))
        return fit_type(found, read.expr.type)
    raise CannotSubstitute(reasons[0])


def _take_fields(base: Expr, rest: Names, target: Meaning, read: Reference) -> Expr:
    """Return the fields of the base that lead to the target, with the items that the reference takes of arrays."""
    items = _items(read, target)
    depth = len(target[0].names) - len(rest)
    found = _with_items(base, depth, items)
    for name in rest:
        depth += 1
        found = _with_items(_field(found, name), depth, items)
    return found


def _items(read: Reference, target: Meaning) -> tuple[tuple[int, ItemOf], ...]:
    """Return the items that the reference takes, each with the number of names of the target that lead to it."""
    old, new = read.meaning[0].names, target[0].names
    shift = len(new) - len(old)
    return tuple((depth if old[:depth] == new[:depth] else depth + shift, item) for depth, item in read.items)


def _with_items(expr: Expr, depth: int, items: tuple[tuple[int, ItemOf], ...]) -> Expr:
    for _, item in (each for each in items if each[0] == depth):
        expr = replace(item, input=expr) if isinstance(expr.type, Array) else expr
    return expr


def _field(expr: Expr, name: str) -> Expr:
    """Return a field of a struct or of the structs in an array; through an array of arrays, element by element."""
    if isinstance(expr.type, Array) and isinstance(expr.type.element, Array):
        return transform(expr, lambda inner: _field(inner, name))
    names = [each.name for each in fields_in(expr.type)]
    return FieldOf(expr, names.index(name))
