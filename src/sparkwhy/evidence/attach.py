"""What the probes found, put into the witnesses, with hints on what it means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from sparkwhy.evidence.probes import ROWS, Met, Probe, own_keys, texts_of
from sparkwhy.evidence.text_differences import near_miss, time_apart
from sparkwhy.explain.model import Explanation
from sparkwhy.messages import Message, Value
from sparkwhy.plan.exprs import Compare, Expr, In, IsNull, Literal, Or, conjuncts
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.nodes import Filter, Join, Plan
from sparkwhy.plan.show import names_for, show_expr
from sparkwhy.plan.types import STRING, ddl
from sparkwhy.plan.walk import walk
from sparkwhy.trace.rules.join_inputs import NO_PARTNER

Rows: TypeAlias = Sequence[Sequence[str | None]]
Row: TypeAlias = Mapping[str, str | None]


def with_details(
    plan: Plan, explanations: Iterable[Explanation], found: Iterable[tuple[Probe, Rows]]
) -> tuple[Explanation, ...]:
    """The explanations, their witnesses with what the probes found, and with hints."""
    nodes = {node.id.step: node for node in walk(plan) if not node.id.part}
    told = {probe.step: (probe, _named(probe, rows)) for probe, rows in found}

    def detailed(witness: Mapping[str, Any]) -> Mapping[str, Any]:
        at = {step: _detailed(nodes.get(step), met, told.get(step)) for step, met in witness["at"].items()}
        return {**witness, "at": at}

    return tuple(replace(e, witnesses=tuple(map(detailed, e.witnesses))) for e in explanations)


def _named(probe: Probe, rows: Rows) -> list[Row]:
    """The rows by name; a name that comes again gets a number."""
    given = [attribute.name for attribute in probe.plan.output]
    again = [given[:i].count(name) for i, name in enumerate(given)]
    names = [f"{name}#{count + 1}" if count else name for name, count in zip(given, again, strict=True)]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _detailed(node: Plan | None, met: Met, told: tuple[Probe, list[Row]] | None) -> Mapping[str, Any]:
    """What a witness met, with what a probe found about just this, and hints."""
    hints = list(_own_hints(node, met))
    if node is None or told is None or not told[1] or told[0].about != met["values"]:
        return {**met, "hints": hints}
    probe, rows = told
    return {**met, probe.what: rows, "hints": [*hints, *_probe_hints(probe, node, met, rows)]}


# --- hints ---


def _own_hints(node: Plan | None, met: Met) -> Iterator[Message]:
    """What the values alone tell."""
    match node:
        case Filter():
            yield from _filter_hints(node, met)
        case Join() if NO_PARTNER in met["facts"]:
            yield from _null_key_hints(node, met)
        case Join() if met["verdicts"]:
            yield from _pair_hints(node, met)
        case _:
            return


def _pair_hints(join: Join, met: Met) -> Iterator[Message]:
    """Why the keys of two rows that a join keeps apart are not equal."""
    keys = equal_keys(join)
    pairs = [texts_of(join, (key.left, key.right), met) for key in keys]
    if any(pair == (None, None) and not key.null_safe for pair, key in zip(pairs, keys, strict=True)):
        yield Message("null_key")
    elif any(None in pair for pair in pairs):
        yield Message("null_and_value")
    elif pairs:
        yield from _alike(*zip(*pairs, strict=True))


def _null_key_hints(join: Join, met: Met) -> Iterator[Message]:
    mine = texts_of(join, (own for own, _ in own_keys(join, met)), met)
    if any(text is None and not key.null_safe for text, key in zip(mine, equal_keys(join), strict=True)):
        yield Message("null_key")


def _probe_hints(probe: Probe, node: Plan, met: Met, rows: Sequence[Row]) -> Iterator[Message]:
    match probe.what, node:
        case "nearest", Join():
            yield from _key_hints(node, met, rows)
        case "partner", Join() if _is_not_in(node, rows):
            yield Message("not_in_with_null")
        case "group", _:
            yield from _group_hints(rows[0])
        case _:
            return


def _is_not_in(join: Join, rows: Sequence[Row]) -> bool:
    """Whether it is a null that made a partner: NOT IN asks for rows that are equal, or for which that is unknown."""
    unknown = (
        o for part in residual_conditions(join) if isinstance(part, Or) for o in part.operands if isinstance(o, IsNull)
    )
    return any(isinstance(o.input, Compare) for o in unknown) and None in (v for row in rows for v in row.values())


def _key_hints(join: Join, met: Met, rows: Sequence[Row]) -> Iterator[Message]:
    """Why keys that look alike are not equal."""
    keys = own_keys(join, met)
    mine = texts_of(join, (own for own, _ in keys), met)
    for row in rows:
        theirs = tuple(row.values())
        if mine == theirs:
            yield from _same_key_hints(join, keys, mine)
        else:
            yield from _alike(mine, theirs)


def _alike(mine: Sequence[str | None], theirs: Sequence[str | None]) -> list[Message]:
    """How all the values that differ can be made equal; nothing if one cannot."""
    found = [near_miss(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    return [hint for hint in found if hint is not None] if None not in found else []


def _same_key_hints(join: Join, keys: Sequence[tuple[Expr, Expr]], mine: Sequence[str | None]) -> Iterator[Message]:
    """A key that reads the same on both sides: the rest of the condition fails, or else a cast makes them differ."""
    rest = [show_expr(part, names_for(join)) for part in residual_conditions(join)]
    if rest:
        yield Message("rest_fails", conditions=" and ".join(rest))
        return
    for (own, other), text in zip(keys, mine, strict=True):
        if own.type != other.type and text is not None:
            yield Message("types_differ", text=Value("", text), one=ddl(own.type), other=ddl(other.type))


def _group_hints(counts: Row) -> Iterator[Message]:
    total = int(counts[ROWS] or 0)
    for what, count in counts.items():
        if what != ROWS and int(count or 0) < total:
            yield Message("nulls_in_group", total=total, column=what, nulls=total - int(count or 0))


def _filter_hints(filter: Filter, met: Met) -> Iterator[Message]:
    """How near a value came to the constant that it was compared with."""
    names = names_for(filter)
    for part in conjuncts(filter.condition):
        if met["verdicts"].get(show_expr(part, names)) == "FALSE":
            yield from _constant_hints(filter, part, met)


def _constant_hints(node: Plan, part: Expr, met: Met) -> Iterator[Message]:
    match part:
        case Compare("=", value, Literal() as constant):
            yield from _text_hints(node, value, (constant,), met)
        case In(value, options):
            yield from _text_hints(node, value, options, met)
        case Compare(_, left, right):
            yield from _told([time_apart(*texts_of(node, (left, right), met))])
        case _:
            return


def _text_hints(node: Plan, value: Expr, options: Iterable[Expr], met: Met) -> Iterator[Message]:
    (mine,) = texts_of(node, (value,), met)
    constants = [option.value for option in options if isinstance(option, Literal) and option.type == STRING]
    return _told(near_miss(mine, constant) for constant in constants)


def _told(hints: Iterable[Message | None]) -> Iterator[Message]:
    return (hint for hint in hints if hint is not None)
