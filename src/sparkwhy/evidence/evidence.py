"""Evidence: what the data says about a witness at one operator, beyond the query. It is a typed input of the proposers.

It is collected before fixes are proposed, for the claims that promise most, and completed after ranking for the
explanations that are shown first. Hints in words are made of it later (`evidence/attach.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.evidence.attach import Rows, with_details
from sparkwhy.evidence.probes import Probe, probes
from sparkwhy.evidence.text_differences import equal_after
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.nodes import Plan
from sparkwhy.spark.engine import Engine
from sparkwhy.trace.witness import Observation


@dataclass(frozen=True)
class Evidence:
    """The rows that a probe found, in a query variant, at one operator and about one witness."""

    variant: int
    probe: Probe
    rows: Rows

    @property
    def nearest_keys(self) -> Rows:
        """The keys on the other side of a join that come nearest to those of a row without a partner."""
        return self._rows_of("nearest")

    @property
    def partner_rows(self) -> Rows:
        """The rows on the right of an anti join that are partners of the witness."""
        return self._rows_of("partner")

    @property
    def rows_kept(self) -> Rows:
        """The rows that a filter on ranks keeps in the partition of the witness."""
        return self._rows_of("kept")

    @property
    def group_counts(self) -> Rows:
        """One row: how many rows the group of the witness has, then in how many of them each argument is not null."""
        return self._rows_of("group")

    @property
    def text_differences(self) -> tuple[tuple[str, ...], ...] | None:
        """The changes that make the wanted key equal to a near one, for each part of the key; None if none do.

        For example `(("trim", "lower"),)` for the keys ' Lyon' and 'lyon'.
        """
        return next((found for row in self.nearest_keys if (found := _differences(self.probe.wanted, row))), None)

    def is_about(self, variant: int, step: int, observation: Observation) -> bool:
        """Return whether this is about a witness with these values at an operator of a query variant."""
        return (variant, step) == (self.variant, self.probe.step) and self.probe.about == observation.read

    def _rows_of(self, what: str) -> Rows:
        return self.rows if self.probe.what == what else ()


def _differences(wanted: Sequence[str | None], row: Sequence[str | None]) -> tuple[tuple[str, ...], ...] | None:
    """Return what makes each part of two keys equal; None if nothing does, or if they are equal as they are."""
    found = [equal_after(a, b) if a is not None and b is not None else None for a, b in zip(wanted, row, strict=True)]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) and any(known) else None


def find_evidence(
    engine: Engine,
    variants: Sequence[QueryVariant],
    explanations: Iterable[Explanation],
    known: Sequence[Evidence] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Evidence, ...]:
    """Collect evidence for some explanations, one probe for each operator: nearest keys, partners, kept rows, counts.

    Each probe is a job; evidence that is `known` is not looked up again.
    """
    return tuple(
        Evidence(variant, probe, _rows_for(engine, variant, probe, known))
        for variant, plan, about in _group_by_variant(variants, tuple(explanations))
        for probe in probes(plan, about, limits)
    )


def _rows_for(engine: Engine, variant: int, probe: Probe, known: Sequence[Evidence]) -> Rows:
    same = (e.rows for e in known if e.variant == variant and _asks_the_same(e.probe, probe))
    found = next(same, None)
    return engine.nearest_rows(probe.plan, probe.wanted) if found is None else found


def _asks_the_same(one: Probe, other: Probe) -> bool:
    return (one.step, one.what, one.about) == (other.step, other.what, other.about)


def with_evidence(
    variants: Sequence[QueryVariant],
    explanations: Sequence[Explanation],
    evidence: Sequence[Evidence],
    timezone: str,
) -> tuple[Explanation, ...]:
    """Return the explanations with what was found about their witnesses, and with hints.

    `timezone` is that of the session, in which Spark printed the times of the evidence.
    """
    detailed: dict[int, Explanation] = {}
    for variant, plan, about in _group_by_variant(variants, explanations):
        found = [(each.probe, each.rows) for each in evidence if each.variant == variant]
        detailed.update({each.rank: each for each in with_details(plan, about, found, timezone)})
    return tuple(detailed.get(each.rank, each) for each in explanations)


def _group_by_variant(
    variants: Sequence[QueryVariant], explanations: Sequence[Explanation]
) -> Iterator[tuple[int, Plan, tuple[Explanation, ...]]]:
    """Yield each query variant that some of the explanations are about, with these."""
    for number, variant in enumerate(variants):
        about = tuple(each for each in explanations if each.plan is variant.plan)
        if about:
            yield number, variant.plan, about


# --- which explanations ---


def promising_explanations(claims: Sequence[Claim], limits: Limits) -> tuple[Explanation, ...]:
    """Return the explanations that are likely to be shown first: certain ones, in the order of the candidates."""
    certain = [claim.explanation for claim in claims if claim.explanation.certain]
    return tuple(certain[: limits.detailed_explanations])


def first_explanations(explanations: Sequence[Explanation], limits: Limits) -> tuple[Explanation, ...]:
    """Return the first explanations that are shown in full. Those that are shown under others have no room for more."""
    return tuple([each for each in explanations if not each.is_folded][: limits.detailed_explanations])
