"""How each DataFrame was made: the calls of the user, to make them again with one of them changed.

While it is on, every method of a DataFrame that returns another one notes what it was called with. That is the user's
own source, whatever our reader makes of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.classic.dataframe import DataFrame
from pyspark.sql.group import GroupedData

_GROUPING = ("groupBy", "groupby", "rollup", "cube", "groupingSets")
_METHODS = (
    *("filter", "where", "select", "selectExpr", "withColumn", "withColumns", "withColumnRenamed"),
    *("withColumnsRenamed", "drop", "toDF", "to", "alias", "hint", "join", "crossJoin", "lateralJoin"),
    *("union", "unionAll", "unionByName", "intersect", "intersectAll", "subtract", "exceptAll", "distinct"),
    *("dropDuplicates", "drop_duplicates", "dropna", "fillna", "replace", "limit", "offset", "sort", "orderBy"),
    *("sortWithinPartitions", "unpivot", "melt", "agg", "repartition", "coalesce", "sample"),
)
_AGGREGATES = ("agg", "count", "mean", "avg", "max", "min", "sum", "pivot")


@dataclass(frozen=True, eq=False)
class Made:
    """The call that made a DataFrame."""

    target: Any
    method: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def again(self, rebuild: Callable[[Any], Any]) -> Any:
        args = [_rebuild_each(arg, rebuild) for arg in self.args]
        kwargs = {name: _rebuild_each(arg, rebuild) for name, arg in self.kwargs.items()}
        return getattr(rebuild(self.target), self.method)(*args, **kwargs)


def made_by(value: Any) -> Made | None:
    """Return how a DataFrame was made; None for what was not made from another one."""
    found = getattr(value, "__dict__", {}).get("_made_by")
    return found if isinstance(found, Made) else None


@contextmanager
def recording() -> Iterator[None]:
    """Note how DataFrames are made, within this block."""
    wanted: list[tuple[type, str]] = [(DataFrame, name) for name in (*_METHODS, *_GROUPING)]
    wanted += [(GroupedData, name) for name in _AGGREGATES] + [(SparkSession, "sql")]
    originals = [(owner, name, vars(owner)[name]) for owner, name in wanted if name in vars(owner)]
    depth = [0]
    try:
        for owner, name, original in originals:
            setattr(owner, name, _noting(original, name, depth))
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _noting(original: Callable[..., Any], name: str, depth: list[int]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(target: Any, *args: Any, **kwargs: Any) -> Any:
        depth[0] += 1
        try:
            result = original(target, *args, **kwargs)
        finally:
            depth[0] -= 1
        if depth[0] == 0 and isinstance(result, DataFrame | GroupedData):  # not what a method calls itself
            result.__dict__["_made_by"] = Made(target, name, args, kwargs)
        return result

    return call


def ancestors(df: Any) -> list[Any]:
    """Return the DataFrames that this one was made of, and itself, each once and after those that it was made of."""
    found: dict[int, Any] = {}

    def visit(value: Any) -> None:
        if isinstance(value, list | tuple):
            for each in value:
                visit(each)
        made = made_by(value)
        if made is not None and id(value) not in found:
            for each in (made.target, *made.args, *made.kwargs.values()):
                visit(each)
            found[id(value)] = value

    visit(df)
    return list(found.values())


def remake(df: Any, changed: dict[int, Callable[[Made, Callable[[Any], Any]], Any]]) -> Any:
    """Return a DataFrame made again, with some calls done otherwise: by the identity of what they returned."""
    done: dict[int, Any] = {}

    def rebuild(value: Any) -> Any:
        made = made_by(value)
        if made is None:
            return value
        if id(value) not in done:
            otherwise = changed.get(id(value))
            if otherwise is not None:
                done[id(value)] = otherwise(made, rebuild)
            elif any(id(each) in changed for each in ancestors(value)):
                done[id(value)] = made.again(rebuild)
            else:
                done[id(value)] = value
        return done[id(value)]

    return rebuild(df)


def _rebuild_each(value: Any, rebuild: Callable[[Any], Any]) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_rebuild_each(each, rebuild) for each in value)
    return rebuild(value)
