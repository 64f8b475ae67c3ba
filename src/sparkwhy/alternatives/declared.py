"""What a user declares to be interchangeable, checked; and what the names in it stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from sparkwhy.alternatives.paths import Names, path_text, paths_of_table
from sparkwhy.alternatives.substitute import Analysis
from sparkwhy.errors import AlternativeError, AmbiguousAttribute, UnknownAttribute, quote_name, show_argument
from sparkwhy.plan.nodes import OpId, Table

_SHOWN_NAMES = 12


@dataclass(frozen=True)
class Alternative:
    """Attributes to read instead of others, throughout the query: `Alternative({"l_tax": "l_discount"})`.

    It stands in the list of alternatives, beside groups: `why_not(df, row, alternatives=[Alternative({"a": "b"})])`.
    """

    changes: Mapping[str, str]


Declared: TypeAlias = Iterable[Iterable[str] | Alternative]


def groups_and_alternatives(declared: Declared) -> tuple[list[tuple[str, ...]], list[Alternative]]:
    """Return the groups and the explicit alternatives, each sorted: their order means nothing."""
    if isinstance(declared, str | Mapping | Alternative) or not isinstance(declared, Iterable):
        raise AlternativeError(
            f"alternatives are a list of groups, not {show_argument(declared)}.",
            hint='write alternatives=[{"address1", "address2"}].',
        )
    given = list(declared)
    explicit = [_check_alternative(each) for each in given if isinstance(each, Alternative)]
    groups = {_members(each) for each in given if not isinstance(each, Alternative)}
    return sorted(groups), sorted(explicit, key=lambda each: sorted(each.changes.items()))


def _members(group: Any) -> tuple[str, ...]:
    """Return the members of a group, each once."""
    if isinstance(group, Mapping):
        raise AlternativeError(
            f"{show_argument(group)} is not a group.", hint="write Alternative({...}) for one replacement."
        )
    if isinstance(group, str) or not isinstance(group, Iterable):
        raise AlternativeError(f"{show_argument(group)} is not a group.", hint='write {"address1", "address2"}.')
    found = list(group)
    if not all(isinstance(member, str) for member in found):
        raise AlternativeError(
            f"the group {show_argument(found)} has members that are not names.", hint="write names as text."
        )
    if len(set(found)) < 2:
        raise AlternativeError(
            f"the group {show_argument(found)} has fewer than two attributes.", hint="name two attributes."
        )
    return tuple(sorted(set(found)))


def _check_alternative(explicit: Alternative) -> Alternative:
    changes: Any = explicit.changes
    if not isinstance(changes, Mapping) or not all(isinstance(n, str) for pair in changes.items() for n in pair):
        hint = 'write Alternative({"l_tax": "l_discount"}).'
        raise AlternativeError(
            f"an Alternative says which names replace which, not {show_argument(changes)}.", hint=hint
        )
    if not changes:
        raise AlternativeError(
            "an Alternative without changes.", hint="leave it out: the query itself is always tried."
        )
    return explicit


# --- names ---

Places: TypeAlias = Mapping[OpId, Names]
"""What a name stands for in each table that has it."""

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


def _parts(text: str) -> Names:
    """Return the parts of a path; those in backticks may have dots in them."""
    found: list[str] = []
    position = 0
    while (part := _PART.match(text, position)) is not None:
        found.append(part[1].replace("``", "`") if part[1] else part[2])
        position = part.end() + 1
        if part.end() == len(text) or text[part.end()] != ".":
            break
    if not found or position != len(text) + 1:
        raise AlternativeError(
            f"{text!r} is not a path.", hint="write place.country, or `a.b`.c for a name with a dot."
        )
    return tuple(found)


def resolve_name(text: str, query: Analysis) -> Places:
    """Return what a name stands for: a full path, with or without the name of its source, or else the end of one
    path.
    """
    parts = _parts(text)
    for ends_only in (False, True):
        for prefixed in (False, True):
            found = {table.id: _matches(table, parts, ends_only, prefixed) for table in query.tables.values()}
            several = next((paths for paths in found.values() if len(paths) > 1), None)
            if several is not None:
                raise AmbiguousAttribute(text, tuple(map(path_text, several)))
            if any(found.values()):
                return {table: paths[0] for table, paths in found.items() if paths}
    raise _unknown_attribute(text, query)


def _matches(table: Table, parts: Names, ends_only: bool, prefixed: bool) -> list[Names]:
    """Return the paths of a table that a name may stand for: spelled exactly so, or else in other case."""
    paths = [path.names for path in paths_of_table(table)]
    wanted = _strip_source(table, parts) if prefixed else [parts]
    for spelling in (str, str.lower):
        asked = {tuple(map(spelling, each)) for each in wanted}
        found = [path for path in paths if _ends(tuple(map(spelling, path)), ends_only) & asked]
        if found:
            return found
    return []


def _ends(path: Names, ends_only: bool) -> set[Names]:
    return {path[start:] for start in range(len(path))} if ends_only else {path}


def _strip_source(table: Table, parts: Names) -> list[Names]:
    """Return the parts after the name of the source, if they begin with it."""
    names = {name.lower() for name in _names_of(table)}
    return [parts[count:] for count in range(1, len(parts)) if ".".join(parts[:count]).lower() in names]


def _names_of(table: Table) -> set[str]:
    """Return what a source may be called: `db.person`, `person`, `person.json`, or with its step where one is read
    twice.
    """
    name = table.source.name
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return {name, f"{name}#{table.id}", last, last.partition(".")[0], last.rpartition(".")[2]}


def _unknown_attribute(text: str, query: Analysis) -> UnknownAttribute:
    paths = [path.names for table in query.tables.values() for path in paths_of_table(table)]
    by_text = {spelling.lower(): path_text(names) for names in paths for spelling in (names[-1], path_text(names))}
    nearest = tuple(dict.fromkeys(by_text[low] for low in get_close_matches(text.lower(), by_text)))
    if nearest:
        return UnknownAttribute(text, nearest=nearest, hint=f"did you mean {' or '.join(map(quote_name, nearest))}?")
    known = sorted({path_text(names[:1]) for names in paths})
    more = ", ..." if len(known) > _SHOWN_NAMES else ""
    return UnknownAttribute(text, nearest=(), hint=f"the sources have {', '.join(known[:_SHOWN_NAMES])}{more}.")
