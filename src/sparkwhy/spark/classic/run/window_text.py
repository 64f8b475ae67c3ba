"""Window functions as SQL text, for speed, where all parts of them are text."""

from __future__ import annotations

from sparkwhy.plan.exprs import AggCall, Call, Frame, FrameBound, WindowCall
from sparkwhy.plan.nodes import Column, SortKey, Window
from sparkwhy.spark.classic.run.orderable import has_map
from sparkwhy.spark.classic.run.sql_text import sql_of


def window_texts(node: Window) -> list[str] | None:
    """Return the columns of a window as text, or None if some part of it is not written as text."""
    if any(has_map(expr.type) for expr in node.partition):
        return None
    partition = [sql_of(expr) for expr in node.partition]
    order = [_sort_key_text(key) for key in node.order] or (["true"] if is_any_order(node) else [])
    clauses = (("PARTITION BY", partition), ("ORDER BY", order))
    listed = [f"{clause} {', '.join(map(str, parts))}" for clause, parts in clauses if parts]
    columns = [_window_column_text(column, " ".join(listed)) for column in node.columns]
    texts = [text for text in columns if text is not None]
    complete = None not in (*partition, *order) and len(texts) == len(columns)
    return texts if complete else None


def is_any_order(node: Window) -> bool:
    """Return whether rows are ranked in any order, as a limit inside LATERAL is read. Spark's API wants an order."""
    ranks = any(isinstance(c.expr, WindowCall) and isinstance(c.expr.function, Call) for c in node.columns)
    return ranks and not node.order


def _sort_key_text(key: SortKey) -> str | None:
    sql = sql_of(key.expr)
    direction, nulls = "ASC" if key.ascending else "DESC", "FIRST" if key.nulls_first else "LAST"
    return None if sql is None else f"{sql} {direction} NULLS {nulls}"


def _window_column_text(column: Column, window: str) -> str | None:
    if not isinstance(column.expr, WindowCall):
        return None
    function, frame = column.expr.function, column.expr.frame
    sql, framed = sql_of(function), _frame(frame) if isinstance(function, AggCall) else ""  # others have their own
    if sql is None or framed is None:
        return None
    return f"{sql} OVER ({' '.join(filter(None, (window, framed)))}) AS a{column.attribute.id}"


def _frame(frame: Frame) -> str | None:
    """Return a frame as SQL; None for a distance in values, which is left to Spark's own API: it knows the type."""
    edges = (frame.lower, frame.upper)
    if frame.unit == "range" and any(isinstance(edge, int) for edge in edges):
        return None
    return f"{frame.unit} BETWEEN {_edge(frame.lower, 'PRECEDING')} AND {_edge(frame.upper, 'FOLLOWING')}"


def _edge(bound: FrameBound, without_end: str) -> str:
    match bound:
        case None:
            return f"UNBOUNDED {without_end}"
        case "current row" | 0:
            return "CURRENT ROW"
        case _:
            return f"{abs(bound)} {'PRECEDING' if bound < 0 else 'FOLLOWING'}"
