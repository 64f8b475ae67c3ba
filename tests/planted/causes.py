"""Bugs that lose an order, each as a line of PySpark beside the line that undoes it.

Every bug makes `found` of `orders` and loses the order 3, the only one of the north. `extra` is what the orders need
for it beside their own columns: names with types, and a value for each of the eight orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ORDERS: Sequence[tuple[Any, ...]] = (
    (1, "south", 120, "web"),
    (2, "east", 80, "shop"),
    (3, "north", 310, "web"),
    (4, "south", 45, "app"),
    (5, "east", 200, "web"),
    (6, "west", 75, "shop"),
    (7, "west", 60, "app"),
    (8, "south", 99, "shop"),
)
SCHEMA = "order_id int, region string, amount int, channel string"


@dataclass(frozen=True)
class Cause:
    """A bug, the commit that undoes it, and a part of the text of the operator that is to blame.

    `number` is that of the cause in the list of causes. `tables` are the lines that make other tables.
    """

    number: int
    name: str
    bug: str
    commit: str
    operator: str
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    tables: str = ""
    alternatives: Sequence[set[str]] | None = None


STATUS = {"status string": ["paid", "paid", None, "open", "cancelled", "paid", "paid", "cancelled"]}
CUSTOMERS = 'customers = spark.createDataFrame({rows}, "id {type}, customer_name string")'


def customers(rows: Sequence[tuple[Any, str]], type: str = "string") -> str:
    return CUSTOMERS.format(rows=list(rows), type=type)


PEOPLE = customers([("C-001", "Ann"), ("C-002", "Bob"), ("C-003", "Cid"), ("C-004", "Dan")])
BY_CUSTOMER = 'orders.join(customers, orders.customer == customers.id{how}).drop("id")'


def keys(third: str | None) -> Mapping[str, Sequence[Any]]:
    """The key of the customer of each order; that of the third is the one that does not fit."""
    return {"customer string": ["C-001", "C-002", third, "C-004", "C-001", "C-002", "C-004", "C-001"]}


CAUSES: Sequence[Cause] = (
    Cause(
        1,
        "null is not different",
        'orders.filter(F.col("status") != "cancelled")',
        'orders.filter(~F.col("status").eqNullSafe("cancelled"))',
        "filter status",
        STATUS,
    ),
    Cause(
        1,
        "null is not less",
        'orders.filter(F.col("rank") < 4)',
        'orders.filter((F.col("rank") < 4) | F.col("rank").isNull())',
        "filter rank",
        {"rank int": [1, 2, None, 5, 3, 1, 2, 6]},
    ),
    Cause(
        2,
        "null key",
        'orders.join(customers, orders.customer == customers.id).drop("id")',
        'orders.join(customers, orders.customer.eqNullSafe(customers.id)).drop("id")',
        "join on customer",
        keys(None),
        customers([("C-001", "Ann"), ("C-002", "Bob"), (None, "Walk-in"), ("C-004", "Dan")]),
    ),
    Cause(
        3,
        "inner join",
        BY_CUSTOMER.format(how=""),
        BY_CUSTOMER.format(how=', "left"'),
        "join on customer",
        keys("X-977"),
        PEOPLE,
    ),
    Cause(
        3,
        "inner join on names",
        'orders.join(prices, "sku")',
        'orders.join(prices, "sku", "left")',
        "join on sku",
        {"sku string": ["A", "B", "Q", "A", "B", "A", "B", "A"]},
        'prices = spark.createDataFrame([("A", 5), ("B", 7)], "sku string, price int")',
    ),
    Cause(
        4,
        "blank after a key",
        BY_CUSTOMER.format(how=""),
        'orders.join(customers, F.trim(orders.customer) == customers.id).drop("id")',
        "join on customer",
        keys("C-003 "),
        PEOPLE,
    ),
    Cause(
        4,
        "case of a key",
        BY_CUSTOMER.format(how=""),
        'orders.join(customers, F.upper(orders.customer) == customers.id).drop("id")',
        "join on customer",
        keys("c-003"),
        PEOPLE,
    ),
    Cause(
        4,
        "case of a constant",
        'orders.filter(F.col("status") == "paid")',
        'orders.filter(F.lower("status") == "paid")',
        "filter status",
        {"status string": ["paid", "open", "Paid", "paid", "open", "paid", "paid", "open"]},
    ),
    Cause(
        4,
        "non-breaking space in a constant",
        'orders.filter(F.col("city") == "New York")',
        'orders.filter(F.regexp_replace("city", "\\u00a0", " ") == "New York")',
        "filter city",
        {"city string": ["New York", "LA", "New\u00a0York", "LA", "New York", "LA", "LA", "New York"]},
    ),
    Cause(
        5,
        "empty array",
        'orders.withColumn("item", F.explode("items")).drop("items")',
        'orders.withColumn("item", F.explode_outer("items")).drop("items")',
        "explode items",
        {"items array<string>": [["a"], ["b"], [], ["a"], ["b"], ["a"], ["b"], ["a"]]},
    ),
    Cause(
        6,
        "filtered left join",
        'orders.join(pay, orders.order_id == pay.of, "left").filter(F.col("way") == "card").drop("of")',
        'orders.join(pay, (orders.order_id == pay.of) & (pay.way == "card"), "left").drop("of")',
        "filter way",
        {},
        'pay = spark.createDataFrame([(i, "card") for i in (1, 2, 4, 5, 6, 7, 8)], "of int, way string")',
    ),
    Cause(
        7,
        "field that moved",
        'orders.filter(F.col("place.country") == "DE")',
        'orders.filter(F.coalesce("place.country", "user.country") == "DE")',
        "filter place.country",
        {
            "place struct<country string>": [("DE",), ("FR",), (None,), ("DE",), ("FR",), ("DE",), ("DE",), ("FR",)],
            "user struct<country string>": [("DE",), ("FR",), ("DE",), ("DE",), ("FR",), ("DE",), ("DE",), ("FR",)],
        },
    ),
    Cause(
        8,
        "zeros before a key",
        BY_CUSTOMER.format(how=""),
        'orders.join(customers, F.regexp_replace(orders.customer, "^0+", "") == customers.id).drop("id")',
        "join on customer",
        {"customer string": ["71", "72", "0077", "74", "71", "72", "74", "71"]},
        customers([("71", "Ann"), ("72", "Bob"), ("77", "Cid"), ("74", "Dan")]),
    ),
    Cause(
        8,
        "prefix of a key",
        BY_CUSTOMER.format(how=""),
        'orders.join(customers, F.regexp_replace(orders.customer, "^CUST-", "") == customers.id).drop("id")',
        "join on customer",
        {"customer string": ["71", "72", "CUST-77", "74", "71", "72", "74", "71"]},
        customers([("71", "Ann"), ("72", "Bob"), ("77", "Cid"), ("74", "Dan")]),
    ),
    Cause(
        8,
        "number as text",
        BY_CUSTOMER.format(how=""),
        'orders.join(customers, orders.customer.cast("double").cast("int").cast("string") == customers.id).drop("id")',
        "join on customer",
        {"customer string": ["71", "72", "77.0", "74", "71", "72", "74", "71"]},
        customers([("71", "Ann"), ("72", "Bob"), ("77", "Cid"), ("74", "Dan")]),
    ),
    Cause(
        9,
        "date in another format",
        'orders.withColumn("day", F.try_to_date("at")).filter(F.col("day") >= "2024-01-01")',
        'orders.withColumn("day", F.coalesce(F.try_to_date("at"), F.try_to_date("at", "dd.MM.yyyy")))'
        '.filter(F.col("day") >= "2024-01-01")',
        "filter day",
        {"at string": ["2024-01-05", "2023-02-01", "05.02.2024", *["2024-03-01"] * 5]},
    ),
    Cause(
        9,
        "number with separators",
        'orders.withColumn("paid", F.expr("try_cast(gross as double)")).filter(F.col("paid") > 0)',
        'orders.withColumn("paid", F.expr("try_cast(replace(gross, \',\') as double)")).filter(F.col("paid") > 0)',
        "filter paid",
        {"gross string": ["120", "80", "1,310.00", "45", "0", "75", "60", "99"]},
    ),
    Cause(
        11,
        "null is not outside of a list",
        'orders.filter(~F.col("country").isin("US", "CA"))',
        'orders.filter(~F.coalesce(F.col("country").isin("US", "CA"), F.lit(False)))',
        "filter not",
        {"country string": ["DE", "US", None, "FR", "CA", "DE", "FR", "US"]},
    ),
    Cause(
        12,
        "NOT IN with a null",
        'spark.sql("select * from {o} where customer not in (select id from {b})", o=orders, b=blocked)',
        'spark.sql("select * from {o} where customer not in (select id from {b} where id is not null)", o=orders, '
        "b=blocked)",
        "anti join",
        keys("C-003"),
        'blocked = spark.createDataFrame([("C-002",), (None,)], "id string")',
    ),
    Cause(
        13,
        "duplicates of a key that is too coarse",
        'orders.orderBy("order_id").coalesce(1).dropDuplicates(["phone"])',
        'orders.orderBy("order_id").coalesce(1).dropDuplicates(["order_id"])',
        "distinct by phone",
        {"phone string": ["11", "22", "11", "44", "55", "66", "77", "88"]},
    ),
    Cause(
        13,
        "first by the wrong order",
        'orders.withColumn("rn", F.row_number().over(Window.partitionBy("customer").orderBy("version")))'
        '.filter("rn = 1").drop("rn")',
        'orders.withColumn("rn", F.row_number().over(Window.partitionBy("customer").orderBy(F.desc("version"))))'
        '.filter("rn = 1").drop("rn")',
        "filter rn = 1",
        {
            "customer string": ["a", "b", "a", "d", "e", "f", "g", "h"],
            "version int": [1, 1, 2, 1, 1, 1, 1, 1],
        },
    ),
    Cause(
        14,
        "the last day ends at midnight",
        'orders.filter(F.col("at").between("2024-01-01", "2024-01-31"))',
        'orders.filter((F.col("at") >= "2024-01-01") & (F.col("at") < "2024-02-01"))',
        "filter (at",
        {"day string": ["2024-01-05 08:00", "2024-01-06 08:00", "2024-01-31 10:15", *["2024-01-07 08:00"] * 5]},
    ),
    Cause(
        14,
        "off by one",
        'orders.filter(F.col("amount") < 310)',
        'orders.filter(F.col("amount") <= 310)',
        "filter amount",
    ),
    Cause(
        15,
        "dropna by any column",
        "orders.dropna()",
        'orders.dropna(subset=["mail"])',
        "filter",
        {"mail string": ["m"] * 8, "phone string": ["1", "2", None, "4", "5", "6", "7", "8"]},
    ),
    Cause(
        17,
        "two conditions",
        'orders.filter((F.col("status") == "paid") & (F.col("amount") < 300))',
        'orders.filter((F.col("status") == "paid") & (F.col("amount") < 400))',
        "filter (status",
        {"status string": ["paid", "open", "paid", "paid", "open", "paid", "paid", "open"]},
    ),
    Cause(
        18,
        "count of nulls",
        'orders.join(orders.groupBy("region").agg(F.count("rating").alias("n")).filter("n >= 1"), "region")',
        'orders.join(orders.groupBy("region").agg(F.count("*").alias("n")).filter("n >= 1"), "region")',
        "filter n >= 1",
        {"rating int": [1, 2, None, 4, 5, 6, 7, 8]},
    ),
    Cause(
        19,
        "limit",
        'orders.orderBy("amount").limit(7)',
        'orders.orderBy("amount").limit(8)',
        "limit 7",
    ),
    Cause(
        20,
        "case of a field in JSON",
        'orders.withColumn("user", F.from_json("body", "userid int")).filter("user.userid is not null").drop("user")',
        'orders.withColumn("user", F.from_json("body", "userId int")).filter("user.userId is not null").drop("user")',
        "filter user.userid",
        {"body string": ['{"userId": 1, "userid": 1}'] * 2 + ['{"userId": 3}'] + ['{"userId": 1, "userid": 1}'] * 5},
    ),
    Cause(
        23,
        "a case that is not covered",
        "orders.withColumn(\"level\", F.expr(\"case tier when 'gold' then 2 when 'silver' then 1 end\"))"
        '.filter("level >= 0")',
        "orders.withColumn(\"level\", F.expr(\"case tier when 'gold' then 2 when 'silver' then 1 else 0 end\"))"
        '.filter("level >= 0")',
        "filter level",
        {"tier string": ["gold", "silver", "bronze", "gold", "silver", "gold", "silver", "gold"]},
    ),
    Cause(
        23,
        "concat with null",
        'orders.withColumn("full", F.concat("first", F.lit(" "), "last")).filter(F.col("full") != "x")',
        'orders.withColumn("full", F.concat_ws(" ", "first", "last")).filter(F.col("full") != "x")',
        "filter full",
        {"first string": ["A", "B", None, "D", "E", "F", "G", "H"], "last string": ["Z"] * 8},
    ),
    Cause(
        16,
        "semi join with a part",
        'orders.join(active, orders.customer == active.id, "semi")',
        'orders.join(active, F.upper(orders.customer) == active.id, "semi")',
        "semi join on customer",
        keys("c-003"),
        'active = spark.createDataFrame([("C-001",), ("C-002",), ("C-003",), ("C-004",)], "id string")',
    ),
)
