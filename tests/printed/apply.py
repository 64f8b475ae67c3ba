"""Do what a fix says, to the user's own calls or text: what is printed is all that is used of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sparkwhy.explain.model import Fix
from sparkwhy.plan.show import main_nodes, show_op
from sparkwhy.spark.engine import engine_for
from tests.printed.recording import Made, ancestors, made_by, remake

Rebuild = Callable[[Any], Any]


class CannotApply(Exception):
    """The printed text says what to do, but this harness does not know how to do it."""


def apply_printed(df: DataFrame, fixes: tuple[Fix, ...]) -> DataFrame:
    """Return the DataFrame as the user would have it after the changes that the fixes print."""
    changed: dict[int, Callable[[Made, Rebuild], Any]] = {}
    for fix in fixes:
        value = _find(df, fix)
        made = made_by(value)
        assert made is not None
        if id(value) in changed:
            raise CannotApply("two fixes of one call")
        changed[id(value)] = _edit(made, fix)
    remade: DataFrame = remake(df, changed)
    return remade


def _find(df: DataFrame, fix: Fix) -> DataFrame:
    """Return the DataFrame whose call makes the operator."""
    known: set[str] = set()
    found = []
    for each in ancestors(df):
        if isinstance(each, DataFrame):
            shown = {show_op(node) for node in main_nodes(engine_for(each).read_plan()).values()}
            if fix.before in shown - known:
                found.append(each)
            known |= shown
    if not found:
        raise CannotApply("the call was not recorded")
    return found[0]


def _edit(made: Made, fix: Fix) -> Callable[[Made, Rebuild], Any]:
    kind = fix.operator.kind
    if made.method == "sql":
        return _sql(fix)
    if kind == "filter" and made.method in ("filter", "where"):
        text = fix.after.removeprefix("filter ")
        return lambda made, rebuild: rebuild(made.target).filter(text)
    if kind == "limit" and made.method == "limit":
        count = re.fullmatch(r"limit (\d+)", fix.after)
        if count:
            return lambda made, rebuild: rebuild(made.target).limit(int(count[1]))
    if kind == "join" and made.method in ("join", "crossJoin"):
        return _join(fix)
    if kind == "flatten":
        return _explode
    if kind == "aggregate" and made.method == "agg":
        columns = fix.after.removeprefix("aggregate ").partition(" by ")[0]
        return lambda made, rebuild: rebuild(made.target).agg(*map(F.expr, _split(columns)))
    raise CannotApply(f"{kind} by {made.method}: {fix.before} -> {fix.after}")


def _join(fix: Fix) -> Callable[[Made, Rebuild], Any]:
    before, after = _parse_join(fix.before), _parse_join(fix.after)
    if before is None or after is None:
        raise CannotApply(f"{fix.before} -> {fix.after}")

    def edited(made: Made, rebuild: Rebuild) -> Any:
        left, right = rebuild(made.target), rebuild(made.args[0])
        on = made.args[1] if len(made.args) > 1 else made.kwargs.get("on")
        how = after[0]
        if before[1] != after[1] and not isinstance(on, Column):
            raise CannotApply("a join on names that compares otherwise has another form")
        if before[1] != after[1]:
            left, right, on = left.alias("left"), right.alias("right"), F.expr(after[1])
        return left.join(right, on, how)

    return edited


def _split(columns: str) -> list[str]:
    """Return columns that are separated by commas; not by those in parentheses."""
    return re.split(r", (?![^(]*\))", columns)


_HOW = {"inner": "inner", "left": "left", "right": "right", "full": "full", "full outer": "full", "cross": "cross"}
_HOW |= {"semi": "semi", "anti": "anti", "left semi": "semi", "left anti": "anti"}


def _parse_join(text: str) -> tuple[str, str] | None:
    found = re.fullmatch(r"(?:([a-z ]+?) )?join(?: on (.*))?", text, re.DOTALL)
    how = None if found is None else _HOW.get(found[1] or "inner")
    return None if found is None or how is None else (how, found[2] or "")


def _explode(made: Made, rebuild: Rebuild) -> Any:
    def outer(arg: Any) -> Any:
        if isinstance(arg, Column):
            shown = str(arg._jc)  # as Spark shows it
            new = re.sub(r"\b(explode|posexplode|inline)\(", r"\1_outer(", shown)
            return arg if new == shown else F.expr(new)
        return re.sub(r"\b(explode|posexplode|inline)\(", r"\1_outer(", arg) if isinstance(arg, str) else arg

    return getattr(rebuild(made.target), made.method)(*map(outer, made.args))


def _sql(fix: Fix) -> Callable[[Made, Rebuild], Any]:
    def edited(made: Made, rebuild: Rebuild) -> Any:
        text = made.args[0]
        old, new = (shown.partition(" ")[2] for shown in (fix.before, fix.after))
        pattern = r"\s+".join(map(re.escape, old.split()))
        if fix.operator.kind not in ("filter", "limit") or len(re.findall(pattern, text, re.IGNORECASE)) != 1:
            raise CannotApply(f"not found in the text: {fix.before}")
        return made.target.sql(re.sub(pattern, lambda _: new, text, flags=re.IGNORECASE), *made.args[1:], **made.kwargs)

    return edited
