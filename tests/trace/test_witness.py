"""Observations: what rules record comes back typed, under the expression that it belongs to."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal as Exact

import pytest

from sparkwhy.explain.candidates import candidate_plan, candidates_of
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, Value
from sparkwhy.plan.exprs import And, Attribute, AttrId, Call, Cast, Compare, Expr, IsNotNull, Literal, Ref
from sparkwhy.plan.nodes import (
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OpId,
    Plan,
    SetOperation,
    Sort,
    SortKey,
)
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Decimal,
    Field,
    Struct,
    Type,
)
from sparkwhy.trace.encode import Typed, decode, encode, print_value
from sparkwhy.trace.trace import trace
from sparkwhy.trace.witness import NotRecorded, Observation, Observations, Witness
from tests.plan.test_nodes import attribute, table

K, V, J = attribute(1, "k"), attribute(2, "v"), attribute(3, "j")


def integer_is(attribute: Attribute, value: int) -> Expr:
    return Compare("=", Ref(attribute), Literal(value, INTEGER))


def witness_of(plan: Plan, rows: dict[int, list[Row]], *asked: Expr, others: tuple[Plan, ...] = ()) -> Witness:
    """Return the first witness of the only certain candidate that blames something."""
    traced = trace(plan, asked, alternatives=others, records=True)
    tables = {OpId(step): found for step, found in rows.items()}
    found = candidates_of(traced, run(candidate_plan(traced), tables), "UTC")
    (candidate,) = [each for each in found if each.certain and each.blame]
    return candidate.witnesses[0]


def observed(plan: Plan, rows: dict[int, list[Row]], *asked: Expr) -> Observation:
    """Return what the witness met at the top operator."""
    return witness_of(plan, rows, *asked).at[plan.id.step]


# --- one value of each type ---

UTC_NOON = datetime(2024, 1, 31, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        (INTEGER, "-7", -7),
        (LONG, "9223372036854775807", 2**63 - 1),
        (BOOLEAN, "true", True),
        (DOUBLE, "1.0E10", 1e10),
        (DOUBLE, "Infinity", float("inf")),
        (FLOAT, "0.1", 0.1),
        (Decimal(10, 2), "1.50", Exact("1.50")),
        (STRING, "null", "null"),
        (STRING, "", ""),
        (DATE, "2024-01-31", date(2024, 1, 31)),
        (TIMESTAMP, "2024-01-31 12:00:00", UTC_NOON),
        (TIMESTAMP, "2024-01-31 12:00:00.5", UTC_NOON.replace(microsecond=500_000)),
        (TIMESTAMP_NTZ, "2024-01-31 12:00:00", datetime(2024, 1, 31, 12)),
    ],
)
def test_a_text_is_decoded_by_its_type_and_printed_again(type: Type, text: str, value: Typed) -> None:
    assert decode(text, type, "UTC") == value
    assert print_value(value) == text
    assert decode(None, type, "UTC") is None


def encoded(value: Value, type: Type) -> Value:
    attribute = Attribute(AttrId(1), "x", type)
    return evaluator(encode(Ref(attribute)), (attribute,), Settings())((value,))


def test_bytes_are_decoded_from_hexadecimal_digits() -> None:
    assert encoded(b"a\xff", BINARY) == "61FF"
    assert decode("61FF", BINARY, "UTC") == b"a\xff"
    inside = Array(BINARY)
    sent = encoded((b"\x00", None), inside)
    assert isinstance(sent, str)
    assert decode(sent, inside, "UTC") == (b"\x00", None)


def test_atoms_inside_of_a_struct_have_their_types() -> None:
    type = Struct((Field("day", DATE), Field("price", Decimal(5, 1)), Field("ok", BOOLEAN), Field("no", LONG)))
    assert decode('["2024-01-31","2.5","false",null]', type, "UTC") == {
        "day": date(2024, 1, 31),
        "price": Exact("2.5"),
        "ok": False,
        "no": None,
    }


def test_times_have_the_offset_of_the_session_zone() -> None:
    found = decode("2024-01-31 13:00:00", TIMESTAMP, "Europe/Berlin")
    assert found == UTC_NOON
    assert print_value(found) == "2024-01-31 13:00:00"


def test_rows_with_nan_are_equal() -> None:
    one, other = (decode('["NaN"]', Array(DOUBLE), "UTC") for _ in range(2))
    assert one == other
    assert print_value(one) == "[NaN]"


def test_a_value_that_python_cannot_hold_stays_text() -> None:
    assert decode("+12345-01-01", DATE, "UTC") == "+12345-01-01"


# --- each kind of recording ---


def test_a_filter_records_values_and_verdicts_by_expression() -> None:
    small, known = Compare("<", Ref(V), Literal(5, INTEGER)), IsNotNull(Ref(K))
    plan = Filter(id=OpId(2), input=table(1, K, V), condition=And((small, known)))
    seen = observed(plan, {1: [(1, 9)]}, integer_is(K, 1))
    assert seen.value_of(Ref(V)) == 9
    assert (seen.verdict_of(small), seen.verdict_of(known)) == (False, True)
    assert (seen.values["v"], seen.verdicts) == (9, {"v < 5": False, "k is not null": True})


def test_a_null_verdict_is_none() -> None:
    plan = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(5, INTEGER)))
    assert observed(plan, {1: [(1, None)]}, integer_is(K, 1)).verdicts == {"v < 5": None}


def test_an_expression_that_was_not_recorded_is_no_truth() -> None:
    plan = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(5, INTEGER)))
    seen = observed(plan, {1: [(1, 9)]}, integer_is(K, 1))
    other = Compare("<", Ref(V), Literal(6, INTEGER))
    assert not seen.has_verdict(other)
    assert not seen.has_value(Ref(J))
    with pytest.raises(NotRecorded):
        seen.verdict_of(other)
    with pytest.raises(NotRecorded):
        seen.value_of(Ref(J))


def test_functions_that_print_alike_are_told_apart() -> None:
    """`a / b` and `try_divide(a, b)` read alike in a report, but are two expressions."""
    a, b = attribute(8, "a", DOUBLE), attribute(9, "b", DOUBLE)
    written, tried = Call("/", (Ref(a), Ref(b)), "ansi"), Call("/", (Ref(a), Ref(b)), "try")
    assert show_expr(written) == show_expr(tried)
    one, other = Compare("<", written, Literal(2.0, DOUBLE)), Compare(">", tried, Literal(2.0, DOUBLE))
    plan = Filter(id=OpId(2), input=table(1, K, a, b), condition=And((one, other)))
    seen = observed(plan, {1: [(1, 9.0, 3.0)]}, integer_is(K, 1))
    assert (seen.verdict_of(one), seen.verdict_of(other)) == (False, True)


def test_a_join_records_the_side_without_a_partner() -> None:
    condition = Compare("=", Ref(K), Ref(J))
    plan = Join(id=OpId(3), left=table(1, K), right=table(2, J), how="inner", condition=condition)
    rows: dict[int, list[Row]] = {1: [(1,)], 2: [(2,)]}
    left, right = observed(plan, rows, integer_is(K, 1)), observed(plan, rows, integer_is(J, 2))
    assert (left.no_partner, left.value_of(Ref(K))) == ("right", 1)
    assert (right.no_partner, right.value_of(Ref(J))) == ("left", 2)


def test_an_anti_join_records_a_partner() -> None:
    condition = Compare("=", Ref(K), Ref(J))
    plan = Join(id=OpId(3), left=table(1, K), right=table(2, J), how="anti", condition=condition)
    seen = observed(plan, {1: [(1,)], 2: [(1,)]}, integer_is(K, 1))
    assert (seen.has_partner, seen.no_partner, seen.value_of(Ref(K))) == ("right", None, 1)


@pytest.mark.parametrize(("collection", "state"), [((), "empty"), (None, "null")])
def test_a_flatten_records_why_it_makes_no_row(collection: Value, state: str) -> None:
    xs = attribute(5, "xs", Array(INTEGER))
    plan = Flatten(id=OpId(2), input=table(1, K, xs), collection=Ref(xs), elements=(attribute(6, "x"),))
    assert observed(plan, {1: [(1, collection)]}, integer_is(K, 1)).collections == ((Ref(xs), state),)


def test_a_limit_records_the_rank_and_where_it_cuts() -> None:
    order = Sort(id=OpId(2), input=table(1, K), order=(SortKey(Ref(K)),))
    seen = observed(Limit(id=OpId(3), input=order, count=2), {1: [(5,), (3,), (4,), (6,)]}, integer_is(K, 6))
    assert (seen.rank, seen.last_rank, seen.cut_off) == (4, 2, ((Ref(K), 4),))
    assert seen.value_of(Ref(K)) == 6


def test_dropped_duplicates_record_the_row_that_is_kept() -> None:
    plan = Distinct(id=OpId(2), input=table(1, K, V), keys=(K,))
    assert observed(plan, {1: [(1, 5), (1, 6)]}, integer_is(V, 6)).rival == {"k": 1, "v": 5}


def test_a_set_operation_records_copies() -> None:
    plan = SetOperation(id=OpId(3), left=table(1, K), right=table(2, J), operation="except", all=True)
    seen = observed(plan, {1: [(1,)], 2: [(1,)]}, integer_is(plan.output[0], 1))
    assert seen.copies == {"left": 1, "right": 1}


def test_a_trail_goes_through_a_distinct() -> None:
    kept = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(5, INTEGER)))
    plan = Distinct(id=OpId(3), input=kept)
    assert witness_of(plan, {1: [(1, 9)]}, integer_is(K, 1)).at[2].verdicts == {"v < 5": False}


# --- variants ---


def test_each_variant_has_its_own_expressions() -> None:
    """The filter reads `v` as written and `j` in the variant: a witness has the values of its own variant."""
    source = table(1, K, V, J)
    first, second = (
        Filter(id=OpId(2), input=source, condition=Compare("<", Ref(read), Literal(5, INTEGER))) for read in (V, J)
    )
    traced = trace(first, (integer_is(K, 1),), alternatives=(second,), records=True)
    found = candidates_of(traced, run(candidate_plan(traced), {OpId(1): [(1, 8, 9)]}), "UTC")
    seen = {each.alternative: each.witnesses[0].at[2] for each in found if each.blame}
    assert (seen[0].values, seen[0].verdicts) == ({"v": 8}, {"v < 5": False})
    assert (seen[1].values, seen[1].verdicts) == ({"j": 9}, {"j < 5": False})


# --- what users see ---


def test_observations_are_found_by_operator_or_number_and_cannot_be_changed() -> None:
    plan = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(5, INTEGER)))
    witness = witness_of(plan, {1: [(1, 9)]}, integer_is(K, 1))
    assert witness.row == {"k": 1, "v": 9}
    assert list(witness.at) == [2]
    assert witness.at.get(7) is None
    assert not hasattr(Observations, "__setitem__")


def test_the_value_under_a_cast_is_recorded_too() -> None:
    text = attribute(7, "t", STRING)
    cast = Cast(Ref(text), INTEGER)
    plan = Filter(id=OpId(2), input=table(1, K, text), condition=Compare("<", cast, Literal(5, INTEGER)))
    assert observed(plan, {1: [(1, "09")]}, integer_is(K, 1)).value_of(Ref(text)) == "09"
