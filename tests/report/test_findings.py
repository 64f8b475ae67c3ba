"""What is said of a witness at an operator: beside the operator that it is about, and of nothing that is not so."""

from __future__ import annotations

from typing import Any

from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.plan.exprs import Attribute, AttrId, Cast, Compare, Expr, In, Literal, Ref
from sparkwhy.plan.nodes import Column, Filter, Flatten, Join, OpId, Plan, Project, Source, Table
from sparkwhy.plan.show import main_nodes, show_op
from sparkwhy.plan.types import DATE, INTEGER, STRING, Array
from sparkwhy.report.findings import findings
from sparkwhy.report.redact import Redaction, redact_answer
from sparkwhy.report.values import show_values
from sparkwhy.trace.witness import Observation, Observations, Witness
from sparkwhy.wording import MASK
from tests.report.answers import answer

ID, ITEMS = Attribute(AttrId(1), "id", INTEGER), Attribute(AttrId(2), "items", Array(INTEGER))
BUYER, STATUS = Attribute(AttrId(3), "id", INTEGER), Attribute(AttrId(4), "status", STRING)
ITEM = Attribute(AttrId(5), "item", INTEGER)
WRITTEN, DAY = Attribute(AttrId(6), "written", STRING), Attribute(AttrId(7), "day", DATE)

PEOPLE = Table(id=OpId(1), attributes=(ID, ITEMS), source=Source("people"))
ORDERS = Table(id=OpId(2), attributes=(BUYER, STATUS), source=Source("orders"))
SAME = Compare("=", Ref(ID), Ref(BUYER))


def of_null(attribute: Attribute, condition: Expr) -> Observation:
    """A filter that read a null, and its condition came out as null."""
    return Observation(read=((Ref(attribute), None),), outcomes=((condition, None),))


def told(plan: Plan, step: int, at: dict[int, Observation], row: Any = None) -> list[str]:
    """What is said at a step, if all steps with an observation are blamed but an outer join."""
    nodes = main_nodes(plan)
    blamed = [Operator.of(nodes[each]) for each in at if "left join" not in show_op(nodes[each])]
    witness = Witness(row or {}, Observations(at))
    explanation = Explanation(tuple(blamed), 1, witnesses=(witness,), plan=plan)
    return list(findings(Operator.of(nodes[step]), witness, explanation))


def left_join() -> Join:
    return Join(id=OpId(3), left=PEOPLE, right=ORDERS, how="left", condition=SAME)


def filtered(condition: Expr) -> Plan:
    """A left join, a filter on its right side, an explode of the left side, and a filter on that."""
    kept = Filter(id=OpId(4), input=left_join(), condition=condition)
    items = Flatten(id=OpId(5), input=kept, collection=Ref(ITEMS), elements=(ITEM,))
    return Filter(id=OpId(6), input=items, condition=Compare(">", Ref(ITEM), Literal(0, INTEGER)))


NO_ORDER = {
    3: Observation(read=((Ref(ID), 3),), no_partner="right"),
    5: Observation(collections=((Ref(ITEMS), "empty"),)),
    6: of_null(ITEM, Compare(">", Ref(ITEM), Literal(0, INTEGER))),
}
COMES_FROM = "the null comes from left join on id: id = 3 has no partner"


def test_where_a_null_comes_from_is_said_beside_the_condition_that_failed_on_it() -> None:
    unpaid = Compare("<>", Ref(STATUS), Literal("paid", STRING))
    at = {4: of_null(STATUS, unpaid), **NO_ORDER}
    assert told(filtered(unpaid), 4, at)[1:] == [COMES_FROM]
    assert told(filtered(unpaid), 6, at) == ["item is null, so item > 0 is NULL, not true"]


def test_a_condition_of_what_is_wanted_could_be_one_of_the_join() -> None:
    paid = Compare("=", Ref(STATUS), Literal("paid", STRING))
    at = {4: of_null(STATUS, paid), **NO_ORDER}
    assert told(filtered(paid), 4, at)[1:] == [f"{COMES_FROM}; as a condition of the join it would keep the row"]
    some = In(Ref(STATUS), (Literal("paid", STRING),))
    at = {4: of_null(STATUS, some), **NO_ORDER}
    assert told(filtered(some), 4, at)[1:] == [f"{COMES_FROM}; as a condition of the join it would keep the row"]


def dated(*kept: Attribute) -> Plan:
    """`select ..., try_cast(written as date) as day`, and a filter on the day."""
    texts = Table(id=OpId(1), attributes=(WRITTEN,), source=Source("texts"))
    made = Column(DAY, Cast(Ref(WRITTEN), DATE, "try"))
    parsed = Project(id=OpId(2), input=texts, columns=(*(Column(a, Ref(a)) for a in kept), made))
    return Filter(id=OpId(3), input=parsed, condition=Compare(">", Ref(DAY), Literal("2024-01-01", STRING)))


AT_THE_DAY = {3: of_null(DAY, Compare(">", Ref(DAY), Literal("2024-01-01", STRING)))}


def test_what_computed_a_null_is_named_with_what_it_read_and_its_format() -> None:
    row = {"written": "05.02.2024", "day": None}
    assert told(dated(WRITTEN), 3, AT_THE_DAY, row)[1:] == [
        "the null comes from try_cast(written as date): written = 05.02.2024, which has the format dd.MM.yyyy"
    ]
    row["written"] = "soon"
    assert told(dated(WRITTEN), 3, AT_THE_DAY, row)[1:] == [
        "the null comes from try_cast(written as date): written = soon"
    ]


def test_what_the_result_does_not_show_is_not_told() -> None:
    """The text may have been null itself, which would be another origin."""
    assert told(dated(), 3, AT_THE_DAY, {"day": None})[1:] == []


def test_what_is_hidden_is_hidden_here_too() -> None:
    plan = dated(WRITTEN)
    witness = Witness({"written": "05.02.2024", "day": None}, Observations(AT_THE_DAY))
    told = Explanation((Operator.of(plan),), 1, count=1, witnesses=(witness,), plan=plan)
    text = str(redact_answer(answer(told, plan=plan, missing={"written": "x"}), Redaction()))
    assert f"the null comes from try_cast(written as date): written = {MASK} string\n" in text
    assert "05.02" not in text
    assert "dd.MM" not in text


def test_a_null_that_was_read_comes_from_nowhere() -> None:
    paid = Compare("=", Ref(STATUS), Literal("paid", STRING))
    there = Filter(id=OpId(3), input=ORDERS, condition=paid)
    at = {3: of_null(STATUS, paid)}
    assert told(there, 3, at) == ["status is null, so status = 'paid' is NULL, not true"]


def test_a_row_without_a_partner_is_told_by_the_names_of_its_own_columns() -> None:
    inner = Join(id=OpId(3), left=PEOPLE, right=ORDERS, how="inner", condition=SAME)
    at = {3: Observation(read=((Ref(ID), 3),), no_partner="right")}
    assert told(inner, 3, at) == ["id = 3: no partner on the right"]


def test_a_constant_that_says_its_own_value_is_not_told() -> None:
    at, bound = "2024-03-31 23:30:00", "2024-03-31 00:00:00"
    assert show_values({"at": at, f"timestamp '{bound}'": bound}) == f"at = {at}"
    assert show_values({"day": "2024-03-31", "date '2024-03-01'": "2024-03-01"}) == "day = 2024-03-31"
    assert show_values({"at": at, "'2024-03-31'": bound}) == f"at = {at}, '2024-03-31' = {bound}"
