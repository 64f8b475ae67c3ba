"""Generators and expansions: every way in which one row becomes several is a flatten."""

from __future__ import annotations

from sparkwhy.errors import UnsupportedOperator
from sparkwhy.plan.exprs import Attribute, Call, Cast, Expr, Literal, MakeStruct, Ref
from sparkwhy.plan.nodes import Flatten, Project
from sparkwhy.spark.classic.catalyst import Tree, tree_of
from sparkwhy.spark.classic.read.reading import Bound, Reading, attribute_field
from sparkwhy.spark.classic.read.scope import Scope


def read_generate(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    """explode, posexplode, inline and stack, inner and outer, of arrays and maps."""
    (inner,) = inputs
    generator = tree.expr("generator")
    assert generator is not None
    names = tree.exprs("generatorOutput")
    made = tuple(reading.attribute(attribute_field(name)) for name in names)
    has_position = generator.name == "PosExplode"
    plan = Flatten(
        id=reading.step(),
        where=reading.place(tree, generator),
        input=inner.plan,
        collection=_collection(reading, tree, generator, made, reading.scope(inner)),
        elements=made[1:] if has_position else made,
        outer=bool(tree.fields["outer"]),
        inline=generator.name in ("Inline", "Stack"),
        position=made[0] if has_position else None,
    )
    return Bound(plan, inner.ids + tuple(name.expr_id for name in names))


def _collection(reading: Reading, tree: Tree, generator: Tree, made: tuple[Attribute, ...], scope: Scope) -> Expr:
    match generator.name:
        case "Explode" | "PosExplode" | "Inline":
            return scope.read(generator.children[0])
        case "Stack":
            return _read_stack(generator, made, scope)
        case other:
            place = reading.place(tree, generator)
            raise UnsupportedOperator(other, where=None if place is None else str(place))


def _read_stack(generator: Tree, made: tuple[Attribute, ...], scope: Scope) -> Expr:
    """`stack(n, a, b, c, ...)` is an inline of n structs, the last filled up with nulls."""
    count, *values = (scope.read(child) for child in generator.children)
    assert isinstance(count, Literal)
    width = len(made)
    missing = count.value * width - len(values)
    padded = values + [Literal(None, attribute.type) for attribute in made[width - missing :]]
    rows = [padded[start : start + width] for start in range(0, len(padded), width)]
    return _structs(rows, made)


def _structs(rows: list[list[Expr]], made: tuple[Attribute, ...]) -> Expr:
    """Return an array of structs with one field for each attribute."""
    names = tuple(f"c{position}" for position in range(len(made)))
    nullable = frozenset(name for name, attribute in zip(names, made, strict=True) if attribute.nullable)
    return Call("array", tuple(MakeStruct(names, tuple(map(_cast_to, row, made)), nullable) for row in rows))


def _cast_to(expr: Expr, attribute: Attribute) -> Expr:
    return expr if expr.type == attribute.type else Cast(expr, attribute.type)


def read_expand(reading: Reading, tree: Tree, inputs: tuple[Bound, ...]) -> Bound:
    """Grouping sets and unpivot: each row several times, a flatten of the columns that differ."""
    (inner,) = inputs
    names, projections = tree.exprs("output"), _projections(tree)
    scope = reading.scope(inner)
    varying = [i for i, name in enumerate(names) if any(not _is_same(row[i], name) for row in projections)]
    made = {i: reading.attribute(attribute_field(names[i])) for i in varying}
    elements = tuple(made.values())
    rows = [[scope.read(row[i]) for i in varying] for row in projections]
    parent = tree.parent
    groups = parent is not None and parent.name == "Aggregate"
    step = reading.part(reading.begun(parent)) if groups and parent is not None else reading.step()
    flat = Flatten(id=step, input=inner.plan, collection=_structs(rows, elements), elements=elements, inline=True)
    kept = [Ref(made[i] if i in made else scope.attributes[name.expr_id]) for i, name in enumerate(names)]
    columns = reading.identify_columns([(ref, True) for ref in kept], tuple(map(attribute_field, names)))
    plan = Project(id=reading.part(step), input=flat, columns=columns)
    return Bound(plan, tuple(name.expr_id for name in names))


def _projections(tree: Tree) -> list[list[Tree]]:
    """Return what each copy of a row computes; the JSON of the node does not always say."""
    rows = tree.handle.projections()
    return [[tree_of(row.apply(i)) for i in range(row.size())] for row in (rows.apply(j) for j in range(rows.size()))]


def _is_same(expr: Tree, name: Tree) -> bool:
    return expr.name == "AttributeReference" and expr.expr_id == name.expr_id
