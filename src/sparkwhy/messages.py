"""Every sentence that an answer can carry: a code with typed parameters, and the one place that words it.

A parameter is a text of the query, a number, another message, or a `Value` of the data. Redaction replaces the values
and words the message again, so that no sentence has to be taken apart to hide what it quotes.

    >>> one, other = Value("code", "zq17 "), Value("code", "ZQ17")
    >>> found = Message("equal_after", one=one, other=other, changes="trim and lower")
    >>> str(found)
    "'zq17 ' and 'ZQ17' are equal after trim and lower"
    >>> str(found.with_values(lambda value: Value(value.column, None, hidden="***")))
    'two values are equal after trim and lower'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, Union

from sparkwhy.wording import quote_visibly


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the data in a message, with the column or expression that it belongs to.

    `hidden` is what redaction shows in its place; the value itself is gone then.
    """

    column: str
    value: Any
    hidden: str | None = None

    def __format__(self, spec: str) -> str:
        """Print the value; `quoted` puts it in quotes with every character visible."""
        if self.hidden is not None:
            return self.hidden
        if self.value is None:
            return "null"
        return quote_visibly(str(self.value)) if spec == "quoted" else str(self.value)


class Values(tuple[Value, ...]):
    """Several values of the data, printed as `year is 2018, city is null`."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return ", ".join(f"{each.column} is {each}" for each in self)


Parameter: TypeAlias = Union[str, int, Value, Values, "Message"]


class Template(NamedTuple):
    """How a message reads, and how it reads when one of its values is hidden."""

    text: str
    hidden: str | None = None


class Message(str):
    """A sentence of an answer: its text, and the code and parameters that it is made of.

    It is a string, so that it prints and compares as its text does.
    """

    __slots__ = ("code", "parameters")
    code: str
    parameters: Mapping[str, Parameter]

    def __new__(cls, code: str, /, **parameters: Parameter) -> Message:
        made = super().__new__(cls, _render(code, parameters))
        made.code = code
        made.parameters = MappingProxyType(parameters)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.code, dict(self.parameters))

    def with_values(self, change: Callable[[Value], Value]) -> Message:
        """Return the message with every value of the data changed, in the wording that fits the new values."""
        return Message(self.code, **{name: _change(each, change) for name, each in self.parameters.items()})


def values_in(message: Message) -> Iterator[Value]:
    """Yield the values of the data that a message quotes, those of inner messages too."""
    for parameter in message.parameters.values():
        match parameter:
            case Value():
                yield parameter
            case Values():
                yield from parameter
            case Message():
                yield from values_in(parameter)
            case _:
                continue


def join_reasons(reasons: Iterable[Message]) -> Message | None:
    """Return one message for several reasons, or None if there is none."""
    joined: Message | None = None
    for reason in reasons:
        joined = reason if joined is None else Message("several_reasons", first=joined, other=reason)
    return joined


def _restore(code: str, parameters: Mapping[str, Parameter]) -> Message:
    return Message(code, **parameters)


def _change(parameter: Parameter, change: Callable[[Value], Value]) -> Parameter:
    match parameter:
        case Value():
            return change(parameter)
        case Values():
            return Values(map(change, parameter))
        case Message():
            return parameter.with_values(change)
        case _:
            return parameter


def _render(code: str, parameters: Mapping[str, Parameter]) -> str:
    template = TEMPLATES[code]
    text = template.hidden if template.hidden is not None and _hides_any(parameters) else template.text
    return text.format(**parameters)


def _hides_any(parameters: Mapping[str, Parameter]) -> bool:
    own = [each for each in parameters.values() if isinstance(each, Value)]
    listed = [value for each in parameters.values() if isinstance(each, Values) for value in each]
    return any(value.hidden is not None for value in (*own, *listed))


# --- what an answer leaves out ---

_LEFT_OUT: Mapping[str, Template] = {
    "worlds_left_out": Template(
        "a group had more combinations of operators than sparkwhy follows; larger explanations may be missing."
    ),
    "pairs_left_out": Template(
        "the pairs of rows that a join does not match could not be examined; "
        "joins that need another comparison may be missing."
    ),
    "explanations_only": Template(
        "the data is large: near misses and other aggregate functions are examined only together with fixes."
    ),
    "no_grouping_set": Template("no grouping set has {keys}; the sets are {sets}."),
    "coarse_bits": Template(
        "the query has more conditions that drop rows than sparkwhy can follow at once; explanations below limits, "
        "counts and anti joins may be missing."
    ),
    "failing_values": Template(
        "rows that the query drops make one of its expressions fail ({condition}); sparkwhy followed them with null in "
        "its place."
    ),
    "other_columns_left_out": Template("other columns could not be searched for the requested value."),
}

# --- rows that nothing explains ---

_UNEXPLAINED: Mapping[str, Template] = {
    "all_relaxed": Template("no such row comes out even if {operators} of the query, alone or together, drop no row."),
    "none_drops": Template("no operator of the query drops rows, so that only its expressions decide what comes out."),
    "ask_without": Template("ask without {columns} to learn what keeps the row out, or which value it has."),
    "ask_for_fewer": Template("{columns} may not belong to one row: ask for one of them at a time to learn more."),
}

# --- alternatives ---

_ALTERNATIVES: Mapping[str, Template] = {
    "not_tried": Template("{changes} was not tried: {reason}"),
    "variant_failed": Template(
        "skipped: Spark failed while evaluating this automatically added alternative ({error}).",
    ),
    "function_limit": Template("at most {limit} other functions are tried"),
    "no_distinct_on_large_data": Template("on large data, distinct values are counted only where the query does so"),
    "unused": Template("the query does not use {paths}"),
    "other_type": Template("{path} is {given}, not {wanted}: the schema would change"),
    "lacks_read_field": Template("{path} has no field {field}, which the query reads: the schema would change"),
    "lacks_all_fields": Template("{path} has none of the fields: the schema would change"),
    "has_no_field": Template("{path} has no field {field}"),
    "does_not_reach_readers": Template("{path} does not reach the operators that would read it"),
    "does_not_reach": Template("{path} does not reach step {step}"),
    "different_substitutes": Template("the operators above step {step} need different columns in the place of {path}"),
    "whole_columns_only": Template("step {step} drops duplicates by whole columns of the same type only"),
    "cast_needed": Template("{path} is {given}: cast to {wanted}"),
    "field_is_null": Template("{path} has no field {field}: null"),
    "same_type": Template("{new} has the type of {old}"),
    "same_struct": Template("both are fields of one struct"),
    "same_source": Template("both are columns of one source"),
    "similar_names": Template("their names are similar"),
    "rows_fit": Template("{fitting} of {rows} contain the requested value there"),
    "no_row_fits": Template("none of {rows} contains the requested value there"),
    "value_elsewhere": Template(
        '{new} contains what you ask of {old}, in {fitting} of {rows}: alternatives="auto" tries it.'
    ),
}

# --- fixes that do not work, or that there are none of ---

_REASONS: Mapping[str, Template] = {
    "no_constant_known": Template("no change of its constants is known that lets the row through"),
    "is_null": Template("{column} is null for this row; drop the null test to let it through"),
    "is_not_null": Template("{column} is not null for this row; drop the null test to let it through"),
    "boolean_column": Template(
        "{column} is {value} for this row; drop the condition or allow {value}",
        hidden="{column} does not have the value that the filter needs; drop the condition",
    ),
    "no_other_form": Template("no other form of {condition} is known that lets the row through"),
    "value_unknown": Template("it is not known which value {operator} would have to let through"),
    "remove_only": Template("the row comes through without {operator}; no smaller change was found"),
    "still_missing": Template("with this change the row is still missing"),
    "other_values": Template("with this change {values}, not {wanted}", hidden="with this change it is not {wanted}"),
    "change_fails": Template("with this change the query fails: {condition}"),
    "several_reasons": Template("{first}; {other}"),
}

# --- hints beside a witness ---

_HINTS: Mapping[str, Template] = {
    "null_key": Template("null equals nothing, not even null"),
    "null_safe_partner": Template("only <=> (eqNullSafe) would find it a partner"),
    "null_and_value": Template("null equals no value"),
    "not_in_with_null": Template(
        "NOT IN keeps no row while there is a null on the right: use NOT EXISTS, or leave the nulls out"
    ),
    "rest_fails": Template("the key is there, but no row with it meets {conditions}"),
    "types_differ": Template(
        "both sides read {text:quoted}, but as {one} and as {other} they are not equal: cast both to one type",
        hidden="both sides read the same, but as {one} and as {other} they are not equal: cast both to one type",
    ),
    "nulls_in_group": Template("the group has {total} rows, but {column} is null in {nulls} of them"),
    "equal_after": Template(
        "{one:quoted} and {other:quoted} are equal after {changes}", hidden="two values are equal after {changes}"
    ),
    "time_apart": Template("{one} is {duration} {order} {other}", hidden="the time is {order} the other"),
}

# --- notes on the query ---

_NOTES: Mapping[str, Template] = {
    "random": Template("{operator} returns other values on each run, so another run may give another answer."),
    "by_position": Template("{operator} matches columns by position: {columns}."),
    "union_by_position": Template(
        "{operator} matches columns by position: {columns}. unionByName() matches them by name."
    ),
}

TEMPLATES: Mapping[str, Template] = {**_LEFT_OUT, **_UNEXPLAINED, **_ALTERNATIVES, **_REASONS, **_HINTS, **_NOTES}
"""The wording of every message, by code."""
