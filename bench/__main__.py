"""`make bench`: what things cost, printed as tables. Absolute times say something about one machine only."""

from __future__ import annotations

from pyspark.sql import SparkSession

from bench import alternatives, asking, reading


def main() -> None:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy bench")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    reading.bench(session)
    asking.bench(session)
    alternatives.bench(session)


if __name__ == "__main__":
    main()
