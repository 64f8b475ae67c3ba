"""TPC-H as the official generator makes it, flat, and nested as the paper uses it.

The generator, `tpchgen-cli`, is an optional dependency. Money stays decimal, as TPC-H has it. One thing differs from
TPC-H: `o_shippriority` of the scenarios' `orders` is a string in the data, in flat and nested orders alike, so that it
and `o_orderpriority` can stand for each other without a change of the result's schema.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.scenarios.data import cache

OFFICIAL = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
NESTED = ("nested_orders", "nested_customers")
TABLES = (*OFFICIAL, *NESTED)

_VERSION = "tpch 1"


def tables_at(scale: float, *, progress: cache.Progress | None = None) -> Path:
    """Return the folder with the Parquet files of a scale factor, as the generator makes them."""
    return cache.folder(f"tpch/sf{scale}", _VERSION, lambda place: _generate(scale, place), progress=progress)


def table(
    spark: SparkSession,
    name: str,
    scale: float,
    *,
    stored_as: cache.Format = "parquet",
    progress: cache.Progress | None = None,
) -> DataFrame:
    """Return a table of the scenarios. Those that the generator makes are Parquet whatever is asked for."""

    def official(table: str) -> DataFrame:
        return spark.read.parquet(str(tables_at(scale, progress=progress) / f"{table}.parquet"))

    def orders() -> DataFrame:
        return official("orders").withColumn("o_shippriority", F.col("o_shippriority").cast("string"))

    makers = {
        "orders": orders,
        "nested_orders": lambda: nested_orders(orders(), official("lineitem")),
        "nested_customers": lambda: nested_customers(official("customer"), orders()),
    }
    if name not in makers:
        return official(name)
    place = f"tpch/sf{scale}-{name}"
    return cache.table(spark, place, _VERSION, makers[name], stored_as=stored_as, progress=progress)


def nested_orders(orders: DataFrame, lineitem: DataFrame) -> DataFrame:
    """Orders, each with its line items as an array of structs."""
    items = lineitem.groupBy("l_orderkey").agg(
        F.sort_array(F.collect_list(F.struct(*lineitem.columns))).alias("o_lineitems")
    )
    return orders.join(items, F.col("o_orderkey") == F.col("l_orderkey")).drop("l_orderkey")


def nested_customers(customer: DataFrame, orders: DataFrame) -> DataFrame:
    """Customers, each with its orders as an array of structs, without their line items; empty where there are none."""
    placed = orders.groupBy("o_custkey").agg(F.sort_array(F.collect_list(F.struct(*orders.columns))).alias("c_orders"))
    return (
        customer.join(placed, F.col("c_custkey") == F.col("o_custkey"), "left")
        .withColumn("c_orders", F.coalesce("c_orders", F.array()))
        .drop("o_custkey")
    )


def _generate(scale: float, place: Path) -> None:
    generator = Path(sys.executable).parent / "tpchgen-cli"
    arguments = ["parquet", "--quiet", f"--scale-factor={scale}", f"--output-dir={place}"]
    try:
        subprocess.run([generator, *arguments], check=True)
    except FileNotFoundError:
        raise ModuleNotFoundError("tpchgen-cli makes the data of TPC-H: pip install tpchgen-cli") from None
