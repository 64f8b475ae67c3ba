"""The page in a real browser: what readers see, hear and click."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from sparkwhy.plan.exprs import Attribute, AttrId
from sparkwhy.plan.nodes import Join, OpId, Plan, Source, Table
from sparkwhy.plan.types import STRING
from sparkwhy.report.answer import Answer
from sparkwhy.trace.encode import MapEntries
from tests.browser import Browser
from tests.report.answers import DIFF, answer, filtered, full, gap, hostile, joined, operator, query

NESTED = ({"sku": "A1", "tags": ("new", None)}, {"sku": "B2", "tags": ()})
OTHER_OUTCOMES = (
    answer(outcome="not_missing", matching=({"id": "1"}, {"id": None})),
    answer(outcome="not_in_data", gaps=(gap(),)),
    answer(filtered(verified=False, reason="why", certain=False), outcome="unexplained"),
)


class Pages:
    """Pages of answers, each written once and opened in the browser."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser, self.folder, self.number = browser, folder, count()

    def open(self, shown: Answer | str, **look: Any) -> Browser:
        page = self.folder / f"{next(self.number)}.html"
        page.write_text(shown if isinstance(shown, str) else shown.to_html(), encoding="utf-8")
        self.browser.look(**look)
        self.browser.open(page)
        return self.browser

    def press(self, *keys: str) -> None:
        ActionChains(self.browser.driver).send_keys(*keys).perform()


@pytest.fixture
def pages(chromium: Browser, tmp_path: Path) -> Pages:
    return Pages(chromium, tmp_path)


def marked(browser: Browser) -> list[set[str]]:
    """The steps that are marked in each of the two drawings."""
    drawings = browser.all(".drawing")
    marks = "return [...arguments[0].querySelectorAll('.on')].map(box => box.dataset.step)"
    current = "return [...arguments[0].querySelectorAll('[aria-current=true]')].map(box => box.dataset.step)"
    assert [browser.run(marks, each) for each in drawings] == [browser.run(current, each) for each in drawings]
    return [set(browser.run(marks, each)) for each in drawings]


def opened(browser: Browser) -> list[str | None]:
    """What the buttons say of their explanations; what they say is what is shown."""
    said = [button.get_attribute("aria-expanded") for button in browser.all("article button")]
    shown = [not body.get_property("hidden") for body in browser.all("article .body")]
    assert [each == "true" for each in said] == shown
    return said


# --- clicking and typing ---


def test_a_click_opens_an_explanation_and_marks_its_operators(pages: Pages) -> None:
    browser = pages.open(full())
    _, second, _ = browser.all("article button")
    assert marked(browser) == [{"3"}, {"3"}]
    assert opened(browser) == ["true", "false", "false"]
    second.click()
    assert marked(browser) == [{"3", "4"}, {"3", "4"}]
    assert opened(browser) == ["false", "true", "false"]
    second.click()
    assert marked(browser) == [set(), set()]
    assert opened(browser) == ["false", "false", "false"]


def test_the_keyboard_does_what_a_click_does(pages: Pages) -> None:
    browser = pages.open(full())
    buttons = browser.all("article button")
    pages.press(Keys.TAB, Keys.TAB)  # the drawing comes first: it may have to be scrolled
    assert browser.driver.switch_to.active_element == buttons[0]
    pages.press(Keys.ARROW_DOWN, Keys.ENTER)
    assert opened(browser) == ["false", "true", "false"]
    assert marked(browser)[0] == {"3", "4"}
    pages.press(Keys.ARROW_UP, Keys.SPACE)
    assert opened(browser) == ["true", "false", "false"]
    pages.press(Keys.END)  # folded away: it is unfolded first
    assert browser.driver.switch_to.active_element == buttons[2]
    assert buttons[2].is_displayed()
    pages.press(Keys.HOME, Keys.ARROW_UP)
    assert browser.driver.switch_to.active_element == buttons[0]


def test_what_has_the_focus_is_framed(pages: Pages) -> None:
    browser = pages.open(full())
    for _ in range(3):
        pages.press(Keys.TAB)
        style = browser.run(
            "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]"
        )
        assert style == ["solid", "3px"]


# --- for those who listen ---


