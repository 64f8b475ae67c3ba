"""What the reader supports, for the documentation. The tests hold it against the reader itself."""

from __future__ import annotations

from dataclasses import dataclass

from sparkwhy.plan.nodes import Kind


@dataclass(frozen=True, slots=True)
class Supported:
    """An operation of users, how it is written, the kind of operator that it becomes, and Catalyst's nodes for it."""

    name: str
    written: tuple[str, ...]
    kind: Kind
    catalyst: tuple[str, ...]


OPERATORS: tuple[Supported, ...] = (
    Supported("read", ("spark.read", "spark.table", "createDataFrame", "range", "localCheckpoint"), "table", ()),
    Supported("project", ("select", "withColumn", "drop", "struct", "a.b"), "project", ("Project",)),
    Supported("filter", ("filter", "where", "dropna", "HAVING", "QUALIFY"), "filter", ("Filter",)),
    Supported("join", ("join", "crossJoin", "IN", "EXISTS", "scalar subquery", "LATERAL"), "join", ("Join",)),
    Supported("flatten", ("explode", "posexplode", "inline", "stack", "LATERAL VIEW"), "flatten", ("Generate",)),
    Supported("expand", ("rollup", "cube", "GROUPING SETS", "unpivot"), "flatten", ("Expand",)),
    Supported("nest", ("groupBy(...).agg(collect_list(...))", "collect_set"), "nest", ("Aggregate",)),
    Supported("aggregate", ("groupBy", "agg", "pivot", "GROUP BY"), "aggregate", ("Aggregate",)),
    Supported("window", ("over", "row_number", "lag", "sum(...).over(...)"), "window", ("Window",)),
    Supported("union", ("union", "unionByName"), "union", ("Union",)),
    Supported("distinct", ("distinct", "dropDuplicates"), "distinct", ("Distinct", "Deduplicate")),
    Supported("except", ("subtract", "exceptAll"), "except", ("Except",)),
    Supported("intersect", ("intersect", "intersectAll"), "intersect", ("Intersect",)),
    Supported("sort", ("orderBy", "sort"), "sort", ("Sort",)),
    Supported("limit", ("limit", "offset"), "limit", ("GlobalLimit", "Offset")),
    Supported("sample", ("sample", "randomSplit", "TABLESAMPLE"), "sample", ("Sample",)),
)

TRANSPARENT = (
    "alias",
    "view",
    "common table expression",
    "hint",
    "repartition",
    "coalesce",
    "sortWithinPartitions",
    "cache",
    "observe",
)

UNSUPPORTED = (
    "mapInPandas",
    "applyInPandas",
    "json_tuple",
    "Python UDTF",
    "TRANSFORM",
    "recursive common table expression",
    "streaming DataFrame",
    "subquery inside ORDER BY, a window or an unknown function",
    "TABLESAMPLE without REPEATABLE",
)
