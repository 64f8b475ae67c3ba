"""Every number that decides what an answer contains, or when a faster strategy applies, in one place.

`Limits` is handed down as an argument. `docs/limits.md` has a table that is made from the docstrings here. Numbers that
follow from a format (the bits of a long, the digits of a decimal) or from the layout of a drawing are not limits; they
stand beside the code that uses them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from sparkwhy.errors import BadArgument, show_argument


@dataclass(frozen=True)
class Limits:
    """The limits of one question, as `Limits(worlds=128)`. The page on limits lists all, with their defaults."""

    # --- what counts as large ---

    large_bytes: int = 1 << 20
    """Bytes. Sources above this size count as large: witnesses are looked up in extra jobs instead of being carried
    through groupings, and side effects are bounded instead of compared row by row."""

    large_side_bytes: int = 8 << 20
    """Bytes. Keys of join partners are looked up first only if they spare reading a side with a source above this
    size."""

    partner_keys: int = 200
    """Keys. If the other side of a join has more keys than this, they do not become a condition on this side."""

    # --- what comes to the driver ---

    driver_rows: int = 5_000
    """Rows. A plan with few rows at some grouping is finished on the driver if there are at most this many."""

    memory_rows: int = 200
    """Rows. Up to this many rows are finished in Python; more are handed back to Spark in one partition."""

    driver_elements: int = 1_000
    """Elements. Rows with a longer list are not finished on the driver."""

    # --- samples of the data ---

    sampled_bytes: int = 4 << 20
    """Bytes. Quantiles of a column are taken from all values up to this size of its sources, and from a sample of
    about this size above it."""

    sampled_values: int = 2_000
    """Values. If a sample of a column has fewer, its quantiles are taken from all values instead."""

    first_rows: int = 1_000
    """Rows of each partition. Witnesses of large data are looked for among these first."""

    fewest_first_rows: int = 50
    """Rows of each partition. In sources above `first_rows_bytes` fewer rows are read first, down to this number."""

    first_rows_bytes: int = 512 << 20
    """Bytes. Up to this size of a source, all `first_rows` of each partition are read."""

    more_rows_factor: int = 64
    """Times as many rows of each partition are read when the first rows lack a witness."""

    witness_share: float = 1 / 64
    """Share of the rows that are looked through for witnesses before all rows are."""

    witness_rows: int = 2_000
    """Rows looked up at one grouping of large data. A witness beyond that has no values, and so no fix."""

    # --- alternatives ---

    alternatives: int = 32
    """Variants of a query, itself among them, that are traced at once. At most 62: each is a bit of a long."""

    combinations: int = 4_096
    """Combinations of declared attributes that are looked at; most of them may be pruned."""

    found_alternatives: int = 12
    """Alternatives that are tried if they are looked for (`alternatives="auto"`)."""

    proposed_pairs: int = 200
    """Pairs of attributes that are compared with the data to find alternatives, the likeliest by name first."""

    evidence_rows: int = 100_000
    """Rows of a source that are read as evidence for alternatives."""

    similar_names: float = 0.6
    """Similarity of two names, from 0 to 1, above which one may have been meant by the other."""

    named_columns: int = 3
    """Columns named as holding the requested value if no source has it in the column that the query reads."""

    other_functions: int = 6
    """Other aggregate functions that are tried for one question."""

    # --- tracing and explanations ---

    worlds: int = 64
    """Sets of relaxed operators that are followed for one group. The answer says if there were more."""

    recorded_entries: int = 40
    """Observations that are recorded of the rows behind one group."""

    witnesses: int = 3
    """Witnesses of one explanation."""

    stricter_filters: int = 8
    """Filters of which a stricter condition is tried, the last ones of the query first."""

    coarse_bits: int = 16
    """Sets of operators that are first relaxed together if a query has more droppers than bits."""

    # --- evidence ---

    detailed_explanations: int = 4
    """Explanations for which near misses are looked up, with one small job for each."""

    contributing: int = 5
    """Rows that are shown of a group that is there with another value."""

    nearest: int = 3
    """Nearest rows, or values, that are shown beside a value that is not there."""

    probed_columns: int = 8
    """Columns that are shown of a nearest row."""

    # --- fixes ---

    repairs: int = 6
    """Repairs of one explanation that are tried before constants are looked up in the data."""

    changed_conditions: int = 6
    """Changed forms of one condition that are tried."""

    constants: int = 17
    """Values of a column, evenly placed, that are tried as constants of a comparison."""

    constant_repairs: int = 40
    """Repairs of one explanation that are tried with constants from the data."""

    constant_rounds: int = 1
    """Rounds in which a working constant is moved nearer to the old one."""

    tightened: int = 4
    """Explanations for whose fixes tighter forms are tried, because they have side effects."""

    sweeps: int = 3
    """Passes over the data that look for bounds of aggregates."""

    returned_columns: int = 12
    """Columns that are shown of the row that a fix returns, besides those that the question names."""

    joins_as_filters: int = 4
    """Joins whose pairs are formed to find out why they do not match, the last ones of the query first."""

    normalized_joins: int = 8
    """Ways to compare the keys of a join in the same form that are traced for one question."""

    pair_rows: int = 1_000
    """Rows on each side of such a join, or different keys on one side where keys are compared in the same form. With
    more, its pairs are not formed."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BadArgument("limits", f"has {show_argument(value)} for {field.name}", hint="write a number.")
        if self.alternatives > 62:
            raise BadArgument("limits", f"has {self.alternatives} for alternatives", hint="write 62 or less.")


def check_limits(given: Any) -> Limits:
    """Return the limits; raise `BadArgument` for anything else."""
    if not isinstance(given, Limits):
        hint = "write limits=Limits(worlds=128)."
        raise BadArgument("limits", f"must be an instance of Limits, not {show_argument(given)}", hint=hint)
    return given


DEFAULT_LIMITS = Limits()
