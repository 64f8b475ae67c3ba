"""Other forms of a condition that hold for a witness: the failed conjuncts changed, the others as they are.

`n < 5 and city = 'Rome'` on a row with n 7 in Rome becomes `n < 8 and city = 'Rome'`. These are the paper's admissible
changes; forms that let nulls through, which the paper's table does not have, cost most and come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from sparkwhy.fix.context import UnknownValue, ValueOf
from sparkwhy.fix.kinds import cost_of, costliest
from sparkwhy.fix.proposals.conditions import (
    compared_columns,
    compared_constant,
    excluded_values,
    listed_values,
    normalized_text,
    null_forms,
    text_test,
)
from sparkwhy.fix.proposals.conditions.form import Form, is_constant
from sparkwhy.limits import DEFAULT_LIMITS
from sparkwhy.plan.exprs import And, Compare, CompareOp, Expr, Not, Or, conjuncts

ConditionProposer = Callable[[Expr, ValueOf], Iterator[Form]]

CONDITION_PROPOSERS: tuple[ConditionProposer, ...] = (
    normalized_text.propose,
    compared_constant.propose,
    compared_columns.propose,
    listed_values.propose,
    excluded_values.propose,
    text_test.propose,
    null_forms.propose,
)
"""All ways to change one conjunct. The cheapest forms are tried first; among equals, in the order of this tuple."""


@dataclass(frozen=True)
class Forms:
    """Other conditions that hold, the cheapest first; or `stuck`, the first failed conjunct without another form."""

    found: tuple[Form, ...] = ()
    stuck: Expr | None = None


def change_failed(
    condition: Expr,
    failed: Callable[[Expr], bool],
    value_of: ValueOf,
    most: int = DEFAULT_LIMITS.changed_conditions,
) -> Forms:
    """Change the failed conjuncts of a condition so that it holds, in `most` ways at most.

    `n < 5 and s is not null`, of which the first failed for n 5, gives `n <= 5 and s is not null`.
    """
    choices: list[tuple[Form, ...]] = []
    for part in conjuncts(condition):
        forms = forms_of(part, value_of) if failed(part) else (Form(part, "attribute"),)  # unchanged: it costs nothing
        if not forms:
            return Forms(stuck=part)
        choices.append(forms)
    combined = [_combine(condition, chosen) for chosen in list(product(*choices))[:most]]
    return Forms(tuple(sorted(combined, key=_cost)))


def _combine(condition: Expr, chosen: tuple[Form, ...]) -> Form:
    """Put one form of each conjunct together; the costliest kind is that of all."""
    parts = tuple(form.condition for form in chosen)
    changed = replace(condition, operands=parts) if isinstance(condition, And) else parts[0]
    return Form(changed, costliest(form.kind for form in chosen))


def forms_of(part: Expr, value_of: ValueOf) -> tuple[Form, ...]:
    """Return the other forms of one conjunct that hold for the witness, the cheapest first."""
    try:
        found = tuple(_forms(as_plain_comparison(part), value_of))
    except UnknownValue:
        return ()
    return tuple(sorted(found, key=_cost))


def _forms(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    if isinstance(part, Or):
        yield from _change_one_operand(part, value_of)
    for propose in CONDITION_PROPOSERS:
        yield from propose(part, value_of)


def _change_one_operand(part: Or, value_of: ValueOf) -> Iterator[Form]:
    """`a = 1 or b < 2` becomes `a = 3 or b < 2`, and `a = 1 or b < 5`: one operand that holds is enough."""
    for at, operand in enumerate(part.operands):
        for form in forms_of(operand, value_of):
            yield form._replace(condition=Or((*part.operands[:at], form.condition, *part.operands[at + 1 :])))


def _cost(form: Form) -> int:
    return cost_of(form.kind)


# --- one spelling of a comparison ---


def as_plain_comparison(part: Expr) -> Expr:
    """Write a comparison with its constant on the right and without a negation: `not (5 > n)` becomes `n >= 5`."""
    match part:
        case Not(Compare(op, left, right)) if op in _NEGATED:
            return as_plain_comparison(Compare(_NEGATED[op], left, right))
        case Compare(op, left, right) if is_constant(left) and not is_constant(right):
            return Compare(_MIRRORED[op], right, left)
        case _:
            return part


_MIRRORED: dict[CompareOp, CompareOp] = {
    "=": "=", "<=>": "<=>", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip
_NEGATED: dict[CompareOp, CompareOp] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
