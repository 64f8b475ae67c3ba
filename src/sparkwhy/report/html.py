"""An answer as HTML: a page that needs nothing else, or a fragment for a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from sparkwhy.explain.absent import SourceGap
from sparkwhy.report.flow import Flow
from sparkwhy.report.graph import draw, layout, stack
from sparkwhy.report.report import (
    OTHER_VALUE_EXPLAINED,
    OTHER_VALUE_UNEXPLAINED,
    Report,
    Row,
    ShownChange,
    ShownExplanation,
    Suspect,
    show_changes,
)
from sparkwhy.report.tags import Content, Markup, document, element, join_markup, script, style_sheet
from sparkwhy.report.values import show_cell
from sparkwhy.trace.encode import MapEntries
from sparkwhy.wording import count_of

_NO_NETWORK = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

_ACROSS = 5
"""A row with more columns than this is shown with a line for each."""

_ELEMENTS = 6
"""At most this many elements of a nested value are shown."""


def page(report: Report) -> str:
    """Return the whole page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", http_equiv="Content-Security-Policy", content=_NO_NETWORK),
        element("title", f"Why not {report.question}?"),
    )
    body = element("body", _fragment(report), class_="sparkwhy-page")
    return document(element("html", head, body, lang="en"))


def fragment(report: Report) -> str:
    """Return the report with its style and its script, to be put into a page."""
    return _fragment(report).text


def _fragment(report: Report) -> Markup:
    drawing = element("section", *_drawings(report, _marked_operators(report)), *_legend(report.flow), class_="graph")
    answer = element("section", *_answer(report), class_="answer", aria_label="The answer")
    columns = element("div", drawing, answer, class_="columns")
    whole = element("div", _header(report), columns, class_="sparkwhy")
    return join_markup([style_sheet("page.css"), whole, script("page.js")])


def _marked_operators(report: Report) -> set[int]:
    """Return the operators of the first explanation, or the sources that lack the row."""
    lacking = {gap.table.id for gap in report.gaps}
    return lacking | {suspect.operator.id for each in report.explanations[:1] for suspect in each.suspects}


def _drawings(report: Report, marked: set[int]) -> Iterator[Markup]:
    """Yield the drawing, and one in a single column for where that is too wide; the style shows one of them."""
    wide, narrow = layout(report.plan), stack(report.plan)
    shown = {"drawing": wide} if wide.width <= narrow.width else {"drawing wide": wide, "drawing narrow": narrow}
    for name, graph in shown.items():
        svg = draw(graph, report.flow, marked)
        yield element("div", svg, class_=name, role="region", aria_label="The query", tabindex="0")


def _legend(flow: Flow | None) -> Iterator[Markup]:
    if flow is not None:
        legend = _LEGEND if not flow.alternative else _LEGEND_OF_ALTERNATIVE
        yield element("p", legend.format(changes=show_changes(flow.alternative)), _GROUPS, class_="legend")


_LEGEND = (
    "Beside the arrows: how many possible answers are still there, in the query as written. "
    "A possible answer is a row that would match the question if the operators that drop it did not. "
)
_LEGEND_OF_ALTERNATIVE = (
    "Beside the arrows: how many possible answers come that far, before an operator that has to change. "
    "A possible answer is a row that would match the question with {changes}. "
)
_GROUPS = "A group counts once for each set of operators that gives it other values."


def _header(report: Report) -> Markup:
    return element(
        "header",
        element("p", "Why is there no row like", class_="ask"),
        element("h1", element("code", report.question)),
        element("p", report.headline, class_=f"outcome {report.outcome}"),
    )


