"""What an explanation is: a set of operators, and the rows that would come through if they changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from sparkwhy.messages import Message
from sparkwhy.plan.nodes import Kind, OpId, Plan
from sparkwhy.plan.show import show_op
from sparkwhy.plan.walk import walk
from sparkwhy.trace.witness import Witness, unique_names


@dataclass(frozen=True, slots=True)
class Operator:
    """An operation of the user's query: its number in the plan, as a user would write it, and where it stands.

    For example `Operator(id=2, kind="filter", text="filter year >= 2019", where="etl.py:13")`. `where` is None if Spark
    does not tell the place.
    """

    id: int
    kind: Kind
    text: str
    where: str | None = None

    @classmethod
    def of(cls, node: Plan) -> Operator:
        return cls(node.id.step, node.kind, show_op(node), None if node.where is None else str(node.where))


FixKind = OneOf["constant", "comparison", "attribute", "join type", "flatten type", "aggregate", "other"]


@dataclass(frozen=True, slots=True)
class Fix:
    """One concrete change of one operator, as a user would write it before and after.

    `diff` is the change of the line in the user's file, where the edit is certain. `bare` is `after` without the
    constants that are not in the query.
    """

    operator: Operator
    before: str
    after: str
    kind: FixKind
    diff: str | None = None
    bare: str | None = None


@dataclass(frozen=True, slots=True)
class SideEffects:
    """How many other rows a fix makes enter or leave the result, at least and at most.

    `added` and `removed` are known when the count is exact, with a few examples of each if these were asked for. A row
    that changes leaves the result and enters it again.

    If a column of the result is a list, `changed` is how many of these rows only have other elements in their lists,
    and `distance` decides which explanation is minimal: a row that enters or leaves counts one, and so does each
    element of its lists; of a row that only has other elements, just these count.
    """

    lower: int
    upper: int
    added: int | None = None
    removed: int | None = None
    added_rows: tuple[Mapping[str, Any], ...] = ()
    removed_rows: tuple[Mapping[str, Any], ...] = ()
    changed: int | None = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """Another way to change the operators of an explanation that was run and returns the row."""

    fixes: tuple[Fix, ...]
    side_effects: SideEffects


@dataclass(frozen=True)
class Explanation:
    """A set of operators that must change for the missing row to appear.

    `certain`: with just these operators relaxed, a matching row was seen. Otherwise the values that it would need
    are within reach of a change of constants, no more. Each witness is a row that would become the answer: its
    values in the result, and what happened to it at each operator. `alternative` says which attributes are read
    instead of which; it is empty for the query as written. `evidence` says why it was tried if it was not declared,
    and what had to be mapped for it. `plan` is the query under it.

    `fixes` are the changes that were tried, one for each operator. `verified`: the query with these was run and returns
    a matching row; False: none of the changes that were tried does, or there are none, as `reason` says; None: not
    tried. `returned` is that row, as far as it was looked at: the columns that the question reads, of small data others
    too. `minimal`: verified, and no other verified one changes fewer of these operators with no more side effects.

    `runner_up` is another way to change these operators: the fix that changes the query least, if `fixes` have fewer
    side effects than that; or one that adds a condition to the query, if that has fewer.

    `extends` is the rank of the core that it belongs to: an explanation that changes only a part of these operators, or
    one that brings back the partner without which this one keeps a row. It is None for a core. With `is_folded` it is
    shown in one line under that core.

    For example `[operator.text for operator in answer.explanations[0].operators]` is what has to change.
    """

    operators: tuple[Operator, ...]
    rank: int
    certain: bool = True
    count: int = 0
    witnesses: tuple[Witness, ...] = ()
    alternative: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[Message, ...] = ()
    fixes: tuple[Fix, ...] = ()
    verified: bool | None = None
    returned: Mapping[str, Any] | None = None
    minimal: bool | None = None
    extends: int | None = None
    is_folded: bool = False
    side_effects: SideEffects | None = None
    runner_up: RunnerUp | None = None
    reason: Message | None = None
    plan: Plan = field(compare=False, repr=False, kw_only=True)

    def steps_of(self, operator: Operator) -> tuple[int, ...]:
        """Return the steps of all uses of an operator: what was written once may be read in several places."""
        written = OpId(operator.id)
        return tuple(node.id.step for node in walk(self.plan) if node.first_use == written) or (operator.id,)


def column_names(plan: Plan) -> list[str]:
    """Return the names of a result's columns, with a number where one repeats: `status`, `status (2)`."""
    return unique_names(plan.output)
