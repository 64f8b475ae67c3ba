"""Patterns as JSON, for the command line and other languages: `from_json` reads them, `to_json_form` writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sparkwhy.errors import MalformedPattern, PatternError, assert_never
from sparkwhy.question.json_literals import is_typed_literal, literal_from_json, literal_to_json
from sparkwhy.question.pattern import (
    ANY,
    PATTERNS,
    Among,
    Anything,
    Bag,
    Between,
    Comparison,
    Custom,
    Fields,
    Null,
    Pattern,
    Present,
    TextTest,
    between,
    check_extent,
    contains,
    eq,
    function_name,
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
    r"""Return the pattern that JSON says, as text or parsed.

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
    """Return the Python literal that a part of the JSON stands for."""
    match value:
        case str():
            return _from_string(value)
        case list():
            return [... if each == "*" else _from_json(each) for each in value]
        case dict() if is_typed_literal(value):
            return literal_from_json(value)
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
        return between(*map(literal_from_json, value))
    raise PatternError("$between takes two values.", path="$between", hint='write {"$between": [1, 2]}.')


def _from_options(value: Any) -> Pattern:
    if isinstance(value, list):
        return make_among(map(literal_from_json, value))
    raise PatternError("$in takes a list.", path="$in", hint='write {"$in": ["a", "b"]}.')


def _from_verdict(value: Any) -> Pattern:
    if isinstance(value, bool):
        return Null() if value else Present()
    raise PatternError("$null takes true or false.", path="$null")


def _from_entries(value: Any) -> Pattern:
    """Return the entries of a map by keys that need not be strings."""
    if not isinstance(value, list) or not all(isinstance(each, list) and len(each) == 2 for each in value):
        raise PatternError("$entries takes pairs.", path="$entries", hint='write {"$entries": [[1, "a"]]}.')
    pairs = [(_read_key(key), _from_json(inner)) for key, inner in value]
    return to_pattern(_reject_duplicates(pairs))


def _read_key(value: Any) -> Any:
    key = literal_from_json(value)
    if key is None or isinstance(key, list | dict):
        raise PatternError("a key of $entries is not a single value.", path="$entries")
    return key


def _compare(make: Callable[[Any], Pattern]) -> Callable[[Any], Pattern]:
    return lambda value: make(literal_from_json(value))


_SYMBOLS = {"=": "$eq", "!=": "$ne", ">": "$gt", ">=": "$ge", "<": "$lt", "<=": "$le"}

_PREDICATES: Mapping[str, Callable[[Any], Pattern]] = {
    "$eq": _compare(eq),
    "$ne": _compare(ne),
    "$gt": _compare(gt),
    "$ge": _compare(ge),
    "$lt": _compare(lt),
    "$le": _compare(le),
    "$between": _from_pair,
    "$in": _from_options,
    "$entries": _from_entries,
    "$null": _from_verdict,
    "$contains": contains,
    "$startswith": startswith,
    "$like": like,
    "$matches": matches,
}


# --- to JSON ---

_NAMES: Mapping[str, str] = {
    "<>": "$ne",
    "<": "$lt",
    "<=": "$le",
    ">": "$gt",
    ">=": "$ge",
    "contains": "$contains",
    "startswith": "$startswith",
    "like": "$like",
    "rlike": "$matches",
}


def to_json_form(pattern: Pattern) -> Any:
    """Return the pattern as JSON data, from which `from_json` makes an equal one.

    A function of the user has no such form: `{"$function": "is_large"}` names it, and `from_json` refuses it.

    >>> to_json_form(to_pattern({"city": ne("NY"), "names": [ANY, ...]}))
    {'city': {'$ne': 'NY'}, 'names': ['?', '*']}
    """
    match pattern:
        case Anything():
            return "?"
        case Null():
            return None
        case Present():
            return {"$null": False}
        case Comparison("=", str() as text):
            return _escape(text)
        case Comparison("=", value):
            return literal_to_json(value)
        case Comparison(op, value):
            return {_NAMES[op]: literal_to_json(value)}
        case Between(low, high):
            return {"$between": [literal_to_json(low), literal_to_json(high)]}
        case Among(values):
            return {"$in": list(map(literal_to_json, values))}
        case TextTest(function, text):
            return {_NAMES[function]: text}
        case Custom(function):
            return {"$function": function_name(function)}
        case Fields(entries):
            return _fields_to_json(entries)
        case Bag(elements, is_open):
            return [*map(to_json_form, elements), *(["*"] if is_open else [])]
        case _:
            assert_never(pattern)


def _fields_to_json(entries: Sequence[tuple[Any, Pattern]]) -> dict[str, Any]:
    if all(isinstance(name, str) for name, _ in entries):
        return {_escape_name(name): to_json_form(inner) for name, inner in entries}
    return {"$entries": [[literal_to_json(name), to_json_form(inner)] for name, inner in entries]}


def _escape(text: str) -> str:
    has_meaning = text in ("?", "*") or text.startswith("\\") or _COMPARED.fullmatch(text)
    return f"\\{text}" if has_meaning else text


def _escape_name(name: str) -> str:
    return f"\\{name}" if name.startswith(("$", "\\")) else name
