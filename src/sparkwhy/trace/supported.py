"""Refuse queries that cannot be traced, before the first job."""

from __future__ import annotations

from sparkwhy.errors import UnsupportedOperator
from sparkwhy.plan.nodes import (
    Plan,
    Sample,
)
from sparkwhy.plan.walk import walk


def check_supported(plan: Plan) -> None:
    """Raise `UnsupportedOperator`, with place and hint, for the first operator that rows cannot be followed through."""
    for node in walk(plan):
        if isinstance(node, Sample):
            raise refusal_of(node)


def refusal_of(sample: Sample) -> UnsupportedOperator:
    """Return the error for a sample: its rows depend on all rows of its input, so no row can be followed through it."""
    return UnsupportedOperator(
        "sample",
        where=None if sample.where is None else str(sample.where),
        hint="which rows a sample draws changes with its input: ask without it, or put .localCheckpoint() after it.",
    )
