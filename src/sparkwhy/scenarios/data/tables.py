"""Generated tables by name, of a chosen size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.scenarios.data import cache, crime, dblp, tpch, twitter
from sparkwhy.scenarios.scenario import Dataset

SMALL_SCALE = 0.01
SMALL_ROWS = 2000


@dataclass(frozen=True)
class GeneratedTables:
    """All tables of the scenarios: TPC-H at a scale factor, DBLP and Twitter with a number of rows.

    Each table carries its name as an alias, so that `F.col("witness.name")` says which name is meant.
    """

    spark: SparkSession
    scale: float = SMALL_SCALE
    rows: int = SMALL_ROWS
    stored_as: cache.Format = "parquet"
    progress: cache.Progress | None = None

    def __getitem__(self, name: str) -> DataFrame:
        return self._table(name).alias(name)

    def fits(self, dataset: Dataset) -> bool:
        """Return whether the dataset has the rows of the paper: TPC-H has them only at scale factor 1."""
        return dataset != "tpch" or self.scale == 1

    def _table(self, name: str) -> DataFrame:
        if name in tpch.TABLES:
            return tpch.table(self.spark, name, self.scale, stored_as=self.stored_as, progress=self.progress)
        if name in dblp.TABLES:
            place, version = f"dblp/{self.rows}-{name}", dblp.VERSION
            return self._store(place, version, lambda: dblp.table(self.spark, name, self.rows))
        if name in twitter.TABLES:
            place, version = f"twitter/{self.rows}-{name}", twitter.VERSION
            return self._store(place, version, lambda: twitter.table(self.spark, name, self.rows))
        if name in crime.TABLES:
            return self._store(f"crime/{name}", crime.VERSION, lambda: crime.table(self.spark, name))
        raise KeyError(f"no table {name!r}; there are {', '.join(TABLES)}")

    def _store(self, place: str, version: str, compute: Callable[[], DataFrame]) -> DataFrame:
        return cache.table(self.spark, place, version, compute, stored_as=self.stored_as, progress=self.progress)


TABLES = (*tpch.TABLES, *dblp.TABLES, *twitter.TABLES, *crime.TABLES)
