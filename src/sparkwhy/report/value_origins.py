"""What made a value: followed down through the columns that were computed, to the values that were read.

    filter cls = 'hi'                      cls = mid
    project when v > 8 then 'hi' as cls    cls = mid comes from case when v > 8 ...: v = 7
    project (v > 6) and ok as flag         flag = false: v = 5, so v > 6 is FALSE

Nulls are followed in `null_origins`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from sparkwhy.backtrace.backtrace import substitute_attributes
from sparkwhy.plan.exprs import And, Expr, Not, Or
from sparkwhy.plan.filter_inputs import is_rank
from sparkwhy.plan.nodes import Column, Plan, Project, Table, Window
from sparkwhy.plan.nulls import computes
from sparkwhy.plan.show import show_expr, show_op
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of, is_path, operands, paths_of
from sparkwhy.report.null_origins import definition_of, values_read_at
from sparkwhy.report.values import cut, show_values
from sparkwhy.trace.witness import Observation, Witness

_STEPS = 3
"""Computed columns that are followed, one sentence for each."""


def explain_value(path: Expr, below: Plan, witness: Witness, plan: Plan) -> Iterator[str]:
    """Yield what made a value that an operator over `below` read; nothing if it is that of a source, or not known."""
    return islice(_explain(path, below, witness, plan), _STEPS)


def _explain(path: Expr, below: Plan, witness: Witness, plan: Plan) -> Iterator[str]:
    todo = [(path, below)]
    while todo:
        expr, node = todo.pop(0)
        found = definition_of(expr, node, witness)
        if found is None:
            yield from _describe_window(expr, node)
        if found is None or isinstance(found, Table):
            continue
        computed, project = found
        if is_path(computed):
            todo.append((computed, project.input))
        elif computes(computed) and project.id.step in witness.at:
            read = _relevant_paths(computed, witness.at[project.id.step])
            yield from _describe(expr, computed, read, project, witness, plan)
            todo.extend((each, project.input) for each in read)


def _relevant_paths(computed: Expr, seen: Observation) -> tuple[Expr, ...]:
    """Return what a value depends on: of a condition, only what its decisive parts read."""
    decisive = [part for part, _ in _decisive_parts(computed, seen)]
    return tuple(dict.fromkeys(path for part in decisive or [computed] for path in paths_of(part)))


def _describe(
    path: Expr, computed: Expr, read: tuple[Expr, ...], project: Project, witness: Witness, plan: Plan
) -> Iterator[str]:
    known, seen = values_read_at(project, witness, plan), witness.at[project.id.step]
    if not all(map(known, read)):
        return
    decisive = list(_decisive_parts(computed, seen))
    for part, verdict in decisive:
        values = show_values({show_expr(each): known(each)[0] for each in dict.fromkeys(paths_of(part))})
        yield cut(f"{show_expr(path)}: {values}, so {show_expr(part)} is {_VERDICTS[verdict]}")
    if not decisive and (seen.has_value(path) or read):
        values = show_values({show_expr(each): known(each)[0] for each in read})
        yield cut(f"{show_expr(path)} comes from {show_expr(computed)}: {values}")


def _describe_window(path: Expr, below: Plan) -> Iterator[str]:
    """Yield what computed a value from several rows; a rank says nothing more."""
    made = set(attributes_of(path))
    for node in walk(below):
        for column in node.columns if isinstance(node, Window) else ():
            if isinstance(node, Window) and column.attribute in made and not is_rank(column):
                yield cut(f"{show_expr(path)} comes from {show_op(_as_written(node, column))}")


def _as_written(window: Window, column: Column) -> Window:
    """Return a window with one column, without the projection in which Spark computes its arguments beforehand."""
    below = window.input
    if not isinstance(below, Project) or below.id.step != window.id.step:
        return replace(window, columns=(column,))
    computed = {each.attribute: each.expr for each in below.columns}
    expr = substitute_attributes(column.expr, computed)
    partition = tuple(substitute_attributes(each, computed) for each in window.partition)
    order = tuple(replace(key, expr=substitute_attributes(key.expr, computed)) for key in window.order)
    return replace(
        window, input=below.input, partition=partition, order=order, columns=(Column(column.attribute, expr),)
    )


_VERDICTS = {True: "TRUE", False: "FALSE", None: "NULL"}


def _decisive_parts(expr: Expr, seen: Observation) -> Iterator[tuple[Expr, bool | None]]:
    """Yield the parts of a condition that decided how it came out: the false ones of `and`, the true ones of `or`."""
    if not isinstance(expr, And | Or | Not):
        if seen.has_verdict(expr):
            yield expr, seen.verdict_of(expr)
        return
    found = [list(_decisive_parts(each, seen)) for each in operands(expr)]
    verdicts = [_verdict(each, seen) for each in operands(expr)]
    decisive = isinstance(expr, Or)
    decided = [i for i, verdict in enumerate(verdicts) if verdict is decisive]
    for i in decided or range(len(found)):
        yield from found[i]


def _verdict(expr: Expr, seen: Observation) -> bool | None:
    """Return how a condition came out, by the verdicts on its parts."""
    match expr:
        case Not(inner):
            verdict = _verdict(inner, seen)
            return None if verdict is None else not verdict
        case And(parts) | Or(parts):
            decisive = isinstance(expr, Or)
            verdicts = [_verdict(each, seen) for each in parts]
            return decisive if decisive in verdicts else None if None in verdicts else not decisive
        case _:
            return seen.verdict_of(expr) if seen.has_verdict(expr) else None
