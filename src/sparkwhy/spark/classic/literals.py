"""Constants: from the text that Spark's JSON gives them to Python values, and back to columns."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGRALS,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Decimal,
    Type,
    is_day_time,
    is_year_month,
)
from sparkwhy.plan.zones import to_zone
from sparkwhy.spark.classic.run.types import spark_type


def parse_literal(text: str | None, type: Type, timezone: str) -> Any:
    """Return the Python value of a constant, or `NotImplemented` for a type whose text does not tell its value.

    >>> parse_literal("2019", Atom("integer"), "UTC")
    2019
    """
    if text is None or type == NULL:
        return None
    if type == STRING:
        return text
    if type == BOOLEAN:
        return text == "true"
    if type in INTEGRALS:
        return int(text)
    if type in (FLOAT, DOUBLE):
        return float(text)
    if isinstance(type, Decimal):
        return decimal.Decimal(text)
    return _parse_time(text, type, timezone)


def moment(micros: int, timezone: str) -> Any:
    """Return the moment this number of microseconds after 1970, or `NotImplemented` if Python cannot represent it."""
    try:
        return to_zone(_EPOCH + dt.timedelta(microseconds=micros), timezone)
    except (ValueError, OverflowError):  # years before 1 or after 9999 have no Python date
        return NotImplemented


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


def _parse_time(text: str, type: Type, timezone: str) -> Any:
    try:
        if type == DATE:
            return dt.date.fromisoformat(text)
        if type == TIMESTAMP:
            return to_zone(dt.datetime.fromisoformat(_pad_fraction(text)), timezone)
    except ValueError:  # years before 1 or after 9999 have no Python date
        return NotImplemented
    if is_day_time(type):
        return dt.timedelta(microseconds=int(text))
    if is_year_month(type):
        return int(text)
    return NotImplemented


def _pad_fraction(text: str) -> str:
    """Python 3.10 reads fractions of a second only with three or six digits."""
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction:0<6}" if fraction else whole


def literal_column(value: Any, type: Type) -> Column:
    """Return the constant as a column of exactly this type."""
    if value is None:
        return F.lit(None) if type == NULL else F.lit(None).cast(spark_type(type))
    if is_year_month(type):
        return F.make_ym_interval(F.lit(0), F.lit(value)).cast(spark_type(type))
    if type == TIMESTAMP:
        return F.timestamp_micros(F.lit(_micros(value)))
    if type == TIMESTAMP_NTZ:
        return F.lit(value.isoformat(sep=" ")).cast(spark_type(type))
    if type in (FLOAT, DOUBLE):
        return (
            F.lit(repr(value)).try_cast(spark_type(type))
            if value != value or abs(value) == float("inf")
            else F.lit(value).cast(spark_type(type))
        )
    if type in (STRING, BOOLEAN, DATE, BINARY):
        return F.lit(value)
    return F.lit(value).cast(spark_type(type))


def _micros(moment: dt.datetime) -> int:
    return (moment - _EPOCH) // dt.timedelta(microseconds=1)
