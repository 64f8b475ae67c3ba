"""Values as Spark can put them in order: windows need that of what they are partitioned by, groupings do not."""

from __future__ import annotations

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from sparkwhy.plan.types import Array, Map, Struct, Type
from sparkwhy.spark.classic import jvm


def orderable(session: SparkSession, column: Column, type: Type) -> Column:
    """Return the value with each map as the sorted list of its entries: equal exactly where a grouping holds it for
    equal.
    """
    match type:
        case Map(_, value):
            entries = F.transform(
                F.map_entries(column),
                lambda entry: F.struct(
                    entry["key"].alias("key"), orderable(session, entry["value"], value).alias("value")
                ),
            )
            return F.array_sort(entries)
        case Array(element) if has_map(element):
            return F.transform(column, lambda item: orderable(session, item, element))
        case Struct(fields) if has_map(type):
            parts = [jvm.struct_field(session, column, i, field.name) for i, field in enumerate(fields)]
            sorted_parts = [orderable(session, part, field.type) for part, field in zip(parts, fields, strict=True)]
            return F.when(column.isNotNull(), F.struct(*(part.alias(f"f{i}") for i, part in enumerate(sorted_parts))))
        case _:
            return column


def has_map(type: Type) -> bool:
    """Return whether there is a map anywhere in values of this type."""
    match type:
        case Map():
            return True
        case Array(element):
            return has_map(element)
        case Struct(fields):
            return any(has_map(field.type) for field in fields)
        case _:
            return False
