"""Look up evidence with the engine: before fixes are proposed, and once more for explanations that are shown first."""

from __future__ import annotations

from collections.abc import Sequence

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.evidence.attach import Rows
from sparkwhy.evidence.evidence import Evidence, collect_evidence
from sparkwhy.evidence.probes import Probe
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation
from sparkwhy.limits import Limits
from sparkwhy.spark.engine import Engine


def find_evidence(
    engine: Engine,
    variants: Sequence[QueryVariant],
    explanations: Sequence[Explanation],
    known: Sequence[Evidence] = (),
) -> tuple[Evidence, ...]:
    """Collect what the data says about the witnesses: nearest keys, partners, kept rows, counts of groups.

    Each probe is a job; evidence that is `known` takes none.
    """

    def run_probe(probe: Probe) -> Rows:
        return engine.nearest_rows(probe.plan, probe.wanted)

    return collect_evidence(run_probe, variants, explanations, known)


def promising_explanations(claims: Sequence[Claim], limits: Limits) -> tuple[Explanation, ...]:
    """Return the explanations that are likely to be shown first: certain ones, in the order of the candidates."""
    certain = [claim.explanation for claim in claims if claim.explanation.certain]
    return tuple(certain[: limits.detailed_explanations])


def first_explanations(explanations: Sequence[Explanation], limits: Limits) -> tuple[Explanation, ...]:
    """Return the explanations that are shown in full. The others have no room for hints."""
    minimal = [each for each in explanations if each.minimal is not False]
    return tuple((minimal or explanations)[: limits.detailed_explanations])
