"""Q1: the average discount by return flag and line status. All that is returned is too low.

The paper's text says sum and 0.45; only an average and 0.045 make sense on TPC-H: taxes are 0.04 on average,
discounts 0.05.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy import gt
from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets
from sparkwhy.scenarios.tpch_groups import NESTED, dates, discount_or_tax


def query(tables: Tables) -> DataFrame:
    return (
        tables["nested_orders"]
        .withColumn("item", F.explode("o_lineitems"))
        .filter(F.col("item.l_shipdate") <= "1998-09-02")
        .groupBy("item.l_returnflag", "item.l_linestatus")
        .agg(F.avg("item.l_tax").alias("avgDisc"))
    )


Q1 = Scenario(
    name="Q1",
    title="TPC-H query 1 with one modified aggregation",
    dataset="tpch",
    query=query,
    missing={"avgDisc": gt(0.045)},
    alternatives=(discount_or_tax(NESTED), dates(NESTED)),
    errors=("the query averages the tax, not the discount",),
    operators={23: Mark("aggregate", "avgDisc"), 24: Mark("filter")},
    paper=PaperAnswers(
        whynot=operator_sets({24}), rp_no_alternatives=operator_sets({24}), rp=operator_sets({24}, {23}, {23, 24})
    ),
    gold=frozenset({23}),
    gold_rank=2,
)
