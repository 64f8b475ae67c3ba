"""Types of the plan as types of Spark.

Never by way of SQL text: that has no words for what may be null inside of arrays, and names of fields need quotes.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql.types import DataType, StructType

from sparkwhy.plan.types import Array, Atom, Decimal, Map, Struct, Type


def spark_type(type: Type) -> DataType:
    """Return the type as PySpark has it, with names and nullability."""
    only = {"name": "it", "type": _json(type), "nullable": True, "metadata": {}}
    return StructType.fromJson({"type": "struct", "fields": [only]}).fields[0].dataType


def _json(type: Type) -> Any:
    """Return what `from_json` of the plan's types reads."""
    match type:
        case Atom(name):
            return name
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Array(element, contains_null):
            return {"type": "array", "elementType": _json(element), "containsNull": contains_null}
        case Map(key, value, contains_null):
            ends = {"keyType": _json(key), "valueType": _json(value)}
            return {"type": "map", **ends, "valueContainsNull": contains_null}
        case Struct(fields):
            described = [
                {"name": f.name, "type": _json(f.type), "nullable": f.nullable, "metadata": {}} for f in fields
            ]
            return {"type": "struct", "fields": described}
