"""Real records of DBLP, where somebody has them: one JSON object a line, as spark-xml names the fields.

They are read with the schema of the generated ones and kept in the cache as Parquet. Real inproceedings name no
editors, so the volumes themselves, which do, stand among them, as entries without an author.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.scenarios.data import cache, dblp
from sparkwhy.scenarios.scenario import Dataset

_VERSION = "dblp slice 1"


def missing_files(folder: Path) -> tuple[str, ...]:
    """Return the files that a folder of real records lacks."""
    return tuple(file.name for file in (_file(folder, name) for name in dblp.TABLES) if not file.exists())


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.jsonl.gz"


@dataclass(frozen=True)
class DblpSlice:
    """The tables of DBLP from a folder with a file `<table>.jsonl.gz` for each."""

    spark: SparkSession
    folder: Path

    def __getitem__(self, name: str) -> DataFrame:
        version = f"{_VERSION} {self._file(name).stat().st_mtime_ns}"
        return cache.table(self.spark, f"dblp/slice-{name}", version, lambda: self._read(name)).alias(name)

    def fits(self, dataset: Dataset) -> bool:  # noqa: ARG002
        """Plant nothing: the data is real."""
        return False

    def _file(self, name: str) -> Path:
        return _file(self.folder, name)

    def _read(self, name: str) -> DataFrame:
        records = self.spark.read.schema(dblp.SCHEMAS[name]).json(str(self._file(name)))
        if name != "inproceedings":
            return records
        volumes = self.spark.read.schema(dblp.SCHEMAS[name]).json(str(self._file("proceedings")))
        return records.unionByName(volumes)
