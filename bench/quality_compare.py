"""What sparkwhy says beside what the exact oracle says, for one generated question and for many.

All runs in the interpreter, without Spark. The oracle enumerates all reparameterizations that data can tell apart, as
the paper defines them; operators are compared by their steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import astuple, dataclass
from itertools import combinations
from multiprocessing import Pool
from typing import Literal as OneOf

from bench.quality_cases import Case, alternatives, case, operators
from sparkwhy.alternatives.aggregates import with_other_functions
from sparkwhy.alternatives.enumerate import single_changes
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.errors import UnsupportedOperator
from sparkwhy.explain.candidates import Claim, candidate_plan, candidates_of, explain
from sparkwhy.explain.model import Explanation
from sparkwhy.explain.rank import rank, split_shown
from sparkwhy.explain.stricter_filters import propose_stricter_filters
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.pairs import explain_pairs
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.fix.tighten import drop_needless_changes, tighten_fixes
from sparkwhy.lab.conseil import conseil, why_not_joined
from sparkwhy.lab.oracle import Oracle, Reparameterization, is_relaxing, is_successful
from sparkwhy.lab.outcomes import OperatorChange
from sparkwhy.lab.whynot import Answers, Collect, frontier_picky
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import OpId, Plan, Project
from sparkwhy.plan.walk import walk
from sparkwhy.question.match import conditions
from sparkwhy.trace.blame import droppers_of
from sparkwhy.trace.relax import relax
from sparkwhy.trace.trace import trace
from tests.memory_engine import MemoryEngine

Steps = frozenset[int]
"""A set of operators, as the numbers of the user's operations."""

Class = OneOf[
    "relaxing", "attribute", "carried", "exchange", "part", "restricting", "theta join", "aggregate function"
]  # fmt: skip

CLASSES: dict[Class, str] = {
    "relaxing": "more rows pass",
    "attribute": "another attribute of a declared group",
    "carried": "another attribute instead of one that a select only passes through",
    "exchange": "other rows pass: `= 1` becomes `= 2`, and `>= 1` does not work",
    "part": "some of the additional rows pass, and all of them together do not work (aggregates, limits, outer joins)",
    "restricting": "fewer rows pass",
    "theta join": "a join compares in another way",
    "aggregate function": "another aggregate function",
}
"""What it takes to make a set of operators an explanation: the first of these that is enough."""


Found = OneOf["verified", "certain", "attainable", "missed"]
FOUND: tuple[Found, ...] = ("verified", "certain", "attainable", "missed")


# --- our answer ---


@dataclass(frozen=True)
class Ours:
    """What we say: the explanations in order, what was tried in vain, and the repairs that were verified."""

    ranked: tuple[Explanation, ...]
    tried: tuple[Explanation, ...]
    verified: tuple[Claim, ...]

    def find(self, steps: Steps) -> Found:
        for each in self.ranked:
            if steps_of(each) == steps:
                return "verified" if each.verified else "certain"
        return "attainable" if any(steps_of(each) == steps for each in self.tried) else "missed"

    def rank(self, sets: Iterable[Steps]) -> int | None:
        """The best rank of one of these sets."""
        wanted = set(sets)
        return next((each.rank for each in self.ranked if steps_of(each) in wanted), None)


def steps_of(explanation: Explanation) -> Steps:
    return frozenset(operator.id for operator in explanation.operators)


def our_answer(case: Case) -> Ours:
    """The stages of `why_not`, in the interpreter."""
    tried = alternatives(case.plan, case.groups)
    assert tried is not None
    asked = conditions(case.question)
    readings = with_other_functions(tried, asked).found
    traced = trace(case.plan, asked, alternatives=[each.plan for each in readings[1:]], records=True)
    candidates = candidates_of(traced, run(candidate_plan(traced), case.tables), "UTC")
    candidates += propose_stricter_filters(traced, candidates)
    claims = explain(readings, traced.bits, candidates)
    query = FixContext(readings, traced.bits, "UTC", single_changes(case.plan, case.declared))
    trial = FixSearch(MemoryEngine(case.tables), query, asked)
    kept, others = split_shown(trial.verdicts(claims))
    needed = drop_needless_changes(trial, kept)
    told = tighten_fixes(trial, trial.with_effects(needed)) if needed else needed
    if not any(each.explanation.certain for each in told):
        told += explain_pairs(trial.engine, case.plan, asked, "UTC", verify=True)
    return Ours(rank(told), tuple(each.explanation for each in others), tuple(each for each in told if each.verified))


