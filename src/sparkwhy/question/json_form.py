"""Patterns as JSON, for the command line and for other languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from sparkwhy.errors import MalformedPattern, PatternError
from sparkwhy.question.pattern import (
    ANY,
    PATTERNS,
    Fields,
    Null,
    Pattern,
    Present,
    between,
    check_extent,
    contains,
    eq,
    ge,
    gt,
    le,
    like,
    lt,
    make_among,
    matches,
    ne,
    startswith,
    to_pattern,
)

_COMPARED = re.compile(r"(>=|<=|!=|>|<|=) ?(.*)", re.DOTALL)


def from_json(given: Any) -> Fields:
    r"""The pattern that JSON says, as text or parsed.

    `"?"` is ANY, `"*"` in a list is `...`, `"> 0"` a comparison, `{"$contains": "x"}` a predicate; a leading
    backslash takes the meaning away, also from the `$` of a field.

    >>> show_pattern(from_json('{"city": "!= NY", "names": ["?", "*"]}'))
    "{'city': ne('NY'), 'names': [ANY, ...]}"
    """
    parsed = _parse(given) if isinstance(given, str) else given
    check_extent(parsed)
    literal = _from_json(parsed)
    if isinstance(literal, PATTERNS):
        raise PatternError("a predicate alone is not a row.", hint='name a column: {"revenue": {"$gt": 0}}.')
    return to_pattern(literal)


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_reject_duplicates)
    except json.JSONDecodeError as error:
        raise MalformedPattern(error.msg, line=error.lineno, column=error.colno) from error
    except (RecursionError, ValueError) as error:  # brackets without end, or a number of thousands of digits
        raise PatternError(f"the pattern is too large: {error}.") from error


def _reject_duplicates(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PatternError(f"{twice!r} occurs twice in one object.", path=str(twice))
    return dict(pairs)


def _from_json(value: Any) -> Any:
    """The Python literal that a part of the JSON stands for."""
    match value:
        case str():
            return _from_string(value)
        case list():
            return [... if each == "*" else _from_json(each) for each in value]
        case dict() if _predicate_names(value):
            return _from_predicate(value)
        case dict():
            return _reject_duplicates([(_unescape(name), _from_json(inner)) for name, inner in value.items()])
        case _:
            return value


def _from_string(text: str) -> Any:
    if text == "?":
        return ANY
    if text == "*":
        raise PatternError('"*" is allowed only in lists.', hint=r'write "?" for any value, "\\*" for a star.')
    if compared := _COMPARED.fullmatch(text):
        return _PREDICATES[_SYMBOLS[compared[1]]](compared[2])
    return _unescape(text)


def _unescape(text: Any) -> Any:
    return text[1:] if isinstance(text, str) and text.startswith("\\") else text


def _predicate_names(value: dict[Any, Any]) -> list[str]:
    return [name for name in value if isinstance(name, str) and name.startswith("$")]


def _from_predicate(value: dict[Any, Any]) -> Pattern:
    name = _predicate_names(value)[0]
    if len(value) > 1:
        raise PatternError(
            f"{name} cannot be combined with other names in one object.",
            path=name,
            hint=rf'a field of that name is "\\{name}".',
        )
    if name not in _PREDICATES:
        near = get_close_matches(name, _PREDICATES) or sorted(_PREDICATES)
        hint = rf'did you mean {" or ".join(near)}? A field of that name is "\\{name}".'
        raise PatternError(f"unknown predicate {name}.", path=name, hint=hint)
    return _PREDICATES[name](value[name])


def _from_pair(value: Any) -> Pattern:
    if isinstance(value, list) and len(value) == 2:
        return between(*value)
    raise PatternError("$between takes two values.", path="$between", hint='write {"$between": [1, 2]}.')


def _from_options(value: Any) -> Pattern:
    if isinstance(value, list):
        return make_among(value)
    raise PatternError("$in takes a list.", path="$in", hint='write {"$in": ["a", "b"]}.')


def _from_verdict(value: Any) -> Pattern:
    if isinstance(value, bool):
        return Null() if value else Present()
    raise PatternError("$null takes true or false.", path="$null")


_SYMBOLS = {"=": "$eq", "!=": "$ne", ">": "$gt", ">=": "$ge", "<": "$lt", "<=": "$le"}

_PREDICATES: Mapping[str, Callable[[Any], Pattern]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": gt,
    "$ge": ge,
    "$lt": lt,
    "$le": le,
    "$between": _from_pair,
    "$in": _from_options,
    "$null": _from_verdict,
    "$contains": contains,
    "$startswith": startswith,
    "$like": like,
    "$matches": matches,
}
