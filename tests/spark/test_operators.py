"""The laws on hand-written queries: every operator, every join type, from the DataFrame API and from SQL."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.window import WindowSpec

from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.walk import walk
from tests.laws import check_both, check_spark
from tests.sessions import uncompiled

Query = Callable[[DataFrame, DataFrame], DataFrame]


def local(df: DataFrame) -> DataFrame:
    """The same rows held by the JVM: without Python workers the tests take a tenth of the time."""
    return df.coalesce(1).localCheckpoint()


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.fixture(scope="module")
def people(spark: SparkSession) -> DataFrame:
    schema = (
        "name string, k int, addresses array<struct<city: string, year: int>>, tags map<string, int>, "
        "home struct<city: string, zip: struct<code: string>>, pay decimal(9,2), score double, born date"
    )
    day, pay = dt.date(1990, 2, 28), Decimal("10.50")
    rows = [
        ("Sue", 1, [("LA", 2019), ("NY", 2018)], {"a": 1, "b": None}, ("LA", ("90001",)), pay, 1.5, day),
        ("Al", 2, [], {}, ("SF", None), Decimal("-3.25"), float("nan"), None),
        ("Al", 2, [], {}, ("SF", None), Decimal("-3.25"), float("nan"), None),
        ("Bo", None, [None, ("SF", None)], None, None, None, -0.0, day),
        (None, 4, None, {"a": 7}, (None, ("1",)), pay, None, dt.date(2020, 12, 31)),
    ]
    return local(spark.createDataFrame(rows, schema))


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    rows = [(1, "x", 5), (1, "y", 7), (2, None, 7), (None, "x", 1), (9, "Z", None)]
    return local(spark.createDataFrame(rows, "k int, v string, n long"))


def by_k() -> WindowSpec:
    return Window.partitionBy("k").orderBy("v", "n")


JOINS = ["inner", "left", "right", "full", "semi", "anti"]

QUERIES: dict[str, Query] = {
    "select": lambda p, _: p.select("name", (F.col("k") + 1).alias("k1"), F.col("home.zip.code")),
    "select star": lambda p, _: p.select("*"),
    "the same column twice": lambda p, _: p.select("k", "k", F.col("k").alias("k")),
    "odd names": lambda p, _: p.select(F.col("k").alias("a.b"), F.col("name").alias("`x` y")).filter("`a.b` > 1"),
    "withColumn over itself": lambda p, _: p.withColumn("k", F.col("k") * 2).withColumn("k", F.col("k") + 1),
    "rename and drop": lambda p, _: p.withColumnRenamed("k", "key").drop("tags", "home"),
    "struct and back": lambda p, _: p.select(F.struct("k", "name").alias("s")).select("s.*", "s"),
    "fields of arrays": lambda p, _: p.select(
        F.col("addresses.city").alias("cities"), F.get("addresses", F.lit(0))["year"]
    ),
    "map access": lambda p, _: p.select(F.col("tags")["a"], F.map_keys("tags"), F.element_at("tags", "b")),
    "filter": lambda p, _: p.filter((F.col("k") >= 2) & (F.col("name") != "Bo")),
    "filter null": lambda p, _: p.filter(~F.col("k").isin(1, 9) | F.col("k").isNull()),
    "filter null-safe": lambda p, _: p.filter(F.col("name").eqNullSafe(F.lit(None))),
    "filter as text": lambda p, _: p.filter("k between 1 and 2 and name like 'S%' and not name = 'Al'"),
    "filter NaN": lambda p, _: p.filter(F.col("score") > 1).filter(F.col("score") == float("nan")),
    "where on nothing": lambda p, _: p.filter(F.lit(None).cast("boolean")),
    "dropna any": lambda p, _: p.dropna(),
    "dropna all": lambda p, _: p.dropna("all", subset=["k", "score"]),
    "dropna thresh": lambda p, _: p.dropna(thresh=5),
    "fillna and replace": lambda p, _: p.fillna({"name": "?", "k": 0}).replace("Al", "El", subset=["name"]),
    "join on condition": lambda p, o: p.join(o, p.k == o.k),
    "join on two names": lambda p, o: p.withColumn("n", F.col("k").cast("long")).join(o, ["k", "n"], "full"),
    "join null-safe": lambda p, o: p.join(o, p.k.eqNullSafe(o.k), "left"),
    "join non-equi": lambda p, o: p.join(o, (p.k < o.n) & (o.v != "x")),
    "cross join": lambda p, o: p.select("k").crossJoin(o),
    "self join": lambda _, o: o.alias("a").join(o.alias("b"), F.col("a.k") == F.col("b.n")),
    "self join on a name": lambda _, o: o.join(o.filter("n > 1"), "k").join(o, "k", "left"),
    "explode": lambda p, _: p.withColumn("a", F.explode("addresses")).select("name", "a.city"),
    "explode in select": lambda p, _: p.select(F.explode("addresses").alias("a"), (F.col("k") + 1).alias("k1")),
    "explode outer": lambda p, _: p.select("name", F.explode_outer("addresses")),
    "explode map": lambda p, _: p.select("name", F.explode("tags")),
    "explode map outer": lambda p, _: p.select("name", F.posexplode_outer("tags")),
    "posexplode": lambda p, _: p.select("name", F.posexplode("addresses")),
    "inline": lambda p, _: p.select("name", F.inline("addresses")),
    "inline outer": lambda p, _: p.select("k", F.inline_outer("addresses")),
    "explode computed": lambda p, _: p.select("k", F.explode(F.array("k", F.lit(0), F.col("k") + 1)).alias("x")),
    "explode twice": lambda p, _: p.select("*", F.explode("addresses").alias("a")).select("k", F.explode("tags")),
    "nest": lambda p, _: p.groupBy("name").agg(F.collect_list("k").alias("ks"), F.collect_set("home").alias("hs")),
    "nest structs": lambda p, _: p.groupBy("k").agg(F.collect_list(F.struct("name", "born")).alias("people")),
    "group": lambda _, o: o.groupBy("k").agg(F.sum("n"), F.count("*"), F.count("v"), F.min("v"), F.max("n")),
    "group by expression": lambda _, o: o.groupBy((F.col("k") + 1).alias("k1")).agg(F.avg("n").alias("a")),
    "group by lambdas": lambda p, _: p.groupBy(
        F.exists("addresses", lambda a: a.year > 2018).alias("late"),
        F.forall("addresses", lambda a: F.exists(F.array(a.city), lambda c: c == "NY")).alias("all"),
    ).agg(F.count("*"), F.count_distinct("addresses")),
    "group by null and NaN": lambda p, _: p.groupBy("score", "home").count(),
    "aggregate arithmetic": lambda _, o: o.groupBy("k").agg((F.sum("n") + F.count("*") * 2).alias("z"), F.sum("n")),
    "aggregate all": lambda p, _: p.agg(
        F.sum("pay"), F.avg("pay"), F.max(F.struct("k", "name")), F.count_distinct("k")
    ),
    "aggregate nothing": lambda p, _: p.filter("k > 100").agg(F.count("*"), F.sum("k"), F.collect_list("k")),
    "aggregates distinct": lambda _, o: o.groupBy("v").agg(F.sum_distinct("n"), F.count_distinct("k", "n")),
    "first ignoring nulls": lambda _, o: o.groupBy("k").agg(F.max_by("v", "n"), F.min_by("v", "n")),
    "having": lambda _, o: o.groupBy("k").count().filter("count > 1").select("k"),
    "distinct": lambda p, _: p.select("name", "addresses").distinct(),
    "dropDuplicates": lambda p, _: p.dropDuplicates(["name", "k"]).select("name", "k"),
    "rollup": lambda _, o: o.rollup("k", "v").agg(F.sum("n").alias("s"), F.grouping_id().alias("g")),
    "rollup beside a column that is there twice": lambda _, o: o.select("*", "v").rollup("k").agg(F.sum("n")),
    "rollup of lists without null": lambda _, o: o.rollup(F.array(F.lit(1)).alias("l")).count(),
    "cube of lists of structs": lambda _, o: (
        o.select(F.array(F.struct(F.lit(1).alias("a"))).alias("l"), "v").cube("l", "v").count()
    ),
    "cube": lambda _, o: o.cube("k", "v").count(),
    "pivot": lambda _, o: o.groupBy("k").pivot("v", ["x", "y"]).agg(F.sum("n")),
    "unpivot": lambda _, o: o.unpivot("k", ["n", F.col("k").cast("long").alias("m")], "name", "value"),
    "union": lambda _, o: o.union(o.filter("k = 1")),
    "union with casts": lambda _, o: o.select("k", "v").union(o.select("n", "v")),
    "unionByName": lambda _, o: o.unionByName(o.select("v", "n", "k")),
    "unionByName with missing": lambda _, o: o.unionByName(o.select("v"), allowMissingColumns=True),
    "unionByName with missing lists": lambda _, o: (
        o.groupBy("k").agg(F.collect_set("v").alias("vs")).unionByName(o.select("k"), allowMissingColumns=True)
    ),
    "union of unions": lambda _, o: o.union(o).union(o).select("k").union(o.select("n")),
    "exceptAll": lambda _, o: o.select("k").union(o.select("k")).exceptAll(o.select("k").limit(0).union(o.select("k"))),
    "subtract": lambda _, o: o.select("k", "v").subtract(o.filter("n = 7").select("k", "v")),
    "intersect": lambda _, o: o.select("n").union(o.select("n")).intersect(o.select("n")),
    "intersectAll": lambda _, o: o.select("n").union(o.select("n")).intersectAll(o.select("n").union(o.select("k"))),
    "top k": lambda _, o: o.orderBy(F.desc_nulls_first("n"), "k", "v").limit(2),
    "offset": lambda _, o: o.orderBy("n", "k", "v").offset(1).limit(2),
    "limit then offset": lambda _, o: o.orderBy("n", "k", "v").limit(3).offset(1),
    "row_number": lambda _, o: o.withColumn("rn", F.row_number().over(by_k())).filter("rn = 1"),
    "ranks": lambda _, o: o.select(
        "k",
        F.rank().over(Window.orderBy("n")),
        F.dense_rank().over(Window.orderBy("n")),
        F.percent_rank().over(Window.orderBy("n")),
        F.cume_dist().over(Window.orderBy("n")),
    ),
    "lag and lead": lambda _, o: o.select(F.lag("n").over(by_k()), F.lead("v", 1, "none").over(by_k())),
    "running sum": lambda _, o: o.select("k", F.sum("n").over(by_k()).alias("s")),
    "moving average": lambda _, o: o.select("k", F.avg("n").over(by_k().rowsBetween(-1, 1))),
    "range frame": lambda _, o: o.select("n", F.count("*").over(Window.orderBy("n").rangeBetween(-2, 0))),
    "whole partition": lambda _, o: o.select("k", F.max("n").over(Window.partitionBy("k"))),
    "transparent": lambda _, o: o.repartition(3).hint("broadcast").alias("x").coalesce(1).filter("x.n > 1"),
    "sorted within partitions": lambda _, o: o.sortWithinPartitions("n").repartition("k").filter("n > 1"),
    "case": lambda _, o: o.select(F.when(F.col("n") > 5, "big").when(F.col("n") < 2, "small").alias("size")),
    "lambdas": lambda p, _: p.select(
        F.transform("addresses", lambda a: a.year + 1),
        F.filter("addresses", lambda a: a.city == "NY"),
        F.exists("addresses", lambda a: a.year > 2018),
        F.forall("addresses", lambda a: a.city.isNotNull()),
        F.aggregate("addresses", F.lit(0), lambda total, a: total + F.coalesce(a.year, F.lit(0))),
        F.zip_with("addresses.city", "addresses.year", lambda c, y: F.concat(c, y.cast("string"))),
    ),
    "casts": lambda p, _: p.select(
        F.col("k").cast("string"),
        F.col("pay").cast("double"),
        F.col("born").cast("string"),
        F.col("score").cast("string"),
    ),
    "dates": lambda p, _: p.select(
        F.year("born"), F.date_add("born", 3), F.add_months("born", 12), F.datediff(F.lit("2000-01-01"), "born")
    ),
    "dates and intervals": lambda p, _: p.select(
        F.col("born") + F.expr("interval 1 month"), F.col("born") - F.expr("interval '3' day")
    ),
    "decimals": lambda p, _: p.select(
        F.col("pay") * F.col("pay"), F.col("pay") / 3, F.col("pay") + 1, F.col("pay") % 2
    ),
    "strings": lambda p, _: p.select(
        F.upper("name"), F.length("name"), F.substring("name", 1, 2), F.concat_ws("-", "name", "k"), F.trim("name")
    ),
}


@pytest.mark.parametrize("name", QUERIES)
def test_reading_and_both_engines_agree(name: str, people: DataFrame, orders: DataFrame) -> None:
    check_both(QUERIES[name](people, orders))


@pytest.mark.parametrize("how", JOINS)
@pytest.mark.parametrize("on", ["a name", "a condition"])
def test_every_join_type(how: str, on: str, people: DataFrame, orders: DataFrame) -> None:
    left, right = people.select("k", "name"), orders
    plan = check_both(left.join(right, "k" if on == "a name" else left.k == right.k, how))
    assert [node.how for node in walk(plan) if node.kind == "join"] == [how]  # type: ignore[union-attr]


SQL = {
    "where, group, having, order": """
        select name, count(*) c from people where k > 0 group by name having count(*) > 1 order by max(k)""",
    "in": "select * from people where k in (select k from orders where v is not null)",
    "not in": "select * from people where k not in (select k from orders)",
    "not in without nulls": "select * from people where k not in (select k from orders where k is not null)",
    "exists": "select * from people p where exists (select 1 from orders o where o.k = p.k and o.n > 5)",
    "not exists": "select * from people p where not exists (select 1 from orders o where o.k = p.k)",
    "exists or": "select * from people p where p.k > 3 or exists (select 1 from orders o where o.k = p.k)",
    "exists as a column": "select name, exists (select 1 from orders o where o.k = p.k) e from people p",
    "exists at all": "select * from people where exists (select 1 from orders where n > 5)",
    "exists nowhere": "select * from people where exists (select 1 from orders where n > 100) and k > 1",
    "not exists at all": "select * from people where k > 1 and not exists (select 1 from orders where n > 100)",
    "exists at all or": "select * from people where k > 3 or exists (select 1 from orders where n > 100)",
    "exists at all, as a column": "select name, exists (select 1 from orders where n > 5) e from people",
    "exists at all, in a join": """
        select name, v from people p left join orders o on o.k = p.k and exists (select 1 from orders where n > 100)""",
    "scalar in a join": """
        select name, v from people p full join orders o on o.k = p.k and o.n > (select min(n) from orders)""",
    "scalar in a semi join": """
        select name from people p left semi join orders o on o.k = p.k and o.n > (select min(n) from orders)""",
    "in, in a join": "select name, v from people p join orders o on o.k = p.k and p.k in (select k from orders)",
    "scalar beside an aggregate": "select k, sum(n) / (select sum(n) from orders) s from orders group by k",
    "scalar beside an aggregate of all": "select sum(n) - (select sum(n) from orders) s from orders where n > 100",
    "scalar inside an aggregate": "select sum(n - (select min(n) from orders)) s from orders",
    "scalar": "select * from people where k >= (select avg(k) from orders)",
    "scalar that is empty": "select * from people where k >= (select k from orders where n > 100)",
    "scalar as a column": "select name, (select max(n) from orders) m from people",
    "two scalars": "select * from people where k > (select min(k) from orders) and k < (select max(k) from orders)",
    "correlated scalar": "select name, (select max(n) from orders o where o.k = p.k) m from people p",
    "correlated count": "select name from people p where 0 = (select count(*) from orders o where o.k = p.k)",
    "lateral": "select name, v from people p, lateral (select v from orders o where o.k = p.k)",
    "lateral with a limit": """
        select name, v from people p, lateral (select distinct k v from orders o where o.k = p.k limit 1)""",
    "grouping_id": "select k, v, grouping_id() g, sum(n) s from orders group by cube (k, v)",
    "key under another name": "select k as key, sum(n) s from orders group by k",
    "pipes": """
        from orders |> where n > 1 |> extend n + 1 as m |> aggregate sum(m) as s group by k |> where s > 1
        |> order by s |> select k, s""",
    "lateral view": "select name, i, a.city from people lateral view outer posexplode(addresses) t as i, a",
    "common table expression": """
        with c as (select * from orders where k > 1) select * from c a join c b on a.k = b.k""",
    "nested common table expressions": """
        with a as (select k from orders), b as (select k from a where k > 1) select * from a, b""",
    "natural join": "select * from (select k, name from people) natural left join orders",
    "using": "select k, name, v from people full join orders using (k)",
    "grouping sets": "select k, v, sum(n) s from orders group by grouping sets ((k), (v), ())",
    "filter clause": """
        select count(*) filter (where n > 5) a, sum(distinct n) filter (where v is not null) b from orders""",
    "stack": "select k, stack(2, 1, v, 2) from orders",
    "values": "select * from values (1, 'a'), (2, null) as t(x, y) where x > 1",
    "no table": "select 1 as one, 'a' as a",
    "limit and offset": "select * from orders order by n, k, v limit 2 offset 1",
    "set operations": "select k from orders union select n from orders minus select 7",
    "window": """
        select * from (select k, row_number() over (partition by k order by v, n) r from orders) where r = 1""",
    "interval": "select born from people where born < date '1991-01-01' + interval '3' month",
    "case": "select case k when 1 then 'one' when 2 then 'two' else 'many' end c from people",
    "nullif, nvl, between": "select nullif(k, 1) a, nvl(v, 'none') b, n between 1 and 6 c from orders",
    "tuple comparison": "select * from orders where (k, v) in ((1, 'x'), (2, 'y'))",
}


@pytest.fixture
def views(people: DataFrame, orders: DataFrame) -> SparkSession:
    people.createOrReplaceTempView("people")
    orders.createOrReplaceTempView("orders")
    return people.sparkSession


@pytest.mark.parametrize("name", SQL)
def test_sql_text(name: str, views: SparkSession) -> None:
    check_both(views.sql(SQL[name]))


def test_a_sample_that_can_be_repeated(views: SparkSession) -> None:
    check_spark(views.sql("select * from orders tablesample (50 percent) repeatable (3)"))


@pytest.mark.skipif(pyspark.__version__ < "4.2", reason="QUALIFY is new in Spark 4.2")
def test_qualify(views: SparkSession) -> None:
    check_both(views.sql("select k, row_number() over (partition by k order by v, n) r from orders qualify r = 1"))


def test_ansi_on_and_off(both_modes: SparkSession, orders: DataFrame) -> None:
    query = orders.select((F.col("n") + 1).alias("a"), F.col("n").cast("string"), F.try_add("n", "n")).groupBy("a")
    check_both(query.agg(F.sum("a"), F.avg("a")))


ONLY_ON_SPARK: dict[str, Query] = {
    "sample": lambda _, o: o.sample(fraction=0.5, seed=7),
    "random split": lambda _, o: o.randomSplit([0.5, 0.5], seed=3)[1],
    "an unknown function": lambda p, _: p.select(F.soundex("name").alias("s")).filter(F.col("s") > "A"),
    "an unknown aggregate": lambda _, o: o.groupBy("k").agg(
        F.percentile_approx("n", 0.5), F.format_number(F.sum("n"), 1)
    ),
    "an unknown function in a lambda": lambda p, _: p.select(F.transform("addresses", lambda a: F.soundex(a.city))),
    "update in a struct": lambda p, _: p.select(F.col("home").withField("zip.code", F.lit("0"))),
    "a Python function": lambda p, _: p.withColumn("u", F.udf(lambda x: f"{x}!")("name")).filter("u != 'Al!'"),
}


@pytest.mark.filterwarnings("ignore:Arrow optimization")
@pytest.mark.parametrize("name", ONLY_ON_SPARK)
def test_what_only_spark_understands_still_runs(name: str, people: DataFrame, orders: DataFrame) -> None:
    check_spark(ONLY_ON_SPARK[name](people, orders))


def steps(plan: Plan) -> list[str]:
    return [node.kind for node in walk(plan) if not node.id.part]


FOLDED: dict[str, tuple[Query, list[str]]] = {
    "explode": (lambda p, _: p.withColumn("a", F.explode("addresses")), ["table", "flatten"]),
    "explode in select": (lambda p, _: p.select("k", F.explode("tags")), ["table", "flatten"]),
    "explode beside what is computed": (
        lambda p, _: p.select((F.col("k") + 1), F.explode("tags")),
        ["table", "flatten", "project"],
    ),
    "join on a name": (lambda p, o: p.join(o, "k", "full"), ["table", "table", "join"]),
    "window": (lambda _, o: o.withColumn("r", F.row_number().over(by_k())), ["table", "window"]),
    "computed aggregate": (lambda _, o: o.groupBy("k").agg(F.sum("n") + 1), ["table", "aggregate"]),
    "rollup": (lambda _, o: o.rollup("k").count(), ["table", "aggregate"]),
    "union that widens": (
        lambda _, o: o.select("k").union(o.select("n")),
        ["table", "project", "table", "project", "union"],
    ),
    "unions one after the other": (
        lambda _, o: o.unionByName(o.select("v", "n", "k")).unionByName(o.select("n", "k", "v")),
        ["table", "table", "project", "table", "project", "union"],
    ),
    "a union in a union": (
        lambda _, o: o.select("k").union(o.select("k").limit(1).unionByName(o.select("k"))),
        ["table", "project", "table", "project", "limit", "table", "project", "union"],
    ),
    "select star": (lambda _, o: o.select("*"), ["table"]),
    "select after a join": (lambda p, o: p.join(o, p.k == o.k).select("v"), ["table", "table", "join", "project"]),
}


@pytest.mark.parametrize("name", FOLDED)
def test_one_operation_of_the_user_is_one_step(name: str, people: DataFrame, orders: DataFrame) -> None:
    query, kinds = FOLDED[name]
    plan = check_spark(query(people, orders))
    assert steps(plan) == kinds
    numbers = [node.id.step for node in walk(plan) if not node.id.part]
    assert numbers == list(range(1, len(kinds) + 1))
    assert len({node.id for node in walk(plan)}) == sum(1 for _ in walk(plan))
