"""An answer in the words that every rendering uses; which of them go where is the rendering's business."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from sparkwhy.errors import assert_never
from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.model import Explanation, Fix, Operator, RunnerUp, SideEffects
from sparkwhy.explain.other_values import OtherValues
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import main_nodes, show_op
from sparkwhy.plan.traits import computes_across_rows
from sparkwhy.plan.walk import walk
from sparkwhy.question.pattern import Comparison, Pattern, show_pattern
from sparkwhy.report.findings import findings
from sparkwhy.report.flow import Flow
from sparkwhy.report.values import show_cell
from sparkwhy.trace.witness import Witness
from sparkwhy.wording import count_of

if TYPE_CHECKING:
    from sparkwhy.report.answer import Answer

Row = Mapping[str, Any]

_WITNESSES = 2

OTHER_VALUE_EXPLAINED = "For the value in question these operators have to change:"
OTHER_VALUE_UNEXPLAINED = "No change of operators was found that gives the value in question."

LARGER = "changes more than is needed"
"""The words about explanations that change more operators than the one under which they are shown."""

UNPARTNERED = "keeps the row without the partner that is lost here"
"""The words about explanations that pad the row, while the one under which they are shown brings its partner back."""

_STRICTER = "what it lets through decides what is counted or kept further on"


@dataclass(frozen=True)
class Suspect:
    """An operator that must change: how it reads under the alternative, where that differs, and its findings.

    `place` is where it stands; of operators that look the same it says the step of the plan too.
    """

    operator: Operator
    place: str | None
    reading: str | None
    findings: tuple[str, ...]


@dataclass(frozen=True)
class ShownChange:
    """A fix as a diff: the operator before and after, and the line of the user's file where that is known."""

    operator: Operator
    before: str
    after: str
    line: tuple[str, str] | None

    @classmethod
    def of(cls, fix: Fix) -> ShownChange:
        return cls(fix.operator, fix.before, fix.after, None if fix.diff is None else _line(fix.diff))


def _effects(explanation: Explanation) -> str | None:
    """Return what else the fix changes, also that it was not counted: silence would read as no side effects."""
    if explanation.side_effects is not None:
        return show_effects(explanation.side_effects)
    return "what else this changes was not counted" if explanation.verified else None