def _answer(report: Report) -> Iterator[Markup]:
    if report.matching:
        yield _table("Rows that are there" if report.outcome == "other_value" else "Rows that match", report.matching)
    if report.contributing:
        yield _table(f"The first is {report.contributors}, such as", report.contributing)
    yield from map(_gap, report.gaps)
    if report.outcome == "other_value":
        yield element("p", OTHER_VALUE_EXPLAINED if report.is_explained else OTHER_VALUE_UNEXPLAINED)
    if not report.is_explained and report.explanations:
        yield element("p", "These might, if their constants changed; whether they do was not seen:")
    for shown in report.explanations:
        yield _explanation(shown)
        for words, folded in shown.folded.items():
            yield from _more(f"{words[0].upper()}{words[1:]}", list(map(_explanation, folded)))
    yield from _more("Tried without success", [_show_attempt(shown) for shown in report.tried])
    yield from (element("p", f"Note: {note}", class_="note") for note in report.notes)


def _more(title: str, items: Sequence[Markup]) -> Iterator[Markup]:
    if items:
        yield element("details", element("summary", f"{title} ({len(items)})"), *items)


def _show_attempt(shown: ShownExplanation) -> Markup:
    reason = shown.reason or "it does not let the row through"
    return element("p", element("code", shown.title), f": {reason}", class_="vain")


def _gap(gap: SourceGap) -> Markup:
    head = element(
        "p", element("code", gap.table.text), ": no row with ", element("code", " and ".join(gap.conditions))
    )
    nearest = [
        element("li", "nearest to ", element("code", condition), f": {', '.join(map(show_cell, values))}")
        for condition, values in gap.nearest.items()
        if values
    ]
    return element("div", head, element("ul", *nearest) if nearest else "", class_="gap")


# --- explanations ---


def _explanation(shown: ShownExplanation) -> Markup:
    steps = " ".join(str(suspect.operator.id) for suspect in shown.suspects)
    first, *others = map(_name, shown.suspects)
    title = (element("span", first), *(element("span", _AND, " ", other) for other in others))
    rank = element("span", str(shown.rank), class_="rank")
    parts = (rank, " ", element("span", *title, class_="title"), " ", _mark(shown))
    button = element("button", *parts, type="button", aria_expanded="true")
    body = element("div", *_body(shown), class_="body")
    return element("article", element("h2", button), body, data_steps=steps)


_AND = element("span", "and", class_="and")


def _name(suspect: Suspect) -> Markup:
    place = "" if suspect.place is None else element("span", suspect.place, class_="where")
    return join_markup((element("code", suspect.operator.text), " ", place))


def _mark(shown: ShownExplanation) -> Markup:
    match shown.verified:
        case True:
            return element("span", "verified", class_="mark good")
        case False:
            return element("span", "not verified", class_="mark bad")
        case None:
            return element("span", "not tried", class_="mark")


def _body(shown: ShownExplanation) -> Iterator[Markup]:
    alone = len(shown.suspects) == 1  # then the title has its name
    yield from (_suspect(each, () if alone else (_name(each),)) for each in shown.suspects if _says_more(each))
    yield from _list(shown.remarks)
    if shown.alternative is not None:
        yield element("p", "with ", element("code", shown.alternative))
        yield from _list(shown.evidence)
    if shown.rows:
        yield element("h3", "Would give")
        yield _table(None, shown.rows)
        if shown.unseen:
            yield element("p", f"and {count_of(shown.unseen, 'other column')}", class_="more")
        if shown.more:
            yield element("p", f"and {shown.more} more like that", class_="more")
    yield from _fix(shown)


def _says_more(suspect: Suspect) -> bool:
    return bool(suspect.findings or suspect.reading)


def _suspect(suspect: Suspect, name: Sequence[Markup]) -> Markup:
    reading = () if suspect.reading is None else (element("p", "as ", element("code", suspect.reading)),)
    head = [element("p", *name)] if name else []
    return element("div", *head, *reading, *_list(suspect.findings), class_="suspect")


def _list(sentences: Sequence[str]) -> Iterator[Markup]:
    if sentences:
        yield element("ul", *(element("li", sentence) for sentence in sentences))


