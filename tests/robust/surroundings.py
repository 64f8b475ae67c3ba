"""What a question must leave as it was."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import SparkSession

_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel", "spark.scheduler.pool")


@dataclass(frozen=True)
class Surroundings:
    """Settings, views, cached data, the user's tags and local properties of one session."""

    settings: dict[str, str]
    views: tuple[str, ...]
    nothing_is_cached: bool
    tags: frozenset[str]
    properties: tuple[str | None, ...]


def surroundings(spark: SparkSession) -> Surroundings:
    context = spark.sparkContext
    return Surroundings(
        dict(spark.conf.getAll),
        tuple(sorted(table.name for table in spark.catalog.listTables())),
        bool(spark._jsparkSession.sharedState().cacheManager().isEmpty()),
        frozenset(context.getJobTags()),
        tuple(context.getLocalProperty(name) for name in _PROPERTIES),
    )


def jobs_begun(spark: SparkSession) -> int:
    """How many jobs this context has begun: the number that its next one gets."""
    return int(spark.sparkContext._jsc.sc().dagScheduler().nextJobId())
