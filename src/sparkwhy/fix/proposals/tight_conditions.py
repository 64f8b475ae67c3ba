"""The tightest forms of a filter that hold for a witness: its value alone, or beside what the filter keeps already.

`d >= 10` becomes `d = 3`, or `d >= 10 or d = 3`, where `d >= 3` would let all values in between through too. Of a range
`d >= 10 and d < 20` both ends are moved. `s = 'a'` becomes `s in ('a', 'b')`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sparkwhy.fix.context import FixContext, UnknownValue, ValueOf, has_failed_at, values_at
from sparkwhy.fix.kinds import costliest
from sparkwhy.fix.proposals.condition_forms import as_plain_comparison
from sparkwhy.fix.proposals.conditions import compared_constant
from sparkwhy.fix.proposals.conditions.constants import write_like
from sparkwhy.fix.proposals.conditions.form import Form, is_constant
from sparkwhy.plan.exprs import And, Compare, Expr, In, Or, conjuncts
from sparkwhy.plan.nodes import Filter
from sparkwhy.trace.witness import Observation


def tight_forms(context: FixContext, old: Filter, new: Filter, observation: Observation) -> Iterator[Form]:
    """Yield tighter conditions for a filter than the one that was found; conjuncts without such a form stay as there.

    Nothing is yielded if the found condition is not the old one with some conjuncts changed.
    """
    before, after = tuple(conjuncts(old.condition)), tuple(conjuncts(new.condition))
    if len(before) != len(after):
        return
    failed, value_of = has_failed_at(observation), values_at(context, observation)
    choices = [_forms(part, value_of) if failed(part) else [] for part in before]
    yield from _narrow_ranges(old.condition, before, after, failed, value_of)
    for number in range(max(map(len, choices))):
        chosen = [
            forms[number] if len(forms) > number else Form(found, "attribute")
            for forms, found in zip(choices, after, strict=True)
        ]
        yield _combine(old.condition, chosen)


def _combine(condition: Expr, chosen: Sequence[Form]) -> Form:
    parts = tuple(form.condition for form in chosen)
    changed = replace(condition, operands=parts) if isinstance(condition, And) else parts[0]
    return Form(changed, costliest(form.kind for form in chosen))


def _narrow_ranges(
    condition: Expr, before: Sequence[Expr], after: Sequence[Expr], failed: Callable[[Expr], bool], value_of: ValueOf
) -> Iterator[Form]:
    """Yield the condition with both ends of a range at the value: `d >= 8 and d < 20` becomes `d >= 3 and d < 4`."""
    moved = {_side(part) for part in before if failed(part)} - {None}
    chosen = []
    for part, found in zip(before, after, strict=True):
        other_end = not failed(part) and _side(part) in moved
        forms = list(compared_constant.propose(as_plain_comparison(part), value_of)) if other_end else []
        chosen.append(forms[0] if forms else Form(found, "attribute"))
    if any(form.condition != found for form, found in zip(chosen, after, strict=True)):
        yield _combine(condition, chosen)


def _side(part: Expr) -> Expr | None:
    """Return what a bound compares with its constant."""
    match as_plain_comparison(part):
        case Compare("<" | "<=" | ">" | ">=", side, constant) if is_constant(constant):
            return side
        case _:
            return None


def _forms(part: Expr, value_of: ValueOf) -> list[Form]:
    """Return the forms of one conjunct: with the value alone, and with the value besides."""
    plain = as_plain_comparison(part)
    if not isinstance(plain, Compare) or not is_constant(plain.right):
        return []
    try:
        value = value_of(plain.left)
    except UnknownValue:
        return []
    if value is None:
        return []
    constant = write_like(plain.right, value)
    same = Compare("=", plain.left, constant)
    match plain.op:
        case "<" | "<=" | ">" | ">=":
            return [Form(same, "constant"), Form(Or((part, same)), "other")]
        case "=":
            return [Form(same, "constant"), Form(In(plain.left, (plain.right, constant)), "constant")]
        case _:
            return []
