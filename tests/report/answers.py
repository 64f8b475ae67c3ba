"""Answers made by hand: the rendering is tested without Spark."""

from __future__ import annotations

from typing import Any

from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.model import Explanation, Fix, Operator, SideEffects
from sparkwhy.plan.exprs import Attribute, AttrId, Compare, Literal, Ref
from sparkwhy.plan.nodes import Filter, Join, OpId, Place, Plan, Source, Table
from sparkwhy.plan.show import main_nodes
from sparkwhy.plan.types import INTEGER, STRING
from sparkwhy.question.bind import bind
from sparkwhy.question.pattern import to_pattern
from sparkwhy.report.answer import Answer
from sparkwhy.trace.witness import Observation, Observations, Witness

ID = Attribute(AttrId(1), "id", INTEGER)
CITY = Attribute(AttrId(2), "city", STRING)
BUYER = Attribute(AttrId(3), "buyer", INTEGER)
YEAR = Attribute(AttrId(4), "year", INTEGER)

DIFF = '--- etl.py\n+++ etl.py\n@@ -7 +7 @@\n-    .filter(F.col("year") >= 2019)\n+    .filter(F.col("year") >= 2018)'


def query(*, year: Attribute = YEAR, table: str = "orders") -> Join:
    """`people join (orders where year >= 2019)`."""
    people = Table(id=OpId(1), attributes=(ID, CITY), source=Source("people"))
    orders = Table(id=OpId(2), attributes=(BUYER, year), source=Source(table))
    recent = Compare(">=", Ref(year), Literal(2019, INTEGER))
    kept = Filter(id=OpId(3), input=orders, condition=recent, where=Place("/home/sue/etl.py", 7))
    same = Compare("=", Ref(ID), Ref(BUYER))
    return Join(id=OpId(4), left=people, right=kept, how="inner", condition=same, where=Place("/home/sue/etl.py", 8))


PLAN = query()


def operator(step: int, plan: Plan = PLAN) -> Operator:
    return Operator.of(main_nodes(plan)[step])


def filtered(*, rank: int = 1, plan: Plan = PLAN, row: Any = None, **more: Any) -> Explanation:
    """The filter alone, with a fix that works, unless `more` says otherwise."""
    blamed = operator(3, plan)
    name = blamed.text.removeprefix("filter ").removesuffix(" >= 2019")
    node = main_nodes(plan)[3]
    assert isinstance(node, Filter)
    assert isinstance(node.condition, Compare)
    seen = Observation(read=((node.condition.left, 2018),), outcomes=((node.condition, False),), node=node)
    witness = Witness(row or {"id": 1, "city": "NY", "year": 2018}, Observations({3: seen}))
    given: dict[str, Any] = {
        "count": 1,
        "witnesses": (witness,),
        "fixes": (Fix(blamed, blamed.text, f"filter {name} >= 2018", "constant", DIFF),),
        "verified": True,
        "minimal": True,
        "side_effects": SideEffects(2, 3),
        **more,
    }
    return Explanation((blamed,), rank, plan=plan, **given)


def joined(*, rank: int = 2, **more: Any) -> Explanation:
    """The filter and the join, with what an outer join would give."""
    seen = Observation(read=((Ref(ID), 1),), no_partner="right", nearest=({"buyer": 2},), node=PLAN)
    witness = Witness({"id": 1, "city": "NY", "buyer": None, "year": None}, Observations({4: seen}))
    fix = Fix(operator(4), operator(4).text, f"left {operator(4).text}", "join type")
    given: dict[str, Any] = {
        "count": 5,
        "witnesses": (witness,),
        "fixes": (fix,),
        "verified": True,
        "minimal": True,
        "side_effects": SideEffects(3, 3, 2, 1, ({"id": "7", "city": "SF"},), ({"id": "8", "city": None},)),
        **more,
    }
    return Explanation((operator(3), operator(4)), rank, plan=PLAN, **given)


def answer(*explanations: Explanation, plan: Plan = PLAN, **more: Any) -> Answer:
    outcome = more.pop("outcome", "explained")
    missing = more.pop("missing", {"city": "NY"})
    question = bind(to_pattern(missing), plan.output, timezone="UTC")
    return Answer(outcome, question, plan, explanations=explanations, **more)


def full() -> Answer:
    """An answer with something of everything."""
    dominated = joined(rank=3, minimal=False, extends=2, is_folded=True)
    vain = filtered(verified=False, minimal=False, reason="the total is 7")
    return answer(filtered(), joined(), dominated, tried=(vain,), warnings=("a note",))


EVIL = """<script>alert("x")</script>&'\x1b[31m\x00\ud800"""


def hostile(evil: str = EVIL) -> Answer:
    """An answer with this text wherever data or names go."""
    plan = query(year=Attribute(AttrId(4), evil, INTEGER), table=evil)
    told = filtered(plan=plan, row={evil: evil}, reason=evil, evidence=(evil,), alternative={evil: evil})
    asked = {"city": evil.replace("\ud800", "")}
    return answer(told, plan=plan, tried=(told,), warnings=(evil,), missing=asked)


def gap() -> SourceGap:
    return SourceGap(operator(1), ("city = 'NYC'",), {"city = 'NYC'": ("NY", " NYC")})
