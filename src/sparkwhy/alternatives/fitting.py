"""What may stand for a value of another type: what is mapped without loss, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sparkwhy.alternatives.paths import (
    field_named,
    fields_in,
)
from sparkwhy.messages import Message
from sparkwhy.plan.build import either, null, transform
from sparkwhy.plan.exprs import Cast, Expr, FieldOf, IsNull, MakeStruct
from sparkwhy.plan.types import (
    BINARY,
    DOUBLE,
    FLOAT,
    INTEGRALS,
    LONG,
    NULL,
    Array,
    Atom,
    Decimal,
    Struct,
    Type,
    ddl,
    same_shape,
)

_DIGITS: Mapping[Type, int] = {type: len(str(1 << (bits - 1))) for type, bits in INTEGRALS.items()}
"""How many decimal digits the values of an integer type have."""


class CannotSubstitute(Exception):
    """The substitution cannot be carried out; the reason is in words."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


def fit_type(expr: Expr, wanted: Type) -> Expr:
    """Return the expression as a value of a type that it can be mapped to."""
    match expr.type, wanted:
        case given, _ if same_shape(given, wanted):
            return expr
        case Struct(), Struct():
            values = tuple(_fit_field(expr, each.name, each.type) for each in wanted.fields)
            return either(IsNull(expr), null(wanted), MakeStruct(wanted.names, values))
        case Array(), Array(element):
            return transform(expr, lambda inner: fit_type(inner, element))
        case _:
            return Cast(expr, wanted)


def _fit_field(struct: Expr, name: str, wanted: Type) -> Expr:
    fields = fields_in(struct.type)
    found = field_named(name, fields)
    return null(wanted) if found is None else fit_type(FieldOf(struct, fields.index(found)), wanted)


def describe_mapping(given: Type, wanted: Type, path: str, fields_read: frozenset[str]) -> Iterator[Message]:
    """Yield what has to be mapped between two types, in words; `CannotSubstitute` if something would be lost."""
    match given, wanted:
        case _ if same_shape(given, wanted):
            return
        case Struct(), Struct():
            yield from _describe_field_mapping(given, wanted, path, fields_read)
        case Array(inner), Array(element):
            yield from describe_mapping(inner, element, path, fields_read)
        case _ if widens(given, wanted):
            yield Message("cast_needed", path=path, given=ddl(given), wanted=ddl(wanted))
        case _:
            raise CannotSubstitute(Message("other_type", path=path, given=ddl(given), wanted=ddl(wanted)))


def _describe_field_mapping(given: Struct, wanted: Struct, path: str, fields_read: frozenset[str]) -> Iterator[Message]:
    pairs = [(wished, field_named(wished.name, given.fields)) for wished in wanted.fields]
    missing = [wished.name for wished, found in pairs if found is None]
    needed = [name for name in missing if name.lower() in fields_read]
    if needed or len(missing) == len(pairs):
        lacks_all = Message("lacks_all_fields", path=path)
        raise CannotSubstitute(Message("lacks_read_field", path=path, field=needed[0]) if needed else lacks_all)
    yield from (Message("field_is_null", path=path, field=name) for name in missing)
    for wished, found in pairs:
        if found is not None:
            yield from describe_mapping(found.type, wished.type, f"{path}.{found.name}", fields_read)


def widens(given: Type, wanted: Type) -> bool:
    """Return whether every value of one type has a value of the other type to stand for it."""
    match given, wanted:
        case (Atom() | Decimal(), Atom("string")):
            return given not in (BINARY, NULL) and not (isinstance(given, Atom) and given.name.startswith("udt "))
        case Decimal(p, s), Decimal(q, t):
            return t >= s and q - t >= p - s
        case Atom(), Decimal(q, t):
            return given in INTEGRALS and q - t >= _DIGITS[given]
        case Atom(), Atom():
            both = given in INTEGRALS and wanted in INTEGRALS
            return (both and INTEGRALS[given] <= INTEGRALS[wanted]) or (wanted == DOUBLE and _is_narrow(given))
        case _:
            return False


def _is_narrow(type: Type) -> bool:
    return type == FLOAT or (type in INTEGRALS and type != LONG)
