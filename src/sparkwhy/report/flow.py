"""How far the rows came that could have been the answer: how many of them are left after each step, and lost where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.plan.join_types import Side
from sparkwhy.plan.nodes import Join, Plan, Union
from sparkwhy.plan.show import inputs_of_step, main_nodes
from sparkwhy.plan.traits import is_subtraction


@dataclass(frozen=True)
class Flow:
    """Of `total` possible answers: how many are `left` after each step, and `lost` at it.

    A possible answer is a row that matches the question and blames some set of operators: of a group there is one for
    each set that gives it other values. A step is not in `left` if none comes that way, or if it is not known whether.
    If all need other attributes to be read, `alternative` says which, and what has to read these counts as losing them.
    """

    total: int
    left: Mapping[int, int]
    lost: Mapping[int, int]
    alternative: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, explanations: Iterable[Explanation]) -> Flow | None:
        """Return the flow as far as the explanations tell: of the query as written, or else of the first
        alternative.
        """
        seen = [each for each in explanations if each.count]
        if not seen:
            return None
        shown = [each for each in seen if not each.alternative]
        shown = shown or [each for each in seen if each.alternative == seen[0].alternative]
        tree = _Tree.of(plan)
        left, lost, unknown = Counter[int](), Counter[int](), set[int]()
        for explanation in shown:
            way = _way(tree, explanation)
            left.update(dict.fromkeys(way.alive, explanation.count))
            left.update(dict.fromkeys(way.dead, 0))
            lost.update(dict.fromkeys(way.droppers, explanation.count))
            unknown |= way.unknown
        known = {step: count for step, count in left.items() if step not in unknown}
        return cls(sum(each.count for each in shown), known, dict(lost), shown[0].alternative)


@dataclass(frozen=True)
class _Tree:
    """The steps of a plan: what each reads, and who reads it."""

    nodes: Mapping[int, Plan]
    reads: Mapping[int, Sequence[int]]
    reader: Mapping[int, int]

    @classmethod
    def of(cls, plan: Plan) -> _Tree:
        nodes = main_nodes(plan)
        reads = {step: [below.id.step for below in inputs_of_step(node)] for step, node in nodes.items()}
        return cls(nodes, reads, {below: step for step, inputs in reads.items() for below in inputs})

    def steps_below(self, step: int) -> Iterator[int]:
        """Yield the step and all that it reads from."""
        todo = [step]
        while todo:
            below = todo.pop()
            yield below
            todo.extend(self.reads[below])

    def steps_above(self, step: int) -> Iterator[int]:
        """Yield the step and all that its rows go through."""
        yield step
        while step in self.reader:
            step = self.reader[step]
            yield step


@dataclass(frozen=True)
class _Way:
    """The steps that a row comes out of, those behind an operator that stops it, and these operators."""

    alive: frozenset[int]
    dead: frozenset[int]
    droppers: frozenset[int]
    unknown: frozenset[int]


def _blamed_uses(operator: Operator, explanation: Explanation) -> tuple[int, ...]:
    """Return the uses of an operator at which a witness was dropped; all of them, if nothing was recorded."""
    uses = explanation.steps_of(operator)
    return tuple(step for step in uses if any(step in witness.at for witness in explanation.witnesses)) or uses


def _way(tree: _Tree, explanation: Explanation) -> _Way:
    blamed = frozenset(step for operator in explanation.operators for step in _blamed_uses(operator, explanation))
    later = frozenset(step for each in blamed for step in tree.steps_above(each) if step != each)
    dead = blamed | later
    absent, unknown = set[int](), set[int]()
    for step in tree.nodes:
        not_here, not_known = _sides(tree, step, explanation, dead)
        absent.update(below for side in not_here for below in tree.steps_below(side))
        unknown.update(below for side in not_known for below in tree.steps_below(side))
    alive = frozenset(tree.nodes) - dead - absent - unknown
    return _Way(alive, dead, blamed - later, frozenset(unknown) - dead - absent)


def _sides(
    tree: _Tree, step: int, explanation: Explanation, dead: frozenset[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """Return the inputs of a step that a row does not come from, and those of which that is not known."""
    inputs = tree.reads[step]
    match tree.nodes[step]:
        case Union():
            origins = [each for each in inputs if each in dead]
            return ([each for each in inputs if each not in origins], ()) if origins else ((), inputs)
        case node if is_subtraction(node):
            return inputs[1:], ()
        case Join() if len(inputs) == 2:
            side = _lacking(step, explanation)
            lacking = () if side is None else inputs[:1] if side == "left" else inputs[1:]
            return [each for each in lacking if each not in dead], ()
        case _:
            return (), ()


def _lacking(step: int, explanation: Explanation) -> Side | None:
    """Return the side of a join on which none of the witnesses has a partner; None if they have, or differ."""
    seen = [witness.at.get(step) for witness in explanation.witnesses]
    sides = {None if each is None else each.no_partner for each in seen}
    return sides.pop() if len(sides) == 1 else None
