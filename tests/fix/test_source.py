"""The change of a line of the user's file: told where it is certain, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparkwhy.fix.code.line_diff import line_diff
from sparkwhy.fix.code.sql_text import edit_sql
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    Call,
    Cast,
    Compare,
    CompareOp,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    Literal,
    Not,
    Or,
    Ref,
)
from sparkwhy.plan.nodes import SQL_TEXT, Aggregate, Column, Filter, Join, Limit, OpId, Place, Plan, Project
from sparkwhy.plan.types import DOUBLE, INTEGER, STRING, TIMESTAMP, Field, Struct
from tests.plan.test_nodes import attribute, table

N, S, X = attribute(1, "n"), attribute(2, "s", STRING), attribute(3, "x", DOUBLE)
SOURCE = table(1, N, S, X)


def compare(op: CompareOp, value: int | str) -> Expr:
    return Compare(op, Ref(S if isinstance(value, str) else N), constant(value))


def constant(value: int | str) -> Expr:
    return Literal(value, STRING if isinstance(value, str) else INTEGER)


def changed(folder: Path, line: str, before: Expr, after: Expr) -> str | None:
    """The line after the change that the diff tells."""
    file = folder / "etl.py"
    file.write_text(f"df = read()\n{line}\nprint(5)\n", encoding="utf-8")
    old: Plan = Filter(id=OpId(2), input=SOURCE, condition=before, where=Place(str(file), 2))
    diff = line_diff(old, Filter(id=OpId(2), input=SOURCE, condition=after))
    if diff is None:
        return None
    *head, removed, added = diff.split("\n")
    assert head == ["--- etl.py", "+++ etl.py", "@@ -2 +2 @@"]
    assert removed == f"-{line}"
    assert added[0] == "+"
    return added[1:]


@pytest.mark.parametrize(
    ("line", "before", "after", "expected"),
    [
        ('df = df.filter(F.col("n") >= 2019)', (">=", 2019), (">=", 2018), 'df = df.filter(F.col("n") >= 2018)'),
        ('    .filter(F.col("n") >= 2019)', (">=", 2019), (">=", 2018), '    .filter(F.col("n") >= 2018)'),
        ('    .filter(F.col("n") >= 20_19)', (">=", 2019), (">=", -3), '    .filter(F.col("n") >= -3)'),
        ("df = df.where(df.n < 5)  # below 5", ("<", 5), ("<=", 5), "df = df.where(df.n <= 5)  # below 5"),
        ("df = df.where(df.n != 5)", ("<>", 5), ("<=", 5), "df = df.where(df.n <= 5)"),
        ("df = df.where(df.s == 'Ger')", ("=", "Ger"), ("=", "ger "), "df = df.where(df.s == 'ger ')"),
        ('df = df.where(df.s == "Ger")', ("=", "Ger"), ("=", "it's"), 'df = df.where(df.s == "it\'s")'),
        # a statement of several lines: this is one of them
        ('    (F.col("n") >= 2019)', (">=", 2019), (">=", 2018), '    (F.col("n") >= 2018)'),
        (") & (F.col('n') >= 2019) & (", (">=", 2019), (">=", 2018), ") & (F.col('n') >= 2018) & ("),
    ],
)
def test_one_constant_or_comparison_is_replaced(tmp_path: Path, line: str, before, after, expected: str) -> None:
    assert changed(tmp_path, line, compare(*before), compare(*after)) == expected


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("df.where((df.n > 5) & (df.m > 5))", (">", 5), (">", 2)),  # which of them?
        ("df.where((df.n < 5) & (df.m < 7))", ("<", 5), ("<=", 5)),
        ("df.where(df.n > limit)", (">", 5), (">", 2)),  # the constant is elsewhere
        ("df.where((df.n > limit) & (df.m > -5))", (">", 5), (">", 2)),  # and this is another
        ("df.where((df.n > 6 - 5))", (">", 5), (">", 2)),
        ('df.where("n > 5")', (">", 5), (">", 2)),  # inside of a text
        ('df.where("n > 5")', (">", 5), (">=", 5)),
        ('df.where(F.col("s") == wanted)', ("=", "s"), ("=", "t")),  # the name of a column
        ("df.where(df.s == 'a')", ("=", "a"), ("=", "it's")),  # would need other quotes
        ("df.where(df.s == 'a')", ("=", "a"), ("=", "b\\n")),
        ("df.where(df.s == 'a')", ("=", "a"), ("=", "b\n")),
        ("df.where(df.n > 5.0)", (">", 5), (">", 2)),
        ("df.where(df.n > 5)", (">", 5), ("<", 6)),  # two changes
        ("", (">", 5), (">", 2)),
    ],
)
def test_what_would_be_a_guess_is_not_told(tmp_path: Path, line: str, before, after) -> None:
    assert changed(tmp_path, line, compare(*before), compare(*after)) is None


def test_a_constant_that_the_condition_has_twice_is_a_guess(tmp_path: Path) -> None:
    """One of the two is in a variable; nobody knows which."""
    line = "df.where((df.n > low) & (df.n < 5))"
    before = And((compare(">", 5), compare("<", 5)))
    assert changed(tmp_path, line, before, And((compare(">", 2), compare("<", 5)))) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("df = df.where(df.n != 5)", "df = df.where(~df.n.eqNullSafe(5))"),
        ('df = df.where((F.col("n") != 5))  # ü', 'df = df.where((~F.col("n").eqNullSafe(5)))  # ü'),
        ('x = "ü", df["n"] != 5', 'x = "ü", ~df["n"].eqNullSafe(5)'),
        ("df.where((df.n != 5) & (df.n != 7))", "df.where((~df.n.eqNullSafe(5)) & (df.n != 7))"),
        ("df.where((df.n != 5) & (other.n != 5))", None),  # which of them?
        ("df.where(df.m != 5)", None),
        ("df.where(df.n != five)", None),
        ("df.where(5 != df.n)", None),
        ("df.where(F.abs(df.n) != 5)", None),
        ("df.where('n != 5')", None),
        ("df.where(df.n != 5", None),  # no Python
    ],
)
def test_a_null_safe_form_is_written(tmp_path: Path, line: str, expected: str | None) -> None:
    before = compare("<>", 5)
    assert changed(tmp_path, line, before, Not(Compare("<=>", Ref(N), constant(5)))) == expected
    assert changed(tmp_path, line, before, Not(Compare("<=>", Ref(N), constant(6)))) is None


def test_a_day_that_spark_has_cast_is_compared_as_it_was_written(tmp_path: Path) -> None:
    day = Compare(">=", Ref(S), Cast(constant("2024-01-31"), TIMESTAMP))
    line = 'df.where(F.col("s") >= "2024-01-31")'
    assert changed(tmp_path, line, day, Or((day, IsNull(Ref(S))))) == (
        'df.where((F.col("s") >= "2024-01-31") | F.col("s").isNull())'
    )


def test_forms_that_let_null_through_or_nothing_else_are_written(tmp_path: Path) -> None:
    before = compare("<>", 5)
    line = "df = df.where((df.n != 5) & (df.s > 'a'))"
    either = Or((before, IsNull(Ref(N))))
    others = compare(">", "a")
    assert changed(tmp_path, line, And((before, others)), And((either, others))) == (
        "df = df.where(((df.n != 5) | df.n.isNull()) & (df.s > 'a'))"
    )
    assert changed(tmp_path, line, And((before, others)), And((IsNotNull(Ref(N)), others))) == (
        "df = df.where((df.n.isNotNull()) & (df.s > 'a'))"
    )
    assert changed(tmp_path, line, And((before, others)), And((either, compare(">", "b")))) is None
    assert changed(tmp_path, line, And((before, others)), And((either, compare(">=", "a")))) == (
        "df = df.where(((df.n != 5) | df.n.isNull()) & (df.s >= 'a'))"
    )


def test_several_conditions_of_a_line_change_together(tmp_path: Path) -> None:
    line = 'df.where((F.col("n") >= 100) & (F.col("s") != "open"))'
    before = And((compare(">=", 100), compare("<>", "open")))
    after = And((compare(">=", 95), Not(Compare("<=>", Ref(S), constant("open")))))
    assert changed(tmp_path, line, before, after) == 'df.where((F.col("n") >= 95) & (~F.col("s").eqNullSafe("open")))'
    assert changed(tmp_path, line.replace("100", "limit"), before, after) is None


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("a.join(b, a.n == b.m).show()", 1, 'a.join(b, a.n == b.m, "left").show()'),
        ("a.join(b, (a.n == b.m) & (a.s == b.s))", 1, 'a.join(b, (a.n == b.m) & (a.s == b.s), "left")'),
        ("a.join(\n    b,\n    a.n == b.m,\n)", 3, '    a.n == b.m, "left",'),
        ("a.join(b, a.n == b.m, 'inner')", 1, 'a.join(b, a.n == b.m, "left")'),
        ("a.join(b, a.n == b.m, how)", 1, None),
        ("a.join(b, (a.n == b.m))", 1, None),  # inside of the brackets it would be a tuple
        ("a.join(b, a.n == b.m).join(c, a.n == c.m)", 1, None),  # which of them?
        ("condition = a.n == b.m\na.join(b, condition)", 1, None),
    ],
)
def test_another_type_of_a_join_is_written(tmp_path: Path, text: str, line: int, expected: str | None) -> None:
    file = tmp_path / "etl.py"
    file.write_text(text, encoding="utf-8")
    other = attribute(9, "m")
    same = Compare("=", Ref(N), Ref(other))
    place = Place(str(file), line)
    old = Join(id=OpId(3), left=SOURCE, right=table(2, other), how="inner", condition=same, where=place)
    diff = line_diff(old, replace(old, how="left"))
    assert (None if diff is None else diff.split("\n+")[-1]) == expected


def test_other_forms_are_not_written(tmp_path: Path) -> None:
    listed = In(Ref(N), (constant(5),))
    assert changed(tmp_path, "df.where(df.n.isin(5))", listed, In(Ref(N), (constant(5), constant(7)))) is None


def test_a_constant_that_spark_has_cast_is_written_as_it_was(tmp_path: Path) -> None:
    day = Compare("<=", Ref(attribute(4, "t", TIMESTAMP)), Cast(constant("2024-01-31"), TIMESTAMP))
    later = replace(day, right=Cast(constant("2024-01-31 10:15:00"), TIMESTAMP))
    source = table(1, attribute(4, "t", TIMESTAMP))
    file = tmp_path / "etl.py"
    file.write_text('df.where(df.t <= "2024-01-31")', encoding="utf-8")
    old = Filter(id=OpId(2), input=source, condition=day, where=Place(str(file), 1))
    diff = line_diff(old, replace(old, condition=later))
    assert diff is not None
    assert diff.endswith('+df.where(df.t <= "2024-01-31 10:15:00")')


def test_a_whole_number_may_become_a_fraction(tmp_path: Path) -> None:
    before = Compare(">", Ref(X), Cast(constant(5), DOUBLE))
    after = replace(before, right=Literal(2.5, DOUBLE))
    assert changed(tmp_path, "df.where(df.x > 5)", before, after) == "df.where(df.x > 2.5)"
    assert changed(tmp_path, "df.where(df.x > 5)", before, replace(before, right=Literal(float("inf"), DOUBLE))) is None


def test_a_limit_is_written(tmp_path: Path) -> None:
    file = tmp_path / "etl.py"
    file.write_text("df.limit(3)", encoding="utf-8")
    old = Limit(id=OpId(2), input=SOURCE, count=3, where=Place(str(file), 1))
    diff = line_diff(old, replace(old, count=4))
    assert diff is not None
    assert diff.endswith("+df.limit(4)")


@pytest.mark.parametrize(
    "place",
    [None, Place("/no/such/file.py", 1), Place(SQL_TEXT, 1), Place("cell 3", 1), Place(__file__, 10**6), Place("/", 1)],
    ids=str,
)
def test_without_a_line_there_is_no_diff(place: Place | None) -> None:
    old = Filter(id=OpId(2), input=SOURCE, condition=compare(">", 5), where=place)
    assert line_diff(old, replace(old, condition=compare(">", 2))) is None


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ('.agg(F.sum("n").alias("total"))', "total", '.agg(F.avg("n").alias("total"))'),
        ('.agg(sum("n").alias("total"))', "total", None),  # avg may not be imported
        ('.agg(F.sum("n").alias("total"), F.sum("m"))', "total", None),  # which of them?
        ('.groupBy("s").sum("n")', "sum(n)", None),  # the column would have another name
    ],
)
def test_another_function_is_written(tmp_path: Path, line: str, name: str, expected: str | None) -> None:
    file = tmp_path / "etl.py"
    file.write_text(line, encoding="utf-8")
    total = attribute(5, name, DOUBLE)
    old = Aggregate(
        id=OpId(2),
        input=SOURCE,
        keys=(Column(S, Ref(S)),),
        aggregates=(Column(total, AggCall("sum", (Ref(X),))),),
        where=Place(str(file), 1),
    )
    diff = line_diff(old, replace(old, aggregates=(Column(total, AggCall("avg", (Ref(X),))),)))
    assert (None if diff is None else diff.split("\n")[-1]) == (None if expected is None else f"+{expected}")


PLACE, USER = (
    attribute(i, n, Struct((Field("country", STRING), Field("city", STRING)))) for i, n in ((4, "p"), (5, "u"))
)
Z = attribute(6, "z", STRING)
NESTED = table(1, N, S, PLACE, USER, Z, attribute(7, "town", STRING))
CITY = attribute(9, "town", STRING)


@pytest.mark.parametrize(
    ("line", "before", "after", "expected"),
    [
        ('df.select("n", F.col("s").alias("city"))', Ref(S), Ref(Z), 'df.select("n", F.col("z").alias("city"))'),
        (
            'df.select(F.col("p.city").alias("c"), "n")',
            FieldOf(Ref(PLACE), 1),
            FieldOf(Ref(USER), 1),
            'df.select(F.col("u.city").alias("c"), "n")',
        ),
        (
            "df.select(F.col('t.p.city').alias('c'))",
            FieldOf(Ref(PLACE), 1),
            FieldOf(Ref(PLACE), 0),
            "df.select(F.col('t.p.country').alias('c'))",
        ),
        ('df.select("n", F.col("town"))', Ref(attribute(7, "town", STRING)), Ref(Z), None),  # it would be called z
        ('df.select("s", F.col("s"))', Ref(S), Ref(Z), None),  # which of them?
        ('df.select("s and more")', Ref(S), Ref(Z), None),
        ("df.select(df.s)", Ref(S), Ref(Z), None),
        ('df.select(F.upper("s"))', Call("upper", (Ref(S),)), Ref(Z), None),
    ],
)
def test_another_column_is_written(tmp_path: Path, line: str, before: Expr, after: Expr, expected: str | None) -> None:
    (tmp_path / "etl.py").write_text(f"{line}\n", encoding="utf-8")

    def query(expr: Expr, where: Place | None = None) -> Plan:
        return Project(id=OpId(2), input=NESTED, columns=(Column(N, Ref(N)), Column(CITY, expr)), where=where)

    diff = line_diff(query(before, Place(str(tmp_path / "etl.py"), 1)), query(after))
    assert (None if diff is None else diff.split("\n")[-1][1:]) == expected


def test_another_column_of_an_aggregate_is_written(tmp_path: Path) -> None:
    file = tmp_path / "etl.py"
    file.write_text('df.groupBy("n").agg(F.max("s").alias("top"))', encoding="utf-8")
    top, where = attribute(8, "top", STRING), Place(str(file), 1)

    def query(column: Attribute) -> Plan:
        found = (Column(top, AggCall("max", (Ref(column),))),)
        return Aggregate(id=OpId(2), input=NESTED, keys=(Column(N, Ref(N)),), aggregates=found, where=where)

    diff = line_diff(query(S), query(Z))
    assert diff is not None
    assert diff.split("\n")[-1] == '+df.groupBy("n").agg(F.max("z").alias("top"))'


def test_two_changes_of_one_line_are_done_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "etl.py"
    file.write_text('df.filter(F.col("n") > 4).filter(F.col("n") < 9)', encoding="utf-8")
    edited: dict[str, list[str]] = {}

    def query(op: CompareOp, value: int) -> Plan:
        compared = Compare(op, Ref(N), Literal(value, N.type))
        return Filter(id=OpId(2), input=SOURCE, condition=compared, where=Place(str(file), 1))

    line_diff(query(">", 4), query(">", 3), edited)
    diff = line_diff(query("<", 9), query("<", 10), edited)
    assert diff is not None
    assert diff.split("\n")[-2:] == [
        '-df.filter(F.col("n") > 3).filter(F.col("n") < 9)',
        '+df.filter(F.col("n") > 3).filter(F.col("n") < 10)',
    ]


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ('df.filter("n > 4")', "n > 4", 'df.filter("n > 3")'),
        ('df.withColumn("x", F.lit(4)).filter("n > 4")', "n > 4", 'df.withColumn("x", F.lit(4)).filter("n > 3")'),
        ('df.limit(4).filter("n > 4 and m = 4")', "n > 4 and m = 4", None),  # which of them?
        ('df.limit(4).filter("n > " + least)', "n > 4", None),  # not in this line
        ('df.filter("n > -4")', "n > -4", None),
    ],
)
def test_within_a_condition_that_is_text_only_the_text_is_changed(
    tmp_path: Path, line: str, text: str, expected: str | None
) -> None:
    file = tmp_path / "etl.py"
    file.write_text(line, encoding="utf-8")

    def query(value: int) -> Plan:
        return Filter(
            id=OpId(2),
            input=SOURCE,
            condition=Compare(">", Ref(N), Literal(value, N.type)),
            where=Place(str(file), 1, text),
        )

    diff = line_diff(query(4), query(3))
    assert (None if diff is None else diff.split("\n")[-1][1:]) == expected


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("cls = 'hi'", ("constant", "hi", "lo"), "cls = 'lo'"),
        ("cls == 'hi'", ("comparison", "==", "!="), "cls <> 'hi'"),
        ("hi = 'hi' and n >= 3", ("comparison", ">=", ">"), "hi = 'hi' and n > 3"),
        ("place.city = 'x'", ("name", "place.city", "user.city"), "user.city = 'x'"),
        ("a = 'it''s'", ("constant", "it's", "x"), None),
        ("n33 > 3", ("constant", 3, 4), "n33 > 4"),
        ("n > 3.5", ("constant", 3, 4), None),
    ],
)
def test_one_token_of_sql_is_changed(text: str, change: tuple[str, Any, Any], expected: str | None) -> None:
    assert edit_sql(text, *change) == expected
