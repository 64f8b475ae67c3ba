"""Generated questions for the oracle: small queries over small nested tables, and rows that they do not return.

All values are few and small, so that keys meet, groups form and conditions fail. What is asked for is drawn from the
values that columns of the result can have under some reparameterization; kept are questions that the query does not
answer and that some reparameterization does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from sparkwhy.alternatives.enumerate import alternatives_of
from sparkwhy.alternatives.variant import Alternatives
from sparkwhy.errors import TooManyAlternatives
from sparkwhy.lab.changes import Changer
from sparkwhy.lab.oracle import Oracle, is_successful, judge_outcomes
from sparkwhy.lab.outcomes import PossibleBags, possible_bags
from sparkwhy.lab.swaps import Swaps
from sparkwhy.memory.interpreter import DEFAULTS, run
from sparkwhy.memory.values import Row, Value, grouping_key
from sparkwhy.plan.exprs import AggCall, And, Attribute, Call, Compare, Expr, FieldOf, In, IsNotNull, Literal, Or, Ref
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Flatten,
    Join,
    Limit,
    OpId,
    Plan,
    Project,
    Source,
    Table,
    Union,
)
from sparkwhy.plan.types import INTEGER, LONG, STRING, Array, Field, Struct, Type
from sparkwhy.plan.walk import walk
from sparkwhy.question.bind import bind
from sparkwhy.question.bound import Question
from sparkwhy.question.match import row_matches
from sparkwhy.question.pattern import ANY, contains, ge, gt, is_null, le, lt, ne, not_null, to_pattern
from tests.trace.plans import INTS, Generator

MAX_STATES = 5_000
"""So many outputs of one operator the oracle computes; beyond, its answer is a part of the truth."""

FEWEST, MOST = 2, 7
"""So many operators has a query, its tables apart."""

PART = Struct((Field("p", INTEGER), Field("q", INTEGER)))
PARTS = Array(PART)
PAIR = Struct((Field("a", INTEGER), Field("b", STRING)))
TEXTS = ("ab", "b", "bc")
DRAWS = 12
"""So many patterns are tried for one query."""

LONGEST = 4
"""So many elements of a list a pattern tells apart."""

Tables = dict[OpId, list[Row]]
Group = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Case:
    """A query, its tables, groups of interchangeable attributes, a question, and what the oracle says of it."""

    seed: str
    plan: Plan
    tables: Tables
    groups: tuple[Group, ...]
    question: Question
    oracle: Oracle

    @property
    def declared(self) -> list[set[str]]:
        return [{".".join(path) for path in group} for group in self.groups]


def case(seed: str) -> Case | None:
    """The case of a seed, if its query fits and a question is found."""
    maker = Maker(Random(seed))
    plan = maker.plan(maker.random.randint(1, 5))
    groups = maker.groups(plan) if maker.random.random() < 0.5 else ()
    if not FEWEST <= operators(plan) <= MOST or not is_determined(plan) or alternatives(plan, groups) is None:
        return None
    original = run(plan, maker.tables)
    found = possible_bags(plan, maker.tables, Changer(Swaps.of(plan, groups), MAX_STATES, DEFAULTS))
    question = draw_question(maker.random, plan, maker.tables, found)
    if question is None:
        return None
    return Case(seed, plan, maker.tables, groups, question, judge_outcomes(plan, original, found, question))


def alternatives(plan: Plan, groups: tuple[Group, ...]) -> Alternatives | None:
    """Each reference chooses by itself, as in the paper's definitions; None if these are too many."""
    try:
        return alternatives_of(plan, [{".".join(path) for path in group} for group in groups], mode="each")
    except TooManyAlternatives:
        return None


def operators(plan: Plan) -> int:
    return sum(not isinstance(node, Table) for node in walk(plan))


def is_determined(plan: Plan) -> bool:
    """Whether no operator keeps any of several rows: after a join their order is nobody's promise."""
    choosing = [node for node in walk(plan) if isinstance(node, Limit) or (isinstance(node, Distinct) and node.keys)]
    return not any(isinstance(below, Join) for node in choosing for below in walk(node))


# --- queries ---


