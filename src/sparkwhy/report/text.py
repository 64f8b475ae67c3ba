"""An answer as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from sparkwhy.explain.absent import SourceGap
from sparkwhy.report.report import (
    OTHER_VALUE_EXPLAINED,
    OTHER_VALUE_UNEXPLAINED,
    Report,
    Row,
    ShownChange,
    ShownExplanation,
    Suspect,
)
from sparkwhy.report.style import Line, Piece, Role, coloured_line, plain_line, wrap_line
from sparkwhy.report.values import cut, show_cell, show_row
from sparkwhy.wording import count_of

_PLACE = 100
"""Where a place in the user's code is aligned to at most."""

_TRIED = 3


def render(report: Report, *, width: int | None = None) -> str:
    """Return the report, a few lines for each explanation, without colour; broken to a width, if one is given."""
    return _join_lines(report, plain_line, width)


def render_coloured(report: Report, *, width: int | None = None) -> str:
    """Return the same for a terminal that shows colours."""
    return _join_lines(report, coloured_line, width)


def _join_lines(report: Report, draw: Callable[[Line], str], width: int | None) -> str:
    lines = _lines(report, width)
    fitting = lines if width is None else (part for line in lines for part in wrap_line(line, width))
    return "\n".join(map(draw, fitting)).rstrip()


def _lines(report: Report, width: int | None) -> Iterator[Line]:
    yield _line(f"Why is there no row like {report.question}?", "title")
    yield _line()
    yield from _body(report, width)
    yield from _show_attempts(report.tried)
    yield from (_line(f"Note: {note}", "faint") for note in report.notes)


def _line(text: str = "", role: Role = "plain") -> Line:
    return (Piece(text, role),)


def _body(report: Report, width: int | None) -> Iterator[Line]:
    if report.outcome != "explained":
        yield _line(report.headline)
    yield from (_line(f"  {show_row(row)}") for row in report.matching)
    yield from _contributors(report)
    yield from chain.from_iterable(map(_gap, report.gaps))
    if report.outcome == "other_value":
        yield from (_line(), _line(OTHER_VALUE_EXPLAINED if report.is_explained else OTHER_VALUE_UNEXPLAINED))
        yield from [_line()] if report.is_explained else []
    if not report.is_explained and report.explanations:
        yield _line("These might, if their constants changed; whether they do was not seen:")
        yield _line()
    yield from _explanations(report.explanations, width)


def _contributors(report: Report) -> Iterator[Line]:
    if report.contributors is not None:
        yield _line(f"    {report.contributors}{':' if report.contributing else ''}")
        yield from (_line(f"      {show_row(row)}") for row in report.contributing)


def _gap(gap: SourceGap) -> Iterator[Line]:
    yield _line(f"  {gap.table.text}: no row with {' and '.join(gap.conditions)}")
    for condition, values in gap.nearest.items():
        if values:
            yield _line(f"    nearest to {condition}: {', '.join(map(show_cell, values))}")


# --- explanations ---


def _explanations(explanations: Iterable[ShownExplanation], width: int | None) -> Iterator[Line]:
    shown = tuple(explanations)
    aligned = _place([suspect for each in shown for suspect in each.suspects], width)
    for each in shown:
        yield from _explanation(each, aligned)
        yield _line()


def _place(suspects: Sequence[Suspect], width: int | None) -> int:
    """Return where places in the user's code are aligned to: behind the longest operator, if there is room for both."""
    longest = max((len(suspect.operator.text) for suspect in suspects), default=0)
    beside = max((len(suspect.place or "") for suspect in suspects), default=0)
    room = _PLACE if width is None else width - beside - len(" 1. ") - len("   ")
    return max(min(longest, _PLACE, room), 0)


def _explanation(shown: ShownExplanation, width: int) -> Iterator[Line]:
    for position, suspect in enumerate(shown.suspects):
        yield from _suspect(f"{shown.rank}." if position == 0 else "and", suspect, width)
    yield from _indent(shown.remarks)
    if shown.alternative is not None:
        yield from _indent([f"with {shown.alternative}", *shown.evidence])
    unseen = f" (and {count_of(shown.unseen, 'other column')})" if shown.unseen else ""
    yield from _indent(dict.fromkeys(f"would give {show_row(row)}{unseen}" for row in shown.rows))
    if shown.more:
        yield from _indent([f"and {shown.more} more like that"])
    yield from _fix(shown)
    yield from _fold(shown)


def _suspect(label: str, suspect: Suspect, width: int) -> Iterator[Line]:
    operator = suspect.operator
    title = (Piece(f"{label:>3} "), Piece(operator.text, "title"))
    gap = " " * (max(width - len(operator.text), 0) + 3)
    yield title if suspect.place is None else (*title, Piece(gap), Piece(suspect.place, "faint"))
    yield from _indent([] if suspect.reading is None else [f"as {suspect.reading}"])
    yield from _indent(suspect.findings)


def _indent(lines: Iterable[str], role: Role = "plain") -> Iterator[Line]:
    return ((Piece("      "), Piece(line, role)) for line in lines)


# --- fixes ---


def _fix(shown: ShownExplanation) -> Iterator[Line]:
    """Yield what was changed, whether it works, and what else it does."""
    if shown.verified:
        yield from _indent(["fix, run and seen to work:" if shown.changes else "run and seen to work"], "good")
    elif shown.changes:
        yield from _indent(["tried:"])
    for change in shown.changes:
        yield from _change(change)
    if shown.verified is False:
        yield from _indent([shown.unverified_reason], "bad")
    if shown.effects is not None:
        examples = shown.entering or shown.leaving
        yield from _indent([f"{shown.effects}, such as" if examples else shown.effects])
    yield from _sign("+", shown.entering)
    yield from _sign("-", shown.leaving)
    yield from _indent([] if shown.runner_up is None else [f"also seen to work: {shown.runner_up}"])


def _change(change: ShownChange) -> Iterator[Line]:
    yield from _indent([f"  - {change.before}"], "bad")
    yield from _indent([f"  + {change.after}"], "good")
    if change.line is not None:
        old, new = change.line
        yield from _indent([f"  in {change.operator.where}:"], "faint")
        yield from _indent([f"  - {old}"], "removed")
        yield from _indent([f"  + {new}"], "added")


def _sign(sign: str, rows: Iterable[Row]) -> Iterator[Line]:
    return _indent(f"  {sign} {show_row(row)}" for row in rows)


# --- what is shown in short ---


def _fold(shown: ShownExplanation) -> Iterator[Line]:
    """Yield the explanations that are shown under another, one line each."""
    for words, folded in shown.folded.items():
        yield from _indent([f"{words}:"], "faint")
        yield from _indent((f"{f'{each.rank}.':>5} {each.title}{_aside(each)}" for each in folded), "faint")


def _aside(shown: ShownExplanation) -> str:
    if shown.verified is False:
        return " (no fix was found)"
    return "" if shown.effects is None else f" ({shown.effects})"


def _show_attempts(explanations: tuple[ShownExplanation, ...]) -> Iterator[Line]:
    if explanations:
        yield _line("Tried without success:", "faint")
        for each in explanations[:_TRIED]:
            yield _line(f"    {each.title}: {cut(each.reason or 'it does not let the row through')}", "faint")
        if len(explanations) > _TRIED:
            yield _line(f"    and {len(explanations) - _TRIED} more", "faint")
        yield _line()
