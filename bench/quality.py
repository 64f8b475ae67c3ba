"""`make quality`: what sparkwhy says, against the exact oracle, on generated questions; writes docs/quality.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession

from bench.quality_cases import FEWEST, MAX_STATES, MOST, case
from bench.quality_compare import CLASSES, FOUND, Class, Quality, Wanted, class_of_way, quality, ways_to
from bench.quality_scenarios import scenarios
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.walk import walk
from sparkwhy.question.pattern import show_pattern

COMMAND = "make quality"
SEEDS = 6_000
PROCESSES = 2
PAGE = Path(__file__).parent.parent / "docs" / "quality.md"


def main() -> None:
    found, small = quality(SEEDS, PROCESSES), scenarios(_session())
    PAGE.write_text(page(found, small))
    for text in (summary(found), table(found, smallest=False), table(found, smallest=True), rivals(found), small):
        print(text, end="\n\n")
    print(f"written: {PAGE.relative_to(Path.cwd())}")
    if any(result.sound < result.verified for result in found.results):
        raise SystemExit("a verified fix does not return the row")


# --- figures ---


def table(found: Quality, *, smallest: bool) -> str:
    """How many of the oracle's explanations we have, by what they take."""
    counts = found.counts(smallest=smallest)
    rows = [(CLASSES[kind], [counts[kind, each] for each in FOUND]) for kind in CLASSES]
    rows.append(("all", [sum(row[i] for _, row in rows) for i in range(len(FOUND))]))
    lines = [
        "| what it takes | explanations | found, fix verified | found, no fix | only tried | missed | found |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for what, (verified, certain, attainable, missed) in rows:
        total = verified + certain + attainable + missed
        share = _share(verified + certain, total)
        lines.append(f"| {what} | {total} | {verified} | {certain} | {attainable} | {missed} | {share} |")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def summary(found: Quality) -> str:
    """The figures that are not about what was found."""
    complete = found.complete
    verified, sound = sum(r.verified for r in found.results), sum(r.sound for r in found.results)
    minimal, msrs = sum(r.minimal for r in complete), sum(r.msrs for r in complete)
    admissible = sum(r.admissible for r in complete)
    ranks = [r.rank for r in complete]
    known = [rank for rank in ranks if rank is not None]
    lines = [
        f"- cases: {len(found.results)}, of {found.seeds} seeds; with declared groups: "
        f"{sum(r.declared for r in found.results)}; with an oracle whose answer was cut, which count for soundness "
        f"only: {len(found.results) - len(complete)}",
        f"- verified explanations: {verified}; whose fix, run by itself, returns the row: {sound} "
        f"({_share(sound, verified)})",
        f"- minimal explanations of ours: {minimal}; the same operators are a minimal one of the oracle: {msrs} "
        f"({_share(msrs, minimal)}); or a successful one that is not minimal: {admissible - msrs}; or need a change "
        f"that the paper's table does not have: {minimal - admissible}",
        f"- the oracle's nearest explanation is our first in {_share(sum(r == 1 for r in known), len(ranks))} of the "
        f"cases, among our first three in {_share(sum(r <= 3 for r in known), len(ranks))}, further down in "
        f"{_share(sum(r > 3 for r in known), len(ranks))}, and not in our list in "
        f"{_share(len(ranks) - len(known), len(ranks))}",
    ]
    return "\n".join(lines)


def rivals(found: Quality) -> str:
    """What the baselines and we tell of queries as written: how much of it holds, and how much of what there is."""
    total = sum(len(each.wanted) for each in found.complete if not each.declared)
    lines = [
        "| method | sets told | successful | of these explanations | of all told | of the oracle's explanations |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in found.results[0].told:
        each = found.told(name)
        right, share = _share(each.explanations, each.sets), _share(each.explanations, total)
        lines.append(f"| {name} | {each.sets} | {each.successful} | {each.explanations} | {right} | {share} |")
    return "\n".join(lines)


def example(seed: str, wanted: Wanted) -> str:
    """A missed explanation, with its query, its tables and what the oracle would change."""
    made = case(seed)
    assert made is not None
    shown = next(each for each in ways_to(made, wanted.steps) if class_of_way(made, each) == wanted.kind)
    used = {node.id for node in walk(made.plan)}
    rows = [f"table {id}: {', '.join(map(str, rows))}" for id, rows in sorted(made.tables.items()) if id in used]
    lines = [show_plan(made.plan), *rows, f"asked: {show_pattern(made.question.pattern)}"]
    if made.groups:
        lines.append(f"groups: {', '.join(' <-> '.join(sorted(group)) for group in made.declared)}")
    return "\n".join([*lines, f"the oracle: {shown.description}"])


# --- the page ---

WHY_MISSED: dict[Class, str] = {
    "relaxing": """
A part of the set is an explanation already, and we have it. The oracle also changes a further operator, which keeps
other rows out of the result. We do not look for fewer side effects by changing more operators.""",
    "attribute": """
In one operator all places that read an attribute change together; the oracle changes one of two. And the attribute
is exchanged where it is renamed, and not above; the oracle tries each place. And an alternative is combined with
relaxing, not with restricting.""",
    "carried": """
By decision (`docs/alternatives.md`) a column that is carried along under its own name is not a use of it: `select("k")`
becomes `select(col("v").alias("k"))` only if something above uses `k`.""",
    "exchange": """
Some rows have to come and others to go. A single filter is tried with constants of the data; together with other
operators only where the bounds of an aggregate say so, and these end at the next aggregate, window, limit or join. And
a second operator that only keeps other rows out of the result is not looked for.""",
    "part": """
The same with some of the further rows: bounds end at a second aggregate, and a limit ranks all rows that a relaxed
filter lets through.""",
    "restricting": """
A single filter is tried with constants of the data; two of them together are not, nor are joins and explodes that are
no longer outer, nor a smaller limit. And a second operator that only keeps other rows out of the result is not looked
for.""",
    "theta join": """
Pairs that a join does not form are looked at only where nothing else explains the row, and not below an aggregate, a
window or a limit. As in the paper, this avoids the product of both sides. A join with fewer pairs is not tried.""",
    "aggregate function": """
Tried where the question is about the value of the aggregate, in the query as written; the paper leaves it out. What
is missed is `count(*)` as `count(distinct 1)` or `min(1)`, and functions whose value only operators above read.""",
}


def page(found: Quality, small: str) -> str:
    """docs/quality.md; `small` is the table of small scenarios."""
    return "\n\n".join([_HEAD.strip(), summary(found), *_tables(found), _SMALL, small, *_examples(found)]) + "\n"


_SMALL = """## The small scenarios

The running example and the paper's crime scenarios, as written, in the interpreter too. Their tables have up to twelve
rows, and with three joins that is more than the oracle can enumerate: where it was cut it knows a part of the truth."""


def _session() -> SparkSession:
    builder = SparkSession.builder.master("local[1]").appName("sparkwhy quality").config("spark.ui.enabled", "false")
    return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()


_HEAD = f"""# How good the answers are

This page is made by `{COMMAND}`; do not edit it. The questions come from the seeds `quality/0`, `quality/1`, ..., so
the figures are the same each time. Everything runs in the interpreter, without Spark.

Each question is about a query of {FEWEST} to {MOST} operators over tables of 2 to 6 rows with numbers, texts, structs,
arrays and nulls, about half of them with declared groups of interchangeable attributes. A question is kept if the query
does not answer it and some reparameterization does. The judge is the exact oracle (`sparkwhy.lab.oracle`): the paper's
definitions taken literally, with all changes of the paper's table of admissible changes that the data can tell apart,
and at most {MAX_STATES} outputs of one operator. It shares no code with tracing.
"""


def _tables(found: Quality) -> Iterator[str]:
    yield """## What we find of the oracle's explanations

An explanation of the oracle is the set of operators of a minimal successful reparameterization. It stands in the first
line that is enough for it: *more rows come through* if some change that makes it an explanation only adds rows at each
of its operators, and letting all rows through would do. A set of which no part is enough is an explanation by any
successful change of just its operators; one of which a part is enough is another explanation only by its fewer side
effects, so there the changes with the fewest count. If any successful change counted there too, the first line would
also hold such larger sets, of which we miss most: it would be lower. The last five lines are what the paper's
algorithm leaves out. The stages are those of `why_not` but for one: where no row blames anything, `why_not` looks at
the sources before it looks at pairs that joins keep apart, and may answer that no source has such a row. So the line
on joins is more than `why_not` finds (in C3 below it says `not_in_data`).
*Found*: it is in our list, with a fix that was run, or as certain without one. *Only tried*: some value would have to
lie within its bounds, and no fix was seen to work; it is told under what was tried."""
    yield table(found, smallest=False)
    yield """The same for the sets of which no part is enough. The others change more operators than needed, for fewer
side effects."""
    yield table(found, smallest=True)
    yield """## The baselines

Why-Not and Conseil on the same questions, as far as no groups are declared: they do not know of these. *Successful*:
just these operators can be changed so that the row is there. Of what sparkwhy says, the minimal explanations count."""
    yield rivals(found)


_WITHOUT_A_FIX = """## What is found without a fix

The set is certain: with just these operators relaxed the row is there. But no change that was tried brings it. These
kinds are known: a filter with `=` below an aggregate or window that would have to let several values through; a limit
below an aggregate, of which the witness is one row of several; a filter on the right side of a semi join, intersect or
except together with other operators, where nobody records what it would have to let through."""


def _examples(found: Quality) -> Iterator[str]:
    yield _WITHOUT_A_FIX
    yield "## What is missed\n\nOne small example of each kind, among the generated ones."
    for kind, what in CLASSES.items():
        if found.misses(kind):
            result, wanted = found.misses(kind)[0]
            text = example(result.seed, wanted)
            yield f"**{what[0].upper()}{what[1:]}.** {WHY_MISSED[kind].strip()}\n\n```\n{text}\n```"


if __name__ == "__main__":
    main()
