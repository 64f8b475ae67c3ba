"""A DataFrame becomes a plan: the analyzed query of Spark, one operation of the user as one step.

Spark carries out some operations in several nodes (a projection over a generator, around a window, over a join on
names). These become parts of one step: they share its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from sparkwhy.errors import NotADataFrame, UnsupportedOperator
from sparkwhy.plan.build import all_of
from sparkwhy.plan.exprs import Literal, conjuncts
from sparkwhy.plan.join_types import JOIN_TYPES
from sparkwhy.plan.nodes import (
    Column,
    Distinct,
    Filter,
    Join,
    JoinType,
    Limit,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Source,
    Table,
    Union,
)
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.catalyst import Tree, leaf_output, parse, projections_in, tree_of
from sparkwhy.spark.classic.read.flatten import read_expand, read_generate
from sparkwhy.spark.classic.read.groups import read_aggregate, read_window, sort_key
from sparkwhy.spark.classic.read.merged_keys import is_join_on_names, merge_join_keys
from sparkwhy.spark.classic.read.reading import Bound, Reading, attribute_field, renumber_steps
from sparkwhy.spark.classic.read.scope import SUBQUERIES
from sparkwhy.spark.classic.read.subqueries import (
    join_subqueries,
    narrow,
    place_of_exists,
    read_subquery,
    required_exists,
    required_parts,
)


def read(df: DataFrame) -> Plan:
    """Return the plan of a DataFrame; its output has the DataFrame's own columns, in order."""
    session = _session_of(df)
    plan = jvm.analyzed_plan(df)
    text = jvm.tree_to_json(plan)
    tree, reading = tree_of(plan, text), Reading.of(session, _read)
    if _has_subquery(text):
        reading.written.update(projections_in([node.fields for node in tree.walk()]))
        tree = tree_of(jvm.replace_subqueries(session, plan))
    try:
        return renumber_steps(_read(reading, tree).plan)
    except RecursionError:
        raise UnsupportedOperator("an expression that is nested hundreds of levels deep") from None


def _session_of(df: DataFrame) -> SparkSession:
    """Return the session of a DataFrame that can be read at all."""
    if not isinstance(df, DataFrame):
        raise NotADataFrame(
            f"expected a PySpark DataFrame, got {type(df).__name__}.", hint="pass the DataFrame itself."
        )
    if not isinstance(df, ClassicDataFrame):
        raise NotADataFrame(
            "DataFrames of Spark Connect cannot be read yet.", hint="build the query in a classic session."
        )
    session = df.sparkSession
    if session._jsc is None or session._jsc.sc().isStopped():
        raise NotADataFrame("the session of this DataFrame was stopped.", hint="build it in a running session.")
    if df.isStreaming:
        raise NotADataFrame(
            "a streaming DataFrame has no rows to ask about.", hint="read the same source with spark.read."
        )
    return session


def _has_subquery(described: str) -> bool:
    """Return whether Spark's subquery rules are needed for a plan."""
    return any(f".{name}" in described for name in ("LateralJoin", *SUBQUERIES))


# --- the walk ---


def _read(reading: Reading, tree: Tree) -> Bound:
    """Read a tree bottom-up, in a loop: plans get deep."""
    done: list[Bound] = []
    todo: list[tuple[Tree, bool]] = [(tree, False)]
    while todo:
        current, ready = todo.pop()
        below = _inputs(reading, current)
        if ready or not below:
            inputs = tuple(done[len(done) - len(below) :])
            del done[len(done) - len(below) :]
            done.append(_read_node(reading, current, inputs))
        else:
            todo.append((current, True))
            todo.extend((child, False) for child in reversed(below))
    (result,) = done
    return result


def _inputs(reading: Reading, tree: Tree) -> tuple[Tree, ...]:
    """Return the inputs of a node as far as rows come from them: a common table expression is read where it is used."""
    match tree.name:
        case "WithCTE":
            reading.ctes.update({definition.fields["id"]: definition for definition in tree.children[:-1]})
            return tree.children[-1:]
        case "CTERelationRef":
            return reading.ctes[tree.fields["cteId"]].children
        case "Union":
            return tuple(_union_inputs(tree))
        case _:
            return tree.children


def _union_inputs(tree: Tree) -> Iterator[Tree]:
    """Yield what a union and those directly below it unite: one after the other is one union, to Spark's planner
    too.
    """
    todo = [tree]
    while todo:
        current = todo.pop()
        if current.name == "Union":
            todo.extend(reversed(current.children))
        else:
            yield current


