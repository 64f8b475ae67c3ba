"""`sparkwhy demo`: a small query, a missing row, and the reason."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from inspect import getsource
from textwrap import dedent
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.api import why_not
from sparkwhy.cli.output import add_output_options, check_output, print_answer, progress_of
from sparkwhy.cli.quiet import session
from sparkwhy.question.pattern import ANY

_ADDRESSES = "array<struct<city: string, year: int>>"
_PEOPLE = [
    ("Peter", [("NY", 2010), ("LA", 2019), ("LV", 2017)], [("LA", 2010), ("SF", 2018)]),
    ("Sue", [("LA", 2019), ("NY", 2018)], [("LA", 2019), ("NY", 2018)]),
]


def register(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="ask why a row is missing, on a small example",
        description="Cities where somebody works since 2019: where is New York?",
        epilog="examples:\n  sparkwhy demo\n  sparkwhy demo --html why.html",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    answer = why_not(
        cities(session()),
        {"city": "NY", "nList": [ANY, ...]},
        alternatives=[{"address1", "address2"}],
        side_effects="exact",
        progress=progress_of(arguments),
    )
    if not arguments.json:
        print(_introduction())
    return print_answer(answer, arguments)


def _introduction() -> str:
    """Return the data and the query, before the question."""
    rows = (
        f"    {name}: address1 {_list_addresses(one)}; address2 {_list_addresses(two)}" for name, one, two in _PEOPLE
    )
    data = "\n".join(["Two people, each with two lists of addresses:", *rows])
    lines = dedent(getsource(cities)).splitlines()
    code = "\n".join(f"    {line}".rstrip() for line in lines[lines.index("    return (") + 1 : -1])
    query = f"The cities where somebody works since 2019, and who:\n{code}"
    return f"{data}\n\n{query}\n\nNew York is not among them.\n"


def _list_addresses(addresses: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{city} since {year}" for city, year in addresses)


def cities(spark: SparkSession) -> DataFrame:
    """Cities where somebody works since 2019, with the people who work there."""
    person = spark.createDataFrame(_PEOPLE, f"name string, address1 {_ADDRESSES}, address2 {_ADDRESSES}")
    return (
        person.alias("person")
        .withColumn("address", F.explode("address2"))
        .filter(F.col("address.year") >= 2019)
        .select("name", F.col("address.city").alias("city"))
        .groupBy("city")
        .agg(F.collect_list("name").alias("nList"))
    )
