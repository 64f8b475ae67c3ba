"""How the cost of a question grows: with data, alternatives and operators; and questions of extreme shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from bench.measures import Costs
from bench.works import Asked, Work, costs
from examples.running_example import MISSING, MIXED_UP, cities
from sparkwhy import Alternative, Answer, gt, why_not
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables

SIZES = (0.1, 1.0, 3.0)
GROWING = ("Q3F", "Q10F", "Q6F")
COUNTS = (0, 1, 2, 4, 8, 12, 24)
DEPTHS = (5, 10, 25, 50, 100)

Growth = Mapping[str, Mapping[str, Costs]]
"""What was measured, by what grows."""


def grown(session: SparkSession, scale: float, repetitions: int) -> Growth:
    return {
        "size": by_size(session, repetitions),
        "alternatives": by_alternatives(session, scale, repetitions),
        "operators": by_operators(session, repetitions),
        "extremes": extremes(session, repetitions),
    }


def by_size(session: SparkSession, repetitions: int) -> dict[str, Costs]:
    """The same questions of more data."""
    found = {}
    for scale in SIZES:
        tables = GeneratedTables(session, scale=scale, progress=print)
        for name in GROWING:
            found[f"{name}@{scale:g}"] = _told(
                f"{name} at {scale:g}", _few(session, Asked.of(SCENARIOS[name], tables), repetitions)
            )
    return found


def by_alternatives(session: SparkSession, scale: float, repetitions: int) -> dict[str, Costs]:
    """Q3 with ever more alternatives, each declared, and each another query than all before."""
    asked = Asked.of(SCENARIOS["Q3F"], GeneratedTables(session, scale=scale))
    declared = _different()
    works: dict[str, Work] = {"query": asked.works()["query"]}
    for count in COUNTS:
        ask = partial(why_not, asked.df, asked.missing, verify=False, side_effects="none")
        works[str(count)] = partial(_with, ask, declared[:count])
    return {"Q3F": _told("alternatives", costs(session, works, repetitions))}


def _with(ask: Callable[..., Answer], declared: Sequence[Alternative]) -> None:
    answer = ask(alternatives=declared or None)
    assert len(answer.alternatives) == 1 + len(declared), "an alternative does not change the query"


def _different() -> list[Alternative]:
    """Other dates, shares, segments and prices for those that the query reads, and these together."""
    dates: list[dict[str, str]] = [{}, {"l_commitdate": "l_shipdate"}, {"l_commitdate": "l_receiptdate"}]
    shares: list[dict[str, str]] = [{}, {"l_discount": "l_tax"}, {"l_discount": "l_quantity"}]
    segments: list[dict[str, str]] = [{}, {"c_mktsegment": "c_name"}, {"c_mktsegment": "c_phone"}]
    changes = [{**date, **share, **segment} for segment in segments for share in shares for date in dates]
    return [Alternative(each) for each in changes if each]


def by_operators(session: SparkSession, repetitions: int) -> dict[str, Costs]:
    """A chain of filters and computed columns, of which the last drops the row."""
    found = {}
    for depth in DEPTHS:
        df = session.range(1_000_000).withColumn("v", F.col("id") % 1000)
        for step in range(depth // 2):
            df = df.withColumn("v", F.col("v") + 1).filter(F.col("v") != -1 - step)
        asked = Asked(df.filter(F.col("id") != 77), {"id": 77}, ())
        works = asked.works()
        few = {kind: works[kind] for kind in ("query", "explanations")}
        found[str(depth)] = _told(f"{depth} operators", costs(session, few, repetitions))
    return found


def extremes(session: SparkSession, repetitions: int) -> dict[str, Costs]:
    """Shapes on which something that is collected, or sorted for each row, would fail."""
    shaped = {label: _told(label, _few(session, shape(session), repetitions)) for label, shape in _EXTREMES.items()}
    return {**shaped, _SMALL: _told(_SMALL, _small(session, repetitions))}


_SMALL = "the running example, with 200 shuffle partitions"


def _small(session: SparkSession, repetitions: int) -> Costs:
    """Five rows, in a session as Spark sets it up by itself."""
    before = session.conf.get("spark.sql.shuffle.partitions") or "200"
    session.conf.set("spark.sql.shuffle.partitions", "200")
    try:
        return _few(session, Asked(cities(), MISSING, tuple(map(frozenset, MIXED_UP))), repetitions)
    finally:
        session.conf.set("spark.sql.shuffle.partitions", before)


def _long_group(session: SparkSession) -> Asked:
    numbers = session.range(1_000_000).withColumn("k", F.lit("all"))
    lists = numbers.filter("id % 2 = 0").groupBy("k").agg(F.collect_list("id").alias("ids"))
    return Asked(lists.withColumn("n", F.size("ids")), {"k": "all", "n": gt(600_000)}, ())


def _long_list(session: SparkSession) -> Asked:
    lists = session.range(1).select(F.sequence(F.lit(1), F.lit(1_000_000)).alias("ids"))
    return Asked(lists.select(F.explode("ids").alias("i")).filter("i <> 77"), {"i": 77}, ())


def _long_key(session: SparkSession) -> Asked:
    many = session.range(1_000_000).withColumn("k", F.lit(1))
    one = session.createDataFrame([(1, "old")], "k int, state string")
    return Asked(many.join(one, "k").filter("state = 'new'"), {"id": 77}, ())


def _many_leaves(session: SparkSession) -> Asked:
    columns = [F.struct(*((F.col("id") + j).alias(f"f{j}") for j in range(50))).alias(f"s{i}") for i in range(30)]
    return Asked(session.range(10_000).select("id", *columns).filter("s7.f7 > 100"), {"id": 5}, ())


_EXTREMES: Mapping[str, Callable[[SparkSession], Asked]] = {
    "a group of 500,000 of 1,000,000 rows, as a list": _long_group,
    "a list of 1,000,000 elements": _long_list,
    "a join key with 1,000,000 rows": _long_key,
    "1,500 leaves": _many_leaves,
}


def _few(session: SparkSession, asked: Asked, repetitions: int) -> Costs:
    works = asked.works()
    kinds = ("query", "explanations", "default")
    return costs(session, {kind: works[kind] for kind in kinds}, repetitions, once=("default",))


def _told(label: str, found: Costs) -> Costs:
    """What was found, after a line on it: it takes a while."""
    print(f"{label}: " + ", ".join(f"{kind} {cost.seconds:.2f} s" for kind, cost in found.items()), flush=True)
    return found
