"""What a question costs, as a ratio to running the query itself: TPC-H Q3 with two wrong constants, scale factor 1.

The query is the paper's scenario Q3 (flat): the ship date filter reads the commit date, and the segment is not the
one of the customer who placed the order that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from tests.tpch.data import tables_at

ORDER = 4986467
REPETITIONS = 5


def query(session: SparkSession, scale: float) -> DataFrame:
    folder = tables_at(scale)
    customer = session.read.parquet(str(folder / "customer.parquet"))
    orders = session.read.parquet(str(folder / "orders.parquet"))
    lineitem = session.read.parquet(str(folder / "lineitem.parquet"))
    return (
        customer.join(orders, F.col("c_custkey") == F.col("o_custkey"))
        .join(lineitem, F.col("o_orderkey") == F.col("l_orderkey"))
        .filter(F.col("l_commitdate") > "1995-03-25")
        .filter(F.col("o_orderdate") < "1995-03-15")
        .filter(F.col("c_mktsegment") == "HOUSEHOLD")
        .withColumn("disc_price", F.col("l_extendedprice") * (1 - F.col("l_discount")))
        .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
        .agg(F.sum("disc_price").alias("revenue"))
    )


def bench(session: SparkSession) -> None:
    df = query(session, 1.0)
    missing = {"l_orderkey": ORDER}
    print("\nTPC-H Q3 with two wrong constants, scale factor 1, order 4986467")
    why_not(df, missing).show()
    _run(df)
    runs = [(_seconds(lambda: _run(df)), _seconds(lambda: why_not(df, missing))) for _ in range(REPETITIONS)]
    own, asked = (median(times) for times in zip(*runs, strict=True))
    print(f"{'query':>10} {'question':>10} {'ratio':>8}")
    print(f"{own:>9.2f}s {asked:>9.2f}s {asked / own:>8.2f}")


def _run(df: DataFrame) -> None:
    df.write.format("noop").mode("overwrite").save()


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
