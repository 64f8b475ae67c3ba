"""Window functions: for each row of a partition, a value computed from the rows around it.

Ranking and offset functions look at the whole partition, aggregates and `nth_value` at the frame of the row.
"""

from __future__ import annotations

import decimal
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias

from sparkwhy.errors import NotInterpretable, assert_never
from sparkwhy.memory.aggregates import aggregator
from sparkwhy.memory.dates import check_calendar
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.sorting import compare_by
from sparkwhy.memory.values import Row, Value
from sparkwhy.plan.exprs import AggCall, Attribute, Call, Expr, Frame, FrameBound, Literal, Opaque, WindowCall
from sparkwhy.plan.nodes import SortKey


@dataclass(frozen=True, slots=True)
class WindowPartition:
    """The rows of a partition in order; rows that the order does not tell apart have equal ranks."""

    rows: tuple[Row, ...]
    ranks: tuple[int, ...]

    def peers(self, i: int) -> range:
        """Return the places of the rows that the order does not tell from row `i`."""
        return range(bisect_left(self.ranks, self.ranks[i]), bisect_right(self.ranks, self.ranks[i]))


WindowFunction: TypeAlias = Callable[[WindowPartition], Sequence[Value]]
"""The values of a window column, one for each row of a partition."""

FrameOf: TypeAlias = Callable[[WindowPartition, int], range]

_EXACT = decimal.Context(prec=80)


def make_partition(rows: Sequence[Row], order: Callable[[Row], Any]) -> WindowPartition:
    """Return the rows, sorted."""
    keyed = sorted(((order(row), row) for row in rows), key=lambda pair: pair[0])
    ranks: list[int] = []
    for i, (key, _) in enumerate(keyed):
        ranks.append(ranks[-1] if i and keyed[i - 1][0] == key else i)
    return WindowPartition(tuple(row for _, row in keyed), tuple(ranks))


def window_function(
    expr: WindowCall | Opaque, order: Sequence[SortKey], attributes: Sequence[Attribute], settings: Settings
) -> WindowFunction:
    """Return the function that computes a window column from a partition of rows of these attributes."""
    if isinstance(expr, Opaque):
        raise NotInterpretable(f"only Spark knows what {expr.text} means")
    match expr.function:
        case Call("row_number" | "rank" | "dense_rank" | "percent_rank" | "cume_dist" as name):
            return _RANKINGS[name]
        case Call("ntile", (count,)):
            return lambda part: _tiles(len(part.rows), _constant(count))
        case Call("lag" | "lead") as call:
            return _offset(call, attributes, settings)
        case Call("nth_value") as call:
            return _nth(call, _frame(expr.frame, order, attributes, settings), attributes, settings)
        case Call(name):
            raise AssertionError(f"{name} is no window function")
        case AggCall() | Opaque() as call:
            return _frame_function(call, _frame(expr.frame, order, attributes, settings), attributes, settings)
        case other:
            assert_never(other)


def _constant(expr: Expr) -> Value:
    assert isinstance(expr, Literal), f"{expr} must be a constant"
    return expr.value


# --- ranks --------------------------------------------------------------------------------------------------


def _row_number(part: WindowPartition) -> Sequence[int]:
    return range(1, len(part.rows) + 1)


def _rank(part: WindowPartition) -> Sequence[int]:
    return [rank + 1 for rank in part.ranks]


def _dense_rank(part: WindowPartition) -> Sequence[int]:
    distinct = sorted(set(part.ranks))
    return [bisect_right(distinct, rank) for rank in part.ranks]


def _percent_rank(part: WindowPartition) -> Sequence[float]:
    return [rank / max(len(part.rows) - 1, 1) for rank in part.ranks]


def _cume_dist(part: WindowPartition) -> Sequence[float]:
    return [part.peers(i).stop / len(part.rows) for i in range(len(part.rows))]


_RANKINGS: dict[str, WindowFunction] = {
    "row_number": _row_number,
    "rank": _rank,
    "dense_rank": _dense_rank,
    "percent_rank": _percent_rank,
    "cume_dist": _cume_dist,
}


