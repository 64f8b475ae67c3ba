"""The alternatives of a query: what the user declared interchangeable, enumerated, rewritten and pruned (step 2).

Alternative 0 is the query as written. `substitute` carries out one substitution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import permutations, product
from math import perm, prod
from typing import Any, TypeAlias
from typing import Literal as OneOf

from sparkwhy.alternatives.declared import Alternative, Declared, groups_and_alternatives, resolve_name
from sparkwhy.alternatives.fitting import CannotSubstitute
from sparkwhy.alternatives.paths import Names, Origin, path_text, spelling_in
from sparkwhy.alternatives.substitute import RESULT, Analysis, Substitution, Use, substitute
from sparkwhy.alternatives.variant import Alternatives, Pruned, QueryVariant
from sparkwhy.errors import AlternativeError, TooManyAlternatives, show_argument
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.uses import are_uses_alike
from sparkwhy.plan.walk import walk

Mode: TypeAlias = OneOf["swap", "each"]
"""A group is permuted once for the whole query, or every reference chooses by itself."""


def alternatives_of(
    plan: Plan, declared: Declared = (), *, mode: Mode = "swap", limits: Limits = DEFAULT_LIMITS
) -> Alternatives:
    """Return the query as written and its alternatives, fewest changed operators first."""
    given: Any = mode
    if not isinstance(given, str) or given not in ("swap", "each"):  # a Column cannot be compared
        raise AlternativeError(f"unknown mode {show_argument(mode)}.", hint="write mode='swap' or mode='each'.")
    query = Analysis.of(plan)
    groups, explicit = groups_and_alternatives(declared)
    choices = _choices(query, [_group(query, group) for group in groups], mode)
    ways = prod(choice.ways for choice in choices)
    if ways > limits.combinations:
        raise TooManyAlternatives(ways, limits.alternatives, groups=_ways(choices))
    combinations = [*_combine_choices(choices), *(_resolve_alternative(query, each) for each in explicit)]
    found = _try_combinations(query, combinations, limits.alternatives)
    if found is None:
        raise TooManyAlternatives(ways + len(explicit), limits.alternatives, groups=_ways(choices))
    return found


def swap_members(query: Analysis, table: OpId, members: tuple[Names, Names]) -> QueryVariant | None:
    """Return the query with two attributes of a table in each other's place; None if that cannot be, or changes
    nothing.
    """
    uses, both = _uses(query), tuple(sorted(members))
    same = [node.id for node in query.tables.values() if node.first_use == query.tables[table].first_use]
    choices = [choice for each in same for choice in _choices_of_group(Group("", each, both), uses)]
    tried = _try_combinations(query, _combine_choices(choices), DEFAULT_LIMITS.alternatives)
    return tried.found[-1] if tried is not None and len(tried.found) > 1 else None


def single_changes(plan: Plan, declared: Declared, limits: Limits = DEFAULT_LIMITS) -> Mapping[OpId, tuple[Plan, ...]]:
    """Return each operator that uses a member of a declared group, with another member in one of its uses."""
    query = Analysis.of(plan)
    groups, _ = groups_and_alternatives(declared)
    found: dict[OpId, list[Plan]] = {}
    for choice in _choices(query, [_group(query, group) for group in groups], "each"):
        tried = _try_combinations(query, choice.options, limits.alternatives, single=True)
        for each in tried.found[1:] if tried is not None else ():
            nodes = {node.id: node for node in walk(each.plan)}
            if len(each.changed) == 1 and each.changed[0] in nodes:
                found.setdefault(each.changed[0], []).append(nodes[each.changed[0]])
    return {op: tuple(nodes) for op, nodes in found.items()}


def used_paths(query: Analysis, *, by_result: bool = False) -> Mapping[OpId, tuple[Names, ...]]:
    """Return the paths of each table that operators use, in reading order; or those that the result shows."""
    found: dict[OpId, dict[Names, None]] = {}
    for use, origin in _uses(query).items():
        if (use.operator == RESULT) == by_result:
            found.setdefault(origin.table, {})[origin.names] = None
    return {table: tuple(names) for table, names in found.items()}


# --- groups ---


@dataclass(frozen=True)
class Group:
    """A declared group in one table: its members there, sorted."""

    text: str
    table: OpId
    members: tuple[Names, ...]

    def member(self, origin: Origin) -> Names | None:
        """Return the member that a reference goes through, if it does; the longest."""
        through = [member for member in self.members if origin.goes_through(self.table, member)]
        return max(through, key=len, default=None)


def _group(query: Analysis, members: tuple[str, ...]) -> list[Group]:
    """Return a group in every table that has at least two of its members."""
    places = [resolve_name(member, query) for member in members]
    found = []
    for table in query.tables:
        inside = sorted({place[table] for place in places if table in place})
        if len(inside) > 1:
            found.append(Group(f"{{{', '.join(members)}}}", table, tuple(inside)))
    if not found:
        raise AlternativeError(
            f"{' and '.join(members)} are not attributes of one source.",
            hint="only attributes of the same source can replace each other.",
        )
    return found


def _uses(query: Analysis) -> dict[Use, Origin]:
    """Return all uses of paths in a query, in reading order; of an array and its whole elements, the array counts."""
    found: dict[Use, Origin] = {}
    for operator, reads in query.references.items():
        for origin in (origin for read in reads for origin in read.meaning):
            use = Use(operator, origin.table, origin.names)
            found[use] = min(found.get(use, origin), origin, key=lambda each: each.fixed)
    return found


@dataclass(frozen=True)
class Choice:
    """A decision that is taken independently of others: in how many ways, and what it can be (to be read once)."""

    group: str
    ways: int
    options: Iterator[tuple[Substitution, ...]]


def _choices(query: Analysis, groups: list[list[Group]], mode: Mode) -> list[Choice]:
    uses = _uses(query)
    each = _choices_of_uses if mode == "each" else _choices_of_group
    return [choice for places in groups for group in places for choice in each(group, uses)]


def _choices_of_group(group: Group, uses: Mapping[Use, Origin]) -> list[Choice]:
    """Return the used members of a group become different members: a permutation, as far as it shows."""
    members = _members_used(group, uses)
    used = sorted(set(members.values()))
    in_result = [use for use in members if use.operator == RESULT]
    options = (
        tuple(
            each for old, new in zip(used, chosen, strict=True) for each in _replace_member(group, old, new, in_result)
        )
        for chosen in permutations(group.members, len(used))
    )
    return [Choice(group.text, perm(len(group.members), len(used)), options)]


def _members_used(group: Group, uses: Mapping[Use, Origin]) -> dict[Use, Names]:
    """Return the uses of members by operators; where no operator uses any, those by the result."""
    found = {use: member for use, origin in uses.items() if (member := group.member(origin)) is not None}
    return {use: member for use, member in found.items() if use.operator != RESULT} or found


def _replace_member(group: Group, old: Names, new: Names, in_result: list[Use]) -> Iterator[Substitution]:
    if not in_result:
        yield Substitution(group.table, old, new)
    yield from (Substitution(group.table, old, new, use) for use in in_result if use.names[: len(old)] == old)


def _choices_of_uses(group: Group, uses: Mapping[Use, Origin]) -> list[Choice]:
    """Return choices in which every use of a member becomes any member."""
    return [_choice_of_use(group, old, use) for use, old in _members_used(group, uses).items()]


def _choice_of_use(group: Group, old: Names, use: Use) -> Choice:
    options = ((Substitution(group.table, old, new, use),) for new in group.members)
    return Choice(group.text, len(group.members), options)


def _ways(choices: list[Choice]) -> Mapping[str, int]:
    """Count the ways in which each group can be read."""
    found: dict[str, int] = {}
    for choice in choices:
        found[choice.group] = found.get(choice.group, 1) * choice.ways
    return found


def _combine_choices(choices: list[Choice]) -> Iterator[tuple[Substitution, ...]]:
    """Yield all combinations of choices but those in which two groups replace the same by different things."""
    for chosen in product(*(choice.options for choice in choices)):
        changes = tuple(change for option in chosen for change in option)
        replaced = {(c.table, c.old, c.use): c.new for c in changes if c.old != c.new}
        if all(replaced[c.table, c.old, c.use] == c.new for c in changes if c.old != c.new):
            yield changes


def _resolve_alternative(query: Analysis, alternative: Alternative) -> tuple[Substitution, ...]:
    """Return the changes of an explicit alternative, in every table that has both attributes."""
    uses = _uses(query)
    found: list[Substitution] = []
    for old, new in alternative.changes.items():
        before, after = resolve_name(old, query), resolve_name(new, query)
        here = [
            each for table in before if table in after for each in _replace(uses, table, before[table], after[table])
        ]
        if not here:
            raise AlternativeError(
                f"{old} and {new} are not attributes of one source.",
                hint="only attributes of the same source can replace each other.",
            )
        if all(change.old == change.new for change in here):
            raise AlternativeError(f"the alternative replaces {old} by itself.", hint="name another attribute.")
        found += here
    return tuple(found)


def _replace(uses: Mapping[Use, Origin], table: OpId, old: Names, new: Names) -> list[Substitution]:
    """Return the replacement of a path in the operators that use it; if none does, in the result."""
    covered = [use for use, origin in uses.items() if origin.goes_through(table, old)]
    in_result = covered and all(use.operator == RESULT for use in covered)
    return [Substitution(table, old, new, use) for use in covered] if in_result else [Substitution(table, old, new)]


# --- trying ---


def _try_combinations(
    query: Analysis, combinations: Iterable[tuple[Substitution, ...]], limit: int, *, single: bool = False
) -> Alternatives | None:
    """Return the combinations rewritten, each different query once, and those that cannot be; None if these are too
    many.

    All uses of an operator read the same; with `single` changes, one of them stands for all.
    """
    uses = _uses(query)
    found: dict[Differences, QueryVariant] = {(): QueryVariant({}, query.plan, ())}
    pruned: list[Pruned] = []
    for changes in combinations:
        described = _describe_changes(query, changes, uses)
        if not described and any(change.old != change.new for change in changes):
            pruned.append(_prune_unused(query, changes))
            continue
        try:
            plan, notes = substitute(query, changes)
        except CannotSubstitute as error:
            pruned.append(Pruned(described, error.reason))
            continue
        if not (single or are_uses_alike(plan)):
            continue
        differences = _differences(query.plan, plan)
        if described and not differences:
            pruned.append(_prune_unused(query, changes))
            continue
        new = QueryVariant(described, plan, _steps(query.plan, differences), notes)
        found[differences] = min(found.get(differences, new), new, key=_rank)
        if len(found) > limit:
            return None
    return Alternatives(tuple(sorted(found.values(), key=_rank)), _smallest(pruned))


def _prune_unused(query: Analysis, changes: tuple[Substitution, ...]) -> Pruned:
    """Return an explicit alternative of which nothing is used."""
    paths = {_text(query, c.table, c.old): _text(query, c.table, c.new) for c in changes}
    return Pruned(paths, Message("unused", paths=" or ".join(paths)))


def _rank(rewritten: QueryVariant) -> tuple[int, int, list[tuple[str, str]]]:
    return len(rewritten.changed), len(rewritten.changes), sorted(rewritten.changes.items())


def _smallest(pruned: list[Pruned]) -> tuple[Pruned, ...]:
    """Return what was pruned, without combinations of it with others that are pruned for the same reason."""
    smallest: list[Pruned] = []
    for each in sorted(pruned, key=lambda it: (len(it.changes), sorted(it.changes.items()), it.reason)):
        if not any(it.reason == each.reason and it.changes.items() <= each.changes.items() for it in smallest):
            smallest.append(each)
    return tuple(smallest)


Differences: TypeAlias = tuple[tuple[OpId, tuple[object, ...]], ...]
"""The operators of a rewritten query that differ from the query as written, with their parameters."""

_NO_PARAMETERS = frozenset({"id", "input", "left", "right", "branches"})


def _differences(before: Plan, after: Plan) -> Differences:
    pairs = (
        (node.id, _parameters(node), _parameters(new)) for node, new in zip(walk(before), walk(after), strict=True)
    )
    return tuple((id, new) for id, old, new in pairs if new != old)


def _parameters(node: Plan) -> tuple[object, ...]:
    """Return what an operator is, without its inputs."""
    return tuple(getattr(node, f.name) for f in fields(node) if f.compare and f.name not in _NO_PARAMETERS)


def _steps(plan: Plan, differences: Differences) -> tuple[OpId, ...]:
    """Return the steps of operators, each once."""
    steps = {node.id.step for node in walk(plan) if not node.id.part}
    written = {node.id: node.first_use for node in walk(plan)}
    changed = (written[id] for id, _ in differences)
    return tuple(dict.fromkeys(OpId(id.step) if id.step in steps else id for id in changed))


# --- changes in words ---


def _describe_changes(
    query: Analysis, changes: tuple[Substitution, ...], uses: Mapping[Use, Origin]
) -> Mapping[str, str]:
    """Return what is replaced by what, as a user would write it; where uses of an attribute differ, with the
    operator.
    """
    made = [c for c in changes if c.old != c.new and any(c.covers(use.operator, uses[use]) for use in uses)]
    return dict(sorted(_describe_change(query, change, changes) for change in made))


def _describe_change(query: Analysis, change: Substitution, changes: tuple[Substitution, ...]) -> tuple[str, str]:
    new = {other.new for other in changes if (other.table, other.old) == (change.table, change.old)}
    old_text, new_text = (_text(query, change.table, names) for names in (change.old, change.new))
    if len(new) == 1 or change.use is None:
        return old_text, new_text
    rest = "".join(f".{path_text((name,))}" for name in change.use.names[len(change.old) :])
    return f"{old_text}{rest} (step {change.use.operator})", new_text + rest


def _text(query: Analysis, table: OpId, names: Names) -> str:
    """Return a path, with the name of its source where several have such a path."""
    alike = [other for other in query.tables.values() if spelling_in(other, names) is not None]
    if len(alike) == 1:
        return path_text(names)
    name = query.tables[table].source.name
    twice = sum(other.source.name == name for other in alike) > 1
    return f"{name}#{table}.{path_text(names)}" if twice else f"{name}.{path_text(names)}"