# --- the oracle's ---


def in_steps(ops: Iterable[OpId]) -> Steps:
    return frozenset(op.step for op in ops)


def explanations(oracle: Oracle) -> frozenset[Steps]:
    """The oracle's explanations."""
    return frozenset(in_steps(ops) for ops in oracle.explanations)


def best(oracle: Oracle) -> frozenset[Steps]:
    """The explanations of the reparameterizations that are nearest to the query's own result."""
    least = min(each.distance for each in oracle.minimal)
    return frozenset(in_steps(each.changed_ops) for each in oracle.minimal if each.distance == least)


def ways_to(case: Case, steps: Steps) -> tuple[Reparameterization, ...]:
    """What makes a set of operators an explanation.

    If no part of it is enough, any reparameterization of just these operators. Otherwise its part is an explanation,
    and this one is another for its fewer side effects: then only those that are nearest to the query's own result.
    """
    ways = case.oracle.successful if is_smallest(case, steps) else case.oracle.minimal
    return tuple(each for each in ways if in_steps(each.changed_ops) == steps)


def is_smallest(case: Case, steps: Steps) -> bool:
    return not any(in_steps(each.changed_ops) < steps for each in case.oracle.successful)


def class_of(case: Case, steps: Steps) -> Class:
    """What it takes, of all that makes these operators an explanation."""
    ways = {class_of_way(case, each) for each in ways_to(case, steps)}
    return next(each for each in CLASSES if each in ways)


def class_of_way(case: Case, found: Reparameterization) -> Class:
    if "aggregate function" in found.labels:
        return "aggregate function"
    if "theta join" in found.labels:
        return "theta join"
    if "attribute" in found.labels:
        return "carried" if any(map(_renames, found.changes)) else "attribute"
    if is_relaxing(found):
        return "relaxing" if _is_relaxed_to(case, in_steps(found.changed_ops)) else "part"
    return "restricting" if "restricts" in found.labels else "exchange"


def _is_relaxed_to(case: Case, steps: Steps) -> bool:
    """Whether letting everything through at just these operators returns the row."""
    droppers = [d for node in walk(case.plan) for d in droppers_of(node) if d.op.step in steps]
    chosen = (frozenset(some) for size in range(1, len(droppers) + 1) for some in combinations(droppers, size))
    return any(
        is_successful(relax(case.plan, some), case.tables, case.question)
        for some in chosen
        if in_steps(dropper.op for dropper in some) == steps
    )


def _renames(change: OperatorChange) -> bool:
    """Whether a select puts another attribute under a name that it merely carried along."""
    if not isinstance(change.before, Project) or not isinstance(change.after, Project):
        return False
    columns = zip(change.before.columns, change.after.columns, strict=True)
    return any(before.is_carried and not after.is_carried for before, after in columns)


# --- one case ---


@dataclass(frozen=True)
class Wanted:
    """An explanation of the oracle: what it takes, whether no part of it is enough, and whether we have it."""

    steps: Steps
    kind: Class
    smallest: bool
    found: Found


@dataclass(frozen=True)
class Told:
    """The sets of operators that one method told, and how many of these are successful, or an explanation."""

    sets: int
    successful: int
    explanations: int


@dataclass(frozen=True)
class Result:
    """The figures of one case."""

    seed: str
    size: tuple[int, int]
    declared: bool
    cut: bool
    verified: int
    sound: int
    minimal: int
    admissible: int
    msrs: int
    wanted: tuple[Wanted, ...]
    rank: int | None
    told: Mapping[str, Told]


def result_of(seed: str) -> Result | None:
    """What comes of a seed; None if it makes no case."""
    made = case(seed)
    return None if made is None else compared(made, our_answer(made))


