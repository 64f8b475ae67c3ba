"""The variants of a query that are explained together: the query as written, its alternatives, what was pruned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

from sparkwhy.messages import Message
from sparkwhy.plan.nodes import OpId, Plan


@dataclass(frozen=True)
class QueryVariant:
    """One alternative of a query: the same operators under the same ids, some with other parameters.

    `changed` are the steps whose parameters differ from the query as written; `notes` say what types were mapped;
    `evidence` says why an alternative is tried that was not declared. `kind` is what differs: attributes, an
    aggregate function (`functions` are then the one as written and the other), or what a join compares.
    """

    changes: Mapping[str, str]
    plan: Plan
    changed: tuple[OpId, ...]
    notes: tuple[Message, ...] = ()
    evidence: tuple[Message, ...] = ()
    kind: OneOf["attribute", "aggregate", "comparison"] = "attribute"
    functions: tuple[str, str] | None = None

    @property
    def replacements(self) -> Mapping[str, str]:
        """What is read or computed in place of what, in words."""
        return self.changes if self.functions is None else dict([self.functions])


@dataclass(frozen=True)
class Pruned:
    """An alternative that cannot be tried, with the reason in words."""

    changes: Mapping[str, str]
    reason: Message


@dataclass(frozen=True)
class Alternatives:
    """The alternatives of a query, number 0 first, and what was pruned."""

    found: tuple[QueryVariant, ...]
    pruned: tuple[Pruned, ...]

    def leave_out(self, variants: Iterable[QueryVariant], reason: Message) -> Alternatives:
        """Return the alternatives without these variants, and record the reason for leaving them out."""
        left_out = tuple(variants)
        found = tuple(each for each in self.found if not any(each is other for other in left_out))
        return Alternatives(found, self.pruned + tuple(Pruned(each.replacements, reason) for each in left_out))

    @property
    def attribute_variants(self) -> Alternatives:
        """Without other aggregate functions: what is called an alternative in an answer."""
        return Alternatives(tuple(each for each in self.found if each.kind == "attribute"), self.pruned)
