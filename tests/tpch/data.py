"""The tables of TPC-H, from where the scenarios keep them, and the 22 queries as text."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from sparkwhy.scenarios.data.tpch import OFFICIAL as TABLES
from sparkwhy.scenarios.data.tpch import tables_at

__all__ = ["QUERIES", "TABLES", "query", "register", "tables_at"]

QUERIES = tuple(f"q{number:02}" for number in range(1, 23))


def query(name: str) -> str:
    """The SQL text of a query, with the parameters that the specification uses for validation."""
    return (Path(__file__).parent / f"{name}.sql").read_text()


def register(spark: SparkSession, scale: float) -> None:
    """Temporary views of all tables, under their own names."""
    folder = tables_at(scale)
    for table in TABLES:
        spark.read.parquet(str(folder / f"{table}.parquet")).createOrReplaceTempView(table)
