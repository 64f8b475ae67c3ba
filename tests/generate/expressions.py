"""Expressions as PySpark source text, of a wanted type, over the columns that a relation has.

`Scope` says what may be read. In a relation with lists of no particular order (`collect_list`) nothing reads a list
in a way that would show its order; where doubles may be inexact, nothing sums them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sparkwhy.plan.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    Map,
    Struct,
    Type,
    is_numeric,
    same_shape,
)
from tests.generate.choices import Choices
from tests.generate.tables import ATOMS, MONEY, a_value, quoted, sql_type


@dataclass(frozen=True)
class Leaf:
    """Something that can be read: its source text and its type."""

    text: str
    type: Type


@dataclass(frozen=True)
class Scope:
    """The columns that an expression may read."""

    columns: tuple[Leaf, ...]
    unordered: bool = False
    case_sensitive: bool = False

    @property
    def leaves(self) -> list[Leaf]:
        """The columns and the parts of their structs, maps and lists."""
        found = [leaf for column in self.columns for leaf in _parts(column, self.case_sensitive, 3)]
        return [leaf for leaf in found if not (self.unordered and has(Array, leaf.type))]

    def of_type(self, type: Type) -> list[str]:
        return [leaf.text for leaf in self.leaves if same_shape(leaf.type, type)]


def has(kind: type, type: Type) -> bool:
    """Whether a list, map or struct occurs anywhere in the type."""
    match type:
        case Array(element):
            return kind is Array or has(kind, element)
        case Map(key, value):
            return kind is Map or has(kind, key) or has(kind, value)
        case Struct(fields):
            return kind is Struct or any(has(kind, field.type) for field in fields)
        case _:
            return False


def is_orderable(type: Type) -> bool:
    return not has(Map, type)


def column(name: str) -> str:
    return f"F.col({quoted(name)!r})"


def _parts(leaf: Leaf, case_sensitive: bool, depth: int) -> Iterator[Leaf]:
    """The leaf and what it contains, down to a depth."""
    yield leaf
    if depth == 0:
        return
    match leaf.type:
        case Struct() as struct:
            below = [Leaf(f"{leaf.text}[{n!r}]", t) for n, t in clear_fields(struct, case_sensitive)]
        case Array(Struct() as struct):
            below = [Leaf(f"{leaf.text}[{n!r}]", Array(t)) for n, t in clear_fields(struct, case_sensitive)]
        case Array(element):
            below = [Leaf(f"F.get({leaf.text}, F.lit(0))", element)]
        case Map(key, value):
            below = [Leaf(f"{leaf.text}[{'a' if key == STRING else 1!r}]", value)]
        case _:
            below = []
    for part in below:
        yield from _parts(part, case_sensitive, depth - 1)


def clear_fields(struct: Struct, case_sensitive: bool) -> list[tuple[str, Type]]:
    """The fields whose names mean one field only."""
    folded = [name if case_sensitive else name.lower() for name in struct.names]
    return [(f.name, f.type) for f, name in zip(struct.fields, folded, strict=True) if folded.count(name) == 1]


# --- expressions of any type -----------------------------------------------------------------------------------------


def an_expression(choices: Choices, scope: Scope, depth: int = 2) -> str:
    """An expression of any type, more often than not of one that is there."""
    leaves = scope.leaves
    kind = choices.pick([leaf.type for leaf in leaves]) if leaves and not choices.one_in(3) else choices.pick(ATOMS)
    return typed(choices, scope, kind, depth)


def typed(choices: Choices, scope: Scope, type: Type, depth: int = 2) -> str:
    """An expression of this type (a number may come out as another kind of number)."""
    if depth == 0 or choices.one_in(3):
        return leaf_or_constant(choices, scope, type)
    makers = [*_ANY, *_makers(type)]
    return choices.pick(makers)(choices, scope, type, depth - 1)


def leaf_or_constant(choices: Choices, scope: Scope, type: Type) -> str:
    found = scope.of_type(type)
    return choices.pick(found) if found and not choices.one_in(5) else constant(choices, type)


def constant(choices: Choices, type: Type) -> str:
    """A constant; one of a nested type is built up from its parts."""
    value = None if choices.one_in(6) else a_value(choices, type)
    if value is None:
        return f"F.lit(None).cast({sql_type(type)!r})"
    match type:
        case Array(element):
            items = [constant(choices, element) for _ in range(choices.count(1, 2))]
            return f"F.array({', '.join(items)})"
        case Struct(fields):
            items = [f"{constant(choices, f.type)}.alias({f.name!r})" for f in fields]
            return f"F.struct({', '.join(items)})"
        case Map(key, inner):
            return f"F.create_map(F.lit({'a' if key == STRING else 1!r}), {constant(choices, inner)})"
        case _ if type in (LONG, MONEY):
            return f"F.lit({str(value)!r}).cast({sql_type(type)!r})"
        case _ if type == DOUBLE:
            return f"F.lit(float({str(value)!r}))"
        case _ if type in (DATE, TIMESTAMP):
            text = value.isoformat(sep=" ") if type == TIMESTAMP else value.isoformat()
            return f"F.lit({text!r}).cast({sql_type(type)!r})"
        case _:
            return f"F.lit({value!r})"


Maker = Callable[[Choices, Scope, Type, int], str]


def _coalesce(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    return f"F.coalesce({typed(choices, scope, type, depth)}, {typed(choices, scope, type, depth)})"


def _when(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    chosen = f"F.when({predicate(choices, scope, depth)}, {typed(choices, scope, type, depth)})"
    return chosen if choices.one_in(3) else f"{chosen}.otherwise({typed(choices, scope, type, depth)})"


_ANY: tuple[Maker, ...] = (_coalesce, _when)


def _makers(type: Type) -> list[Maker]:
    match type:
        case Array():
            return [_array, _array_function, _transform, _array_filter]
        case Struct():
            return [_struct]
        case _ if is_numeric(type):
            return [_arithmetic, _arithmetic, _unary, _measure]
        case _:
            return _ATOM_MAKERS.get(type, [])


# --- numbers ---------------------------------------------------------------------------------------------------------


def _arithmetic(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    op = choices.pick(["+", "-", "*", "%"])
    return f"({typed(choices, scope, type, depth)} {op} {typed(choices, scope, type, depth)})"


def _unary(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    function = choices.pick(["F.abs", "F.negative", "F.floor", "F.greatest"])
    more = f", {typed(choices, scope, type, depth)}" if function == "F.greatest" else ""
    return f"{function}({typed(choices, scope, type, depth)}{more})"


def _measure(choices: Choices, scope: Scope, _type: Type, depth: int) -> str:
    """A number that says something of a value of another type."""
    sized = [leaf.text for leaf in scope.columns if isinstance(leaf.type, Array | Map)]
    match choices.count(0, 4):
        case 0:
            return f"F.length({typed(choices, scope, STRING, depth)})"
        case 1:
            return f"{choices.pick(['F.year', 'F.month'])}({typed(choices, scope, DATE, depth)})"
        case 2:
            return f"F.datediff({typed(choices, scope, DATE, depth)}, {typed(choices, scope, DATE, depth)})"
        case 3 if sized:
            return f"F.size({choices.pick(sized)})"
        case _:
            return f"{typed(choices, scope, STRING, depth)}.try_cast('int')"


# --- text, dates -----------------------------------------------------------------------------------------------------


_PRINTED: tuple[Type, ...] = (INTEGER, BOOLEAN, DATE, MONEY)


def _text(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    inner = typed(choices, scope, type, depth)
    match choices.count(0, 5):
        case 0:
            return f"{choices.pick(['F.upper', 'F.lower', 'F.trim'])}({inner})"
        case 1:
            return f"F.substring({inner}, {choices.count(-1, 2)}, {choices.count(0, 2)})"
        case 2:
            return f"F.concat({inner}, {typed(choices, scope, type, depth)})"
        case 3:
            return f"F.concat_ws('-', {inner}, {typed(choices, scope, type, depth)})"
        case 4:
            return f"{typed(choices, scope, choices.pick(_PRINTED), depth)}.cast('string')"
        case _:
            return f"F.regexp_replace({inner}, 'a+', 'b')"


def _date(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    function = choices.pick(["F.date_add", "F.add_months"])
    return f"{function}({typed(choices, scope, type, depth)}, {choices.count(-3, 14)})"


def _predicate(choices: Choices, scope: Scope, _type: Type, depth: int) -> str:
    return predicate(choices, scope, depth)


_ATOM_MAKERS: Mapping[Type, list[Maker]] = {STRING: [_text, _text], DATE: [_date], BOOLEAN: [_predicate]}


# --- nested ----------------------------------------------------------------------------------------------------------


def _element(type: Type) -> Type:
    assert isinstance(type, Array)
    return type.element


def _array(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    items = choices.several(lambda: typed(choices, scope, _element(type), depth), 1, 2)
    return f"F.array({', '.join(items)})"


def _array_function(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    inner = leaf_or_constant(choices, scope, type)
    functions = ["F.slice({0}, 1, 2)", "F.array_compact({0})", "F.concat({0}, {1})", "F.reverse({0})"]
    if is_orderable(type):
        functions += ["F.array_distinct({0})", "F.sort_array({0}, False)", "F.array_union({0}, {1})"]
    return choices.pick(functions).format(inner, leaf_or_constant(choices, scope, type))


def _transform(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    """The elements of any list, each made into one of the wanted type."""
    lists = [leaf for leaf in scope.leaves if isinstance(leaf.type, Array)]
    if not lists:
        return _array(choices, scope, type, depth)
    source = choices.pick(lists)
    body = typed(choices, _with_variable(choices, scope, source), _element(type), depth)
    return f"F.transform({source.text}, lambda x: {body})"


def _array_filter(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    source = Leaf(leaf_or_constant(choices, scope, type), type)
    return f"F.filter({source.text}, lambda x: {predicate(choices, _with_variable(choices, scope, source), depth)})"


def _with_variable(choices: Choices, scope: Scope, source: Leaf) -> Scope:
    """What the body of a lambda reads: its variable, and perhaps the columns around it."""
    outer = scope.columns if choices.one_in(3) else ()
    return Scope((Leaf("x", _element(source.type)), *outer), scope.unordered, scope.case_sensitive)


def _struct(choices: Choices, scope: Scope, type: Type, depth: int) -> str:
    assert isinstance(type, Struct)
    parts = [f"{typed(choices, scope, field.type, depth)}.alias({field.name!r})" for field in type.fields]
    return f"F.struct({', '.join(parts)})"


# --- conditions ------------------------------------------------------------------------------------------------------


def predicate(choices: Choices, scope: Scope, depth: int = 2) -> str:
    """A condition: a test, or several of them put together."""
    if depth <= 0 or not choices.one_in(3):
        return _test(choices, scope, max(depth - 1, 0))
    left, right = predicate(choices, scope, depth - 1), predicate(choices, scope, depth - 1)
    return choices.pick([f"({left} & {right})", f"({left} | {right})", f"(~{left})"])


Test = Callable[[Choices, Leaf, Scope, int], str]


def _test(choices: Choices, scope: Scope, depth: int) -> str:
    leaves = scope.leaves
    if not leaves:
        return "F.lit(True)"
    leaf = choices.pick(leaves)
    tests: list[Test] = [_null_test]
    if is_orderable(leaf.type):
        tests += [_comparison, _comparison, _between, _isin]
    if leaf.type == STRING:
        tests += [_like]
    if leaf.type == BOOLEAN:
        tests += [lambda _choices, leaf, _scope, _depth: leaf.text]
    if isinstance(leaf.type, Array):
        tests += [_exists]
    return choices.pick(tests)(choices, leaf, scope, depth)


def _null_test(choices: Choices, leaf: Leaf, _scope: Scope, _depth: int) -> str:
    return f"{leaf.text}.{choices.pick(['isNull', 'isNotNull'])}()"


def _comparison(choices: Choices, leaf: Leaf, scope: Scope, depth: int) -> str:
    other = typed(choices, scope, leaf.type, depth)
    op = choices.pick(["==", "!=", "<", "<=", ">", ">=", "<=>"])
    return f"{leaf.text}.eqNullSafe({other})" if op == "<=>" else f"({leaf.text} {op} {other})"


def _between(choices: Choices, leaf: Leaf, scope: Scope, depth: int) -> str:
    low, high = typed(choices, scope, leaf.type, 0), typed(choices, scope, leaf.type, depth)
    return f"{leaf.text}.between({low}, {high})"


def _isin(choices: Choices, leaf: Leaf, scope: Scope, _depth: int) -> str:
    options = choices.several(lambda: leaf_or_constant(choices, scope, leaf.type), 1, 3)
    return f"{leaf.text}.isin({', '.join(options)})"


def _like(choices: Choices, leaf: Leaf, _scope: Scope, _depth: int) -> str:
    method, pattern = choices.pick(
        [("like", "a%"), ("like", "_"), ("contains", "b"), ("startswith", "a"), ("endswith", "B"), ("rlike", "^a")]
    )
    return f"{leaf.text}.{method}({pattern!r})"


def _exists(choices: Choices, leaf: Leaf, scope: Scope, depth: int) -> str:
    body = predicate(choices, _with_variable(choices, scope, leaf), depth - 1)
    return f"{choices.pick(['F.exists', 'F.forall'])}({leaf.text}, lambda x: {body})"
