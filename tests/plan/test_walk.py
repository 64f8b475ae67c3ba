"""Traversal: order, results, and depth."""

from __future__ import annotations

from sparkwhy.plan.exprs import And, Call, Compare, Expr, Literal, Ref
from sparkwhy.plan.nodes import Filter, Join, OpId, Plan
from sparkwhy.plan.show import show_expr, show_plan
from sparkwhy.plan.types import BOOLEAN, INTEGER
from sparkwhy.plan.walk import fold, inputs, push_down, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, fold_expr, operands, parts, rewrite, with_operands
from tests.plan.test_nodes import OTHER, K, V, table

TRUE = Literal(True, BOOLEAN)
DEPTH = 5_000


def filtered(step: int, plan: Plan) -> Plan:
    return Filter(id=OpId(step), input=plan, condition=TRUE)


def joined() -> Plan:
    left, right = filtered(2, table(1, K, V)), filtered(4, table(3, OTHER))
    return filtered(6, Join(id=OpId(5), left=left, right=right, how="inner"))


def test_walk_goes_in_reading_order() -> None:
    assert [node.id.step for node in walk(joined())] == [1, 2, 3, 4, 5, 6]


def test_fold_hands_each_operator_the_results_of_its_inputs() -> None:
    def text(node: Plan, below: tuple[str, ...]) -> str:
        return f"{node.id}({','.join(below)})"

    assert fold(joined(), text) == "6(5(2(1()),4(3())))"


def test_push_down_tells_every_operator_what_came_to_it() -> None:
    depths = push_down(joined(), 0, lambda node, depth: (depth + 1,) * len(inputs(node)))
    assert depths == {OpId(6): 0, OpId(5): 1, OpId(2): 2, OpId(1): 3, OpId(4): 2, OpId(3): 3}


def test_with_inputs_gives_back_the_same_operator() -> None:
    plan = joined()
    for node in walk(plan):
        again = with_inputs(node, inputs(node))
        assert type(again) is type(node)
        assert again.output == node.output


def deep_plan() -> Plan:
    plan: Plan = table(1, K)
    for step in range(2, DEPTH + 1):
        plan = filtered(step, plan)
    return plan


def test_a_plan_of_thousands_of_operators_is_walked_folded_pushed_and_shown() -> None:
    plan = deep_plan()
    assert sum(1 for _ in walk(plan)) == DEPTH
    assert fold(plan, lambda _, below: 1 + sum(below)) == DEPTH
    assert len(push_down(plan, None, lambda node, _: (None,) * len(inputs(node)))) == DEPTH
    assert len(show_plan(plan).splitlines()) == DEPTH


def deep_sum() -> Expr:
    expr: Expr = Ref(K)
    for _ in range(DEPTH):
        expr = Call("+", (expr, Literal(1, INTEGER)))
    return expr


def test_an_expression_of_thousands_of_parts_is_walked_rewritten_and_shown() -> None:
    expr = deep_sum()
    assert sum(1 for _ in parts(expr)) == 2 * DEPTH + 1
    assert fold_expr(expr, lambda _, below: 1 + sum(below)) == 2 * DEPTH + 1
    replaced = rewrite(expr, lambda part: Ref(OTHER) if isinstance(part, Ref) else None)
    assert [a.id for a in attributes_of(replaced)] == [OTHER.id]
    assert show_expr(expr).count("+") == DEPTH


def test_rewrite_does_not_enter_what_it_put_in() -> None:
    expr = And((Compare("=", Ref(K), Ref(K)), TRUE))
    once = rewrite(expr, lambda part: Call("+", (part, part)) if isinstance(part, Ref) else None)
    assert once == And((Compare("=", Call("+", (Ref(K), Ref(K))), Call("+", (Ref(K), Ref(K)))), TRUE))
    assert rewrite(expr, lambda _: None) is expr


def test_with_operands_is_the_inverse_of_operands() -> None:
    expr = And((Compare("=", Ref(K), Call("+", (Ref(K), Literal(1, INTEGER)))), TRUE))
    for part in parts(expr):
        assert with_operands(part, operands(part)) == part
