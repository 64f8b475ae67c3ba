"""Patterns as JSON: the same patterns, with marks that can be escaped."""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkwhy.errors import MalformedPattern, PatternError
from sparkwhy.question import pattern as p
from sparkwhy.question.json_form import from_json, to_json_form
from sparkwhy.question.pattern import ANY, to_pattern


@pytest.mark.parametrize(
    ("written", "literal"),
    [
        ('"NY"', "NY"),
        ('"?"', ANY),
        ('["?", "*"]', [ANY, ...]),
        ('"> 0"', p.gt("0")),
        ('">0"', p.gt("0")),
        ('">= 0"', p.ge("0")),
        ('"< a b"', p.lt("a b")),
        ('"<= 2019-01-01"', p.le("2019-01-01")),
        ('"!= NY"', p.ne("NY")),
        ('"= ?"', "?"),
        ('["= *"]', ["*"]),
        (r'"\\?"', "?"),
        (r'["\\*"]', ["*"]),
        (r'"\\> 0"', "> 0"),
        (r'"\\\\"', "\\"),
        (r'{"\\$x": 1}', {"$x": 1}),
        (r'{"\\$x": 1, "y": null}', {"$x": 1, "y": None}),
        ("[true, 1.5, null]", [True, 1.5, None]),
        ('{"$contains": "Arsenal"}', p.contains("Arsenal")),
        ('{"$startswith": "?"}', p.startswith("?")),
        ('{"$like": "a%"}', p.like("a%")),
        ('{"$matches": "^a"}', p.matches("^a")),
        ('{"$between": [1, 2]}', p.between(1, 2)),
        ('{"$in": ["?", null]}', p.one_of("?", None)),
        ('{"$null": true}', None),
        ('{"$null": false}', p.not_null()),
        ('{"$eq": "> 0"}', "> 0"),
        ('{"$ne": 1}', p.ne(1)),
        ('{"$gt": 1}', p.gt(1)),
        ('{"$ge": 1}', p.ge(1)),
        ('{"$lt": 1}', p.lt(1)),
        ('{"$le": 1}', p.le(1)),
        ('[{"sku": "A1", "qty": {"$ge": 2}}, "*"]', [{"sku": "A1", "qty": p.ge(2)}, ...]),
    ],
)
def test_json_says_the_same_as_the_literal(written: str, literal: Any) -> None:
    expected = to_pattern({"c": literal})
    assert from_json(f'{{"c": {written}}}') == expected
    assert from_json({"c": json.loads(written)}) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "not a value of type list"),
        ('"NY"', "not a value of type str"),
        ('{"$gt": 1}', "a predicate alone is not a row"),
        ('{"c": "*"}', "allowed only in lists"),
        ('{"c": ["*", "*"]}', "more than one `...`"),
        ('{"c": {"$gt": 1, "$lt": 2}}', "cannot be combined with other names"),
        ('{"c": {"$contain": "x"}}', r"unknown predicate \$contain.\nHint: did you mean \$contains\?"),
        ('{"c": {"$zzz": "x"}}', r"did you mean \$between or "),
        ('{"c": {"$between": 1}}', "takes two values"),
        ('{"c": {"$in": 1}}', "takes a list"),
        ('{"c": {"$in": []}}', "matches nothing"),
        ('{"c": {"$in": [[1]]}}', "not a single value"),
        ('{"c": {"$null": 1}}', "takes true or false"),
        ('{"c": {"$gt": null}}', "not a single value"),
        ('{"c": 1, "c": 2}', "'c' occurs twice"),
        (r'{"c": 1, "\\c": 2}', "'c' occurs twice"),
        ('{"c": ' + "[" * 100_000, "too large"),
        ('{"c": ' + "[" * 500 + "]" * 500 + "}", "too large"),
    ],
)
def test_what_is_no_pattern(text: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        from_json(text)


def test_malformed_json_is_shown_where_it_breaks() -> None:
    with pytest.raises(MalformedPattern, match="at line 2, column 8") as caught:
        from_json('{"a": 1,\n "b" : }')
    assert (caught.value.line, caught.value.column) == (2, 8)


# --- round trips ---

texts = st.text(alphabet="a?*>=<! \\$0", max_size=4)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
predicates = st.one_of(
    st.just(ANY),
    st.builds(p.gt, texts | st.integers()),
    st.builds(p.ne, texts),
    st.builds(p.between, st.integers(), st.integers()),
    st.builds(p.one_of, texts, st.none() | texts),
    st.builds(p.contains, texts),
    st.just(p.not_null()),
)


def lists_and_dicts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    open_lists = st.lists(inner, max_size=3).map(lambda elements: [*elements, ...])
    return st.lists(inner, max_size=3) | open_lists | st.dictionaries(texts, inner, max_size=3)


literals = st.dictionaries(texts, st.recursive(scalars | predicates, lists_and_dicts, max_leaves=10), max_size=3)


@given(literals)
def test_a_literal_survives_json(literal: Any) -> None:
    assert from_json(json.dumps(as_json(literal))) == to_pattern(literal)


numbers = st.decimals(allow_nan=False, allow_infinity=False) | st.sampled_from([math.nan, math.inf, -math.inf])
moments = st.datetimes() | st.datetimes(timezones=st.just(dt.timezone(dt.timedelta(hours=5, minutes=30))))
plain: st.SearchStrategy[Any] = scalars.filter(lambda each: each is not None)
constants = plain | numbers | st.dates() | moments | st.timedeltas() | st.binary(max_size=3)
tests_of_constants = st.one_of(
    *(st.builds(make, constants) for make in (p.eq, p.ne, p.gt, p.ge, p.lt, p.le)),
    st.builds(p.between, constants, constants),
    st.builds(p.one_of, constants, st.none() | constants),
    *(st.builds(make, texts) for make in (p.contains, p.startswith, p.matches)),
    st.sampled_from([p.like("a%"), p.like(r"\\"), p.is_null(), p.not_null(), ANY]),
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = texts | st.integers() | st.dates()
    return lists_and_dicts(inner) | st.dictionaries(keys, inner, max_size=2)


asked = st.dictionaries(texts, st.recursive(constants | tests_of_constants, nested, max_leaves=8), max_size=3)


@given(asked)
def test_every_pattern_survives_its_json_form(literal: Any) -> None:
    pattern = to_pattern(literal)
    form = to_json_form(pattern)
    assert from_json(form) == pattern
    assert from_json(json.dumps(form, allow_nan=False)) == pattern


def test_a_function_is_only_named() -> None:
    def is_large(column: Any) -> Any:
        return column > 100

    form = to_json_form(to_pattern({"total": is_large}))
    assert form == {"total": {"$function": "is_large"}}
    with pytest.raises(PatternError, match="unknown predicate"):
        from_json(form)


@pytest.mark.parametrize(
    "wrong",
    [
        {"$date": "31.1.2024"},
        {"$date": 5},
        {"$timestamp": None},
        {"$decimal": "much"},
        {"$float": "1"},
        {"$float": [1]},
        {"$bytes": "xyz"},
        {"$microseconds": "1"},
        {"$gt": {"$date": ""}},
        {"$in": [{"$bytes": 1}]},
        {"$entries": [1]},
        {"$entries": [[[1], 2]]},
        {"$entries": [[None, 2]]},
        {"$entries": [[1, 2], [1, 3]]},
    ],
)
def test_a_typed_constant_that_cannot_be_read_is_refused(wrong: Any) -> None:
    with pytest.raises(PatternError):
        from_json({"c": wrong})


def as_json(literal: Any) -> Any:
    """A literal in JSON, written the short way where there is one."""
    match literal:
        case str():
            return escaped(literal)
        case dict():
            return {escaped(name): as_json(inner) for name, inner in literal.items()}
        case list():
            return ["*" if each is ... else as_json(each) for each in literal]
        case p.Anything():
            return "?"
        case p.Present():
            return {"$null": False}
        case p.Comparison(op, str() as text):
            return f"{'!=' if op == '<>' else op} {text}"
        case p.Comparison(op, value):
            return {"$gt": value}
        case p.Between(low, high):
            return {"$between": [low, high]}
        case p.Among(values):
            return {"$in": list(values)}
        case p.TextTest(function, text):
            return {f"${function}": text}
        case _:
            return literal


def escaped(text: str) -> str:
    return f"\\{text}" if text[:1] in tuple("?*><=!\\$") else text
