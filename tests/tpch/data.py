"""The tables of TPC-H as the official generator makes them, kept in the user's cache, and the 22 queries as text."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
QUERIES = tuple(f"q{number:02}" for number in range(1, 23))


def query(name: str) -> str:
    """The SQL text of a query, with the parameters that the specification uses for validation."""
    return (Path(__file__).parent / f"{name}.sql").read_text()


def register(spark: SparkSession, scale: float) -> None:
    """Temporary views of all tables, under their own names."""
    folder = tables_at(scale)
    for table in TABLES:
        spark.read.parquet(str(folder / f"{table}.parquet")).createOrReplaceTempView(table)


def tables_at(scale: float) -> Path:
    """The folder with the Parquet files of a scale factor; made on first use."""
    folder = _cache() / f"tpch-sf{scale}"
    if not folder.exists():
        _generate(scale, folder)
    return folder


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "sparkwhy"


def _generate(scale: float, folder: Path) -> None:
    """Made beside its place and moved there when complete: no one ever sees half of the tables."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        made = Path(beside) / folder.name
        generator = Path(sys.executable).parent / "tpchgen-cli"
        arguments = ["parquet", "--quiet", f"--scale-factor={scale}", f"--output-dir={made}"]
        subprocess.run([generator, *arguments], check=True)
        try:
            made.rename(folder)
        except OSError:
            if not folder.exists():  # else another run was faster
                raise
