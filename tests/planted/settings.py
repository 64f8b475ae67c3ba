"""Where a bug is met: alone, below an aggregate, and in a pipeline of fifteen steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from tests.planted.causes import ORDERS, SCHEMA, Cause


@dataclass(frozen=True)
class Setting:
    """Lines before and after the bug, and the question."""

    name: str
    before: str
    after: str
    missing: Mapping[str, Any]


ALONE = Setting("alone", "", "return found", {"order_id": 3})
GROUP = Setting(
    "below an aggregate",
    "",
    """
made = [name for name in found.columns if name in ("customer_name", "price", "item", "level", "full")]
return found.groupBy("region").agg(F.sum("amount").alias("revenue"), *[F.max(name).alias(name) for name in made])
""",
    {"region": "north", "revenue": 310},
)
PIPELINE = Setting(
    "in a pipeline",
    """
channels = spark.createDataFrame([("web", "W"), ("shop", "S"), ("app", "A")], "channel string, code string")
managers = spark.createDataFrame([("north", "Noa"), ("south", "Sam"), ("east", "Eva")], "region string, manager string")
orders = orders.filter(F.col("amount") >= 0)
orders = orders.withColumn("net", F.round(F.col("amount") * 0.8, 2))
orders = orders.join(channels, "channel", "left")
orders = orders.withColumn("channel", F.coalesce("code", "channel")).drop("code")
""",
    """
found = found.withColumn("tax", F.col("amount") - F.col("net"))
found = found.filter(F.col("amount") < 100000)
found = found.join(managers, "region", "left")
found = found.withColumn("manager", F.coalesce("manager", F.lit("nobody")))
largest = Window.partitionBy("region").orderBy(F.desc("amount"), "order_id")
found = found.withColumn("place", F.row_number().over(largest))
found = found.filter(F.col("place") <= 10)
totals = found.groupBy("region", "manager").agg(F.sum("amount").alias("revenue"), F.count("*").alias("orders"))
totals = totals.filter(F.col("orders") >= 1)
totals = totals.withColumn("average", F.col("revenue") / F.col("orders"))
return totals.orderBy("region")
""",
    {"region": "north"},
)
SETTINGS = (ALONE, GROUP, PIPELINE)


def source(cause: Cause, setting: Setting, *, fixed: bool = False) -> str:
    """Return the script as a user has it, with the bug or without it."""
    rows = [(*row, *(values[i] for values in cause.extra.values())) for i, row in enumerate(ORDERS)]
    lines = [
        f'orders = spark.createDataFrame({rows!r}, "{", ".join([SCHEMA, *cause.extra])}")',
        *(['orders = orders.withColumn("at", F.to_timestamp("day"))'] if "day string" in cause.extra else []),
        cause.tables,
        setting.before.strip(),
        f"found = {cause.commit if fixed else cause.bug}",
        setting.after.strip(),
    ]
    head = "from pyspark.sql import Window\nfrom pyspark.sql import functions as F\n\n\ndef query(spark):\n"
    return head + indent("\n".join(line for line in lines if line), "    ") + "\n"


def bug_line(cause: Cause, setting: Setting) -> int:
    """Return the number of the line with the bug."""
    lines = source(cause, setting).splitlines()
    return lines.index(f"    found = {cause.bug}") + 1
