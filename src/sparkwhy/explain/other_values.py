"""Rows that are in the result with another value than the question asks for.

    asked: {"title": "One", "sold": 45}        in the result: title = One, sold = 17

`title` is a column of the data: it says which row is meant. `sold` is computed: it may have come out differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparkwhy.backtrace.backtrace import Conditions, backtrace_to_own, is_passed_on, pins_value
from sparkwhy.limits import Limits
from sparkwhy.messages import Message
from sparkwhy.plan.build import Fresh, all_of, long
from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Limit, Plan, Project
from sparkwhy.plan.origins import Origins
from sparkwhy.plan.types import LONG, STRING
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.question.bound import Question
from sparkwhy.question.match import conditions_by_attribute
from sparkwhy.spark.engine import Engine
from sparkwhy.trace.blame import droppers_of
from sparkwhy.trace.encode import encode
from sparkwhy.trace.witness import Row, decode_values
from sparkwhy.wording import count_of


@dataclass(frozen=True)
class OtherValues:
    """Rows of the result with other values in some `columns`, and some of the rows that were grouped into them.

    `contributors` is how many rows were grouped; None if the values do not come from one grouping.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    contributing: tuple[Row, ...] = ()
    contributors: int | None = None


@dataclass(frozen=True)
class SplitQuestion:
    """A question as what it asks of columns of the data, which says what row is meant, and of computed columns."""

    known: Conditions
    computed: Mapping[Attribute, Conditions] = field(default_factory=dict)

    @property
    def names_a_row(self) -> bool:
        return bool(self.computed) and any(map(pins_value, self.known))


def split_question(plan: Plan, question: Question) -> SplitQuestion:
    """Split what is asked into columns that only pass values of the data on, and computed ones."""
    made_of, known, computed = Origins.of(plan).made_of, list[Expr](), dict[Attribute, Conditions]()
    for attribute, asked in conditions_by_attribute(question):
        if not asked:
            continue
        if _is_own(made_of, attribute.id):
            known.extend(asked)
        else:
            computed[attribute] = asked
    return SplitQuestion(tuple(known), computed)


def note_unexplained(plan: Plan, question: Question) -> tuple[Message, ...]:
    """Return what was tried in vain to find the row, and which columns to leave out to learn more."""
    droppers = {node.id.step for node in walk(plan) for _ in droppers_of(node)}
    tried = Message("all_relaxed", operators=count_of(len(droppers), "operator")) if droppers else Message("none_drops")
    asked = split_question(plan, question)
    if asked.names_a_row:
        return tried, Message("ask_without", columns=" and ".join(a.name for a in asked.computed))
    columns = [attribute.name for attribute, conditions in conditions_by_attribute(question) if conditions]
    return (tried, Message("ask_for_fewer", columns=" and ".join(columns))) if len(columns) > 1 else (tried,)


def _is_own(made_of: Mapping[AttrId, tuple[Expr, ...]], attribute: AttrId) -> bool:
    """Return whether a column has values of the data as they are, or in another form."""
    exprs = made_of.get(attribute, ())
    return all(is_passed_on(expr) and all(_is_own(made_of, a.id) for a in attributes_of(expr)) for expr in exprs)


def find_other_values(engine: Engine, plan: Plan, question: Question, limits: Limits) -> OtherValues | None:
    """Find rows of the result that are the row in question but for computed values; None if there are none."""
    asked = split_question(plan, question)
    if not asked.names_a_row:
        return None
    rows = _first_rows(engine, plan, asked.known, plan.output, limits.witnesses)
    if not rows:
        return None
    found = OtherValues(tuple(a.name for a in asked.computed), rows)
    grouping = _grouping_of(plan, asked)
    if grouping is None or len(rows) > 1:
        return found
    own = backtrace_to_own(plan, asked.known)[grouping.input.id]
    if len(own) < len(asked.known):  # the rest of the question chooses among groups, so their rows are not known
        return found
    return OtherValues(
        found.columns,
        rows,
        _first_rows(engine, grouping.input, own, _read_by(grouping), limits.contributing),
        _count(engine, grouping.input, own),
    )


def _grouping_of(plan: Plan, asked: SplitQuestion) -> Aggregate | None:
    """Return the grouping that computes the values, if there is one for all of them."""
    origins = Origins.of(plan)
    read = {a for attribute in asked.computed for a in origins.ancestors(Ref(attribute))}
    groupings = [node for node in walk(plan) if isinstance(node, Aggregate)]
    found = [node for node in groupings if any(column.attribute.id in read for column in node.aggregates)]
    return found[0] if len(found) == 1 else None


def _read_by(grouping: Aggregate) -> tuple[Attribute, ...]:
    """Return the columns of the input that a grouping reads."""
    read = {a for column in (*grouping.keys, *grouping.aggregates) for a in attributes_of(column.expr)}
    return tuple(a for a in grouping.input.output if a in read)


def _first_rows(
    engine: Engine, plan: Plan, conditions: Conditions, columns: tuple[Attribute, ...], most: int
) -> tuple[Row, ...]:
    fresh = Fresh(plan)
    some = Limit(id=fresh.part(plan), input=_meeting(fresh, plan, conditions), count=most)
    texts = tuple(Column(fresh.attribute("text", STRING, nullable=True), encode(Ref(a))) for a in columns)
    rows = engine.collect(Project(id=fresh.part(plan), input=some, columns=texts))
    return tuple(decode_values(columns, row, engine.timezone()) for row in rows)


def _count(engine: Engine, plan: Plan, conditions: Conditions) -> int:
    fresh = Fresh(plan)
    number = Column(fresh.attribute("rows", LONG), AggCall("count", (long(1),)))
    met = _meeting(fresh, plan, conditions)
    ((count,),) = engine.collect(Aggregate(id=fresh.part(plan), input=met, keys=(), aggregates=(number,)))
    return int(count)


def _meeting(fresh: Fresh, plan: Plan, conditions: Conditions) -> Plan:
    return Filter(id=fresh.part(plan), input=plan, condition=all_of(conditions))
