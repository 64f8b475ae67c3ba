"""Answers as a page: well-formed, escaped, complete, the same every time."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sparkwhy.report.tags import element
from tests.report.answers import answer, filtered, full, gap, hostile


class Page(HTMLParser):
    """Reads a page, and checks that what is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def having(self, attribute: str) -> list[dict[str, str | None]]:
        return [found for _, found in self.tags if attribute in found]

    def count(self, tag: str) -> int:
        return sum(each == tag for each, _ in self.tags)


ANSWERS = {
    "explained": full(),
    "not_missing": answer(outcome="not_missing", matching=({"id": "1"}, {"id": None})),
    "not_in_data": answer(outcome="not_in_data", gaps=(gap(),)),
    "unexplained": answer(filtered(verified=False, reason="why", certain=False), outcome="unexplained"),
}


@pytest.mark.parametrize("outcome", ANSWERS)
def test_pages_and_fragments_are_well_formed_and_alike_every_time(outcome: str) -> None:
    told = ANSWERS[outcome]
    Page(told.to_html())
    Page(told._repr_html_())
    assert told.to_html() == told.to_html()
    assert told._repr_html_() in told.to_html()


def test_every_explanation_is_there_with_its_operators_and_words() -> None:
    page = Page(full().to_html())
    text = "".join(page.text)
    assert [found["data-steps"] for found in page.having("data-steps")] == ["3", "3 4", "3 4"]
    for words in (
        "{'city': 'NY'}", "year = 2018, so year >= 2019 is FALSE", "- filter year >= 2019", "+ filter year >= 2018",
        '+ .filter(F.col("year") >= 2018)', "in etl.py:7:", "nearest on the right: buyer = 2", "Would give",
        "2 to 3 other rows of the result change", "Rows that enter, for example", "Rows that leave, for example",
        "Changes more than is needed (1)", "Tried without success (1)", "the total is 7",
        "Note: a note",
    ):  # fmt: skip
        assert words in text
    assert page.count("details") == 2


def test_every_step_is_drawn_and_the_first_explanation_is_marked() -> None:
    page = Page(full().to_html())
    steps = [(found["data-step"], found["class"]) for found in page.having("data-step")]
    assert steps == [("1", "step"), ("2", "step"), ("3", "step on"), ("4", "step")] * 2  # wide, and in one column
    edges = [(found["data-from"], found.get("data-to")) for found in page.having("data-from")]
    assert edges == [("2", "3"), ("1", "4"), ("3", "4"), ("4", None)] * 2


def test_the_legend_says_what_is_counted() -> None:
    assert "in the query as written" in answer(filtered()).to_html()
    other = answer(filtered(alternative={"year": "month"})).to_html()
    assert "a row that would match the question with month in place of year" in other
    assert "in the query as written" not in other


def test_a_source_that_lacks_the_row_is_marked() -> None:
    page = Page(ANSWERS["not_in_data"].to_html())
    assert [found["data-step"] for found in page.having("data-step") if found["class"] == "step on"] == ["1", "1"]


def test_explanations_open_with_buttons_that_say_so() -> None:
    page = Page(full().to_html())
    buttons = [found for tag, found in page.tags if tag == "button"]
    assert len(buttons) == page.count("article") == 3
    assert all(found == {"type": "button", "aria-expanded": "true"} for found in buttons)


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = full().to_html()
    assert not re.search(r"https?:|//[a-z]|@import|url\(", re.sub(r"^\s*// .*$", "", page, flags=re.MULTILINE))
    assert not [found for attribute in ("src", "href") for found in Page(page).having(attribute)]


def test_whatever_the_data_holds_is_text() -> None:
    shown = hostile()
    page = Page(shown.to_html())
    plain = Page(full().to_html())
    assert page.count("script") == plain.count("script") == 1
    assert "<script>alert(" in " ".join(page.text)
    shown.to_html().encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f]", shown.to_html())


def test_attributes_are_escaped_too() -> None:
    assert element("p", title='"><b>', class_="x", data_step=3, lang=None).text == (
        '<p title="&quot;&gt;&lt;b&gt;" class="x" data-step="3"></p>'
    )


def test_a_page_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "why.html"
    told = full()
    assert told.to_html(path) == told.to_html() == path.read_text("utf-8")