def spoken(browser: Browser) -> list[tuple[str, str, Any]]:
    """The role, the name and the state of all that a screen reader tells."""
    nodes = [node for node in browser.tell("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    return [
        (
            node["role"]["value"],
            node.get("name", {}).get("value", ""),
            {each["name"]: each["value"]["value"] for each in node.get("properties", ())},
        )
        for node in nodes
    ]


def test_a_screen_reader_tells_the_steps_and_the_explanations(pages: Pages) -> None:
    told = spoken(pages.open(full()))
    steps = [name for role, name, _ in told if role == "listitem" and name.startswith("Step")]
    assert steps[2] == "Step 3, filter year >= 2019, etl.py:7, 0 of 11 possible answers come out of it, 11 lost here"
    assert [name.split(",")[0] for name in steps] == ["Step 1", "Step 2", "Step 3", "Step 4"]
    buttons = [(name, state["expanded"]) for role, name, state in told if role == "button"]
    assert buttons[0] == ("1 filter year >= 2019 etl.py:7 verified", True)
    assert buttons[1] == ("2 filter year >= 2019 etl.py:7 and join on id = buyer etl.py:8 verified", False)
    assert {name for role, name, _ in told if role == "region"} == {"The query", "The answer"}
    assert {"columnheader", "table", "deletion", "insertion", "list"} <= {role for role, _, _ in told}


# --- colours ---

_CONTRASTS = """
const number = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
const paper = (element) => {
  const box = element.closest("svg") && element.parentElement.querySelector(":scope > rect");
  if (box) return number(getComputedStyle(box).fill);
  for (let at = element; at; at = at.parentElement) {
    const found = number(getComputedStyle(at).backgroundColor);
    if (found.length === 3 || found[3] === 1) return found;
  }
};
const texts = document.createTreeWalker(document.querySelector(".sparkwhy"), NodeFilter.SHOW_TEXT);
const found = [];
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.tagName === "title") continue;
  const style = getComputedStyle(element);
  const ink = number(element.closest("svg") ? style.fill : style.color);
  const [low, high] = [luminance(ink), luminance(paper(element))].sort((a, b) => a - b);
  found.push([texts.currentNode.data, (high + 0.05) / (low + 0.05)]);
}
return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(pages: Pages, scheme: str) -> None:
    vague = joined(rank=3, verified=None, minimal=None)
    failed = filtered(rank=4, verified=False, reason="why")
    browser = pages.open(answer(filtered(), joined(), vague, failed), scheme=scheme)
    browser.run("for (const body of document.querySelectorAll('.body')) body.hidden = false")
    found = browser.run(_CONTRASTS)
    assert len(found) > 80
    assert [each for each in found if each[1] < 4.5] == []


def test_dark_is_dark_and_light_is_light(pages: Pages) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    assert pages.open(full(), scheme="light").run(background) == "rgb(255, 255, 255)"
    assert pages.open(full(), scheme="dark").run(background) == "rgb(20, 23, 28)"


# --- sizes ---

_OUTSIDE = """
const scrolled = (element) => element.parentElement.closest(".drawing, .table");
return [...document.querySelectorAll("body *")]
  .filter((element) => element.checkVisibility() && !scrolled(element))
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
  .map((element) => element.outerHTML.slice(0, 80));
"""

_WRITTEN_OVER = """
return [...document.querySelectorAll("svg .step")].filter((step) => step.checkVisibility()).flatMap((step) => {
  const box = step.querySelector("rect").getBoundingClientRect();
  return [...step.querySelectorAll(":scope > text")]
    .filter((text) => text.getBoundingClientRect().right > box.right - 4)
    .map((text) => text.textContent);
});
"""


def broad() -> Answer:
    """Rows with many columns, long words, nested values, and steps with as much text as there is room for."""
    plan = query(table="W" * 200)
    row = {f"column_{n}": "x" * 50 for n in range(9)} | {"items": NESTED}
    told = filtered(plan=plan, row=row, alternative={"a" * 80: "b" * 80}, evidence=("c" * 200,))
    few = filtered(rank=2, row={"items": NESTED, "text": "y" * 55, "more": MapEntries((("k" * 12, "v"),))})
    return answer(told, few, joined(rank=3), plan=plan, missing={"city": "z" * 120})


@pytest.mark.parametrize(("width", "drawn"), [(400, "narrow"), (1000, "narrow"), (1600, "wide")])
def test_nothing_is_cut_off_or_written_over(pages: Pages, width: int, drawn: str) -> None:
    browser = pages.open(broad(), width=width)
    browser.run("for (const body of document.querySelectorAll('.body')) body.hidden = false")
    assert browser.run("return document.documentElement.scrollWidth") == width
    assert browser.run(_OUTSIDE) == []
    assert browser.run(_WRITTEN_OVER) == []
    (drawing,) = [each for each in browser.all(".drawing") if each.is_displayed()]
    assert drawing.get_attribute("class") == f"drawing {drawn}"
    assert [
        each.get_attribute("outerHTML") for each in (drawing, *browser.all(".table")) if scrolls(browser, each)
    ] == []


def four_tables() -> Plan:
    """Joined one by one, each beside those before it."""
    plan: Plan = table(1)
    for step in (2, 4, 6):
        plan = Join(id=OpId(step + 1), left=plan, right=table(step), how="cross")
    return plan


def table(step: int) -> Plan:
    return Table(id=OpId(step), attributes=(Attribute(AttrId(step), f"city{step}", STRING),), source=Source("t"))


@pytest.mark.parametrize(("width", "fits"), [(1600, True), (1350, True), (1200, False)])
def test_a_drawing_that_is_a_little_too_wide_is_made_smaller(pages: Pages, width: int, fits: bool) -> None:
    """One that is much too wide stays readable, and is scrolled."""
    shown = answer(plan=four_tables(), missing={"city1": "NY"}, outcome="unexplained")
    browser = pages.open(shown, width=width)
    (drawing,) = [each for each in browser.all(".drawing") if each.is_displayed()]
    assert drawing.get_attribute("class") == "drawing wide"
    assert scrolls(browser, drawing) != fits
    drawn, whole = browser.run(
        "const s = document.querySelector('.wide svg'); return [s.clientWidth, s.viewBox.baseVal.width]"
    )
    assert 0.79 <= drawn / whole < 1


def test_the_sign_of_a_change_stays_beside_it(pages: Pages) -> None:
    long = f'+    .filter(F.col("{"x" * 80}") >= 2018)'
    fix = replace(filtered().fixes[0], diff=DIFF.replace(DIFF.splitlines()[-1], long))
    browser = pages.open(answer(filtered(fixes=(fix,))), width=400)
    tops = """
    return [...document.querySelectorAll(".sign")].map((sign) => {
      const after = document.createRange();
      after.selectNodeContents(sign.nextSibling);
      return [sign.getClientRects()[0].bottom, after.getClientRects()[0].bottom].map(Math.round);
    });
    """
    beside = browser.run(tops)
    assert len(beside) == 4
    assert all(sign == text for sign, text in beside)


def scrolls(browser: Browser, element: WebElement) -> bool:
    return bool(browser.run("return arguments[0].scrollWidth > arguments[0].clientWidth", element))


def test_a_row_of_many_columns_is_read_downwards(pages: Pages) -> None:
    heads = "return [...document.querySelectorAll('article .table > table')].map(t => t.querySelector('th').scope)"
    assert pages.open(broad()).run(heads)[:2] == ["row", "col"]


def test_a_nested_value_is_a_table_in_its_cell(pages: Pages) -> None:
    browser = pages.open(answer(filtered(row={"order": "1", "items": NESTED})))
    lines = "return [...document.querySelector('td > table').rows].map(r => [...r.cells].map(c => c.innerText.trim()))"
    assert browser.run(lines) == [["sku", "tags"], ["A1", "new\nnull"], ["B2", "empty"]]
    assert browser.run("return document.querySelectorAll('td td table').length") == 1


def test_the_drawing_is_scrolled_to_what_is_marked(pages: Pages) -> None:
    last = replace(joined(), operators=(operator(4),))
    browser = pages.open(answer(filtered(), last), width=1000, height=500)
    inside = """
    const [box, drawing] = [".narrow [data-step='4']", ".narrow"].map((s) => document.querySelector(s));
    const [inner, outer] = [box.getBoundingClientRect(), drawing.getBoundingClientRect()];
    return inner.top >= outer.top && inner.bottom <= outer.bottom;
    """
    assert not browser.run(inside)
    browser.run("document.querySelectorAll('article button')[1].click()")
    assert browser.run(inside)
    assert browser.run("return window.scrollY") == 0


def test_a_drawing_that_goes_on_is_shaded_at_its_edge(pages: Pages) -> None:
    """Scrollbars may be hidden: the shade stays where it is, and what covers it moves along."""
    browser = pages.open(full(), width=1000, height=500)
    browser.run("document.querySelector('.narrow').scrollTop = 0")
    edge = "const s = getComputedStyle(document.querySelector('.narrow')); return [s.backgroundAttachment, s.maxHeight]"
    attached, height = browser.run(edge)
    assert attached == "local, local, scroll, scroll"
    assert height == "350px"


# --- on paper ---


def test_on_paper_all_is_shown_and_nothing_is_to_be_clicked(pages: Pages) -> None:
    browser = pages.open(full(), scheme="dark", media="print")
    shown = "return [...document.querySelectorAll('article .body, .vain')].map((each) => each.checkVisibility())"
    assert browser.run(shown) == [True] * 4  # closed explanations, and closed folds
    browser.look(scheme="dark")
    assert browser.run(shown) == [True, False, False, False]
    browser.look(scheme="dark", media="print")
    marks = "return [...document.querySelectorAll('.mark')].map((mark) => getComputedStyle(mark, '::after').content)"
    assert browser.run(marks) == ["none"] * 3  # of open explanations and of closed ones
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("return getComputedStyle(document.querySelector('.drawing')).maxHeight") == "none"


# --- whatever the data holds ---

HOSTILE = """<img src="http://example.org/x" onerror="window.harm = 1"><script>window.harm = 2</script>"""
AWKWARD = "'\"`\u202e\u0000\u001b[31m</style></title>\u05d0\u05d1 &lt; <!--"


@pytest.mark.parametrize("evil", [HOSTILE, AWKWARD])
def test_whatever_the_data_holds_stays_text(pages: Pages, evil: str) -> None:
    browser = pages.open(hostile(evil))
    assert browser.run("return window.harm") is None
    assert browser.run("return document.querySelectorAll('script, img, style').length") == 2
    shown = browser.run("return document.querySelector('article td').innerText")
    assert evil[:20].replace("\u202e", "<U+202E>")[:8] in shown
    assert browser.run("return document.title").startswith("Why not {'city': ")
    assert len(browser.all("article button")) == 1


def test_nothing_is_asked_for_and_nothing_fails(pages: Pages) -> None:
    pages.browser.requests(), pages.browser.complaints()
    answers: Iterable[Answer] = (full(), hostile(HOSTILE), broad(), *OTHER_OUTCOMES)
    for shown in answers:
        browser = pages.open(shown)
        for button in browser.all("article button"):
            browser.run("arguments[0].click()", button)
        assert browser.complaints() == []
        assert [address for address in browser.requests() if not address.startswith("file:///")] == []


# --- in a notebook ---

_NOTEBOOK = """<!DOCTYPE html><html><body {theme}>
<div class="other"><h1>A</h1><p>b</p><button>c</button><table><tr><td>d</td></tr></table><code>e</code></div>
{cells}</body></html>"""

_STYLES = """
return [...document.querySelectorAll(".other, .other *")].map((element) => {
  const style = getComputedStyle(element);
  return [...style].filter((name) => !name.startsWith("--")).map((name) => style[name]).join();
});
"""


def notebook(*cells: str, theme: str = "") -> str:
    return _NOTEBOOK.format(theme=theme, cells="".join(f"<div>{cell}</div>" for cell in cells))


def test_a_cell_leaves_the_rest_of_the_notebook_as_it_was(pages: Pages) -> None:
    before = pages.open(notebook()).run(_STYLES)
    assert pages.open(notebook(full()._repr_html_())).run(_STYLES) == before


def test_cells_know_nothing_of_each_other(pages: Pages) -> None:
    cell = full()._repr_html_()
    browser = pages.open(notebook(cell, cell))
    assert browser.run("return document.querySelectorAll('[id]').length") == 0
    browser.all(".sparkwhy")[1].find_elements("css selector", "article button")[1].click()
    assert marked(browser) == [{"3"}, {"3"}, {"3", "4"}, {"3", "4"}]
    assert opened(browser) == ["true", "false", "false", "false", "true", "false"]
    browser.all(".sparkwhy")[0].find_elements("css selector", "article button")[0].click()
    assert marked(browser) == [set(), set(), {"3", "4"}, {"3", "4"}]


@pytest.mark.parametrize(
    ("scheme", "theme", "paper"),
    [
        ("dark", 'data-jp-theme-light="true"', "rgb(255, 255, 255)"),
        ("light", 'data-jp-theme-light="false"', "rgb(20, 23, 28)"),
        ("light", 'class="vscode-dark"', "rgb(20, 23, 28)"),
    ],
)
def test_a_cell_has_the_colours_of_the_notebook(pages: Pages, scheme: str, theme: str, paper: str) -> None:
    browser = pages.open(notebook(full()._repr_html_(), theme=theme), scheme=scheme)
    assert browser.run("return getComputedStyle(document.querySelector('.sparkwhy')).backgroundColor") == paper
