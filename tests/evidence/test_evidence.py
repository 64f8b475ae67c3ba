"""Evidence is collected before fixes are proposed, is typed, and comes to the proposers; nothing is looked up twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sparkwhy.evidence.evidence import Evidence, find_evidence, with_evidence
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.repair import Change
from sparkwhy.fix import propose as proposing
from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.fix.propose import propose_repairs
from sparkwhy.plan.exprs import Compare, Literal, Ref
from sparkwhy.plan.nodes import Join, OpId, Plan
from sparkwhy.plan.types import STRING
from tests.fix.chain import Case, claims_of
from tests.memory_engine import MemoryEngine
from tests.plan.test_nodes import attribute, table

CITY, NAME = attribute(1, "city", STRING), attribute(2, "name", STRING)
JOIN = Join(
    id=OpId(3), left=table(1, CITY), right=table(2, NAME), how="inner", condition=Compare("=", Ref(CITY), Ref(NAME))
)
TABLES = {OpId(1): [(" Lyon",)], OpId(2): [("lyon",), ("Paris",)]}
CASE = Case.of(JOIN, TABLES, (Compare("=", Ref(CITY), Literal(" Lyon", STRING)),))


def asked() -> tuple[Claim, FixContext]:
    (claim,), context = claims_of(CASE)
    return claim, context


def collected() -> tuple[Evidence, ...]:
    claim, context = asked()
    return find_evidence(MemoryEngine(TABLES), context.alternatives, [claim.explanation])


def test_evidence_says_what_was_found_and_how_keys_differ() -> None:
    (evidence,) = collected()
    assert evidence.nearest_keys == (("Paris",), ("lyon",))
    assert evidence.text_differences == (("trim", "lower"),)
    assert evidence.partner_rows == evidence.rows_kept == evidence.group_counts == ()


def test_what_is_known_is_not_looked_up_again() -> None:
    claim, context = asked()
    known = collected()

    class Idle(MemoryEngine):
        def nearest_rows(self, plan: Plan, wanted: Sequence[Any]) -> tuple[tuple[str | None, ...], ...]:
            pytest.fail(f"looked up again: {wanted}")

    again = find_evidence(Idle(TABLES), context.alternatives, [claim.explanation], known)
    assert [each.rows for each in again] == [each.rows for each in known]


def test_hints_are_made_of_evidence() -> None:
    claim, context = asked()
    (explanation,) = with_evidence(context.alternatives, [claim.explanation], collected(), context.timezone)
    hints = [hint for witness in explanation.witnesses for hint in witness.at[3].hints]
    assert hints == ["' Lyon' and 'lyon' are equal after trim and lower"]


def test_evidence_comes_to_the_proposers(monkeypatch: pytest.MonkeyPatch) -> None:
    claim, context = asked()
    seen: list[Blamed] = []

    def spy(_: FixContext, blamed: Blamed) -> Iterator[Change]:
        seen.append(blamed)
        return iter(())

    monkeypatch.setattr(proposing, "PROPOSERS", (spy,))
    propose_repairs(
        FixContext(context.alternatives, context.bits, context.timezone, evidence=collected()), claim.candidates
    )
    assert [each.evidence and each.evidence.nearest_keys for each in seen] == [(("Paris",), ("lyon",))]
