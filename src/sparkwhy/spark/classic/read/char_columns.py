"""Columns of char(n): to Spark they are strings, padded with blanks; a note at the column tells the length."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyspark.sql import DataFrame

_NOTE = "__CHAR_VARCHAR_TYPE_STRING"
_CHAR = re.compile(r"char\((\d+)\)")


def char_widths(df: DataFrame) -> Mapping[int, int]:
    """Return the lengths of the columns of type char(n), by position."""
    notes = ((i, _CHAR.fullmatch(str(field.metadata.get(_NOTE)))) for i, field in enumerate(df.schema))
    return {i: int(found[1]) for i, found in notes if found}
