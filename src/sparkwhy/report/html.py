"""An answer as HTML: a page that needs nothing else, or a fragment for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sparkwhy.explain.missing import SourceGap
from sparkwhy.report.graph import draw, layout
from sparkwhy.report.report import Change, Report, Row, Suspect, Told
from sparkwhy.report.tags import Markup, document, element, joined, script, style_sheet
from sparkwhy.report.values import show_cell

_NO_NETWORK = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(report: Report) -> str:
    """The whole page."""
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
    """The report with its style and its script, to be put into a page."""
    return _fragment(report).text


def _fragment(report: Report) -> Markup:
    shown = report.explanations or report.dominated
    first = {suspect.operator.id for told in shown[:1] for suspect in told.suspects}
    drawing = element("section", draw(layout(report.plan), first), class_="graph", aria_label="The query", tabindex="0")
    answer = element("section", *_answer(report), class_="answer", aria_label="The answer")
    columns = element("div", drawing, answer, class_="columns")
    whole = element("div", _header(report), columns, class_="sparkwhy")
    return joined([style_sheet("page.css"), whole, script("page.js")])


def _header(report: Report) -> Markup:
    return element(
        "header",
        element("p", "Why is there no row like", class_="ask"),
        element("h1", element("code", report.question)),
        element("p", report.headline, class_=f"outcome {report.outcome}"),
    )


def _answer(report: Report) -> Iterator[Markup]:
    if report.matching:
        yield _table("Rows that match", report.matching)
    yield from map(_gap, report.gaps)
    if report.outcome == "unexplained" and report.explanations:
        yield element("p", "These might, if their constants changed; whether they do was not seen:")
    yield from (_explanation(told) for told in report.explanations)
    yield from _more("Also works, but changes more", [_explanation(told) for told in report.dominated])
    yield from _more("Tried in vain", [_in_vain(told) for told in report.tried])
    yield from (element("p", f"Note: {note}", class_="note") for note in report.notes)


def _more(title: str, items: Sequence[Markup]) -> Iterator[Markup]:
    if items:
        yield element("details", element("summary", f"{title} ({len(items)})"), *items)


def _in_vain(told: Told) -> Markup:
    reason = told.reason or "it does not let the row through"
    return element("p", element("code", told.title), f": {reason}", class_="vain")


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


def _explanation(told: Told) -> Markup:
    steps = " ".join(str(suspect.operator.id) for suspect in told.suspects)
    texts = [element("code", suspect.operator.text) for suspect in told.suspects]
    title = [part for text in texts for part in (" and ", text)][1:]
    rank = element("span", str(told.rank), class_="rank")
    button = element("button", rank, element("span", *title), _mark(told), type="button", aria_expanded="true")
    body = element("div", *_body(told), class_="body")
    return element("article", element("h2", button), body, data_steps=steps)


def _mark(told: Told) -> Markup:
    match told.verified:
        case True:
            return element("span", "verified", class_="mark good")
        case False:
            return element("span", "not verified", class_="mark bad")
        case None:
            return element("span", "not tried", class_="mark")


def _body(told: Told) -> Iterator[Markup]:
    yield from map(_suspect, told.suspects)
    yield from _list(told.remarks)
    if told.alternative is not None:
        yield element("p", "with ", element("code", told.alternative))
        yield from _list(told.evidence)
    if told.rows:
        more = f" (and {told.more} more like that)" if told.more else ""
        yield _table(f"Would give{more}", told.rows)
    yield from _fix(told)


def _suspect(suspect: Suspect) -> Markup:
    operator = suspect.operator
    place = "" if suspect.place is None else element("span", suspect.place, class_="where")
    head = element("p", element("span", operator.kind, class_="kind"), " ", element("code", operator.text), " ", place)
    reading = "" if suspect.reading is None else element("p", "as ", element("code", suspect.reading))
    return element("div", head, reading, *_list(suspect.findings), class_="suspect")


def _list(sentences: Sequence[str]) -> Iterator[Markup]:
    if sentences:
        yield element("ul", *(element("li", sentence) for sentence in sentences))


def _fix(told: Told) -> Iterator[Markup]:
    if told.verified:
        yield element("h3", "Fix, run and seen to work" if told.changes else "Run and seen to work", class_="good")
    elif told.changes:
        yield element("h3", "Tried")
    yield from map(_change, told.changes)
    if told.verified is False:
        yield element("p", f"not verified: {told.reason}", class_="bad")
    if told.effects is not None:
        yield element("p", told.effects, class_="effects")
    if told.entering:
        yield _table("Rows that enter, for example", told.entering)
    if told.leaving:
        yield _table("Rows that leave, for example", told.leaving)


def _change(change: Change) -> Markup:
    lines = list(_diff(change.before, change.after))
    if change.line is not None:
        lines += [element("span", f"in {change.operator.where}:", class_="where"), *_diff(*change.line)]
    return element("div", *lines, class_="diff")


def _diff(old: str, new: str) -> Iterator[Markup]:
    yield element("del", f"- {old}")
    yield element("ins", f"+ {new}")


def _table(caption: str, rows: Iterable[Row]) -> Markup:
    shown = list(rows)
    names = list(dict.fromkeys(name for row in shown for name in row))
    head = element("tr", *(element("th", name, scope="col") for name in names))
    body = [element("tr", *(element("td", show_cell(row.get(name))) for name in names)) for row in shown]
    table = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return element("div", table, class_="table")
