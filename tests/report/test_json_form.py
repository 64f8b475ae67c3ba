"""Answers as JSON: the schema that docs/json.md documents, and values of each type."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.causes import CAUSES
from sparkwhy.explain.model import RunnerUp, SideEffects
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import Ref
from sparkwhy.question.json_form import from_json
from sparkwhy.report.answer import Answer
from sparkwhy.report.json_values import to_json_value
from sparkwhy.report.redact import Redaction, redact_answer
from sparkwhy.trace.encode import MapEntries
from sparkwhy.trace.witness import Observation, Observations, Witness
from tests.report.answers import PLAN, YEAR, answer, filtered, operator
from tests.report.json_schema import causes, objects, problems, used_fields

BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (2**63 - 1, 2**63 - 1),
        (0.5, 0.5),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1000"),
        ("1", "1"),
        (b"a\xff", "61FF"),
        (date(2024, 1, 31), "2024-01-31"),
        (datetime(2024, 1, 31, 10, 15), "2024-01-31T10:15:00"),
        (datetime(2024, 1, 31, 10, 15, 0, 500_000, tzinfo=BERLIN), "2024-01-31T10:15:00.500000+01:00"),
        ((1, None, (math.nan,)), [1, None, ["NaN"]]),
        ({"a": Decimal("0.1"), "b": {"c": ()}}, {"a": "0.1", "b": {"c": []}}),
        (MapEntries(((1, "x"), (date(2024, 1, 1), None))), None),
        (Message("null_key"), str(Message("null_key"))),
    ],
)
def test_values_are_json(value: Any, expected: Any) -> None:
    found = to_json_value(value)
    if isinstance(value, MapEntries):
        assert found == [{"key": 1, "value": "x"}, {"key": "2024-01-01", "value": None}]
    else:
        assert (found, type(found)) == (expected, type(expected))
    json.dumps(found, allow_nan=False)


# --- the schema ---


def full_answer() -> Answer:
    """Return an answer that has every field."""
    row = {"id": 1, "city": "NY", "price": Decimal("1.50"), "day": date(2024, 1, 31)}
    seen = Observation(
        read=((Ref(YEAR), 2018),),
        no_partner="right",
        has_partner="right",
        rank=4,
        last_rank=3,
        cut_off=((Ref(YEAR), 2019),),
        rival=row,
        copies={"left": 1, "right": 0},
        partners={"right": 2},
        collections=((Ref(YEAR), "empty"),),
        nearest=(row,),
        partner=(row,),
        group=({"rows": 3, "year": 1},),
        kept=(row,),
        hints=(Message("null_key"),),
    )
    effects = SideEffects(1, 2, 1, 1, (row,), (row,))
    given = filtered(
        side_effects=effects,
        returned=row,
        reason=Message("still_missing"),
        evidence=(Message("similar_names"),),
        alternative={"year": "id"},
    )
    witnesses = (*given.witnesses, Witness(row, Observations({3: seen})))
    explanation = replace(given, witnesses=witnesses, runner_up=RunnerUp(given.fixes, effects))
    gap = SourceGap(operator(1), ("year = 2018",), {"year = 2018": (2017, date(2024, 1, 31))})
    made = answer(explanation)
    variant = QueryVariant({"year": "id"}, PLAN, (), notes=(Message("similar_names"),))
    return replace(
        made,
        alternatives=(variant,),
        tried=(explanation,),
        matching=(row,),
        gaps=(gap,),
        warnings=(Message("worlds_left_out"),),
    )


def test_an_answer_is_as_documented() -> None:
    assert list(problems(full_answer().to_dict())) == []
    assert list(problems(answer(filtered()).to_dict())) == []


def test_every_documented_field_occurs() -> None:
    documented = {(name, field) for name, fields in objects().items() for field in fields}
    assert documented == set(used_fields(full_answer().to_dict()))


def test_a_field_that_is_not_documented_is_found() -> None:
    data = full_answer().to_dict()
    data["more"] = 1
    del data["outcome"]
    data["explanations"][0]["operators"][0]["causes"] = ["weather"]
    assert list(problems(data)) == [
        "$.more is not documented for Answer",
        "$.outcome is missing",
        "$.explanations[0].operators[0].causes[0] is 'weather', not cause",
    ]


def test_every_cause_is_documented() -> None:
    assert causes() == CAUSES


def test_text_and_data_are_the_same() -> None:
    given = full_answer()
    assert json.loads(given.to_json()) == given.to_dict()


def test_the_question_can_be_asked_again() -> None:
    given = full_answer()
    assert from_json(given.to_dict()["question"]) == given.question.pattern


def test_causes_are_listed_once_in_the_order_of_witnesses() -> None:
    (found,) = full_answer().to_dict()["explanations"]
    assert found["operators"][0]["causes"] == ["condition_false", "no_join_partner"]
    assert [each["at"]["3"]["cause"] for each in found["witnesses"]] == ["condition_false", "no_join_partner"]


def test_hidden_values_are_hidden_in_json() -> None:
    hidden = redact_answer(full_answer(), Redaction(mask=lambda column, value: "xxx"))
    data = hidden.to_dict()
    assert list(problems(data)) == []
    text = json.dumps({**data, "question": None, "question_text": None})
    for value in ("NY", "1.50", "2024-01-31"):
        assert value not in text
    (found,) = data["explanations"]
    assert found["witnesses"][0]["at"]["3"]["values"] == {"year": "xxx"}
    assert data["gaps"][0]["nearest"] == {"year = 2018": ["xxx", "xxx"]}
    assert found["witnesses"][1]["at"]["3"]["group"] == [{"rows": 3, "year": 1}]
