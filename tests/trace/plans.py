"""Generated plans over tiny tables, for laws that need no Spark."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal as OneOf

from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    AttrId,
    Call,
    Compare,
    CompareOp,
    Expr,
    Frame,
    In,
    IsNotNull,
    IsNull,
    Literal,
    Not,
    Or,
    Ref,
    WindowCall,
)
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    JoinType,
    Limit,
    OpId,
    Plan,
    Project,
    SetOperation,
    Sort,
    SortKey,
    Source,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import INTEGER, LONG, Array, Type

INTS = Array(INTEGER)
COMPARISONS: list[CompareOp] = ["=", "<", "<=", ">", ">=", "<>", "<=>"]
PAIRING: list[JoinType] = ["inner", "inner", "left", "right", "full"]
MEMBERSHIP: list[JoinType] = ["semi", "anti"]
SET_OPERATIONS: list[OneOf["except", "intersect"]] = ["except", "intersect"]


@dataclass
class Generator:
    """Draws plans: small integers everywhere, so that keys meet, groups form and conditions fail."""

    random: Random

    def __post_init__(self) -> None:
        self._attributes = itertools.count(1)
        self._steps = itertools.count(1)
        self.tables: dict[OpId, list[Row]] = {}

    def plan(self, size: int) -> Plan:
        plan = self.table()
        for _ in range(size):
            plan = self.random.choice(self.operations())(plan)
        return plan

    def operations(self) -> list[Callable[[Plan], Plan]]:
        return [
            self.filter, self.filter, self.filter, self.join, self.join, self.join, self.flatten, self.project,
            self.aggregate, self.aggregate, self.distinct, self.union, self.set_operation, self.limit, self.window,
            self.distinct_by, self.membership,
        ]  # fmt: skip

    # --- parts ---

    def id(self) -> OpId:
        return OpId(next(self._steps))

    def attribute(self, name: str, type: Type = INTEGER) -> Attribute:
        return Attribute(AttrId(next(self._attributes)), name, type)

    def small(self) -> int | None:
        return self.random.choice([0, 1, 1, 2, 2, None])

    def numbers(self, plan: Plan) -> list[Attribute]:
        return [a for a in plan.output if a.type in (INTEGER, LONG)]

    def number(self, plan: Plan) -> Attribute:
        return self.random.choice(self.numbers(plan))

    def condition(self, plan: Plan) -> Expr:
        ref = Ref(self.number(plan))
        constant = Literal(self.random.choice([0, 1, 2]), ref.type)
        simples: list[Expr] = [
            Compare(self.random.choice(COMPARISONS), ref, constant),
            IsNull(ref),
            IsNotNull(ref),
            In(ref, (constant, Literal(1, ref.type))),
            Not(Compare("=", ref, constant)),
        ]
        simple = self.random.choice(simples)
        if self.random.random() < 0.25:
            both = (simple, self.condition(plan))
            return And(both) if self.random.random() < 0.5 else Or(both)
        return simple

    # --- operators ---

    def table(self) -> Plan:
        id = self.id()
        attributes = (self.attribute("k"), self.attribute("v"), self.attribute("xs", INTS))
        count = self.random.randint(0, 4)
        self.tables[id] = [(self.small(), self.small(), self.ints()) for _ in range(count)]
        return Table(id=id, attributes=attributes, source=Source(f"t{id}"))

    def ints(self) -> tuple[int | None, ...] | None:
        if self.random.random() < 0.2:
            return None
        return tuple(self.small() for _ in range(self.random.randint(0, 2)))

    def filter(self, plan: Plan) -> Plan:
        return Filter(id=self.id(), input=plan, condition=self.condition(plan))

    def other(self) -> Plan:
        plan = self.table()
        for _ in range(self.random.randint(0, 1)):
            plan = self.random.choice([self.filter, self.filter, self.aggregate, self.distinct])(plan)
        return plan

    def join_condition(self, left: Plan, right: Plan) -> Expr | None:
        a, b = Ref(self.number(left)), Ref(self.number(right))
        if a.type != b.type:
            return Compare("=", Call("+", (Literal(0, LONG), b)), a) if a.type == LONG and b.type == LONG else None
        key = Compare(self.random.choice(["=", "=", "=", "<=>", "<"]), a, b)
        if self.random.random() < 0.3:
            c, d = Ref(self.number(left)), Ref(self.number(right))
            if c.type == d.type:
                return And((key, Compare("<=", c, d)))
        return key

    def join(self, plan: Plan) -> Plan:
        other = self.other()
        left, right = (plan, other) if self.random.random() < 0.7 else (other, plan)
        how = self.random.choice(PAIRING)
        return Join(id=self.id(), left=left, right=right, how=how, condition=self.join_condition(left, right))

    def membership(self, plan: Plan) -> Plan:
        right = self.other()
        how = self.random.choice(MEMBERSHIP)
        return Join(id=self.id(), left=plan, right=right, how=how, condition=self.join_condition(plan, right))

    def flatten(self, plan: Plan) -> Plan:
        lists = [a for a in plan.output if a.type == INTS]
        if not lists:
            return self.filter(plan)
        outer = self.random.random() < 0.3
        collection = Ref(self.random.choice(lists))
        return Flatten(id=self.id(), input=plan, collection=collection, elements=(self.attribute("x"),), outer=outer)

    def project(self, plan: Plan) -> Plan:
        kept = [a for a in plan.output if self.random.random() < 0.7 or a == self.numbers(plan)[0]]
        source = self.number(plan)
        made = Column(self.attribute("p", source.type), Call("+", (Ref(source), Literal(1, source.type))))
        return Project(id=self.id(), input=plan, columns=(*(Column(a, Ref(a)) for a in kept), made))

    def aggregate(self, plan: Plan) -> Plan:
        keys = self.random.choice([(), (self.number(plan),), (self.number(plan),)])
        value = Ref(self.number(plan))
        calls = [
            AggCall("count", (Literal(1, INTEGER),)),
            AggCall("count", (value,)),
            AggCall("sum", (value,)),
            AggCall("max", (value,)),
            AggCall("sum", (value,), distinct=True),
            AggCall("collect_list", (value,)),
            AggCall("max_by", (value, Ref(self.number(plan)))),
        ]
        chosen = self.random.sample(calls[:-1], self.random.randint(1, 2))
        made = tuple(Column(self.attribute("g", call.type), call) for call in chosen)
        if not keys and all(isinstance(c.attribute.type, Array) for c in made):
            made = (*made, Column(self.attribute("g", LONG), calls[0]))
        return Aggregate(id=self.id(), input=plan, keys=tuple(Column(a, Ref(a)) for a in keys), aggregates=made)

    def distinct(self, plan: Plan) -> Plan:
        return Distinct(id=self.id(), input=plan)

    def distinct_by(self, plan: Plan) -> Plan:
        """Which row of a key is kept nobody can say: only the keys are looked at."""
        key = self.number(plan)
        once = Distinct(id=self.id(), input=plan, keys=(key,))
        return Project(id=self.id(), input=once, columns=(Column(key, Ref(key)),))

    def narrow(self, plan: Plan) -> Plan:
        column = self.number(plan)
        return Project(id=self.id(), input=plan, columns=(Column(column, Ref(column)),))

    def pair(self, plan: Plan) -> tuple[Plan, Plan]:
        left, right = self.narrow(plan), self.narrow(self.other())
        if left.output[0].type == right.output[0].type:
            return left, right
        longs = [p for p in (left, right) if p.output[0].type == LONG]
        again = Table(id=self.id(), attributes=(self.attribute("l", LONG),), source=Source("longs"))
        self.tables[again.id] = [(self.small(),) for _ in range(self.random.randint(0, 3))]
        return longs[0], again

    def union(self, plan: Plan) -> Plan:
        left, right = self.pair(plan)
        made = self.attribute("u", left.output[0].type)
        return Union(id=self.id(), branches=(left, right), attributes=(made,))

    def set_operation(self, plan: Plan) -> Plan:
        left, right = self.pair(plan)
        operation = self.random.choice(SET_OPERATIONS)
        return SetOperation(id=self.id(), left=left, right=right, operation=operation, all=self.random.random() < 0.5)

    def order(self, plan: Plan) -> tuple[SortKey, ...]:
        """A total order: rows that are equal in it are equal altogether."""
        return tuple(SortKey(Ref(a), ascending=self.random.random() < 0.5) for a in plan.output)

    def limit(self, plan: Plan) -> Plan:
        ordered = Sort(id=self.id(), input=plan, order=self.order(plan))
        return Limit(id=self.id(), input=ordered, count=self.random.randint(1, 2), offset=self.random.choice([0, 0, 1]))

    def window(self, plan: Plan) -> Plan:
        partition = self.random.choice([(), (Ref(self.number(plan)),)])
        made: list[Column] = [
            Column(self.attribute("r"), WindowCall(Call("row_number", ()), Frame("rows", None, "current row"))),
            Column(
                self.attribute("s", LONG),
                WindowCall(AggCall("sum", (Ref(self.number(plan)),)), Frame("rows", None, None)),
            ),
        ]
        order = self.order(plan)
        return Window(id=self.id(), input=plan, partition=partition, order=order, columns=(self.random.choice(made),))