def _fix(shown: ShownExplanation) -> Iterator[Markup]:
    if shown.verified:
        yield element("h3", "Fix, run and seen to work" if shown.changes else "Run and seen to work", class_="good")
    elif shown.changes:
        yield element("h3", "Tried")
    yield from map(_change, shown.changes)
    if shown.verified is False:
        yield element("p", shown.unverified_reason, class_="bad")
    if shown.effects is not None:
        yield element("h3", "What else would change")
        yield element("p", shown.effects, class_="effects")
    if shown.entering:
        yield _table("Rows that enter, for example", shown.entering)
    if shown.leaving:
        yield _table("Rows that leave, for example", shown.leaving)
    if shown.runner_up is not None:
        yield element("p", "Also seen to work: ", element("code", shown.runner_up), class_="more")


# --- diffs ---


def _change(change: ShownChange) -> Markup:
    lines = list(_diff(change.before, change.after))
    if change.line is not None:
        lines += [element("span", f"in {change.operator.where}:", class_="where"), *_diff(*change.line)]
    return element("div", *lines, class_="diff")


def _diff(old: str, new: str) -> Iterator[Markup]:
    before, after = (re.findall(r"\w+|\s+|.", text, re.DOTALL) for text in (old, new))
    moves = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    yield element("del", _sign("-"), *(_words(before[a:b], move) for move, a, b, _, _ in moves))
    yield element("ins", _sign("+"), *(_words(after[a:b], move) for move, _, _, a, b in moves))


def _sign(sign: str) -> Markup:
    """It stays beside what follows, however narrow the page is."""
    return element("span", f"{sign} ", class_="sign")


def _words(words: Sequence[str], move: str) -> Content:
    text = "".join(words)
    return text if move == "equal" or not text else element("b", text)


# --- tables ---


def _table(caption: str | None, rows: Iterable[Row]) -> Markup:
    shown = list(rows)
    names = list(dict.fromkeys(name for row in shown for name in row))
    head = () if caption is None else (element("caption", caption),)
    lines = _lines if len(names) > _ACROSS else _records
    return element("div", element("table", *head, *lines(names, shown)), class_="table")


def _records(names: Sequence[str], rows: Sequence[Row]) -> Iterator[Markup]:
    """Yield a line for each row."""
    yield element("thead", element("tr", *(element("th", name, scope="col") for name in names)))
    yield element("tbody", *(element("tr", *(_cell(row.get(name)) for name in names)) for row in rows))


def _lines(names: Sequence[str], rows: Sequence[Row]) -> Iterator[Markup]:
    """Yield a line for each column."""
    lines = [(element("th", name, scope="row"), *(_cell(row.get(name)) for row in rows)) for name in names]
    yield element("tbody", *(element("tr", *line) for line in lines))


def _cell(value: Any) -> Markup:
    return element("td", _parts(value))


def _parts(value: Any) -> Content:
    """Return a value; one with parts as a small table of them."""
    match value:
        case None:
            return element("span", "null", class_="null")
        case tuple() if value and all(isinstance(each, Mapping) for each in value):
            return _nested_table(_records(list(value[0]), value[:_ELEMENTS]), len(value))
        case tuple():
            return _nested_table((element("tr", _cell(each)) for each in value[:_ELEMENTS]), len(value))
        case Mapping():
            return _nested_table(_records(list(value), [value]))
        case MapEntries(pairs):
            lines = (element("tr", element("th", _parts(key), scope="row"), _cell(each)) for key, each in pairs)
            return _nested_table(islice(lines, _ELEMENTS), len(pairs))
        case _:
            return show_cell(value)


def _nested_table(content: Iterable[Markup], count: int | None = None) -> Markup:
    """Return a table in a cell, and how many of its elements are left out."""
    if count == 0:
        return element("span", "empty", class_="null")
    rest = 0 if count is None else count - _ELEMENTS
    more = element("p", f"and {rest} more", class_="more") if rest > 0 else ""
    return join_markup((element("table", *content), more))
