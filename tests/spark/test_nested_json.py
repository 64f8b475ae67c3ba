"""Hand-written queries over deeply nested JSON, as people have it: orders of customers, with holes everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from tests.laws import check_both, check_spark
from tests.sessions import uncompiled

pytestmark = pytest.mark.spark

CUSTOMERS: list[dict[str, Any]] = [
    {
        "id": 1,
        "name": {"first": "Ada", "last": "Lovelace"},
        "address": {"city": "NY", "geo": {"lat": 40.75, "lon": -73.5}},
        "tags": {"tier": "gold", "lang": "en"},
        "orders": [
            {
                "no": "A-1",
                "day": "2021-03-14",
                "items": [
                    {"sku": "pen", "qty": 2, "price": 1.5, "parts": [{"code": "cap", "sizes": [1, 2]}]},
                    {"sku": "ink", "qty": 1, "price": 8.25, "parts": []},
                    None,
                ],
            },
            {"no": "A-2", "day": None, "items": []},
        ],
        "grid": [[1, 2], [], None, [3]],
    },
    {
        "id": 2,
        "name": {"first": "Bob"},
        "address": {"city": "LA"},
        "tags": {"tier": "silver"},
        "orders": [
            {
                "no": "B-1",
                "day": "2022-01-01",
                "items": [
                    {"sku": "pen", "qty": None, "price": 1.25, "parts": None},
                    {"sku": "cup", "qty": 4, "parts": [{"code": None, "sizes": [None, 7]}, {"sizes": []}]},
                ],
            }
        ],
        "grid": [],
    },
    {"id": 3, "name": None, "address": {"city": None, "geo": None}, "orders": [], "tags": {}},
    {"id": 4, "name": {"first": "Eve", "last": "NY"}, "orders": None, "tags": None, "grid": [[None]]},
    {"id": 2, "name": {"first": "Bob"}, "address": {"city": "NY"}, "orders": [{"no": "B-1", "items": None}, None]},
]

STOCK: list[dict[str, Any]] = [
    {"sku": "pen", "where": [{"city": "NY", "left": 3}, {"city": "LA", "left": 0}]},
    {"sku": "cup", "where": []},
    {"sku": "hat", "where": None},
    {"sku": None, "where": [{"city": "NY"}]},
]

TAGS = "tags map<string,string>"
ITEM = "struct<sku:string,qty:bigint,price:double,parts:array<struct<code:string,sizes:array<bigint>>>>"
CUSTOMER = (
    "id bigint, name struct<first:string,last:string>, address struct<city:string,geo:struct<lat:double,lon:double>>, "
    f"{TAGS}, orders array<struct<no:string,day:date,items:array<{ITEM}>>>, grid array<array<bigint>>"
)


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("json")
    for name, rows in (("customers", CUSTOMERS), ("stock", STOCK)):
        text = "\n".join(map(json.dumps, rows))
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def customers(both_modes: SparkSession, folder: Path) -> DataFrame:
    return both_modes.read.schema(CUSTOMER).json(str(folder / "customers.json"))


@pytest.fixture
def stock(both_modes: SparkSession, folder: Path) -> DataFrame:
    """With a schema that Spark inferred."""
    return both_modes.read.json(str(folder / "stock.json"))


def orders(customers: DataFrame) -> DataFrame:
    return customers.select("id", "address.city", F.explode("orders").alias("o"))


def items(customers: DataFrame) -> DataFrame:
    """An explode over an explode."""
    return orders(customers).select("id", "city", "o.no", F.explode("o.items").alias("i"))


def bob() -> Column:
    return F.struct(F.lit("Bob").alias("first"), F.lit(None).cast("string").alias("last"))


Query = Callable[[DataFrame], DataFrame]

QUERIES: dict[str, Query] = {
    "all": lambda c: c,
    "a field of a struct of a struct": lambda c: c.select("address.geo.lat", F.col("address")["geo"]["lon"]),
    "all fields of a struct": lambda c: c.select("id", "name.*", "address.*"),
    "a field through an array": lambda c: c.select("orders.no", "orders.items"),
    "a field through two arrays": lambda c: orders(c).select("o.items.sku", "o.items.parts"),
    "one item of an array": lambda c: c.select(F.get("orders", F.lit(0))["items"].alias("first")),
    "the last item of an array": lambda c: c.select(F.try_element_at("orders", F.lit(-1)).alias("last")),
    "a value of a map": lambda c: c.select("id", F.col("tags")["tier"].alias("tier"), F.col("tags.lang")),
    "keys and values of a map": lambda c: c.select(F.map_keys("tags"), F.map_values("tags"), F.map_entries("tags")),
    "filter on a map": lambda c: c.filter(F.col("tags")["tier"].isin("gold", "bronze")),
    "filter on a missing field": lambda c: c.filter(F.col("name.last").isNull() & F.col("address.city").isNotNull()),
    "filter not, with nulls": lambda c: c.filter(~(F.col("name.last") == "NY")),
    "null-safe comparison of structs": lambda c: c.select("id", F.col("name").eqNullSafe(bob())),
    "comparison of structs": lambda c: c.filter(F.col("name") == bob()),
    "explode": orders,
    "explode, outer": lambda c: c.select("id", F.explode_outer("orders").alias("o")).select("id", "o.no"),
    "explode in explode": items,
    "explode in explode, outer": lambda c: (
        c.select("id", F.explode_outer("orders").alias("o")).select("id", F.explode_outer("o.items").alias("i"))
    ),
    "three explodes": lambda c: items(c).select("id", F.explode_outer("i.parts").alias("p")),
    "four explodes": lambda c: (
        items(c).select("id", F.explode("i.parts").alias("p")).select("id", F.explode("p.sizes").alias("size"))
    ),
    "explode with a column": lambda c: c.withColumn("o", F.explode("orders")).filter(F.col("o.day") > "2021-06-01"),
    "explode with positions": lambda c: c.select("id", F.posexplode("orders").alias("n", "o")).filter("n > 0"),
    "explode with positions, outer": lambda c: c.select("id", F.posexplode_outer("orders.no")),
    "explode a map": lambda c: c.select("id", F.explode("tags")),
    "explode a map, outer": lambda c: c.select("id", F.explode_outer("tags").alias("name", "value")),
    "explode an array of arrays": lambda c: c.select(F.explode("grid").alias("g")).select(F.explode_outer("g")),
    "inline": lambda c: c.select("id", F.inline("orders")),
    "inline, outer": lambda c: c.select("id", F.inline_outer("orders")),
    "inline in inline": lambda c: c.select("id", F.inline("orders")).select("id", "no", F.inline_outer("items")),
    "flatten": lambda c: c.select(F.flatten("grid"), F.flatten("orders.items")),
    "transform": lambda c: orders(c).select(F.transform("o.items", lambda i: i["qty"] * i["price"]).alias("t")),
    "transform to structs": lambda c: c.select(
        F.transform("orders", lambda o, n: F.struct(n.alias("n"), o["no"].alias("no"), F.size(o["items"]).alias("s")))
    ),
    "transform in transform": lambda c: c.select(
        F.transform("orders", lambda o: F.transform(o["items"], lambda i: F.concat(o["no"], F.lit("/"), i["sku"])))
    ),
    "filter inside": lambda c: orders(c).select("id", F.filter("o.items", lambda i: i["qty"] >= 2).alias("many")),
    "exists": lambda c: c.filter(F.exists("orders", lambda o: F.exists(o["items"], lambda i: i["sku"] == "pen"))),
    "forall": lambda c: c.filter(F.forall("orders", lambda o: o["no"].startswith("A"))),
    "aggregate inside": lambda c: orders(c).select(
        "id", F.aggregate("o.items", F.lit(0.0), lambda sum, i: sum + i["qty"] * i["price"]).alias("total")
    ),
    "array of arrays, item and size": lambda c: c.select(F.get(F.get("grid", F.lit(0)), F.lit(1)), F.size("grid")),
    "array contains": lambda c: c.filter(F.array_contains("orders.no", "B-1")),
    "sort an array of structs": lambda c: c.select(F.sort_array("orders", asc=False), F.array_max("orders.no")),
    "rebuild a struct": lambda c: c.select(
        "id", F.struct("name.first", F.struct(F.col("address.city").alias("town"), "id").alias("at")).alias("who")
    ),
    "group by a field": lambda c: c.groupBy("address.city").agg(F.count("*"), F.collect_list("name")),
    "group by a struct": lambda c: c.groupBy("name").agg(F.countDistinct("address.city").alias("cities")),
    "group by an array": lambda c: c.groupBy("orders.no").count(),
    "group again what was exploded": lambda c: (
        items(c).groupBy("id", "no").agg(F.collect_list("i").alias("items"), F.sum(F.col("i.qty") * F.col("i.price")))
    ),
    "collect structs of collected structs": lambda c: (
        items(c)
        .groupBy("city", "no")
        .agg(F.collect_list(F.struct("i.sku", "i.qty")).alias("items"))
        .groupBy("city")
        .agg(F.collect_list(F.struct("no", "items")).alias("orders"))
    ),
    "collect a set of structs": lambda c: items(c).groupBy("city").agg(F.collect_set(F.struct("i.sku", "id"))),
    "max of structs": lambda c: (
        items(c).groupBy("id").agg(F.max(F.struct("i.price", "i.sku")).alias("m")).select("m.*")
    ),
    "rollup of fields": lambda c: items(c).rollup("city", "i.sku").agg(F.sum("i.qty")),
    "having": lambda c: items(c).groupBy("i.sku").agg(F.sum("i.qty").alias("n")).filter("n > 1 or sku is null"),
    "distinct nested rows": lambda c: c.select("id", "name", "orders.no").distinct(),
    "union of branches": lambda c: c.select("id", "name.first").union(c.select("id", "name.last")),
    "union by name of structs": lambda c: (
        c.select("id", "name").unionByName(c.select("id", F.struct(F.lit("x").alias("first")).alias("name")), True)
    ),
    "except on nested columns": lambda c: c.select("id", "name").exceptAll(c.filter("id = 2").select("id", "name")),
    "self join over an explode": lambda c: (
        orders(c).alias("a").join(items(c).alias("b"), F.col("a.o.no") == F.col("b.no"), "left").select("a.id", "b.i")
    ),
    "semi join on a nested field": lambda c: (
        c.alias("a").join(c.alias("b"), F.col("a.name.last") == F.col("b.address.city"), "left_semi")
    ),
    "window over exploded items": lambda c: items(c).select(
        "id", "i.sku", F.row_number().over(Window.partitionBy("id").orderBy("no", "i.sku", "i.price")).alias("n")
    ),
    "top of the exploded": lambda c: items(c).orderBy(F.desc("i.price"), "no", "i.sku").limit(2),
    "dropna on a nested field": lambda c: c.select("id", "address.*").dropna(subset=["city"]),
}  # fmt: skip

ONLY_IN_SPARK: dict[str, Query] = {
    "a field changed": lambda c: c.withColumn("address", F.col("address").withField("city", F.lower("address.city"))),
    "a field added deep down": lambda c: c.withColumn("address", F.col("address").withField("geo.alt", F.lit(1))),
    "a field dropped": lambda c: c.withColumn("name", F.col("name").dropFields("last")),
    "an array of structs rebuilt": lambda c: c.withColumn(
        "orders", F.transform("orders", lambda o: o.withField("items", F.size(o["items"])))
    ),
}  # fmt: skip
"""What the plan keeps as a black box: the interpreter cannot look inside."""


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_customers(customers: DataFrame, query: Query) -> None:
    check_both(query(customers))


@pytest.mark.parametrize("query", ONLY_IN_SPARK.values(), ids=ONLY_IN_SPARK.keys())
def test_changed_fields(customers: DataFrame, query: Query) -> None:
    check_spark(query(customers))


def test_joined_with_an_inferred_schema(customers: DataFrame, stock: DataFrame) -> None:
    bought = items(customers)
    joined = bought.join(stock, bought["i.sku"] == stock["sku"], "full")
    check_both(joined.select("id", "no", "sku", F.explode_outer("where").alias("w")).select("id", "sku", "w.*"))


def test_in_stock_in_the_same_city(customers: DataFrame, stock: DataFrame) -> None:
    there = stock.select("sku", F.inline("where"))
    wanted = items(customers).select("id", "city", "i.sku", "i.qty")
    check_both(wanted.join(there, ["sku", "city"], "left").filter("left is null or left < qty"))


def test_an_inferred_schema(both_modes: SparkSession, folder: Path) -> None:
    """Spark infers structs where the schema above has maps, in the order of the alphabet."""
    df = both_modes.read.json(str(folder / "customers.json"))
    check_both(df.select("tags.*", F.explode_outer("orders").alias("o")).select("tier", "o.items.parts"))