class Maker(Generator):
    """Draws queries over tables with numbers, a text, a struct, an array and an array of structs."""

    def operations(self) -> list[Callable[[Plan], Plan]]:
        return [
            self.filter, self.filter, self.filter, self.filter, self.join, self.join, self.join, self.flatten,
            self.flatten, self.project, self.rename, self.aggregate, self.aggregate, self.nest, self.nest, self.union,
            self.distinct, self.limit, self.window, self.set_operation, self.membership, self.distinct_by,
        ]  # fmt: skip

    def attribute(self, name: str, type: Type = INTEGER) -> Attribute:
        made = super().attribute(name, type)
        return Attribute(made.id, f"{name}{made.id}", type, True)

    def table(self) -> Plan:
        id = self.id()
        columns: list[tuple[str, Type, Callable[[], Value]]] = [
            ("k", INTEGER, self.small), ("v", INTEGER, self.small), ("w", INTEGER, self.small),
            ("c", STRING, self.text), ("s", PAIR, self.struct), ("xs", INTS, self.ints), ("ps", PARTS, self.parts),
        ]  # fmt: skip
        chosen = [columns[0], *sorted(self.random.sample(columns[1:], self.random.randint(2, 4)), key=columns.index)]
        attributes = tuple(self.attribute(name, type) for name, type, _ in chosen)
        rows = range(self.random.randint(3, 6) if id == OpId(1) else self.random.randint(2, 4))
        self.tables[id] = [tuple(draw() for _, _, draw in chosen) for _ in rows]
        return Table(id=id, attributes=attributes, source=Source(f"t{id}"))

    def text(self) -> str | None:
        return self.random.choice([*TEXTS, *TEXTS, None])

    def struct(self) -> Row | None:
        return None if self.random.random() < 0.1 else (self.small(), self.text())

    def parts(self) -> tuple[Row, ...] | None:
        if self.random.random() < 0.2:
            return None
        return tuple((self.small(), self.small()) for _ in range(self.random.randint(0, 2)))

    def groups(self, plan: Plan) -> tuple[Group, ...]:
        """One or two pairs of paths of one table that have the same type."""
        paths = [path for node in walk(plan) if isinstance(node, Table) for path in _paths(node)]
        pairs = [frozenset({a, b}) for t, a, of_a in paths for u, b, of_b in paths if (t, of_a) == (u, of_b) and a < b]
        return tuple(self.random.sample(pairs, min(len(pairs), self.random.randint(1, 2))))

    # --- parts ---

    def condition(self, plan: Plan) -> Expr:
        """On a number or a text, wherever it is in the row."""
        texts = _leaves(plan, STRING)
        simple = self.on_text(self.random.choice(texts)) if texts and self.random.random() < 0.3 else self.on(plan)
        if self.random.random() < 0.2:
            both = (simple, self.on(plan))
            return And(both) if self.random.random() < 0.6 else Or(both)
        return simple

    def on(self, plan: Plan) -> Expr:
        inner = [*_leaves(plan, INTEGER), *_leaves(plan, LONG)]
        ref = self.random.choice(inner)
        constant = Literal(self.random.choice([0, 1, 2]), ref.type)
        if self.random.random() < 0.15:
            others: list[Expr] = [IsNotNull(ref), In(ref, (constant, Literal(1, ref.type)))]
            return self.random.choice(others)
        return Compare(self.random.choice(["=", "=", "<", "<=", ">", ">=", "<>"]), ref, constant)

    def on_text(self, ref: Expr) -> Expr:
        constant = Literal(self.random.choice(TEXTS), STRING)
        test = Call(self.random.choice(["contains", "startswith"]), (ref, constant))
        tests: list[Expr] = [Compare("=", ref, constant), Compare("=", ref, constant), test]
        return self.random.choice(tests)

    # --- operators ---

    def flatten(self, plan: Plan) -> Plan:
        lists = [a for a in plan.output if isinstance(a.type, Array)]
        if not lists:
            return self.filter(plan)
        chosen = self.random.choice(lists)
        assert isinstance(chosen.type, Array)
        element = chosen.type.element
        inline = isinstance(element, Struct) and self.random.random() < 0.5
        fields = element.fields if isinstance(element, Struct) and inline else (Field("x", element),)
        made = tuple(self.attribute(field.name, field.type) for field in fields)
        outer = self.random.random() < 0.3
        return Flatten(id=self.id(), input=plan, collection=Ref(chosen), elements=made, outer=outer, inline=inline)

    def rename(self, plan: Plan) -> Plan:
        """Some columns under new names, fields of structs among them; a number at least."""
        leaves = [expr for type in (INTEGER, STRING, LONG) for expr in _leaves(plan, type)]
        others = [Ref(a) for a in plan.output if isinstance(a.type, Array)]
        kept = self.random.sample(leaves, self.random.randint(1, min(3, len(leaves))))
        chosen = [Ref(self.number(plan)), *kept, *(ref for ref in others if self.random.random() < 0.7)]
        made = tuple(Column(self.attribute("n", expr.type), expr) for expr in dict.fromkeys(chosen))
        return Project(id=self.id(), input=plan, columns=made)

    def nest(self, plan: Plan) -> Plan:
        """A list for each key: of a column, whatever it is."""
        group = self.number(plan)
        values = [a for a in plan.output if a != group] or list(plan.output)
        call = AggCall("collect_list", (Ref(self.random.choice(values)),))
        column = Column(self.attribute("l", call.type), call)
        return Aggregate(id=self.id(), input=plan, keys=(Column(group, Ref(group)),), aggregates=(column,))

    def pair(self, plan: Plan) -> tuple[Plan, Plan]:
        """Two queries of one column of the same type."""
        left, other = self.narrow(plan), self.other()
        alike = [a for a in other.output if a.type == left.output[0].type]
        if not alike:
            id, made = self.id(), self.attribute("l", left.output[0].type)
            self.tables[id] = [(self.small(),) for _ in range(3)]
            return left, Table(id=id, attributes=(made,), source=Source(f"t{id}"))
        chosen = self.random.choice(alike)
        return left, Project(id=self.id(), input=other, columns=(Column(chosen, Ref(chosen)),))

    def union(self, plan: Plan) -> Plan:
        left, right = self.pair(plan)
        made = self.attribute("u", left.output[0].type)
        return Union(id=self.id(), branches=(left, right), attributes=(made,))


