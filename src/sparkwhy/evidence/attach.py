"""What the probes found, put into the witnesses, with hints on what it means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from sparkwhy.errors import assert_never
from sparkwhy.evidence.probes import ROWS, Probe, own_keys, texts_of
from sparkwhy.evidence.text_differences import describe_near_miss, time_apart
from sparkwhy.explain.model import Explanation
from sparkwhy.messages import Message, Value
from sparkwhy.plan.exprs import Compare, Expr, In, IsNull, Literal, conjuncts
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.nodes import Filter, Join, Plan
from sparkwhy.plan.show import names_for, show_expr
from sparkwhy.plan.types import STRING, ddl
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of, parts
from sparkwhy.trace.encode import decode_printed, print_value
from sparkwhy.trace.witness import Observation, Row, Witness

Rows: TypeAlias = Sequence[Sequence[str | None]]
"""Rows of a probe, as Spark prints their values."""


def with_details(
    plan: Plan, explanations: Iterable[Explanation], found: Iterable[tuple[Probe, Rows]], timezone: str
) -> tuple[Explanation, ...]:
    """Return the explanations, their observations with what the probes found, and with hints."""
    nodes = {node.id.step: node for node in walk(plan) if not node.id.part}
    known = {probe.step: (probe, _typed_rows(probe, rows, timezone)) for probe, rows in found}

    def add_details(witness: Witness) -> Witness:
        return replace(
            witness, at=witness.at.map(lambda step, seen: _add_details(nodes.get(step), seen, known.get(step)))
        )

    return tuple(replace(e, witnesses=tuple(map(add_details, e.witnesses))) for e in explanations)


def _typed_rows(probe: Probe, rows: Rows, timezone: str) -> tuple[Row, ...]:
    """Return the rows by name, with typed values; a name that comes again gets a number: `k`, `k#2`."""
    given = [attribute.name for attribute in probe.plan.output]
    again = [given[:i].count(name) for i, name in enumerate(given)]
    names = [f"{name}#{count + 1}" if count else name for name, count in zip(given, again, strict=True)]
    types = [attribute.type for attribute in probe.plan.output]
    return tuple(
        {name: decode_printed(text, type, timezone) for name, text, type in zip(names, row, types, strict=True)}
        for row in rows
    )


def _add_details(node: Plan | None, seen: Observation, found: tuple[Probe, tuple[Row, ...]] | None) -> Observation:
    """Return the observation with what a probe found about just this, and with hints."""
    hints = tuple(_own_hints(node, seen))
    if node is None or found is None or not found[1] or found[0].about != seen.read:
        return replace(seen, hints=hints)
    probe, rows = found
    return _with_rows(replace(seen, hints=(*hints, *_probe_hints(probe, node, seen, rows))), probe, rows)


def _with_rows(seen: Observation, probe: Probe, rows: tuple[Row, ...]) -> Observation:
    match probe.what:
        case "nearest":
            return replace(seen, nearest=rows)
        case "partner":
            return replace(seen, partner=rows)
        case "group":
            return replace(seen, group=rows)
        case "kept":
            return replace(seen, kept=rows)
        case "null_safe_partner":  # that there is one is all that a hint needs
            return seen
        case _:
            assert_never(probe.what)


# --- hints ---


def _own_hints(node: Plan | None, seen: Observation) -> Iterator[Message]:
    """Yield what the values alone tell."""
    match node:
        case Filter():
            yield from _filter_hints(node, seen)
        case Join() if seen.no_partner is not None:
            yield from _null_key_hints(node, seen)
        case Join() if seen.outcomes:
            yield from _pair_hints(node, seen)
        case _:
            return


def _pair_hints(join: Join, seen: Observation) -> Iterator[Message]:
    """Yield why the keys of two rows that a join keeps apart are not equal."""
    keys = equal_keys(join)
    pairs = [texts_of((key.left, key.right), seen) for key in keys]
    if any(pair == (None, None) and not key.null_safe for pair, key in zip(pairs, keys, strict=True)):
        yield Message("null_key")
        yield Message("null_safe_partner")
    elif any(None in pair for pair in pairs):
        yield Message("null_and_value")
    elif pairs:
        yield from _alike(*zip(*pairs, strict=True))


def _null_key_hints(join: Join, seen: Observation) -> Iterator[Message]:
    mine = texts_of((own for own, _ in own_keys(join, seen)), seen)
    if any(text is None and not key.null_safe for text, key in zip(mine, equal_keys(join), strict=True)):
        yield Message("null_key")


def _probe_hints(probe: Probe, node: Plan, seen: Observation, rows: Sequence[Row]) -> Iterator[Message]:
    match probe.what, node:
        case "nearest", Join():
            yield from _key_hints(node, seen, rows)
        case "null_safe_partner", _:
            yield Message("null_safe_partner")
        case "partner", Join() if any(has_null_for_not_in(node, row) for row in rows):
            yield Message("not_in_with_null")
        case "group", _:
            yield from _group_hints(rows[0])
        case _:
            return


def has_null_for_not_in(join: Join, row: Row) -> bool:
    """Return whether it is a null that makes this row of the right side a partner: NOT IN asks for rows that are equal,
    or for which that is unknown.
    """
    found = () if join.condition is None else parts(join.condition)
    unknown = [part.input for part in found if isinstance(part, IsNull) and isinstance(part.input, Compare)]
    right = {attribute.id for attribute in join.right.output}
    names = {a.name for compared in unknown for a in attributes_of(compared) if a.id in right}
    return join.traits.rejects_partners and any(name in row and row[name] is None for name in names)


def _key_hints(join: Join, seen: Observation, rows: Sequence[Row]) -> Iterator[Message]:
    """Yield why keys that look alike are not equal."""
    keys = own_keys(join, seen)
    mine = texts_of((own for own, _ in keys), seen)
    for row in rows:
        theirs = tuple(None if value is None else print_value(value) for value in row.values())
        if mine == theirs:
            yield from _same_key_hints(join, keys, mine)
        else:
            yield from _alike(mine, theirs)


def _alike(mine: Sequence[str | None], theirs: Sequence[str | None]) -> list[Message]:
    """Return how all the values that differ can be made equal; nothing if one cannot."""
    found = [describe_near_miss(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    return [hint for hint in found if hint is not None] if None not in found else []


def _same_key_hints(join: Join, keys: Sequence[tuple[Expr, Expr]], mine: Sequence[str | None]) -> Iterator[Message]:
    """Yield a key that reads the same on both sides: the rest of the condition fails, or else a cast makes them
    differ.
    """
    rest = [show_expr(part, names_for(join)) for part in residual_conditions(join)]
    if rest:
        yield Message("rest_fails", conditions=" and ".join(rest))
        return
    for (own, other), text in zip(keys, mine, strict=True):
        if own.type != other.type and text is not None:
            yield Message("types_differ", text=Value("", text), one=ddl(own.type), other=ddl(other.type))


def _group_hints(counts: Row) -> Iterator[Message]:
    total = counts[ROWS]
    for what, count in counts.items():
        if what != ROWS and count < total:
            yield Message("nulls_in_group", total=total, column=what, nulls=total - count)


def _filter_hints(filter: Filter, seen: Observation) -> Iterator[Message]:
    """Yield how near a value came to the constant that it was compared with."""
    for part in conjuncts(filter.condition):
        if seen.has_verdict(part) and seen.verdict_of(part) is False:
            yield from _constant_hints(part, seen)


def _constant_hints(part: Expr, seen: Observation) -> Iterator[Message]:
    match part:
        case Compare("=", value, Literal() as constant):
            yield from _text_hints(value, (constant,), seen)
        case In(value, options):
            yield from _text_hints(value, options, seen)
        case Compare(_, left, right):
            yield from _drop_missing([time_apart(*texts_of((left, right), seen))])
        case _:
            return


def _text_hints(value: Expr, options: Iterable[Expr], seen: Observation) -> Iterator[Message]:
    (mine,) = texts_of((value,), seen)
    constants = [option.value for option in options if isinstance(option, Literal) and option.type == STRING]
    return _drop_missing(describe_near_miss(mine, constant) for constant in constants)


def _drop_missing(hints: Iterable[Message | None]) -> Iterator[Message]:
    return (hint for hint in hints if hint is not None)
