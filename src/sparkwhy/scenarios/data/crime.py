"""A small synthetic stand-in for the Crime data of Trio, which is not available: crimes, witnesses, what they saw.

The rows are invented. They hold the names of the paper's questions and behave as the paper tells: Roger has black hair
and was seen only by somebody who is no registered witness; Conedera was seen by witnesses in several sectors, never
by Susan; Ashishbakshi saw somebody dressed in snow, never somebody with hair like snow.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

TABLES = ("crime", "witness", "saw_person", "person")
VERSION = "crime 1"

_SCHEMAS = {
    "crime": "type string, sector int",
    "witness": "name string, sector int",
    "saw_person": "witness string, hair string, clothes string",
    "person": "name string, hair string, clothes string",
}

_ROWS: dict[str, list[tuple[str | int, ...]]] = {
    "crime": [
        ("Arson", 12),
        ("Burglary", 34),
        ("Burglary", 95),
        ("Fraud", 51),
        ("Kidnapping", 97),
        ("Robbery", 51),
        ("Robbery", 99),
        ("Theft", 63),
        ("Vandalism", 91),
    ],
    "witness": [
        ("Amy", 12),
        ("Ashishbakshi", 63),
        ("Bernd", 34),
        ("Carla", 95),
        ("Dagmar", 97),
        ("Hasan", 51),
        ("Susan", 91),
        ("Susan", 51),
        ("Tom", 99),
        ("Yuki", 20),
    ],
    "saw_person": [
        ("Amy", "brown", "jeans"),
        ("Ashishbakshi", "brown", "snow"),
        ("Ashishbakshi", "blond", "suit"),
        ("Bernd", "grey", "leather"),
        ("Carla", "blue", "jeans"),
        ("Dagmar", "red", "coat"),
        ("Gone", "black", "leather"),
        ("Hasan", "red", "coat"),
        ("Susan", "blond", "suit"),
        ("Tom", "snow", "suit"),
        ("Tom", "blue", "leather"),
        ("Yuki", "brown", "jeans"),
    ],
    "person": [
        ("Antje", "brown", "jeans"),
        ("Bo", "blue", "jeans"),
        ("Conedera", "red", "coat"),
        ("Gulshan", "blond", "suit"),
        ("Ivo", "blue", "leather"),
        ("Marta", "grey", "leather"),
        ("Olga", "brown", "snow"),
        ("Roger", "black", "leather"),
        ("Wei", "snow", "suit"),
    ],
}


def table(spark: SparkSession, name: str) -> DataFrame:
    """Return one of the four tables."""
    return spark.createDataFrame(_ROWS[name], _SCHEMAS[name])