def _tiles(rows: int, count: int) -> Sequence[int]:
    """Return the tile of each row: parts of almost equal size, the larger ones first."""
    size, larger = divmod(rows, count)
    sizes = [size + (tile < larger) for tile in range(count)]
    return [tile for tile, length in enumerate(sizes, 1) for _ in range(length)]


# --- other rows ---------------------------------------------------------------------------------------------


def _offset(call: Call, attributes: Sequence[Attribute], settings: Settings) -> WindowFunction:
    """Return the value some rows before (lag) or after (lead); without such a row, the default of this one."""
    value, default = (evaluator(expr, attributes, settings) for expr in (call.args[0], call.args[2]))
    distance = _constant(call.args[1]) * (1 if call.function == "lead" else -1)

    def values(part: WindowPartition) -> Sequence[Value]:
        rows = part.rows
        return [
            value(rows[i + distance]) if 0 <= i + distance < len(rows) else default(rows[i]) for i in range(len(rows))
        ]

    return values


def _nth(call: Call, frame: FrameOf, attributes: Sequence[Attribute], settings: Settings) -> WindowFunction:
    value, n = evaluator(call.args[0], attributes, settings), _constant(call.args[1])

    def value_at(part: WindowPartition, i: int) -> Value:
        places = frame(part, i)
        return value(part.rows[places[n - 1]]) if n <= len(places) else None

    return lambda part: [value_at(part, i) for i in range(len(part.rows))]


def _frame_function(
    call: AggCall | Opaque, frame: FrameOf, attributes: Sequence[Attribute], settings: Settings
) -> WindowFunction:
    aggregate = aggregator(call, attributes, settings)

    def value_in_frame(part: WindowPartition, i: int) -> Value:
        places = frame(part, i)
        return aggregate(part.rows[places.start : places.stop])

    return lambda part: [value_in_frame(part, i) for i in range(len(part.rows))]


# --- frames -------------------------------------------------------------------------------------------------


def _frame(frame: Frame, order: Sequence[SortKey], attributes: Sequence[Attribute], settings: Settings) -> FrameOf:
    """Return the places of the rows that the current row sees."""
    if frame.unit == "rows":
        return lambda part, i: _rows_frame(frame, len(part.rows), i)
    if isinstance(frame.lower, int) or isinstance(frame.upper, int):
        (key,) = order
        value = evaluator(key.expr, attributes, settings)
        return lambda part, i: _range_frame(frame, key, [value(row) for row in part.rows], part.peers(i), i)
    return lambda part, i: _peers_frame(frame, len(part.rows), part.peers(i))


def _rows_frame(frame: Frame, count: int, i: int) -> range:
    lower = 0 if frame.lower is None else i + _rows(frame.lower)
    upper = count if frame.upper is None else i + _rows(frame.upper) + 1
    return _clip_to_partition(lower, upper, count)


def _rows(bound: FrameBound) -> int:
    return bound if isinstance(bound, int) else 0


def _peers_frame(frame: Frame, count: int, peers: range) -> range:
    return range(0 if frame.lower is None else peers.start, count if frame.upper is None else peers.stop)


def _range_frame(frame: Frame, key: SortKey, values: Sequence[Value], peers: range, i: int) -> range:
    """Return the rows whose key is between that of the current row plus the bounds; null is only near null."""

    def compare_with(bound: int) -> list[int]:
        limit = _add_offset(values[i], bound if key.ascending else -bound)
        return [compare_by(key, value, limit) for value in values]

    near = _peers_frame(frame, len(values), peers)
    lower = sum(o < 0 for o in compare_with(frame.lower)) if isinstance(frame.lower, int) else near.start
    upper = sum(o <= 0 for o in compare_with(frame.upper)) if isinstance(frame.upper, int) else near.stop
    return _clip_to_partition(lower, upper, len(values))


def _add_offset(value: Any, distance: int) -> Value:
    match value:
        case None:
            return None
        case datetime():
            raise NotInterpretable("a window over a range of times")
        case date():
            return check_calendar(lambda: value + timedelta(days=distance))
        case decimal.Decimal():
            return _EXACT.add(value, distance)
        case _:
            return value + distance


def _clip_to_partition(lower: int, upper: int, count: int) -> range:
    start = min(max(lower, 0), count)
    return range(start, max(start, min(upper, count)))
