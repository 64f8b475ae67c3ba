"""Q6: the revenue that discounts took. It is higher than expected."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy import lt
from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets
from sparkwhy.scenarios.tpch_groups import NESTED, dates, discount_or_tax


def query(tables: Tables) -> DataFrame:
    return (
        tables["nested_orders"]
        .withColumn("item", F.explode("o_lineitems"))
        .filter(F.col("item.l_quantity") < 24)
        .filter(F.col("item.l_tax").between(0.05, 0.07))
        .filter(F.col("item.l_shipdate").between("1994-01-01", "1994-12-31"))
        .withColumn("disc_price", F.col("item.l_extendedprice") * F.col("item.l_discount"))
        .agg(F.sum("disc_price").alias("revenue"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Less than halfway between the revenues of the query as written and of the right one.

    On small data the right one may return more; then there is no such number, and the question is for half as much.
    """
    items = tables["lineitem"].filter("l_quantity < 24 and year(l_shipdate) = 1994")
    price = "l_extendedprice * l_discount"
    sums = items.agg(
        F.expr(f"sum(if(l_tax between 0.05 and 0.07, {price}, 0))").alias("written"),
        F.expr(f"sum(if(l_discount between 0.05 and 0.07, {price}, 0))").alias("right"),
    )
    written, right = first_row(sums)
    return {"revenue": lt(round((written + right if right < written else written) / 2))}


_SUBSETS = ({32}, {33}, {34}, {32, 33}, {32, 34}, {33, 34})

Q6 = Scenario(
    name="Q6",
    title="TPC-H query 6 with one modified selection",
    dataset="tpch",
    query=query,
    missing={"revenue": lt(1.24e8)},
    alternatives=(discount_or_tax(NESTED), dates(NESTED)),
    errors=("the range applies to the tax, not to the discount",),
    operators={
        31: Mark("project"),
        32: Mark("filter", "1994"),
        33: Mark("filter", "0.05"),
        34: Mark("filter", "l_quantity"),
    },
    paper=PaperAnswers(
        whynot=operator_sets({32}),
        rp_no_alternatives=operator_sets(*_SUBSETS, {32, 33, 34}),
        rp=operator_sets(*_SUBSETS, {31, 33}, {32, 33, 34}, {31, 32, 33}, {31, 33, 34}, {31, 32, 33, 34}),
    ),
    gold=frozenset({33}),
    gold_rank=2,
    elsewhere=elsewhere,
)
