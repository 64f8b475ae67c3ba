"""Queries as short PySpark programs: every operation is a line, and hypothesis prints the program.

While a query is drawn it is also built, so that each step knows the schema of those before it. Whatever the law
says of a query must not depend on choices that Spark is free to make; what is generated here leaves it none: limits
and windows stand over total orders, `dropDuplicates` keeps only its keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import event
from hypothesis import strategies as st
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy.plan.types import (
    BOOLEAN,
    DOUBLE,
    STRING,
    Array,
    Field,
    Map,
    Struct,
    Type,
    is_numeric,
    same_shape,
    type_from_json,
)
from tests.generate.choices import Choices
from tests.generate.expressions import (
    Leaf,
    Scope,
    an_expression,
    clear_fields,
    column,
    has,
    is_orderable,
    predicate,
    typed,
)
from tests.generate.tables import Data, a_name, a_table, create, fields, quoted

MOST_STEPS = 7
MOST_MULTIPLICATIONS = 2
"""How often a query may multiply its rows."""


@dataclass(frozen=True)
class Query:
    """Tables `t0`, `t1`, ... and lines that make `r0`, `r1`, ... from them; the last is the result."""

    tables: tuple[Data, ...]
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        tables = [f"# t{i} {data}" for i, data in enumerate(self.tables)]
        lines = [f"r{i} = {line}" for i, line in enumerate(self.lines)]
        return "\n".join(["", *tables, *lines])


def build(session: SparkSession, query: Query) -> DataFrame:
    """The DataFrame of a query."""
    names = {f"t{i}": create(session, data) for i, data in enumerate(query.tables)}
    for i, line in enumerate(query.lines):
        names[f"r{i}"] = _evaluate(line, names)
    return names[f"r{len(query.lines) - 1}"]


def _evaluate(line: str, names: dict[str, DataFrame]) -> DataFrame:
    made = eval(line, {"F": F, "Window": Window, **names})
    assert isinstance(made, DataFrame)
    return made


# --- what is known of a relation -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Relation:
    """A table or the result of a line.

    `unordered`: it has lists in no particular order; `inexact`: it has doubles whose sum depends on the order;
    `size`: how often its rows were multiplied.
    """

    name: str
    df: DataFrame
    unordered: bool = False
    inexact: bool = False
    size: int = 0

    @property
    def columns(self) -> tuple[Field, ...]:
        read = type_from_json(json.loads(self.df.schema.json()))
        assert isinstance(read, Struct)
        return read.fields

    @property
    def clear(self) -> list[tuple[str, Type]]:
        """The columns whose names mean one column only."""
        return clear_fields(Struct(self.columns), self.case_sensitive)

    @property
    def all_clear(self) -> bool:
        return len(self.clear) == len(self.columns)

    @property
    def case_sensitive(self) -> bool:
        return self.df.sparkSession.conf.get("spark.sql.caseSensitive") == "true"

    @property
    def scope(self) -> Scope:
        return self.qualified("")

    def qualified(self, prefix: str) -> Scope:
        """The scope of its columns under an alias."""
        leaves = (Leaf(f"F.col({prefix + quoted(name)!r})", type) for name, type in self.clear)
        return Scope(tuple(leaves), self.unordered, self.case_sensitive)

    def comparable(self) -> list[tuple[str, Type]]:
        """The columns that can be compared, grouped and sorted, with the same result every time."""
        return [c for c in self.clear if is_orderable(c[1]) and not (self.unordered and has(Array, c[1]))]

    @property
    def totally_ordered_by(self) -> list[str] | None:
        """All columns, if they can be sorted by; rows that are equal then are equal in everything."""
        names = [name for name, _ in self.comparable()]
        return names if names and len(names) == len(self.columns) else None


@dataclass(frozen=True)
class Made:
    """A line, and what it adds to what is known of its inputs."""

    line: str
    unordered: bool = False
    inexact: bool = False
    sorted: bool = False
    multiplies: int = 0


Step = Callable[[Choices, Relation, "list[Relation]"], "Made | None"]
"""Makes a line over a relation, and perhaps another of the relations; None if there is nothing to do."""


def _names(names: list[str]) -> str:
    """Column names as arguments; a dot in a name must be quoted."""
    return ", ".join(repr(quoted(name)) for name in names)


# --- one row in, one row out -----------------------------------------------------------------------------------------


def select(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    kept = choices.some([name for name, _ in source.clear], 0, 3)
    made = choices.several(lambda: f"{an_expression(choices, source.scope)}.alias({a_name(choices)!r})", 1, 2)
    return Made(f"{source.name}.select({', '.join([*map(column, kept), *made])})")


def select_star_and(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    return Made(f"{source.name}.select('*', {an_expression(choices, source.scope)}.alias({a_name(choices)!r}))")


def with_column(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    name = choices.pick([name for name, _ in source.clear] + [a_name(choices)])
    return Made(f"{source.name}.withColumn({name!r}, {an_expression(choices, source.scope)})")


def rename(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    if not source.clear:
        return None
    name, _ = choices.pick(source.clear)
    return Made(f"{source.name}.withColumnRenamed({name!r}, {a_name(choices)!r})")


def name_all(_choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    """New names for all columns: the way out of ambiguous ones."""
    return Made(f"{source.name}.toDF({', '.join(repr(f'c{i}') for i in range(len(source.columns)))})")


def drop(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    if len(source.clear) < 2:
        return None
    return Made(f"{source.name}.drop({choices.pick(source.clear)[0]!r})")


def nest_struct(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    names = choices.some([name for name, _ in source.clear], 1, 3)
    if not names:
        return None
    rest = [name for name, _ in source.clear if name not in names]
    struct = f"F.struct({_names(names)}).alias({a_name(choices)!r})"
    return Made(f"{source.name}.select({', '.join([*map(column, rest), struct])})")


def flatten_struct(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    structs = [name for name, type in source.clear if isinstance(type, Struct)]
    if not structs:
        return None
    star = f"F.col({quoted(choices.pick(structs)) + '.*'!r})"
    kept = choices.some([name for name, _ in source.clear], 0, 2)
    return Made(f"{source.name}.select({', '.join([*map(column, kept), star])})")


def divide(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    """May fail in ANSI mode: a division, a cast, a list item."""
    scope = source.scope
    lists = [leaf.text for leaf in scope.leaves if isinstance(leaf.type, Array)]
    made = [
        f"({typed(choices, scope, DOUBLE, 1)} / {typed(choices, scope, DOUBLE, 1)})",
        f"{typed(choices, scope, STRING, 1)}.cast('int')",
        *(f"{text}[1]" for text in lists),
    ]
    return Made(f"{source.name}.withColumn({a_name(choices)!r}, {choices.pick(made)})", inexact=True)


def pass_through(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    call = choices.pick(
        [
            "repartition(2)",
            "coalesce(1)",
            "hint('broadcast')",
            "alias('q')",
            "select('*')",
            "sortWithinPartitions(F.lit(1))",
        ]
    )
    return Made(f"{source.name}.{call}")


def fill_or_drop_nulls(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    if not source.all_clear:
        return None
    names = choices.some([name for name, type in source.clear], 1, 2)
    simple = [quoted(name) for name in names]
    call = choices.pick(["dropna('any', subset={0})", "dropna('all', subset={0})", "fillna(0)", "fillna('a')"])
    return Made(f"{source.name}.{call.format(simple)}")


# --- rows that go, rows that multiply --------------------------------------------------------------------------------


def filtered(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    return Made(f"{source.name}.filter({predicate(choices, source.scope)})")


def explode(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    scope = Scope(source.scope.columns, case_sensitive=source.case_sensitive)
    leaves = [leaf for leaf in scope.leaves if isinstance(leaf.type, Array | Map)]
    if not leaves:
        return None
    leaf = choices.pick(leaves)
    if source.unordered and "F.get" in leaf.text:
        return None
    outer = "_outer" if choices.one_in(2) else ""
    is_list = isinstance(leaf.type, Array)  # the entries of a map have no order: PySpark hands them out in any
    generators = ["explode", "posexplode"] if is_list and not source.unordered else ["explode"]
    if isinstance(leaf.type, Array) and isinstance(leaf.type.element, Struct):
        generators.append("inline")
    call = f"F.{choices.pick(generators)}{outer}({leaf.text})"
    kept = choices.some([column(name) for name, _ in source.clear], 0, 3)
    lists = isinstance(leaf.type, Array) and "F.explode" in call
    if lists and choices.one_in(2):
        return Made(f"{source.name}.withColumn({a_name(choices)!r}, {call})", multiplies=1)
    return Made(
        f"{source.name}.select({', '.join([choices.pick(['F.lit(1)', repr('*')]), *kept[:1], call])})", multiplies=1
    )


def join_on_names(choices: Choices, source: Relation, others: list[Relation]) -> Made | None:
    other = choices.pick(others)
    known = dict(source.comparable())
    common = [n for n, t in other.comparable() if n in known and same_shape(known[n], t)]
    names = choices.some(common, 1, 2)
    if not names:
        return None
    return Made(f"{source.name}.join({other.name}, {names!r}, {_join_type(choices)!r})", multiplies=1)


def join_on_condition(choices: Choices, source: Relation, others: list[Relation]) -> Made:
    other = choices.pick(others)
    unordered = source.unordered or other.unordered
    left, right = source.qualified("l."), other.qualified("r.")
    both = Scope(left.columns + right.columns, unordered, source.case_sensitive)
    condition = _equality(choices, Scope(left.columns, unordered), Scope(right.columns, unordered))
    if condition is None or choices.one_in(4):
        extra = predicate(choices, both, 1)
        condition = extra if condition is None or choices.one_in(2) else f"({condition} & {extra})"
    how = _join_type(choices)
    joined = f"{source.name}.alias('l').join({other.name}.alias('r'), {condition}, {how!r})"
    if how not in ("left_semi", "left_anti") and choices.one_in(2):
        kept = choices.some([leaf.text for leaf in both.columns], 1, 4)
        joined += f".select({', '.join(kept)})"
    return Made(joined, multiplies=1)


def _equality(choices: Choices, left: Scope, right: Scope) -> str | None:
    pairs = [
        (a.text, b.text)
        for a in left.leaves
        for b in right.leaves
        if same_shape(a.type, b.type) and is_orderable(a.type)
    ]
    if not pairs:
        return None
    a, b = choices.pick(pairs)
    return choices.pick([f"({a} == {b})", f"{a}.eqNullSafe({b})"])


def _join_type(choices: Choices) -> str:
    return choices.pick(["inner", "left", "right", "full", "left_semi", "left_anti"])


def cross_join(choices: Choices, source: Relation, others: list[Relation]) -> Made:
    return Made(f"{source.name}.crossJoin({choices.pick(others).name})", multiplies=1)


# --- groups ----------------------------------------------------------------------------------------------------------


def grouped(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    keys = choices.some([name for name, _ in source.comparable()], 1, 2)
    if not keys:
        return None
    by = "groupBy" if not choices.one_in(4) else choices.pick(["rollup", "cube"])
    return _aggregated(choices, source, f"{source.name}.{by}({_names(keys)})")


def grouped_by_expression(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    key = f"{typed(choices, source.scope, choices.pick((STRING, BOOLEAN)), 1)}.alias({a_name(choices)!r})"
    return _aggregated(choices, source, f"{source.name}.groupBy({key})")


def summarized(choices: Choices, source: Relation, _others: list[Relation]) -> Made:
    return _aggregated(choices, source, f"{source.name}.groupBy()")


def _aggregated(choices: Choices, source: Relation, groups: str) -> Made:
    calls = choices.several(lambda: _aggregate(choices, source), 1, 3)
    text = ", ".join(f"{call}.alias({f'g{i}'!r})" for i, call in enumerate(calls))
    return Made(
        f"{groups}.agg({text})",
        unordered=any(call.startswith("F.collect") for call in calls),
        inexact="F.avg" in text,
    )


def _aggregate(choices: Choices, source: Relation) -> str:
    """An aggregate of one column, or of an expression over it."""
    if not source.scope.leaves:
        return "F.count('*')"
    leaf = choices.pick(source.scope.leaves)
    calls = ["F.count('*')", "F.count({0})", "F.collect_list({0})"]
    if is_orderable(leaf.type):
        calls += ["F.min({0})", "F.max({0})", "F.sort_array(F.collect_list({0}))"]
        calls += ["F.countDistinct({0})", "F.collect_set({0})", "F.sort_array(F.collect_set({0}))"]
    if is_numeric(leaf.type) and not (source.inexact and leaf.type == DOUBLE):
        calls += ["F.sum({0})", "F.avg({0})", "F.sum_distinct({0})", "(F.sum({0}) + F.count('*'))"] * 2
    if leaf.type == BOOLEAN:
        calls += ["F.bool_and({0})", "F.bool_or({0})"]
    if source.all_clear and choices.one_in(6):
        return "F.collect_list(F.struct('*'))"
    return choices.pick(calls).format(leaf.text)


def pivoted(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    texts = [name for name, type in source.clear if type == STRING]
    keys = [name for name, _ in source.comparable()]
    if not texts or not keys:
        return None
    groups = f"{source.name}.groupBy({_names([choices.pick(keys)])}).pivot({choices.pick(texts)!r}, ['a', 'b'])"
    return Made(f"{groups}.agg(F.count(F.lit(1)).alias('n'))")


def unpivoted(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    texts = [name for name, type in source.clear if type == STRING]
    if not texts:
        return None
    rest = [quoted(name) for name, _ in source.clear if name not in texts]
    values = [quoted(name) for name in texts]
    return Made(f"{source.name}.unpivot({rest!r}, {values!r}, 'which', 'what')", multiplies=1)


def windowed(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    names = source.totally_ordered_by
    if names is None:
        return None
    partition = choices.some(names, 0, 2)
    spec = f"Window.partitionBy({_names(partition)}).orderBy({_order(choices, names)})"
    name, type = choices.pick(source.clear)
    call = choices.pick(
        ["F.row_number()", "F.rank()", "F.dense_rank()", "F.count({0})", "F.max({0})", "F.lag({0})", "F.lead({0}, 2)"]
    )
    if is_numeric(type) and not (source.inexact and type == DOUBLE) and choices.one_in(2):
        call = "F.sum({0})"
    if call.startswith(("F.sum", "F.count", "F.max")) and choices.one_in(2):
        spec += choices.pick(
            [
                ".rowsBetween(-1, 0)",
                ".rowsBetween(0, 1)",
                ".rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)",
            ]
        )
    return Made(f"{source.name}.withColumn({a_name(choices)!r}, {call.format(column(name))}.over({spec}))")


def _order(choices: Choices, names: list[str]) -> str:
    ways = ["asc", "desc", "asc_nulls_last", "desc_nulls_first"]
    mixed = choices.some(names, len(names), len(names))
    return ", ".join(f"{column(name)}.{choices.pick(ways)}()" for name in mixed)


# --- whole rows ------------------------------------------------------------------------------------------------------


def limited(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    names = source.totally_ordered_by
    if names is None:
        return None
    offset = f".offset({choices.count(0, 2)})" if choices.one_in(3) else ""
    return Made(f"{source.name}.orderBy({_order(choices, names)}){offset}.limit({choices.count(0, 4)})")


def sorted_by(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    names = choices.some([name for name, _ in source.comparable()], 1, 2)
    return Made(f"{source.name}.orderBy({_order(choices, names)})") if names else None


def distinct(_choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    return None if _shows_order(source) else Made(f"{source.name}.distinct()")


def keys_without_duplicates(choices: Choices, source: Relation, _others: list[Relation]) -> Made | None:
    keys = choices.some([name for name, _ in source.comparable()], 1, 2)
    if not keys:
        return None
    return Made(f"{source.name}.dropDuplicates({keys!r}).select({', '.join(map(column, keys))})")


def union(choices: Choices, source: Relation, others: list[Relation]) -> Made | None:
    others = [other for other in others if len(other.columns) == len(source.columns)]
    return Made(f"{source.name}.union({choices.pick(others).name})") if others else None


def union_by_name(choices: Choices, source: Relation, others: list[Relation]) -> Made:
    other = choices.pick(others)
    return Made(f"{source.name}.unionByName({other.name}, allowMissingColumns=True)")


def set_operation(choices: Choices, source: Relation, others: list[Relation]) -> Made | None:
    others = [other for other in others if _same_columns(source, other) and not _shows_order(other)]
    if not others or _shows_order(source):
        return None
    operation = choices.pick(["exceptAll", "subtract", "intersect", "intersectAll"])
    return Made(f"{source.name}.{operation}({choices.pick(others).name})")


def _same_columns(a: Relation, b: Relation) -> bool:
    return len(a.columns) == len(b.columns) and all(
        same_shape(x.type, y.type) for x, y in zip(a.columns, b.columns, strict=True)
    )


def _shows_order(relation: Relation) -> bool:
    """Whether comparing whole rows would show the order of lists that have none."""
    return relation.unordered and any(has(Array, c.type) for c in relation.columns)


STEPS: tuple[Step, ...] = (
    filtered, select, grouped, join_on_condition, explode, windowed, set_operation, flatten_struct, join_on_names,
    with_column, union, limited, pivoted, unpivoted, explode, filtered, select_star_and, rename, drop, name_all,
    nest_struct, divide, pass_through, fill_or_drop_nulls, join_on_names, join_on_condition, cross_join, grouped,
    grouped_by_expression, summarized, windowed, sorted_by, distinct, keys_without_duplicates, union_by_name,
    set_operation, explode, flatten_struct, select, grouped,
)  # fmt: skip


# --- the strategy ----------------------------------------------------------------------------------------------------


@st.composite
def queries(draw: st.DrawFn, session: SparkSession, *, most_steps: int = MOST_STEPS) -> Query:
    """A query of 1 to 7 steps over one to three tables."""
    choices = Choices(draw)
    tables = _tables(choices)
    relations = [Relation(f"t{i}", create(session, data)) for i, data in enumerate(tables)]
    lines: list[str] = []
    while len(lines) < most_steps and (not lines or choices.count(0, 5)):
        made = _first_that_works(choices, relations, f"r{len(lines)}")
        if made is None:
            break
        lines.append(made[0])
        relations.append(made[1])
    if not lines:
        lines.append("t0.select('*')")
    return Query(tuple(tables), tuple(lines))


def _tables(choices: Choices) -> list[Data]:
    """One to three tables, some of them alike."""
    first = fields(choices, 3, 4)
    shapes = [first, *(first if choices.one_in(2) else fields(choices, 2, 3) for _ in range(choices.count(0, 2)))]
    return [a_table(choices, shape) for shape in shapes]


def _first_that_works(choices: Choices, relations: list[Relation], name: str) -> tuple[str, Relation] | None:
    """Some steps have nothing to do: there is no list to explode, no column to group by."""
    for _ in range(4):
        if (made := _step(choices, relations, name)) is not None:
            return made
    return None


def _step(choices: Choices, relations: list[Relation], name: str) -> tuple[str, Relation] | None:
    """A line over the newest relation or, now and then, another; None if it could not be made."""
    source = choices.pick(relations) if choices.one_in(5) else relations[-1]
    step = choices.pick(STEPS)
    made = step(choices, source, relations)
    if made is None:
        return None
    used = [r for r in relations if r is source or f"({r.name}" in made.line]
    size = max(r.size for r in used) + made.multiplies
    if size > MOST_MULTIPLICATIONS:
        return None
    try:
        df = _evaluate(made.line, {r.name: r.df for r in relations})
        _ = df.schema  # Spark analyzes a query when it is first asked
    except AnalysisException as error:
        event(f"{step.__name__}: {error.getCondition()}")
        return None
    return made.line, Relation(
        name,
        df,
        unordered=made.unordered or any(r.unordered for r in used),
        inexact=made.inexact or any(r.inexact for r in used),
        size=size,
    )
