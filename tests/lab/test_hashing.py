"""The hash of the reference engine is Spark's."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.memory.hashing import hash_function
from sparkwhy.memory.settings import Settings
from sparkwhy.plan.exprs import Attribute, AttrId, Call, Ref
from sparkwhy.plan.types import Type
from sparkwhy.spark.classic.read.operators import read

VALUES: list[tuple[str, list[Any]]] = [
    ("boolean", [True, False, None]),
    ("tinyint", [0, -1, 127]),
    ("smallint", [0, -1, 32767]),
    ("int", [0, 1, -1, 2**31 - 1, -(2**31)]),
    ("bigint", [0, 1, -1, 2**63 - 1, -(2**63), None]),
    ("float", [0.0, -0.0, 1.5, float("inf"), float("nan")]),
    ("double", [0.0, -0.0, -2.25, float("-inf"), float("nan")]),
    ("date", [dt.date(1970, 1, 1), dt.date(1969, 12, 31), dt.date(9999, 12, 31)]),
    ("string", ["", "a", "four", "eight by", "é ü", "x" * 31, "y" * 32, "z" * 45, "w" * 100, None]),
    ("binary", [b"", b"\x00\xff", b"q" * 33]),
    ("decimal(9,2)", [decimal.Decimal("0.00"), decimal.Decimal("-12.34")]),
    ("decimal(38,4)", [decimal.Decimal(n).scaleb(-4) for n in (0, 127, 128, -128, -129, 32768, -(10**30), 10**37)]),
    ("array<int>", [[], [1, None, 2], None]),
    ("struct<a: bigint, b: string>", [(1, "x"), (None, None), None]),
]


@pytest.mark.parametrize(("type_name", "values"), VALUES, ids=[name for name, _ in VALUES])
def test_values_have_the_hash_that_spark_gives_them(spark: SparkSession, type_name: str, values: list[Any]) -> None:
    df = spark.createDataFrame([(i, value) for i, value in enumerate(values)], f"i int, v {type_name}")
    type = read(df).output[1].type
    found = df.orderBy("i").select(F.xxhash64("v", "i")).collect()
    assert [row[0] for row in found] == [_hash(value, i, type) for i, value in enumerate(values)]


def _hash(value: Any, i: int, type: Type) -> int:
    from sparkwhy.plan.types import INTEGER

    args = (Ref(Attribute(AttrId(1), "v", type)), Ref(Attribute(AttrId(2), "i", INTEGER)))
    return hash_function(Call("xxhash64", args), Settings())(value, i)
