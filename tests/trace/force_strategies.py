"""Force one strategy of joins or groupings wherever it applies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sparkwhy.trace.rules import aggregate_strategies, join_strategies

JOINS = tuple(strategy.name for strategy in join_strategies.JOIN_STRATEGIES)
GROUPINGS = tuple(strategy.name for strategy in aggregate_strategies.AGGREGATE_STRATEGIES)


def force_join_strategy(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """Make joins prefer a strategy, then `general`; return a list that gets the name of each strategy that is used."""
    used: list[str] = []
    found = [_spy(each, used) for each in join_strategies.JOIN_STRATEGIES]
    order = _prefer(found, name, "general")
    monkeypatch.setattr(join_strategies, "JOIN_STRATEGIES", order)
    return used


def force_aggregate_strategy(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """Make groupings prefer a strategy, then `general`; return a list that gets the name of each that is used."""
    used: list[str] = []
    found = [_spy(each, used) for each in aggregate_strategies.AGGREGATE_STRATEGIES]
    monkeypatch.setattr(aggregate_strategies, "AGGREGATE_STRATEGIES", _prefer(found, name, "general"))
    return used


def _prefer(strategies: list[Any], *names: str) -> tuple[Any, ...]:
    first = [each for name in names for each in strategies if each.name == name]
    return (*dict.fromkeys(first), *(each for each in strategies if each.name not in names))


def _spy(strategy: Any, used: list[str]) -> Any:
    def construct(case: Any) -> Any:
        used.append(strategy.name)
        return strategy.construct(case)

    return replace(strategy, construct=construct)
