"""Nested values keep their parts on the way out of the cluster, and read as Spark writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from sparkwhy import why_not
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import MapValue, Value
from sparkwhy.plan.exprs import Attribute, AttrId, Cast, Expr, Ref
from sparkwhy.plan.types import INTEGER, STRING, Array, Field, Map, Struct, Type
from sparkwhy.trace.encode import MapEntries, decode, encode, print_value

ITEM = Struct((Field("sku", STRING), Field("tags", Array(STRING))))
AWKWARD = ("a, b", 'quo"te', "back\\slash", "new\nline", "", "null", "[x]", "{y}", "\u202e\x1b", None)


def made(make: Callable[[Expr], Expr], value: Value, type: Type) -> Value:
    attribute = Attribute(AttrId(1), "x", type)
    return evaluator(make(Ref(attribute)), (attribute,), Settings())((value,))


@pytest.mark.parametrize(
    ("value", "type", "parts"),
    [
        (AWKWARD, Array(STRING), AWKWARD),
        ((), Array(STRING), ()),
        ((1, None, -2), Array(INTEGER), (1, None, -2)),
        (("A1", ("new", None)), ITEM, {"sku": "A1", "tags": ("new", None)}),
        ((("A1", None), None), Array(ITEM), ({"sku": "A1", "tags": None}, None)),
        (MapValue((("k, 1", 1), ("k", None))), Map(STRING, INTEGER), MapEntries((("k, 1", 1), ("k", None)))),
        (((1, 2), ()), Array(Array(INTEGER)), ((1, 2), ())),
    ],
)
def test_parts_come_back_and_the_text_is_that_of_a_cast(value: Value, type: Type, parts: object) -> None:
    sent = made(encode, value, type)
    assert isinstance(sent, str)
    back = decode(sent, type, "UTC")
    assert back == parts
    assert print_value(back) == made(lambda each: Cast(each, STRING), value, type)


def test_null_is_null_and_what_is_not_nested_is_its_own_text() -> None:
    assert decode(made(encode, None, Array(STRING)), Array(STRING), "UTC") is None
    assert decode(None, ITEM, "UTC") is None
    assert made(encode, 'a"b', STRING) == 'a"b'
    assert made(encode, 7, INTEGER) == "7"
    assert decode('["x"]', STRING, "UTC") == '["x"]'


def test_on_spark_too(spark: SparkSession) -> None:
    schema = (
        "k int, texts array<string>, items array<struct<sku: string, tags: array<string>>>, counts map<string, int>"
    )
    data = [(1, list(AWKWARD), [("A1", ["x, y", None]), None], {"a -> b": 1})]
    df = spark.createDataFrame(data, schema)
    ((_, *shown),) = (row.values() for row in why_not(df, {"k": 1}).matching)
    assert shown == [
        AWKWARD,
        ({"sku": "A1", "tags": ("x, y", None)}, None),
        MapEntries((("a -> b", 1),)),
    ]
    (cast,) = df.selectExpr(*(f"cast({name} as string)" for name in ("texts", "items", "counts"))).collect()
    assert [print_value(value) for value in shown] == list(cast)
