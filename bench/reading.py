"""How long it takes to read a plan, on a warm session."""

from __future__ import annotations

from statistics import median
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.plan.walk import walk
from sparkwhy.spark.classic.read.operators import read

REPETITIONS = 7


def chain(session: SparkSession, operators: int) -> DataFrame:
    """A query of so many operations: filters, projections, explodes, joins, groupings and windows in turn."""
    df = session.range(100).select(F.col("id").alias("k"), (F.col("id") % 7).alias("v"))
    steps = 0
    while steps < operators:
        df = df.filter((F.col("v") > 0) & (F.col("k") != 3)).withColumn("w", F.col("v") * 2 + F.col("k"))
        df = df.withColumn("x", F.explode(F.array("v", "w"))).groupBy("k").agg(F.sum("x").alias("v"), F.count("*"))
        df = df.select("k", "v").join(session.range(50).withColumnRenamed("id", "k"), "k")
        steps += 7
    return df


def bench(session: SparkSession) -> None:
    print(f"{'operators':>10} {'seconds to read':>16}")
    for wanted in (10, 50, 100):
        df = chain(session, wanted)
        steps = len({node.id.step for node in walk(read(df))})
        print(f"{steps:>10} {median(_seconds(df) for _ in range(REPETITIONS)):>16.3f}")


def _seconds(df: DataFrame) -> float:
    start = perf_counter()
    read(df)
    return perf_counter() - start
