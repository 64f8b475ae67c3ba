"""The functions of strings. Positions and lengths count code points, as Spark does.

Regular expressions are those of Python, with ASCII classes as in Java; what only Java knows is not covered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.arithmetic import Maker, ignore_types
from sparkwhy.memory.values import Value

_SPACE = " "
"""The only character that Spark trims and pads with."""

_JAVA_GROUP = re.compile(r"\\(.)|\$(\d)", re.DOTALL)


def _substring(text: Any, position: int, length: int = 2**31 - 1) -> Any:
    """`position` counts from 1, or from the end if negative; a part before the start is cut off."""
    start = position - 1 if position > 0 else len(text) + position if position < 0 else 0
    return text[max(start, 0) : max(start + length, 0)]


def _concat(*parts: Any) -> Any:
    """Strings, binaries or arrays, one after the other."""
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def _concat_ws(separator: str | None, *parts: Value) -> str | None:
    if separator is None:
        return None
    flat = (piece for part in parts for piece in (part if isinstance(part, tuple) else (part,)))
    return separator.join(piece for piece in flat if piece is not None)


def _replace(text: str, search: str, new: str = "") -> str:
    return text.replace(search, new) if search else text


def _pad(place: Callable[[str, str], str]) -> Callable[..., str]:
    def pad(text: str, length: int, filler: str = _SPACE) -> str:
        missing = max(length - len(text), 0)
        filling = (filler * (missing // max(len(filler), 1) + 1))[:missing]
        return place(text[: max(length, 0)], filling)

    return pad


# --- patterns -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.ASCII)
    except re.error as error:
        raise EvaluationError(f"not a regular expression: {pattern}") from error


@lru_cache(maxsize=1024)
def _like_pattern(pattern: str, escape: str) -> re.Pattern[str]:
    parts, rest = [], iter(pattern)
    for char in rest:
        if char == escape:
            follower = next(rest, "")
            if follower not in ("_", "%", escape):
                raise EvaluationError(f"nothing to escape in the pattern {pattern}")
            parts.append(re.escape(follower))
        else:
            parts.append({"_": ".", "%": ".*"}.get(char, re.escape(char)))
    return re.compile("".join(parts), re.DOTALL)


def _like(text: str, pattern: str, escape: str = "\\") -> bool:
    return _like_pattern(pattern, escape).fullmatch(text) is not None


def _split(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """Split as Java does, but keep trailing empty strings; an empty pattern cuts between all characters."""
    if not pattern and text:
        return _characters(text, limit)
    pieces: list[str] = []
    start = 0
    for found in compile_pattern(pattern).finditer(text):
        if len(pieces) == limit - 1:
            break
        if found.end() > 0:
            pieces.append(text[start : found.start()])
            start = found.end()
    return (*pieces, text[start:])


def _characters(text: str, limit: int) -> tuple[str, ...]:
    """Return each character by itself, or with a limit the rest in the last piece."""
    return (*text[: limit - 1], text[limit - 1 :]) if 0 < limit < len(text) else tuple(text)


def _regexp_replace(text: str, pattern: str, new: str) -> str:
    return compile_pattern(pattern).sub(lambda found: _expand_template(new, found), text)


def _expand_template(template: str, found: re.Match[str]) -> str:
    """Return the template with `$1` replaced by what the group found, as in Java."""
    return _JAVA_GROUP.sub(lambda part: part[1] if part[1] else _group(found, int(part[2])), template)


def _group(found: re.Match[str], number: int) -> str:
    if number > len(found.groups()):
        raise EvaluationError(f"the pattern has no group {number}")
    return found[number] or ""


def _hex(value: int | str | bytes) -> str:
    """Return the hexadecimal digits of a long in two's complement, of bytes, or of a text in UTF-8."""
    match value:
        case int():
            return format(value & 0xFFFF_FFFF_FFFF_FFFF, "X")
        case str():
            return value.encode().hex().upper()
        case _:
            return value.hex().upper()


STRICT_STRINGS: Mapping[str, Maker] = {
    "upper": ignore_types(str.upper),
    "hex": ignore_types(_hex),
    "lower": ignore_types(str.lower),
    "trim": ignore_types(lambda text: text.strip(_SPACE)),
    "ltrim": ignore_types(lambda text: text.lstrip(_SPACE)),
    "rtrim": ignore_types(lambda text: text.rstrip(_SPACE)),
    "length": ignore_types(len),
    "substring": ignore_types(_substring),
    "concat": ignore_types(_concat),
    "contains": ignore_types(lambda text, part: part in text),
    "startswith": ignore_types(lambda text, part: text.startswith(part)),
    "endswith": ignore_types(lambda text, part: text.endswith(part)),
    "like": ignore_types(_like),
    "rlike": ignore_types(lambda text, pattern: compile_pattern(pattern).search(text) is not None),
    "replace": ignore_types(_replace),
    "instr": ignore_types(lambda text, part: text.find(part) + 1),
    "lpad": ignore_types(_pad(lambda text, filling: filling + text)),
    "rpad": ignore_types(_pad(lambda text, filling: text + filling)),
    "split": ignore_types(_split),
    "regexp_replace": ignore_types(_regexp_replace),
    "reverse": ignore_types(lambda value: value[::-1]),
    "repeat": ignore_types(lambda text, times: text * times),
}

NULL_AWARE_STRINGS: Mapping[str, Maker] = {"concat_ws": ignore_types(_concat_ws)}
