"""The table of the kinds of fixes."""

from __future__ import annotations

from typing import get_args

from sparkwhy.explain.model import FixKind
from sparkwhy.fix.kinds import FIX_KINDS, costliest, total_cost


def test_every_kind_has_a_line() -> None:
    assert set(FIX_KINDS) == set(get_args(FixKind))
    assert all(facts.words for facts in FIX_KINDS.values())


def test_the_costliest_kind_is_that_of_all() -> None:
    assert costliest(["comparison", "constant", "attribute"]) == "constant"
    assert total_cost(["comparison", "constant", "attribute"]) == (3, 5)
    assert total_cost([]) == (0, 0)