def _outermost(union: Tree) -> Tree:
    """Return the union that this one is read with."""
    while union.parent is not None and union.parent.name == "Union":
        union = union.parent
    return union


def _read_node(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    reader = NODES.get(tree.name)
    if reader is not None:
        return reader(reading, tree, inputs)
    if not tree.children:
        return _read_leaf(reading, tree)
    raise _error_for(reading, tree)


_RECURSION_HINT = "compute it first, as a table or a view over .localCheckpoint(), and ask about the rest."
_UNREAD: Mapping[str, tuple[str, str]] = {
    "UnionLoop": ("a recursive common table expression (WITH RECURSIVE)", _RECURSION_HINT),
}
"""Nodes that users know under another name, with what to do."""


def _error_for(reading: Reading, tree: Tree) -> UnsupportedOperator:
    """Return the error for a node that cannot be read; one that Spark has no place for is where its input is."""
    name, hint = _UNREAD.get(tree.name, (tree.name, None))
    places = (reading.place(each) for each in tree.walk())
    place = next((place for place in places if place is not None), None)
    return UnsupportedOperator(name, where=None if place is None else str(place), hint=hint)


# --- leaves and what is passed through ---

_NAMELESS = "local data"


def _read_leaf(reading: Reading, tree: Tree) -> Bound:
    output = leaf_output(tree)
    attributes = tuple(reading.attribute(attribute_field(each)) for each in output)
    table = Table(id=reading.step(), attributes=attributes, source=Source(_leaf_name(tree), tree.handle))
    return Bound(table, tuple(each.expr_id for each in output))


def _leaf_name(tree: Tree) -> str:
    match tree.name:
        case "LogicalRelation":
            table = tree.fields.get("catalogTable")
            return (table and str(table["identifier"]["table"])) or jvm.files_of(tree.handle) or _NAMELESS
        case "Range":
            return f"range({tree.fields['start']}, {tree.fields['end']})"
        case "OneRowRelation":
            return "one row"
        case _:
            return _NAMELESS


def _read_transparent(_reading: Reading, _tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    return inputs[0]


def _read_named(_reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    """Return an alias or a view directly over a table gives it its name; the innermost one, where there are several."""
    (inner,) = inputs
    if not isinstance(inner.plan, Table) or tree.children[0].name in ("SubqueryAlias", "View"):
        return inner
    identifier = tree.fields.get("identifier") or tree.fields["desc"]["identifier"]
    name = str(identifier.get("name") or identifier.get("table"))
    return Bound(replace(inner.plan, source=replace(inner.plan.source, name=name)), inner.ids)


def _read_cte(_reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    return Bound(inputs[0].plan, tuple(expr.expr_id for expr in tree.exprs("output")))


# --- one row in, at most one row out ---


def _read_project(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    (before,) = inputs
    trees = tree.exprs("projectList")
    joined = join_subqueries(reading, tree, trees, before)
    columns = reading.columns(tree, trees, joined.scope)
    ids = tuple(expr.expr_id for expr in trees)
    if _is_identity(columns, before.plan):  # `select *`
        return Bound(before.plan, ids)
    owner = _step_implied_by(reading, tree, before.plan)
    if owner is not None:
        below = joined.bound.plan
        merged = merge_join_keys(reading, below, columns) if is_join_on_names(reading, tree) else columns
        return Bound(Project(id=reading.part(owner), input=below, columns=merged), ids)
    place = reading.place(tree, *trees)
    step = joined.step or reading.step()
    return Bound(Project(id=step, where=place, input=joined.bound.plan, columns=columns), ids)


def _is_identity(columns: tuple[Column, ...], below: Plan) -> bool:
    return all(c.is_carried for c in columns) and tuple(c.attribute for c in columns) == below.output


def _step_implied_by(reading: Reading, tree: Tree, below: Plan) -> OpId | None:
    """Return the step of the operation that Spark inserted this projection for, if it did: below it, or above."""
    (child,), parent = tree.children, tree.parent
    computes = not all(map(_is_attribute, tree.exprs("projectList")))
    if child.name == "Generate" and not child.fields.get("qualifier") and not computes:
        return below.id
    if child.name == "Window" or (child.name == "Project" and child.children[0].name == "Window"):
        return below.id
    if is_join_on_names(reading, tree):
        return below.id
    if reading.written and tuple(expr.expr_id for expr in tree.exprs("projectList")) not in reading.written:
        return below.id  # it came with the joins that subqueries became
    if parent is None:
        return None
    if parent.name == "Window":
        return reading.begun(parent)
    if parent.name == "Expand" and parent.parent is not None and parent.parent.name == "Aggregate":
        return reading.begun(parent.parent)
    if parent.name in ("Union", "Except", "Intersect") and _aligns_columns(tree, below):
        return reading.begun(_outermost(parent) if parent.name == "Union" else parent)
    return None


def _aligns_columns(tree: Tree, below: Plan) -> bool:
    """Return whether a projection under a union only reorders and widens all columns, in no place of the user's
    code.
    """
    trees = tree.exprs("projectList")
    if len(trees) != len(below.output):
        return False
    return all(_is_attribute(t) or (_is_widening(t) and jvm.place_of(t.handle) is None) for t in trees)


def _is_attribute(tree: Tree) -> bool:
    return tree.name == "AttributeReference"


def _is_widening(tree: Tree) -> bool:
    if tree.name != "Alias" or tree.children[0].name != "Cast":
        return False
    (inner,) = tree.children[0].children
    return _is_attribute(inner) and inner.fields["name"] == tree.fields["name"]


def _read_filter(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    """Read a filter; EXISTS and NOT EXISTS in it are semi and anti joins above the rest, as Spark has those that are
    correlated.
    """
    (before,) = inputs
    parts = [(part, required_exists(part)) for part in required_parts(_require(tree.expr("condition")))]
    rest = [part for part, guard in parts if guard is None]
    bound = _read_conditions(reading, tree, rest, before) if rest else before
    for subquery, wanted in (guard for _, guard in parts if guard is not None):
        plan = Join(
            id=reading.step(),
            where=place_of_exists(reading, tree, subquery),
            left=bound.plan,
            right=read_subquery(reading, subquery),
            how="semi" if wanted else "anti",
        )
        bound = Bound(plan, bound.ids)
    return bound


def _read_conditions(reading: Reading, tree: Tree, conditions: list[Tree], before: Bound) -> Bound:
    """Return the rows for which all conditions of a filter are true."""
    joined = join_subqueries(reading, tree, conditions, before)
    plan = Filter(
        id=joined.step or reading.step(),
        where=reading.place(tree, *conditions),
        input=joined.bound.plan,
        condition=all_of(part for each in conditions for part in conjuncts(joined.scope.read(each))),
    )
    return Bound(plan if joined.step is None else narrow(reading, plan, before.plan.output), before.ids)


def _require(tree: Tree | None) -> Tree:
    assert tree is not None
    return tree


# --- two inputs ---

_JOINS: Mapping[str, JoinType] = {
    "Inner": "inner",
    "Cross": "cross",
    "LeftOuter": "left",
    "LeftSingle": "left",
    "RightOuter": "right",
    "FullOuter": "full",
    "LeftSemi": "semi",
    "LeftAnti": "anti",
    "ExistenceJoin": "existence",
}


def _read_join(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    before, right = inputs
    condition = tree.expr("condition")
    exprs = () if condition is None else (condition,)
    joined = join_subqueries(reading, tree, exprs, before)
    how = _JOINS[tree.object_name("joinType")]
    flag = _existence_flag(tree) if how == "existence" else None
    scope = reading.scope(before, right, scalars=joined.scope.scalars)
    plan: Plan = Join(
        id=joined.step or reading.step(),
        where=reading.place(tree, *exprs),
        left=joined.bound.plan,
        right=right.plan,
        how=how,
        condition=None if condition is None else scope.read(condition),
        exists=None if flag is None else reading.attribute(attribute_field(flag)),
    )
    if joined.step is not None:
        brought = {attribute.id for attribute in joined.bound.plan.output[len(before.ids) :]}
        plan = narrow(reading, plan, tuple(each for each in plan.output if each.id not in brought))
    if flag is not None:
        return Bound(plan, (*before.ids, flag.expr_id))
    return Bound(plan, before.ids + right.ids if JOIN_TYPES[how].pairs else before.ids)


def _existence_flag(tree: Tree) -> Tree:
    return parse(tree.fields["joinType"]["exists"], lambda: tree.handle.joinType().exists())


def _read_union(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    attributes = tuple(reading.attribute(field) for field in reading.output(tree))
    branches = tuple(bound.plan for bound in inputs)
    place = reading.place(tree)
    plan = Union(id=reading.step(tree), where=place, branches=branches, attributes=attributes)
    return Bound(plan, inputs[0].ids)


def _read_set_operation(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    left, right = inputs
    plan = SetOperation(
        id=reading.step(tree),
        where=reading.place(tree),
        left=left.plan,
        right=right.plan,
        operation="except" if tree.name == "Except" else "intersect",
        all=bool(tree.fields["isAll"]),
    )
    return Bound(plan, left.ids)


# --- several rows at once ---


def _read_distinct(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    (inner,) = inputs
    found = inner.attributes
    keys = tuple(found[key.expr_id] for key in tree.exprs("keys")) if tree.name == "Deduplicate" else None
    if keys is not None and {key.id for key in keys} == {a.id for a in inner.plan.output}:
        keys = None
    plan = Distinct(id=reading.step(), where=reading.place(tree), input=inner.plan, keys=keys)
    return Bound(plan, inner.ids)


def _read_sort(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    (inner,) = inputs
    if not tree.fields["global"]:
        return inner  # within partitions, of which a bag knows nothing
    trees = tree.exprs("order")
    order = tuple(sort_key(key, reading.scope(inner)) for key in trees)
    return Bound(Sort(id=reading.step(), where=reading.place(tree, *trees), input=inner.plan, order=order), inner.ids)


def _read_limit(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    (inner,) = inputs
    expr = _require(tree.expr("limitExpr" if tree.name == "GlobalLimit" else "offsetExpr"))
    read = reading.scope(inner).read(expr)
    number = int(read.value if isinstance(read, Literal) else expr.handle.eval(None))
    place = reading.place(tree, expr)
    below = inner.plan
    if tree.name == "Offset":
        return Bound(Limit(id=reading.step(), where=place, input=below, count=None, offset=number), inner.ids)
    if isinstance(below, Limit) and below.count is None:  # LIMIT with OFFSET is one clause
        return Bound(replace(below, count=number), inner.ids)
    return Bound(Limit(id=reading.step(), where=place, input=below, count=number), inner.ids)


def _read_sample(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    (inner,) = inputs
    _check_repeatable(reading, tree)
    plan = Sample(
        id=reading.step(),
        where=reading.place(tree),
        input=inner.plan,
        lower=tree.fields["lowerBound"],
        upper=tree.fields["upperBound"],
        replacement=bool(tree.fields["withReplacement"]),
        seed=int(tree.fields["seed"]),
        split=tree.children[0].name == "Sort" and not tree.children[0].fields["global"],
    )
    return Bound(plan, inner.ids)


def _check_repeatable(reading: Reading, tree: Tree) -> None:
    """Raise if each run draws other rows: a row that is missing from one run can be in the next."""
    place = reading.place(tree)
    where = None if place is None else str(place)
    if "seed" not in tree.fields:
        hint = "write TABLESAMPLE (...) REPEATABLE (seed)."
        raise UnsupportedOperator("TABLESAMPLE that draws other rows in each run", where=where, hint=hint)
    if "sampleMethod" in tree.fields and not tree.object_name("sampleMethod").endswith("Bernoulli"):
        raise UnsupportedOperator("TABLESAMPLE SYSTEM, which draws blocks of rows", where=where)


# --- the table ---

NodeReader = Callable[[Reading, Tree, tuple[Bound, ...]], Bound]

NODES: Mapping[str, NodeReader] = {
    "Project": _read_project,
    "Filter": _read_filter,
    "Generate": read_generate,
    "Expand": read_expand,
    "Join": _read_join,
    "Aggregate": read_aggregate,
    "Window": read_window,
    "Union": _read_union,
    "Except": _read_set_operation,
    "Intersect": _read_set_operation,
    "Distinct": _read_distinct,
    "Deduplicate": _read_distinct,
    "Sort": _read_sort,
    "GlobalLimit": _read_limit,
    "Offset": _read_limit,
    "Sample": _read_sample,
    "LocalLimit": _read_transparent,
    "WithCTE": _read_transparent,
    "CTERelationRef": _read_cte,
    "SubqueryAlias": _read_named,
    "View": _read_named,
    "ResolvedHint": _read_transparent,
    "Repartition": _read_transparent,
    "RepartitionByExpression": _read_transparent,
    "RebalancePartitions": _read_transparent,
    "CollectMetrics": _read_transparent,
    "Subquery": _read_transparent,
    "PipeOperator": _read_transparent,
}

PASSED_THROUGH = frozenset({_read_transparent, _read_named, _read_cte})
"""The readers of nodes that change no row."""
