"""Catalyst's trees as Spark describes them in JSON: one round trip for a whole query.

JSON leaves out what only the JVM has (modes, origins, functions); `Tree.handle` fetches the JVM object then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from py4j.java_gateway import JavaObject

from sparkwhy.spark.classic import jvm


class Tree:
    """A node of a plan or of an expression: its class name, its arguments, its children."""

    __slots__ = ("_handle", "_locate", "_parent", "children", "fields", "name")

    def __init__(self, fields: Mapping[str, Any], children: tuple[Tree, ...]) -> None:
        self.name: str = fields["class"].rsplit(".", 1)[-1].rstrip("$")
        self.fields = fields
        self.children = children
        self._handle: JavaObject | None = None
        self._locate: Callable[[], JavaObject] | None = None
        self._parent: tuple[Tree, int] | None = None
        for position, child in enumerate(children):
            child._parent = (self, position)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def handle(self) -> JavaObject:
        """The JVM object, fetched once: from the nearest ancestor that has been fetched, downwards."""
        path: list[Tree] = []
        tree = self
        while tree._handle is None and tree._parent is not None:
            path.append(tree)
            tree = tree._parent[0]
        if tree._handle is None:
            assert tree._locate is not None, "a tree without a root"
            tree._handle = tree._locate()
        for below in reversed(path):
            assert below._parent is not None
            parent, position = below._parent
            below._handle = jvm.child(parent.handle, position)
        assert self._handle is not None
        return self._handle

    def expr(self, name: str) -> Tree | None:
        """Return the expression or plan in the argument `name`, or None where it is absent."""
        described = self.fields.get(name)
        return parse(described, lambda: jvm.part(self.handle, name)) if described else None

    def exprs(self, name: str) -> tuple[Tree, ...]:
        """Return the expressions in the argument `name`, a sequence."""
        sequence = cache(lambda: jvm.part(self.handle, name))
        return tuple(
            parse(item, lambda position=position: sequence().apply(position))  # type: ignore[misc]
            for position, item in enumerate(self.fields[name])
        )

    def object_name(self, name: str) -> str:
        """Return the name of the Scala object or class in the argument `name`: `LeftOuter`, `Ascending`."""
        described = self.fields[name]
        return str(described.get("object") or described["product-class"]).rsplit(".", 1)[-1].rstrip("$")

    @property
    def parent(self) -> Tree | None:
        return None if self._parent is None else self._parent[0]

    @property
    def expr_id(self) -> int:
        return int(self.fields["exprId"]["id"])

    def walk(self) -> Iterator[Tree]:
        """Yield this tree and everything below, each before its children."""
        todo = [self]
        while todo:
            current = todo.pop()
            yield current
            todo.extend(reversed(current.children))


def parse(described: Sequence[Mapping[str, Any]], locate: Callable[[], JavaObject]) -> Tree:
    """Return the tree that a list of nodes, each before its children, describes."""
    done: list[Tree] = []
    for fields in reversed(described):
        done.append(Tree(fields, tuple(done.pop() for _ in range(fields["num-children"]))))
    (root,) = done
    root._locate = locate
    return root


def tree_of(handle: JavaObject, described: str | None = None) -> Tree:
    """Return a logical plan or an expression as a tree, by its description if that is at hand."""
    return parse(json.loads(jvm.tree_to_json(handle) if described is None else described), lambda: handle)


def leaf_output(leaf: Tree) -> tuple[Tree, ...]:
    """Return the attributes that a source of rows puts out; nearly all kinds of sources are described with them."""
    if all(isinstance(each, list) for each in leaf.fields.get("output") or [None]):
        return leaf.exprs("output")
    output = leaf.handle.output()
    return tuple(tree_of(output.apply(i)) for i in range(output.size()))


def calls_python(expression: JavaObject) -> bool:
    """Return whether a Python function is called in the expression, one of pandas or Arrow included."""
    return any(part.name in ("PythonUDF", "PythonUDAF") for part in tree_of(expression).walk())


def projections_in(described: Any) -> Iterator[tuple[int, ...]]:
    """Yield the ids that each projection puts out, anywhere in a description: plans of subqueries are inside
    expressions.
    """
    todo = [described]
    while todo:
        current = todo.pop()
        if isinstance(current, list):
            todo.extend(current)
        elif isinstance(current, dict):
            if str(current.get("class")).endswith(".logical.Project"):
                yield tuple(int(item[0]["exprId"]["id"]) for item in current["projectList"])
            todo.extend(current.values())
