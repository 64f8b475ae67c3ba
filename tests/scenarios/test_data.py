"""The generated data: rates, widths, the same for the same seed, and made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, StructType

from sparkwhy.scenarios.data import cache, crime, dblp, twitter
from sparkwhy.scenarios.data.tables import GeneratedTables

pytestmark = pytest.mark.spark

STREAM = {
    "size(entities.media) > 0": 0.23,
    "size(entities.urls) > 0": 0.18,
    "size(entities.hashtags) > 0": 0.13,
    "size(entities.user_mentions) > 0": 0.74,
    "user.location is not null": 0.62,
    "place.country is not null": 0.01,
    "retweeted_status is not null": 0.51,
    "quoted_status is not null": 0.09,
    "quote_count is not null": 1.0,
}
PRESENT = {
    "inproceedings": {"crossref": 1.0, "author": 1.0, "booktitle": 1.0, "year": 1.0, "title._bibtex": 0.005},
    "proceedings": {"publisher": 0.97, "series": 0.58, "author": 0.0, "booktitle": 1.0},
    "www": {"url": 0.66, "note": 0.87, "author": 1.0},
    "article": {"author": 1.0, "title._bibtex": 0.005, "title._VALUE": 1.0},
}


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> GeneratedTables:
    return GeneratedTables(spark)


def shares(df: DataFrame, conditions: dict[str, float]) -> dict[str, float]:
    """For which share of the rows each condition is true."""
    row = df.agg(*(F.avg(F.expr(f"if({each}, 1.0D, 0.0D)")) for each in conditions)).first()
    assert row is not None
    return dict(zip(conditions, row, strict=True))


def leaves(type_: DataType) -> int:
    match type_:
        case StructType():
            return sum(leaves(field.dataType) for field in type_.fields)
        case ArrayType():
            return leaves(type_.elementType)
        case _:
            return 1


def fingerprint(df: DataFrame) -> tuple[int, int]:
    """Of the rows as a bag."""
    row = df.agg(F.count("*"), F.bit_xor(F.xxhash64(*df.columns))).first()
    assert row is not None
    return tuple(row)


def test_tweets_are_like_a_stream(tables: GeneratedTables):
    assert shares(tables["tweets"], STREAM) == pytest.approx(STREAM, abs=0.04)


def test_repeated_and_quoted_tweets_are_quoted(tables: GeneratedTables):
    repeated = tables["tweets"].select("retweeted_status.*").filter("id is not null")
    quoted = tables["tweets"].select("quoted_status.*").filter("id is not null")
    assert shares(repeated, {"quote_count > 0": 0.68})["quote_count > 0"] == pytest.approx(0.68, abs=0.05)
    assert shares(quoted, {"quote_count > 0": 0.87})["quote_count > 0"] == pytest.approx(0.87, abs=0.08)
    assert repeated.groupBy("id").count().filter("count > 1").count() > 50


def test_tweets_are_wide_and_deep(tables: GeneratedTables):
    schema = tables["tweets"].schema
    assert leaves(schema) > 400
    inner = schema["retweeted_status"].dataType
    assert isinstance(inner, StructType)
    assert {"user", "entities", "extended_tweet", "quoted_status"} <= set(inner.names)


@pytest.mark.parametrize("name", dblp.TABLES)
def test_records_lack_what_real_records_lack(tables: GeneratedTables, name: str):
    expected = {f"{field} is not null": share for field, share in PRESENT[name].items()}
    tolerance = 0.15 if name == "proceedings" else 0.04  # there are few volumes
    assert shares(tables[name], expected) == pytest.approx(expected, abs=tolerance)


def test_planted_witnesses_stand_among_others(tables: GeneratedTables):
    tweets = tables["tweets"].filter("id < 1000 or array_contains(entities.hashtags.text, 'Arsenal')")
    assert tweets.count() == len(twitter.PLANTED)
    assert tables["tweets"].filter("text like '%UEFA%'").count() > 10
    assert tables["inproceedings"].filter("array_contains(author._VALUE, 'Jonas Weidmann')").count() == 3
    assert tables["www"].filter("array_contains(author._VALUE, 'Lena Marchetti') and url is null").count() == 1


def test_crime_has_the_names_of_the_paper(tables: GeneratedTables):
    assert tables["person"].filter("name = 'Roger' and hair = 'black'").count() == 1
    assert all(tables[name].count() > 5 for name in crime.TABLES)


def test_the_seed_decides(spark: SparkSession):
    def drawn(seed: int, parts: int) -> DataFrame:
        return dblp.table(spark, "www", 300, seed=seed).repartition(parts)

    first, again, other = (fingerprint(drawn(*each)) for each in ((1, 1), (1, 3), (2, 1)))
    assert first == again != other


def test_tweets_are_the_same_again(spark: SparkSession, tables: GeneratedTables):
    some = ("id", "text", "quote_count", "lang")
    again = twitter.table(spark, "tweets", tables.rows)
    assert fingerprint(tables["tweets"].select(*some)) == fingerprint(again.select(*some))


def test_orders_hold_their_items(tables: GeneratedTables):
    nested = tables["nested_orders"].select("o_orderkey", F.explode("o_lineitems.l_orderkey").alias("l_orderkey"))
    assert nested.count() == tables["lineitem"].count()
    assert nested.filter("o_orderkey <> l_orderkey").isEmpty()
    customers = tables["nested_customers"]
    assert customers.count() == tables["customer"].count()
    assert shares(customers, {"size(c_orders) = 0": 0.33})["size(c_orders) = 0"] == pytest.approx(0.33, abs=0.03)


@pytest.mark.parametrize("stored_as", ["parquet", "json"])
def test_formats_hold_the_same(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored_as: cache.Format
):
    monkeypatch.setenv("SPARKWHY_CACHE", str(tmp_path))
    said: list[str] = []
    stored = GeneratedTables(spark, rows=50, stored_as=stored_as, progress=said.append)["www"]
    assert fingerprint(stored) == fingerprint(dblp.table(spark, "www", 50))
    assert said == [f"making dblp/50-www.{stored_as}"]


def test_a_folder_is_made_once_for_each_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SPARKWHY_CACHE", str(tmp_path))
    made: list[str] = []

    def make(version: str) -> None:
        def write(place: Path) -> None:
            made.append(version)
            (place / "data").write_text(version)

        assert (cache.folder("some/name", version, write) / "data").read_text() == version

    for version in ("1", "1", "2"):
        make(version)
    assert made == ["1", "2"]
    assert [path.name for path in (tmp_path / "some").iterdir()] == ["name"]


def test_what_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SPARKWHY_CACHE", str(tmp_path))

    def fail(place: Path) -> None:
        (place / "half").touch()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        cache.folder("name", "1", fail)
    assert list(tmp_path.iterdir()) == []
