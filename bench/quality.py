"""`make quality`: compare the answers with the exact oracle on generated questions, and write docs/quality.md."""

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
    """Return the table of the oracle's explanations that sparkwhy finds, by required change."""
    counts = found.counts(smallest=smallest)
    rows = [(CLASSES[kind], [counts[kind, each] for each in FOUND]) for kind in CLASSES]
    rows.append(("all", [sum(row[i] for _, row in rows) for i in range(len(FOUND))]))
    lines = [
        "| required change | explanations | found, fix verified | found, no fix | only tried | missed | found |",
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
    """Return the figures on soundness, minimality and rank."""
    complete = found.complete
    verified, sound = sum(r.verified for r in found.results), sum(r.sound for r in found.results)
    minimal, msrs = sum(r.minimal for r in complete), sum(r.msrs for r in complete)
    admissible = sum(r.admissible for r in complete)
    ranks = [r.rank for r in complete]
    known = [rank for rank in ranks if rank is not None]
    lines = [
        f"- cases: {len(found.results)}, from {found.seeds} seeds; with declared groups: "
        f"{sum(r.declared for r in found.results)}; with an oracle that was cut off, which count only for soundness: "
        f"{len(found.results) - len(complete)}",
        f"- verified explanations: {verified}; of these, the fix returns the row when run separately: {sound} "
        f"({_share(sound, verified)})",
        f"- minimal explanations of sparkwhy: {minimal}; the same operators are a minimal explanation of the oracle: "
        f"{msrs} ({_share(msrs, minimal)}); or a successful one that is not minimal: {admissible - msrs}; or need a "
        f"change that is not in the paper's table: {minimal - admissible}",
        f"- the nearest explanation of the oracle is the first of sparkwhy in "
        f"{_share(sum(r == 1 for r in known), len(ranks))} of the cases, among the first three in "
        f"{_share(sum(r <= 3 for r in known), len(ranks))}, further down in "
        f"{_share(sum(r > 3 for r in known), len(ranks))}, and not in the answer in "
        f"{_share(len(ranks) - len(known), len(ranks))}",
    ]
    return "\n".join(lines)


def rivals(found: Quality) -> str:
    """Return the table of the baselines and sparkwhy on queries as written: precision and recall."""
    total = sum(len(each.wanted) for each in found.complete if not each.declared)
    lines = [
        "| method | sets | successful | explanations | share of its sets | share of the oracle's explanations |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in found.results[0].told:
        each = found.told(name)
        right, share = _share(each.explanations, each.sets), _share(each.explanations, total)
        lines.append(f"| {name} | {each.sets} | {each.successful} | {each.explanations} | {right} | {share} |")
    return "\n".join(lines)


def example(seed: str, wanted: Wanted) -> str:
    """Return a missed explanation, with its query, its tables and the change of the oracle."""
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
A subset is already an explanation, and sparkwhy finds it. The oracle also changes a further operator, which excludes
other rows from the result. sparkwhy does not change more operators in order to have fewer side effects.""",
    "attribute": """
Within one operator, sparkwhy changes all references to an attribute together; the oracle changes one of two. sparkwhy
replaces the attribute where it is renamed and not above; the oracle tries each place. And sparkwhy combines an
alternative with relaxing, but not with restricting.""",
    "carried": """
By design (`docs/alternatives.md`), passing a column through under its own name does not count as a use: `select("k")`
becomes `select(col("v").alias("k"))` only if something above uses `k`.""",
    "exchange": """
Some rows have to enter and others to leave. sparkwhy tries constants of the data for a single filter; for a filter
together with other operators it does so only if the bounds of an aggregate indicate it, and bounds end at the next
aggregate, window, limit or join. It does not search for a second operator that only excludes other rows.""",
    "part": """
As above, but with some of the additional rows: bounds end at a second aggregate, and a limit ranks all rows that a
relaxed filter lets through.""",
    "restricting": """
sparkwhy tries constants of the data for a single filter, but not for two filters together, and it does not try to
make outer joins and explodes inner, or a limit smaller. It does not search for a second operator that only excludes
other rows.""",
    "theta join": """
sparkwhy examines pairs that a join does not match only if nothing else explains the row, and not below an aggregate, a
window or a limit. As in the paper, this avoids the product of both sides. A join with fewer pairs is not tried.""",
    "aggregate function": """
sparkwhy tries other functions if the question is about the value of the aggregate, in the query as written; the paper
leaves them out. It misses `count(*)` as `count(distinct 1)` or `min(1)`, and functions whose value only operators above
read.""",
}


def page(found: Quality, small: str) -> str:
    """Return docs/quality.md; `small` is the table of small scenarios."""
    return "\n\n".join([_HEAD.strip(), summary(found), *_tables(found), _SMALL, small, *_examples(found)]) + "\n"


_SMALL = """## Small scenarios

The running example of the paper, without and with its alternative, and the crime scenarios without alternatives, also
in the interpreter. Their tables have up to twelve rows. With three joins this is more than the oracle can enumerate;
where it was cut off, it knows only some of the explanations."""


def _session() -> SparkSession:
    builder = SparkSession.builder.master("local[1]").appName("sparkwhy quality").config("spark.ui.enabled", "false")
    return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()


_HEAD = f"""# Quality: the answers compared with an exact oracle

`{COMMAND}` generates this page; do not edit it. The questions come from the seeds `quality/0`, `quality/1`, ..., so the
figures are the same each time. Everything runs in the interpreter, without Spark.

Each question is about a query of {FEWEST} to {MOST} operators over tables of 2 to 6 rows with numbers, strings,
structs, arrays and nulls, about half of them with declared groups of interchangeable attributes. A question is kept if
the result of the query has no matching row, but the result of some reparameterization (the query with other constants,
comparisons, attributes, join types or functions) has one. The judge is the exact oracle (`sparkwhy.lab.oracle`). It
implements the definitions of the paper literally, with all changes of the paper's table of admissible changes that the
data can distinguish, and at most {MAX_STATES} outputs of one operator. It shares no code with tracing.
"""


def _tables(found: Quality) -> Iterator[str]:
    yield """## How many explanations of the oracle sparkwhy finds

An explanation of the oracle is the set of operators of a minimal successful reparameterization. The tables group
explanations by the change that they need, and count each in the first line that is sufficient. For example, it is
counted under *more rows pass* if some successful change only adds rows at each of its operators, and letting all rows
through also works. If no proper subset of the set is sufficient, any successful change of exactly these operators
counts. If a subset is sufficient, the larger set is an explanation only because it has fewer side effects, so only the
changes with the fewest side effects count. (If any successful change counted there too, the first line would include
these larger sets, most of which sparkwhy misses, and its share would be lower.) The paper's algorithm leaves out the
last five lines.

The stages are the same as in `why_not`.

*Found* means that the explanation is in the answer, with a fix that was run, or as certain without a fix. *Only tried*
means that some value lies within its bounds but no fix worked; the answer lists it among the tried changes."""
    yield table(found, smallest=False)
    yield """The next table counts only sets of which no proper subset is sufficient. The other sets change more
operators than needed in order to have fewer side effects."""
    yield table(found, smallest=True)
    yield """## Baselines

Why-Not and Conseil on the same questions, except those with declared groups, which they do not support. *Successful*
means that changing only these operators can make the row appear. For sparkwhy, the minimal explanations count."""
    yield rivals(found)


_WITHOUT_A_FIX = """## Explanations found without a fix

These sets are certain: with exactly these operators relaxed, the row appears. But no change that was tried returns it.
The known kinds are: a filter with `=` below an aggregate or window that would have to let several values through; a
limit below an aggregate, where the witness is one row of several; and a filter on the right side of a semi join,
intersect or except together with other operators, where the values that it would have to accept are not recorded."""


def _examples(found: Quality) -> Iterator[str]:
    yield _WITHOUT_A_FIX
    yield "## Missed explanations\n\nOne small generated example of each kind."
    for kind, what in CLASSES.items():
        if found.misses(kind):
            result, wanted = found.misses(kind)[0]
            text = example(result.seed, wanted)
            yield f"**{what[0].upper()}{what[1:]}.** {WHY_MISSED[kind].strip()}\n\n```\n{text}\n```"


if __name__ == "__main__":
    main()
