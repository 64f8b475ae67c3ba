"""A small Spark session for the examples."""

from pyspark.sql import SparkSession


def local_spark() -> SparkSession:
    return (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy examples")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