@dataclass(frozen=True)
class ShownExplanation:
    """An explanation in words. `unseen` is how many columns of `rows` were not looked at.

    `folded` are the explanations that are shown under it in short, by the words about them.
    """

    rank: int
    suspects: tuple[Suspect, ...]
    remarks: tuple[str, ...]
    alternative: str | None
    evidence: tuple[str, ...]
    rows: tuple[Row, ...]
    unseen: int
    more: int
    changes: tuple[ShownChange, ...]
    verified: bool | None
    reason: str | None
    effects: str | None
    entering: tuple[Row, ...]
    leaving: tuple[Row, ...]
    runner_up: str | None = None
    folded: Mapping[str, tuple[ShownExplanation, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, explanation: Explanation, folded: Sequence[Explanation] = ()) -> ShownExplanation:
        nodes = main_nodes(explanation.plan)
        witnesses = _witnesses_to_show(explanation)
        effects, seen = explanation.side_effects, _returned_row(explanation)
        proven = explanation.returned is not None
        return cls(
            rank=explanation.rank,
            suspects=tuple(_suspect(each, explanation, nodes) for each in explanation.operators),
            remarks=(_STRICTER,) if _is_stricter(explanation) else (),
            alternative=show_changes(explanation.alternative) or None,
            evidence=explanation.evidence,
            rows=tuple(_row_with_fix(witness, explanation) for witness in witnesses) if seen is None else (seen,),
            unseen=0 if seen is None else len(explanation.plan.output) - len(seen),
            more=0 if proven else max(explanation.count - len(witnesses), 0),
            changes=tuple(map(ShownChange.of, explanation.fixes)),
            verified=explanation.verified,
            reason=explanation.reason,
            effects=_effects(explanation),
            entering=() if effects is None else effects.added_rows,
            leaving=() if effects is None else effects.removed_rows,
            runner_up=_runner_up(explanation.runner_up),
            folded=_fold(explanation, folded),
        )

    @property
    def title(self) -> str:
        """The operators and the alternative, in one line."""
        operators = " and ".join(suspect.operator.text for suspect in self.suspects)
        return operators if self.alternative is None else f"{operators}, with {self.alternative}"

    @property
    def unverified_reason(self) -> str:
        """Why the tried changes do not count as a fix, or why there was none to try."""
        return f"not verified: {self.reason}" if self.changes else f"no automatic fix: {self.reason}"


def _runner_up(found: RunnerUp | None) -> str | None:
    """`filter d >= 3 (6 other rows enter the result)`."""
    if found is None:
        return None
    return f"{' and '.join(fix.after for fix in found.fixes)} ({show_effects(found.side_effects)})"


def _fold(core: Explanation, folded: Sequence[Explanation]) -> Mapping[str, tuple[ShownExplanation, ...]]:
    """Return the explanations that are shown under a core, by the words about them."""
    steps = {operator.id for operator in core.operators}
    larger = [each for each in folded if steps <= {operator.id for operator in each.operators}]
    others = [each for each in folded if each not in larger]
    found = {LARGER: tuple(map(ShownExplanation.of, larger)), UNPARTNERED: tuple(map(ShownExplanation.of, others))}
    return {words: shown for words, shown in found.items() if shown}


def _is_stricter(explanation: Explanation) -> bool:
    """Return whether no row speaks for it, but a filter has to let other rows through, that one may be kept further
    on.
    """
    return not explanation.witnesses and {operator.kind for operator in explanation.operators} == {"filter"}


def _witnesses_to_show(explanation: Explanation) -> tuple[Witness, ...]:
    """Return the witnesses to show: the one that the fix was seen to return, if it is known."""
    returned = explanation.returned
    agreeing = () if returned is None else (each for each in explanation.witnesses if _may_become(each.row, returned))
    return tuple(agreeing)[:1] or explanation.witnesses[:_WITNESSES]


def _may_become(row: Row, returned: Row) -> bool:
    """Return whether a witness may be the row that a fix returned, which can have a partner in the place of nulls."""
    return all(row.get(name) in (None, value) for name, value in returned.items())


def _row_with_fix(witness: Witness, explanation: Explanation) -> Row:
    """Return the row of a witness, as the fix returned it if it did."""
    returned = explanation.returned
    return witness.row if returned is None or not _may_become(witness.row, returned) else {**witness.row, **returned}


def _returned_row(explanation: Explanation) -> Row | None:
    """Return the row that the fix returned, if its values depend on which other rows are let through."""
    changed = {operator.id for operator in explanation.operators}
    measuring = (node for node in walk(explanation.plan) if computes_across_rows(node))
    below = {each.id.step for node in measuring for each in walk(node)}
    return explanation.returned if below & changed else None


@dataclass(frozen=True)
class Report:
    """An answer in words: `explanations` in full, each with those that are folded under it, and `tried` in short.

    `flow` says how far possible answers come in the query, where explanations speak of any.
    """

    question: str
    outcome: OneOf["explained", "not_missing", "other_value", "not_in_data", "unexplained"]
    headline: str
    plan: Plan
    flow: Flow | None
    explanations: tuple[ShownExplanation, ...]
    tried: tuple[ShownExplanation, ...]
    matching: tuple[Row, ...]
    gaps: tuple[SourceGap, ...]
    contributing: tuple[Row, ...]
    contributors: str | None
    """How many rows were grouped into the row that is there."""

    is_explained: bool
    notes: tuple[str, ...]

    @classmethod
    def of(cls, answer: Answer) -> Report:
        return cls(
            question=show_pattern(answer.question.pattern),
            outcome=answer.outcome,
            headline=_headline(answer),
            plan=answer.plan,
            flow=Flow.of(answer.plan, answer.explanations),
            explanations=tuple(_explanations(answer.explanations)),
            tried=tuple(map(ShownExplanation.of, _worth_telling(answer))),
            matching=answer.matching if answer.others is None else answer.others.rows,
            gaps=answer.gaps,
            contributing=() if answer.others is None else answer.others.contributing,
            contributors=_contributors(answer.others),
            is_explained=answer.is_explained,
            notes=answer.warnings,
        )


def _explanations(explanations: Sequence[Explanation]) -> Iterator[ShownExplanation]:
    """Yield the explanations that are shown in full, each with those that are shown under it."""
    folded = [each for each in explanations if each.is_folded]
    for explanation in explanations:
        if not explanation.is_folded:
            yield ShownExplanation.of(explanation, [each for each in folded if each.extends == explanation.rank])


def _worth_telling(answer: Answer) -> Iterator[Explanation]:
    """Return what was tried in vain; where the row is explained, only changes that were run, for what came of them."""
    return (each for each in answer.tried if each.fixes or not answer.is_explained)


def show_changes(changes: Mapping[str, str]) -> str:
    """`address1 in place of address2`."""
    return ", ".join(f"{new} in place of {old}" for old, new in changes.items())


def show_effects(effects: SideEffects) -> str:
    """`2 other rows enter the result, 1 leaves`."""
    if effects.upper == 0:
        return "no other row of the result changes"
    if effects.added is None or effects.removed is None:
        verb = "changes" if effects.upper == 1 else "change"
        if effects.lower == effects.upper:
            return f"{count_of(effects.upper, 'other row')} of the result {verb}"
        return f"{effects.lower} to {effects.upper} other rows of the result change"
    changed = effects.changed or 0
    counts = (effects.added - changed, effects.removed - changed, changed)
    first, *then = [(count, words) for count, words in zip(counts, _MOVES, strict=True) if count]
    number, (_, _, where) = first
    whole = f"{count_of(number, 'other row')} {_verb(*first)}{where}"
    return ", ".join([whole, *(f"{count} {_verb(count, words)}" for count, words in then)])


_MOVES = (
    ("enters", "enter", " the result"),
    ("leaves", "leave", " the result"),
    ("has other elements in its lists", "have other elements in their lists", ""),
)
"""What rows do: of one, of several, and what the first of these sentences ends with."""


def _verb(count: int, words: tuple[str, str, str]) -> str:
    return words[0] if count == 1 else words[1]


def _headline(answer: Answer) -> str:
    match answer.outcome:
        case "explained":
            return "These operators keep it out:"
        case "not_missing":
            return "It is there:"
        case "other_value":
            return _other_value(answer)
        case "not_in_data":
            return "No source has such a row:"
        case "unexplained":
            return "No set of operators was found that would let such a row through."
        case _:
            assert_never(answer.outcome)


def _other_value(answer: Answer) -> str:
    """`The row is there, with sold = 17, not 45 (28 too low).`"""
    assert answer.others is not None
    row, *more = answer.others.rows
    if more:
        return f"Rows are there, with other values of {' and '.join(answer.others.columns)}:"
    asked = dict(answer.question.pattern.entries)
    values = [_compare(name, row[name], asked.get(name)) for name in answer.others.columns if name in row]
    return f"The row is there, with {', '.join(values)}:"


def _compare(name: str, value: Any, pattern: Pattern | None) -> str:
    found = f"{name} = {show_cell(value)}"
    if not isinstance(pattern, Comparison) or pattern.op not in ("=", "<=>"):
        return found if pattern is None else f"{found}, not {show_pattern(pattern)}"
    return f"{found}, not {show_cell(pattern.value)}{_difference(value, pattern.value)}"


def _difference(value: Any, asked: Any) -> str:
    """Return how far off a number is; nothing for others, and for hidden values."""
    numbers = (int, float, Decimal)
    if not all(isinstance(each, numbers) and not isinstance(each, bool) and isfinite(each) for each in (value, asked)):
        return ""
    off = Decimal(str(asked)) - Decimal(str(value))
    return f" ({show_cell(abs(off))} too {'low' if off > 0 else 'high'})" if off else ""


def _contributors(others: OtherValues | None) -> str | None:
    if others is None or others.contributors is None:
        return None
    return f"made of {count_of(others.contributors, 'row')}"


def _suspect(operator: Operator, explanation: Explanation, nodes: Mapping[int, Plan]) -> Suspect:
    node = nodes.get(operator.id)
    reading = operator.text if node is None else show_op(node)
    witnesses = _witnesses_to_show(explanation)
    found = _drop_repeated(line for witness in witnesses for line in findings(operator, witness, explanation))
    lines = (*found, *_uses(len(explanation.steps_of(operator))))
    place = _place(operator, explanation.operators)
    return Suspect(operator, place, None if reading == operator.text else reading, lines)


def _uses(count: int) -> Iterator[str]:
    """Yield that a change of what was written once changes all its uses."""
    if count > 1:
        yield f"used {count} times in the query: a change changes every use"


def _place(operator: Operator, among: tuple[Operator, ...]) -> str | None:
    twins = [each for each in among if (each.text, each.where) == (operator.text, operator.where)]
    if len(twins) < 2:
        return operator.where
    return f"step {operator.id}" if operator.where is None else f"{operator.where}, step {operator.id}"


def _line(diff: str) -> tuple[str, str] | None:
    """Return the old and the new line of a unified diff of one line, without their indent."""
    body = diff.splitlines()[3:]
    old, new = ([line[1:].strip() for line in body if line[:1] == sign] for sign in "-+")
    return (old[0], new[0]) if len(old) == len(new) == 1 else None


def _drop_repeated(lines: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
