"""Plans built by hand: names instead of attributes, and steps numbered as they are added."""

from __future__ import annotations

import itertools
from typing import Any

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    AttrId,
    Call,
    Compare,
    CompareOp,
    Expr,
    FieldOf,
    Frame,
    Literal,
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
    Sort,
    SortKey,
    Source,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import INTEGER, Array, Field, Struct, Type


def struct(**fields: Type) -> Struct:
    return Struct(tuple(Field(name, type) for name, type in fields.items()))


def of(plan: Plan, path: str) -> Expr:
    """The attribute of a plan with the fields after it: `item.l_tax`."""
    name, *fields = path.split(".")
    (found,) = [Ref(a) for a in plan.output if a.name == name]
    expr: Expr = found
    for each in fields:
        inner = expr.type.element if isinstance(expr.type, Array) else expr.type
        assert isinstance(inner, Struct)
        expr = FieldOf(expr, inner.names.index(each))
    return expr


class Query:
    """Numbers the attributes and steps of a plan that is built by hand."""

    def __init__(self) -> None:
        self._attributes = itertools.count(1)
        self._steps = itertools.count(1)

    def attribute(self, name: str, type: Type) -> Attribute:
        return Attribute(AttrId(next(self._attributes)), name, type)

    def step(self) -> OpId:
        return OpId(next(self._steps))

    def table(self, source: str, **columns: Type) -> Plan:
        attributes = tuple(self.attribute(name, type) for name, type in columns.items())
        return Table(id=self.step(), attributes=attributes, source=Source(source))

    def project(self, plan: Plan, *carried: str, **computed: Expr | str) -> Plan:
        kept = tuple(a for name in carried for a in plan.output if a.name == name)
        exprs = {name: of(plan, expr) if isinstance(expr, str) else expr for name, expr in computed.items()}
        made = tuple(Column(self.attribute(name, expr.type), expr) for name, expr in exprs.items())
        return Project(id=self.step(), input=plan, columns=carry(kept) + made)

    def filter(self, plan: Plan, *conditions: Expr) -> Plan:
        return Filter(id=self.step(), input=plan, condition=conditions[0] if len(conditions) == 1 else And(conditions))

    def flatten(self, plan: Plan, collection: str, name: str) -> Plan:
        expr = of(plan, collection)
        assert isinstance(expr.type, Array)
        element = self.attribute(name, expr.type.element)
        return Flatten(id=self.step(), input=plan, collection=expr, elements=(element,))

    def inline(self, plan: Plan, collection: str) -> Plan:
        expr = of(plan, collection)
        assert isinstance(expr.type, Array)
        assert isinstance(expr.type.element, Struct)
        elements = tuple(self.attribute(f.name, f.type) for f in expr.type.element.fields)
        return Flatten(id=self.step(), input=plan, collection=expr, elements=elements, inline=True)

    def group(self, plan: Plan, *keys: str, **aggregates: AggCall) -> Plan:
        made = tuple(Column(self.attribute(name, call.type), call) for name, call in aggregates.items())
        kept = [a for name in keys for a in plan.output if a.name == name]
        return Aggregate(id=self.step(), input=plan, keys=carry(kept), aggregates=made)

    def join(self, left: Plan, right: Plan, condition: Expr | None = None, how: JoinType = "inner") -> Plan:
        return Join(id=self.step(), left=left, right=right, how=how, condition=condition)

    def distinct(self, plan: Plan, *keys: str) -> Plan:
        found = tuple(a for name in keys for a in plan.output if a.name == name)
        return Distinct(id=self.step(), input=plan, keys=found or None)

    def limit(self, plan: Plan, order: str, count: int) -> Plan:
        ordered = Sort(id=self.step(), input=plan, order=(SortKey(of(plan, order)),))
        return Limit(id=self.step(), input=ordered, count=count)

    def union(self, *branches: Plan) -> Plan:
        attributes = tuple(self.attribute(a.name, a.type) for a in branches[0].output)
        return Union(id=self.step(), branches=branches, attributes=attributes)

    def window(self, plan: Plan, partition: str, order: str) -> Plan:
        ranked = WindowCall(Call("row_number", ()), Frame("rows", None, "current row"))
        return Window(
            id=self.step(),
            input=plan,
            partition=(of(plan, partition),),
            order=(SortKey(of(plan, order)),),
            columns=(Column(self.attribute("rank", INTEGER), ranked),),
        )


def compare(left: Expr, op: CompareOp, value: Any) -> Expr:
    return Compare(op, left, Literal(value, left.type))
