"""What one reading of one DataFrame shares: the session's settings, and where fresh numbers come from."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pyspark.sql import SparkSession

from sparkwhy.plan.exprs import Attribute, AttrId, Expr, FieldOf, Mode, Ref
from sparkwhy.plan.nodes import Column, OpId, Place, Plan
from sparkwhy.plan.types import Field, field_from_json, type_from_json
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.catalyst import Tree
from sparkwhy.spark.classic.read.code_places import check, find_text
from sparkwhy.spark.classic.read.expressions import read_expr
from sparkwhy.spark.classic.read.scope import Scope

_PLACES_TRIED = 12
"""How many expressions, and parts of each, are asked for their place: a projection of 2,000 columns has one line."""

_SUBQUERY_JOINS = frozenset({"LeftSemi", "LeftAnti", "ExistenceJoin"})
"""What Spark makes of IN and EXISTS."""

_SUBQUERY_WORD = re.compile(r"(\bnot\s+)?\b(in|exists)\s*\(", re.IGNORECASE)

_QUERY = re.compile(r"[\s(]*(select|with|from|values|table)\b|\s*(--|/\*)", re.IGNORECASE)
"""How a text begins that is a query, not a condition or a column."""

_SET_OPERATION = re.compile(r"\b(intersect|except|minus)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Bound:
    """A plan, and which of its attributes stands for which expression id of Spark, by position."""

    plan: Plan
    ids: tuple[int, ...]

    @property
    def attributes(self) -> Mapping[int, Attribute]:
        """The attribute behind each id; where Spark repeats an id, the first."""
        return dict(zip(reversed(self.ids), reversed(self.plan.output), strict=True))


@dataclass
class Reading:
    """Settings and numbers of one reading. Steps are numbered in any order, and in reading order at the end."""

    session: SparkSession
    timezone: str
    mode: Mode
    read_query: Callable[[Reading, Tree], Bound]
    """Reads the plan of a subquery, inside an expression."""

    ctes: dict[int, Tree] = field(default_factory=dict)
    written: set[tuple[int, ...]] = field(default_factory=set)
    """Where subqueries became joins: the ids of every projection that was there before."""

    _attributes: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _steps: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _variables: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _parts: Counter[int] = field(default_factory=Counter)
    _begun: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, session: SparkSession, read_query: Callable[[Reading, Tree], Bound]) -> Reading:
        ansi = session.conf.get("spark.sql.ansi.enabled") == "true"
        timezone = session.conf.get("spark.sql.session.timeZone") or "UTC"
        return cls(session, timezone, "ansi" if ansi else "legacy", read_query)

    # --- numbers ---

    def step(self, tree: Tree | None = None) -> OpId:
        """Return the number of an operation; if a part of it came first, the number that it was begun with."""
        begun = None if tree is None else self._begun.get(id(tree))
        return OpId(next(self._steps) if begun is None else begun)

    def part(self, step: OpId) -> OpId:
        """Return the number of a further part of an operation."""
        self._parts[step.step] += 1
        return OpId(step.step, self._parts[step.step])

    def begun(self, owner: Tree) -> OpId:
        """Return the step of an operation of which a part comes first, below it."""
        return OpId(self._begun.setdefault(id(owner), next(self._steps)))

    def attribute(self, described: Field) -> Attribute:
        return Attribute(AttrId(next(self._attributes)), described.name, described.type, described.nullable)

    # --- what Spark says ---

    def output(self, tree: Tree) -> tuple[Field, ...]:
        """Return the output of a node as Spark has it: the one authority on names, types and nullability."""
        schema = json.loads(jvm.schema_of(tree.handle))
        return tuple(field_from_json(described) for described in schema["fields"])

    def scope(self, *inputs: Bound, scalars: Mapping[int, Attribute] | None = None) -> Scope:
        attributes = {key: value for bound in inputs for key, value in bound.attributes.items()}
        return Scope(read_expr, attributes, self.timezone, self.mode, self._variables, scalars or {})

    def place(self, tree: Tree, *exprs: Tree) -> Place | None:
        """Return where the user wrote this operation: the first of its expressions that Spark knows the place of."""
        computed = [expr for expr in exprs if expr.name != "AttributeReference"]
        carried = [expr for expr in exprs if expr.name == "AttributeReference"]
        if self.written and tree.name == "Join" and tree.object_name("joinType") in _SUBQUERY_JOINS:
            word = self.subquery_place(tree.children[1])
            if word is not None:
                return word
        for expr in (*computed, *carried)[:_PLACES_TRIED]:
            for part in itertools.islice(expr.walk(), _PLACES_TRIED):
                found = jvm.place_of(part.handle)
                if found is not None and found.is_sql:
                    return self._text_place(tree, expr, part, found)
                if found is not None:
                    return check(found)
        return self._set_operation_place(tree) or jvm.place_of(tree.handle)

    def _text_place(self, tree: Tree, expr: Tree, part: Tree, found: Place) -> Place | None:
        """Return where SQL text is: of a query by its own lines, inside a call of the API by the line of the call."""
        text = jvm.sql_text(part.handle)
        if text is not None and jvm.sql_text(tree.handle) is None and not _QUERY.match(text):
            return find_text(text, found.line)
        return self._sql_place(tree, expr) or found

    def _set_operation_place(self, tree: Tree) -> Place | None:
        """Return the line of the word between the two sides of INTERSECT or EXCEPT."""
        if tree.name not in ("Intersect", "Except"):
            return None
        left, right = (jvm.text_range(each.handle) for each in tree.children)
        if left is None or right is None:
            return None
        word = _SET_OPERATION.search(jvm.sql_text(tree.handle) or "", left[1] + 1, right[0])
        return None if word is None else _place_of(word, tree)

    def subquery_place(self, query: Tree) -> Place | None:
        """Return the line of the IN or EXISTS before a subquery. What Spark makes of these has the place of all
        conditions.
        """
        for node in itertools.islice(query.walk(), _PLACES_TRIED):
            text, inside = jvm.sql_text(node.handle), jvm.text_range(node.handle)
            words = [] if text is None or inside is None else list(_SUBQUERY_WORD.finditer(text, 0, inside[0]))
            for word in reversed(words):
                if inside is not None and _is_open(word.string[word.end() : inside[0]]):
                    return _place_of(word, node)
        return None

    def _sql_place(self, tree: Tree, expr: Tree) -> Place | None:
        """Return where SQL text says an expression; what Spark makes anew, as it does of subqueries, has the place of
        all.
        """
        whole = jvm.place_of(tree.handle)
        written = (part for part in expr.walk() if part.name != "AttributeReference")
        places = (jvm.place_of(part.handle) for part in itertools.islice(written, _PLACES_TRIED))
        return next((place for place in places if place is not None and place != whole), None)

    # --- columns ---

    def columns(self, project: Tree, trees: tuple[Tree, ...], scope: Scope) -> tuple[Column, ...]:
        """Named expressions, the output of a projection, as columns."""
        exprs = [scope.read(tree) for tree in trees]
        fields = _paths(trees, exprs) or self.output(project)
        carried = [tree.name == "AttributeReference" for tree in trees]
        return self.identify_columns(list(zip(exprs, carried, strict=True)), fields)

    def identify_columns(self, exprs: list[tuple[Expr, bool]], fields: tuple[Field, ...]) -> tuple[Column, ...]:
        """Return columns of expressions, each with a flag whether it is merely carried along.

        What is carried along keeps its identity, but only once: `select("a", "a")` has two columns.
        """
        found: list[Column] = []
        seen: set[AttrId] = set()
        for (expr, carried), described in zip(exprs, fields, strict=True):
            if carried and isinstance(expr, Ref) and expr.attribute.id not in seen:
                attribute = replace(expr.attribute, name=described.name, nullable=described.nullable)
            else:
                attribute = self.attribute(described)
            seen.add(attribute.id)
            found.append(Column(attribute, expr))
        return tuple(found)


def _place_of(word: re.Match[str], tree: Tree) -> Place | None:
    """Return the place of a word in the SQL text that a node was read from."""
    place = jvm.place_of(tree.handle)
    line = word.string.count("\n", 0, word.start()) + 1
    return None if place is None else replace(place, line=line, call=word[0].rstrip("(").rstrip(), start=word.start())


def _is_open(text: str) -> bool:
    """Return whether a parenthesis before the text is still open at its end."""
    depths = itertools.accumulate((char == "(") - (char == ")") for char in text)
    return min(depths, default=0) >= 0


def _paths(trees: tuple[Tree, ...], exprs: list[Expr]) -> tuple[Field, ...] | None:
    """Return the fields of named expressions that are all paths into their input: these need no call to Spark."""
    nullable = [_may_be_null(tree, expr) for tree, expr in zip(trees, exprs, strict=True)]
    if None in nullable:
        return None
    named = zip(trees, exprs, nullable, strict=True)
    return tuple(Field(tree.fields["name"], expr.type, bool(null)) for tree, expr, null in named)


def _may_be_null(tree: Tree, expr: Expr) -> bool | None:
    """Return whether a path has no value for some rows, by Spark's own rules; None for what is no path."""
    if tree.name == "Alias":
        return _may_be_null(tree.children[0], expr)
    if tree.name == "AttributeReference":
        return bool(tree.fields["nullable"])
    if not isinstance(expr, FieldOf) or tree.name not in ("GetStructField", "GetArrayStructFields"):
        return None
    inner = _may_be_null(tree.children[0], expr.input)
    return inner if inner is None or tree.name == "GetArrayStructFields" else inner or expr.field.nullable


def attribute_field(tree: Tree) -> Field:
    """Return the field that an attribute reference describes."""
    return Field(tree.fields["name"], type_from_json(tree.fields["dataType"]), tree.fields["nullable"])


def renumber_steps(plan: Plan) -> Plan:
    """Return the plan with its steps numbered from 1 in reading order: inputs first, left before right."""
    order = {step: number for number, step in enumerate((n.id.step for n in walk(plan) if not n.id.part), 1)}
    return fold(
        plan,
        lambda node, inputs: with_inputs(replace(node, id=OpId(order[node.id.step], node.id.part)), inputs),
    )