def compared(case: Case, ours: Ours) -> Result:
    """Our answer beside the oracle's; of one that was cut, only what is sound is asked."""
    successful = {in_steps(each.changed_ops) for each in case.oracle.successful}
    minimal = [steps_of(each) for each in ours.ranked if each.minimal]
    cut = bool(case.oracle.cut)
    return Result(
        seed=case.seed,
        size=(operators(case.plan), sum(map(len, case.tables.values()))),
        declared=bool(case.groups),
        cut=cut,
        verified=len(ours.verified),
        sound=sum(is_sound(case, each) for each in ours.verified),
        minimal=len(minimal),
        admissible=sum(steps in successful for steps in minimal),
        msrs=sum(steps in explanations(case.oracle) for steps in minimal),
        wanted=() if cut else tuple(_wanted(case, ours)),
        rank=ours.rank(best(case.oracle)),
        told={name: told(case, sets) for name, sets in methods(case, ours).items()},
    )


def told(case: Case, sets: Set[Steps]) -> Told:
    successful = {in_steps(each.changed_ops) for each in case.oracle.successful}
    return Told(len(sets), len(sets & successful), len(sets & explanations(case.oracle)))


def methods(case: Case, ours: Ours) -> Mapping[str, frozenset[Steps]]:
    """What the baselines tell, and what we do; without declared groups, which the baselines do not know."""
    asked = conditions(case.question)
    found = {name: _told_by(baseline, case, asked) for name, baseline in BASELINES.items()}
    return {**found, "sparkwhy": frozenset(steps_of(each) for each in ours.ranked if each.minimal is not False)}


BASELINES: dict[str, Callable[[Plan, Conditions, Collect], Answers]] = {
    "Why-Not (WN++)": frontier_picky,
    "Why-Not with joined compatible rows": why_not_joined,
    "Conseil, query-based": conseil,
}


def _told_by(
    baseline: Callable[[Plan, Conditions, Collect], Answers], case: Case, asked: Conditions
) -> frozenset[Steps]:
    """The sets that a baseline returns; none for a query with an operator that it does not know."""
    try:
        answers = baseline(case.plan, asked, lambda plan: run(plan, case.tables))
    except UnsupportedOperator:
        return frozenset()
    return frozenset(frozenset(operator.id for operator in each) for each in answers)


def is_sound(case: Case, each: Claim) -> bool:
    """Whether a verified fix, run by itself, returns the row."""
    return each.repair is not None and is_successful(each.repair.fixed_plan, case.tables, case.question)


def _wanted(case: Case, ours: Ours) -> Iterator[Wanted]:
    for steps in sorted(explanations(case.oracle), key=sorted):
        yield Wanted(steps, class_of(case, steps), is_smallest(case, steps), ours.find(steps))


# --- all cases ---


@dataclass(frozen=True)
class Quality:
    """The results of many cases."""

    seeds: int
    results: tuple[Result, ...]

    @property
    def complete(self) -> list[Result]:
        return [each for each in self.results if not each.cut]

    def counts(self, *, smallest: bool) -> Counter[tuple[Class, Found]]:
        """How many explanations of the oracle we have, by what they take: all, or those of which no part is enough."""
        every = (each for result in self.complete for each in result.wanted)
        return Counter((each.kind, each.found) for each in every if each.smallest or not smallest)

    def recall(self, kind: Class, *, smallest: bool = False) -> float:
        """The share that we have, verified or as certain."""
        counts = self.counts(smallest=smallest)
        total = sum(counts[kind, found] for found in FOUND)
        return _had(counts, kind) / total if total else 1.0

    def told(self, name: str) -> Told:
        """What a method told, in all cases without declared groups together."""
        every = [each.told[name] for each in self.complete if not each.declared]
        return Told(*(sum(figures) for figures in zip(*map(astuple, every), strict=True)))

    def misses(self, kind: Class) -> list[tuple[Result, Wanted]]:
        """What we do not have of a kind, the smallest queries first."""
        found = [
            (r, w) for r in self.complete for w in r.wanted if w.kind == kind and w.found in ("attainable", "missed")
        ]
        return sorted(found, key=lambda each: (not each[1].smallest, each[0].declared, each[0].size, each[0].seed))


def _had(counts: Mapping[tuple[Class, Found], int], kind: Class) -> int:
    return counts[kind, "verified"] + counts[kind, "certain"]


def quality(seeds: int, processes: int = 1) -> Quality:
    """The results of the cases of so many seeds."""
    names = [f"quality/{i}" for i in range(seeds)]
    if processes == 1:
        return Quality(seeds, tuple(each for each in map(result_of, names) if each is not None))
    with Pool(processes) as pool:
        found = pool.map(result_of, names, chunksize=20)
    return Quality(seeds, tuple(each for each in found if each is not None))