def _leaves(plan: Plan, type: Type) -> list[Expr]:
    """The columns of this type, and the fields of structs."""
    structs = [(Ref(a), a.type) for a in plan.output if isinstance(a.type, Struct)]
    fields = [FieldOf(ref, i) for ref, of in structs for i, field in enumerate(of.fields) if field.type == type]
    return [*(Ref(a) for a in plan.output if a.type == type), *fields]


def _paths(table: Table) -> Iterator[tuple[OpId, tuple[str, ...], Type]]:
    """What may be interchanged in a table: columns, and fields of structs, also of those in an array."""
    for attribute in table.attributes:
        yield table.id, (attribute.name,), attribute.type
        match attribute.type:
            case Struct(fields):
                yield from ((table.id, (attribute.name, field.name), field.type) for field in fields)
            case Array(Struct(fields)):
                yield from ((table.id, (attribute.name, field.name), Array(field.type)) for field in fields)
            case _:
                pass


# --- questions ---


def draw_question(random: Random, plan: Plan, tables: Tables, found: PossibleBags) -> Question | None:
    """A pattern of a row that the query lacks and one of its reparameterizations returns."""
    active = [_different(row[i] for outcome in found.found for row in outcome.rows) for i in range(len(plan.output))]
    for _ in range(DRAWS):
        question = bind(to_pattern(_pattern(random, plan, active)), plan.output)
        if not is_successful(plan, tables, question) and _is_answered(question, found):
            return question
    return None


def _is_answered(question: Question, found: PossibleBags) -> bool:
    return any(row_matches(question, row) for outcome in found.found for row in outcome.rows)


def _different(values: Iterator[Value]) -> list[Value]:
    return list({grouping_key(value): value for value in values}.values())


def _pattern(random: Random, plan: Plan, active: list[list[Value]]) -> Mapping[str, Any]:
    """What is asked of one to three columns, each by a value that it can have."""
    places = [i for i, values in enumerate(active) if values]
    chosen = random.sample(places, min(len(places), random.choice([1, 1, 2, 2, 3])))
    return {plan.output[i].name: _asked(random, random.choice(active[i]), plan.output[i].type) for i in chosen}


def _asked(random: Random, value: Value, type: Type) -> Any:
    """A pattern that the value matches."""
    if value is None:
        return is_null()
    match type:
        case Array(element):
            parts = [_asked(random, part, element) for part in value[:LONGEST]]
            some = random.sample(parts, random.randint(0, len(parts)))
            exact = parts if len(value) <= LONGEST else [*parts, ...]
            return random.choice([exact, [*some, ...], [*some[:1], ...], [ANY, ...] if parts else []])
        case Struct(fields):
            mentioned = random.sample(range(len(fields)), random.randint(1, len(fields)))
            return {fields[i].name: _asked(random, value[i], fields[i].type) for i in mentioned}
        case _ if type == STRING:
            return random.choice([value, value, value, contains(value[0]), not_null()])
        case _:
            near = [ge(value), le(value), gt(value - 1), lt(value + 1), ne(value + 1), not_null()]
            return random.choice([value, value, value, random.choice(near)])
