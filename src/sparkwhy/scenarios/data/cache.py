"""Generated data lives in a cache folder, never in a repository: made on first use, and whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

Progress = Callable[[str], None]
Format = Literal["parquet", "json"]

_MARKER = "MADE_BY"


def root() -> Path:
    """`$SPARKWHY_CACHE`, or `sparkwhy` in the user's cache folder."""
    chosen = os.environ.get("SPARKWHY_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "sparkwhy"


def folder(name: str, version: str, make: Callable[[Path], None], *, progress: Progress | None = None) -> Path:
    """Return the folder of that name, filled by `make` on first use, and again if another version of its generator made
    it.
    """
    place = root() / name
    if _version(place) != version:
        if progress:
            progress(f"making {name}")
        _replace(place, version, make)
    return place


def table(
    spark: SparkSession,
    name: str,
    version: str,
    compute: Callable[[], DataFrame],
    *,
    stored_as: Format = "parquet",
    progress: Progress | None = None,
) -> DataFrame:
    """Return the table of that name as the cache holds it; computed and written on first use."""

    def write(place: Path) -> None:
        df = compute()
        df.write.format(stored_as).save(str(place / "data"))
        (place / "schema.json").write_text(df.schema.json())

    place = folder(f"{name}.{stored_as}", version, write, progress=progress)
    schema = StructType.fromJson(json.loads((place / "schema.json").read_text()))
    return spark.read.schema(schema).format(stored_as).load(str(place / "data"))


def _version(place: Path) -> str | None:
    marker = place / _MARKER
    return marker.read_text() if marker.exists() else None


def _replace(place: Path, version: str, make: Callable[[Path], None]) -> None:
    """Made beside its place and moved there when complete: no one ever sees half of a folder."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}-") as beside:
        made = Path(beside) / "made"
        made.mkdir()
        make(made)
        (made / _MARKER).write_text(version)
        if place.exists() and _version(place) != version:
            shutil.move(place, Path(beside) / "old")
        try:
            made.rename(place)
        except OSError:
            if _version(place) != version:  # else another run was faster
                raise
