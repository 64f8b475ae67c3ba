"""Which conditions a question becomes, and which values match."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sparkwhy.errors import NotInterpretable
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import MapValue, Value
from sparkwhy.plan.exprs import TRUE, And, Attribute, AttrId, Compare, FieldOf, Literal, Opaque, Ref
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, Array, Field, Map, Struct, Type
from sparkwhy.question import pattern as p
from sparkwhy.question.bind import Question, bind
from sparkwhy.question.match import conditions, row_matches
from sparkwhy.question.pattern import ANY, to_pattern

ITEM = Struct((Field("sku", STRING), Field("qty", INTEGER)))
ORDER = Struct((Field("id", LONG), Field("x", INTEGER), Field("items", Array(ITEM))))
INTS = Array(INTEGER)
COLOURS = Map(STRING, INTEGER)


def ask(literal: Any, type: Type) -> Question:
    return bind(to_pattern({"c": literal}), (Attribute(AttrId(7), "c", type),))


def shown(literal: Any, type: Type) -> list[str]:
    return [show_expr(each) for each in conditions(ask(literal, type))]


# --- conditions ---


@pytest.mark.parametrize(
    ("literal", "type", "expected"),
    [
        (ANY, INTEGER, []),
        (None, INTEGER, ["c is null"]),
        (p.not_null, INTEGER, ["c is not null"]),
        (5, INTEGER, ["c = 5"]),
        (p.ne(5), INTEGER, ["c <> 5"]),
        (p.between(1, 2), INTEGER, ["c >= 1", "c <= 2"]),
        (p.one_of(1, 2), INTEGER, ["c in (1, 2)"]),
        (p.one_of(1, None), INTEGER, ["(c is null) or (c in (1))"]),
        (p.one_of(None), INTEGER, ["c is null"]),
        (p.matches("x"), STRING, ["c rlike 'x'"]),
        ({"id": 5, "x": 1}, ORDER, ["c.id = 5", "c.x = 1"]),
        ({}, ORDER, ["c is not null"]),
        ({"id": None, "x": ANY}, ORDER, ["c is not null", "c.id is null"]),
        ({"id": None, "x": 1}, ORDER, ["c.id is null", "c.x = 1"]),
        ({}, COLOURS, ["c is not null"]),
        ({"red": 1}, COLOURS, ["c['red'] = 1"]),
        ({"red": ANY}, COLOURS, ["array_contains(map_keys(c), 'red')"]),
        ({"red": None}, COLOURS, ["array_contains(map_keys(c), 'red')", "c['red'] is null"]),
    ],
)
def test_conditions_of_values_structs_and_maps(literal: Any, type: Type, expected: list[str]) -> None:
    assert shown(literal, type) == expected


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ([], ["size(c) = 0"]),
        ([...], ["c is not null"]),
        ([ANY, ...], ["size(c) >= 1"]),
        ([ANY, ANY], ["size(c) = 2"]),
        ([5, ...], ["exists(c, x -> x = 5)"]),
        ([5, 5, ...], ["size(filter(c, x -> x = 5)) >= 2"]),
        ([5, ANY], ["size(c) = 2", "exists(c, x -> x = 5)"]),
        ([5, 6, ...], ["exists(c, x -> x = 5)", "exists(c, x -> x = 6)"]),
        (
            [p.gt(0), p.gt(1), ...],
            [
                "exists(c, x -> x > 0)",
                "exists(c, x -> x > 1)",
                "size(filter(c, x -> (x > 0) or (x > 1))) >= 2",
            ],
        ),
    ],
)
def test_conditions_of_lists(literal: Any, expected: list[str]) -> None:
    assert shown(literal, INTS) == expected


def test_only_patterns_that_compete_are_counted_together() -> None:
    apart = [{"sku": "A", "qty": p.gt(0)}, {"sku": "B", "qty": p.gt(1)}, None, ...]
    competing = [{"sku": "A", "qty": p.gt(0)}, {"qty": p.gt(1)}, None, ...]
    assert len(shown(apart, Array(ITEM))) == 3
    assert len(shown(competing, Array(ITEM))) == 4


def test_lists_in_lists_have_variables_of_their_own() -> None:
    assert shown([{"items": [{"qty": 2}, ...]}, ...], Array(ORDER)) == [
        "exists(c, x -> exists(x.items, x2 -> x2.qty = 2))"
    ]


def test_equality_is_a_plain_comparison() -> None:
    question = ask({"x": 1}, ORDER)
    (attribute,) = question.output
    assert conditions(question) == (Compare("=", FieldOf(Ref(attribute), 1), Literal(1, INTEGER)),)


def test_a_function_of_the_user_is_opaque() -> None:
    def is_large(column: Any) -> Any:
        return column > 100

    (condition,) = conditions(ask({"x": is_large}, ORDER))[1:]
    assert isinstance(condition, Opaque)
    assert (condition.text, condition.type, condition.handle) == ("<is_large>", BOOLEAN, is_large)
    with pytest.raises(NotInterpretable, match="is_large"):
        row_matches(ask(is_large, INTEGER), (5,))


def test_a_regular_expression_of_java_only() -> None:
    with pytest.raises(NotInterpretable, match="regular expression"):
        row_matches(ask(p.matches(r"\p{L}"), STRING), ("a",))


# --- values ---

AB = MapValue((("a", 1), ("b", None)))


@pytest.mark.parametrize(
    ("literal", "type", "yes", "no"),
    [
        (ANY, INTEGER, [1, None], []),
        (None, INTEGER, [None], [1]),
        (5, INTEGER, [5], [4, None]),
        (p.ne(5), INTEGER, [4], [5, None]),
        (p.between(1, 2), INTEGER, [1, 2], [0, 3, None]),
        (p.one_of(1, None), INTEGER, [1, None], [2]),
        (math.nan, DOUBLE, [math.nan], [1.0, None]),
        (p.gt(1), DOUBLE, [math.nan, math.inf], [1.0]),
        (p.one_of(math.nan), DOUBLE, [float("nan")], [0.0]),
        (0.0, DOUBLE, [-0.0], []),
        (p.like("a_%"), STRING, ["ab", "a\n"], ["a", None]),
        (p.like(r"a\_"), STRING, ["a_"], ["ab"]),
        (p.matches("b"), STRING, ["abc"], ["a", None]),
        (p.contains("."), STRING, ["a.b"], ["ab", None]),
        (p.startswith("a"), STRING, ["ab"], ["ba", None]),
        ({}, ITEM, [(None, None)], [None]),
        ({"sku": None}, ITEM, [(None, 1)], [("A", 1), None]),
        ({"sku": ANY}, ITEM, [(None, 1)], [None]),
        ({}, COLOURS, [MapValue(()), AB], [None]),
        ({"a": 1}, COLOURS, [AB], [MapValue((("a", 2),)), MapValue(()), None]),
        ({"b": None}, COLOURS, [AB], [MapValue((("b", 1),)), MapValue(()), None]),
        ({"b": ANY, "a": ANY}, COLOURS, [AB], [MapValue((("b", 1),)), None]),
        ([], INTS, [()], [(1,), None]),
        ([...], INTS, [(), (1,), (None,)], [None]),
        ([ANY, ...], INTS, [(1,), (None,), (1, 2)], [(), None]),
        ([ANY, ANY], INTS, [(1, 2), (None, None)], [(1,), (1, 2, 3)]),
        ([1, 1, 2], INTS, [(1, 1, 2), (2, 1, 1)], [(1, 2, 2), (1, 2), (1, 1, 1, 2)]),
        ([None, 1], INTS, [(1, None)], [(1, 1), (None, None)]),
        ([p.gt(0), p.gt(5), ...], INTS, [(6, 1), (9, 9)], [(6,), (1, 2), (6, 0)]),
        ([p.gt(0), 5, ANY], INTS, [(5, 5, None), (0, 5, 1)], [(5, 0, None), (5, 5)]),
        ([{"sku": "A"}, {"qty": 1}], Array(ITEM), [(("A", 1), ("A", 2))], [(("A", 1), ("B", 2)), (("A", 1), None)]),
        ([{"sku": "A"}, {"sku": "A", "qty": 1}, ...], Array(ITEM), [(("A", 1), ("A", 2))], [(("A", 1), ("B", 1))]),
        ([[1, ...], [ANY]], Array(INTS), [((1,), (1, 2)), ((2,), (1,))], [((1,), None), ((1, 1), (1, 2))]),
        ([None, {}], Array(ITEM), [(None, (None, None))], [(None, None)]),
    ],
)
def test_which_values_match(literal: Any, type: Type, yes: list[Value], no: list[Value]) -> None:
    question = ask(literal, type)
    evaluate = evaluator(And((TRUE, *conditions(question))), question.output, Settings())
    for value, expected in [*((each, True) for each in yes), *((each, False) for each in no)]:
        assert row_matches(question, (value,)) is expected, value
        assert (evaluate((value,)) is True) is expected, value


def test_the_example_of_the_paper() -> None:
    names = Array(Struct((Field("name", STRING),)))
    output = (Attribute(AttrId(1), "city", STRING), Attribute(AttrId(2), "nList", names))
    row = ("NY", (("Sue",), ("Sue",), ("Peter",)))
    assert row_matches(bind(to_pattern({"city": "NY", "nList": [ANY, ...]}), output), row)
    assert not row_matches(bind(to_pattern({"city": "NY", "nList": [ANY, ANY]}), output), row)


def test_a_question_without_wishes_matches_every_row() -> None:
    question = bind(to_pattern({}), (Attribute(AttrId(1), "c", INTEGER),))
    assert conditions(question) == ()
    assert row_matches(question, (None,))
