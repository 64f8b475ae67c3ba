"""Other aggregate functions: which are tried, and of which it is said that they are not."""

from __future__ import annotations

from sparkwhy.alternatives.aggregates import with_other_functions
from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.plan.exprs import AggCall, Compare, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, OpId
from sparkwhy.plan.types import LONG
from tests.plan.test_nodes import attribute, table

V, N = attribute(1, "v", LONG), attribute(2, "n", LONG)
COUNTED = Aggregate(id=OpId(2), input=table(1, V), keys=(), aggregates=(Column(N, AggCall("count", (Ref(V),))),))
ASKED = (Compare("=", Ref(N), Literal(3, LONG)),)


def functions(*, large: bool) -> tuple[list[str], list[str]]:
    """Those that are tried, and those that are not."""
    tried = with_other_functions(Alternatives((QueryVariant({}, COUNTED, ()),), ()), ASKED, large=large)
    return [each.functions[1] for each in tried.found if each.functions], [
        new for each in tried.pruned for new in each.changes.values()
    ]


def test_functions_of_the_same_type_are_tried() -> None:
    assert functions(large=False) == (["count(distinct v)", "sum(v)", "min(v)", "max(v)"], [])


def test_on_much_data_distinct_values_are_not_counted_and_that_is_told() -> None:
    assert functions(large=True) == (["sum(v)", "min(v)", "max(v)"], ["count(distinct v)"])
