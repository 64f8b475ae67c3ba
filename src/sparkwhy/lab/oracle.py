"""The exact judge: the definitions of the paper's `sec:why-not`, taken literally, on small data.

Of all distinguishable reparameterizations (`outcomes`, by the changes of `tab:param` in `changes`) it keeps those that
return the missing row, and of these the minimal ones. It is slow on purpose and shares no code with tracing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from sparkwhy.lab.changes import Changer, Rows
from sparkwhy.lab.distance import Ruler
from sparkwhy.lab.outcomes import Effect, OperatorChange, PossibleBags, apply_path, possible_bags
from sparkwhy.lab.swaps import Groups, Kind, Swaps
from sparkwhy.memory.interpreter import DEFAULTS, run
from sparkwhy.memory.settings import Settings
from sparkwhy.plan.nodes import Join, OpId, Plan
from sparkwhy.question.bound import Question
from sparkwhy.question.match import row_matches

MAX_STATES = 20_000
"""Number of outputs of one operator that are computed before some are left out."""

Label: TypeAlias = Kind | Effect | OneOf["theta join"]
"""What a reparameterization does: what its changes change, how, and whether a join compares in another way."""


@dataclass(frozen=True, slots=True)
class Reparameterization:
    """A plan with other parameters that returns the missing row: the paper's SR.

    `distance` is the paper's d of the two results. `collateral` is the same without the rows that match the question:
    "changes to the original query result beyond appearance of missing answers".
    """

    plan: Plan = field(repr=False)
    changes: tuple[OperatorChange, ...]
    rows: Rows
    distance: int
    collateral: int

    @property
    def changed_ops(self) -> frozenset[OpId]:
        return frozenset(change.op for change in self.changes)

    @property
    def description(self) -> str:
        return "; ".join(map(str, self.changes)) or "as it is"

    @property
    def labels(self) -> frozenset[Label]:
        """By these a table of what was found can be split."""
        found: set[Label] = {kind for change in self.changes for kind in change.kinds}
        found.update(change.effect for change in self.changes)
        if any(isinstance(change.after, Join) and "comparison" in change.kinds for change in self.changes):
            found.add("theta join")
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Oracle:
    """The answer: all successful reparameterizations that data can tell apart, the minimal ones, and what they change.

    `cut` says what was left out for its number: then the answer is a part of the truth.
    """

    successful: tuple[Reparameterization, ...]
    minimal: tuple[Reparameterization, ...]
    cut: tuple[str, ...]

    @property
    def explanations(self) -> frozenset[frozenset[OpId]]:
        """The paper's E: `def:explanation`."""
        return frozenset(each.changed_ops for each in self.minimal)


def consult(
    plan: Plan,
    tables: Mapping[OpId, Rows],
    question: Question,
    *,
    groups: Groups = (),
    max_states: int = MAX_STATES,
    settings: Settings = DEFAULTS,
) -> Oracle:
    """Return why the row is missing, by the paper's definitions; attributes are replaced within the groups."""
    original = run(plan, tables, settings=settings)
    found = possible_bags(plan, tables, Changer(Swaps.of(plan, groups), max_states, settings))
    return judge_outcomes(plan, original, found, question)


def judge_outcomes(plan: Plan, original: Rows, found: PossibleBags, question: Question) -> Oracle:
    """Return the answer, of all that can come out of a plan: several questions may be asked of it."""
    successful = sorted(_find_successful(plan, original, found, question), key=_order)
    return Oracle(tuple(successful), minimal(successful), found.cut)


def is_successful(
    plan: Plan, tables: Mapping[OpId, Rows], question: Question, *, settings: Settings = DEFAULTS
) -> bool:
    """Return whether a plan returns a row that matches the question (`def:srs`)."""
    return any(row_matches(question, row) for row in run(plan, tables, settings=settings))


def is_relaxing(found: Reparameterization) -> bool:
    """Return whether every change adds rows to what its operator returns on the same input: what tracing follows."""
    return all(change.effect == "relaxes" for change in found.changes)


def _find_successful(
    plan: Plan, original: Rows, found: PossibleBags, question: Question
) -> Iterator[Reparameterization]:
    ruler = Ruler(original, [attribute.type for attribute in question.output])
    for outcome in found.found:
        others = [row for row in outcome.rows if not row_matches(question, row)]
        if len(others) == len(outcome.rows):
            continue
        far, beside = ruler.distance_to(outcome.rows), ruler.distance_to(others)
        for way in outcome.ways:
            yield Reparameterization(apply_path(plan, way), way.changes, outcome.rows, far, beside)


def _order(found: Reparameterization) -> tuple[int, int, list[OpId]]:
    return len(found.changed_ops), found.distance, sorted(found.changed_ops)


def _distance(found: Reparameterization) -> int:
    return found.distance


def minimal(
    successful: Collection[Reparameterization], *, cost: Callable[[Reparameterization], int] = _distance
) -> tuple[Reparameterization, ...]:
    """Return those than which none is smaller: one that changes a subset of the operators, and costs no more
    (`def:msrs`).

    As the paper writes it nothing is minimal, for each is as small as itself. Smaller means here: not the other way
    round as well.
    """
    cheapest: dict[frozenset[OpId], int] = {}
    for each in successful:
        cheapest[each.changed_ops] = min(cost(each), cheapest.get(each.changed_ops, cost(each)))
    return tuple(
        each
        for each in successful
        if cost(each) == cheapest[each.changed_ops]
        and not any(ops < each.changed_ops and least <= cost(each) for ops, least in cheapest.items())
    )
