"""Answers as text: to the letter, with nothing in them that would steer a terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from textwrap import dedent

import pytest

from sparkwhy.explain.model import RunnerUp, SideEffects
from sparkwhy.messages import Message
from sparkwhy.plan.build import all_of
from sparkwhy.plan.exprs import Attribute, AttrId, Compare, Expr, IsNull, Or, Ref
from sparkwhy.plan.nodes import Join, OpId, Source, Table
from sparkwhy.plan.show import plain, show_op
from sparkwhy.plan.types import INTEGER
from sparkwhy.report.answer import Answer
from sparkwhy.report.report import Report, show_effects
from sparkwhy.report.style import takes_colour, width_of
from sparkwhy.report.text import render, render_coloured
from tests.report.answers import answer, filtered, gap, joined, operator, query


def golden(found: Answer, text: str) -> None:
    assert str(found) == dedent(text).strip("\n")


def test_an_explanation_with_a_fix() -> None:
    golden(
        answer(filtered()),
        """
        Why is there no row like {'city': 'NY'}?

         1. filter year >= 2019   etl.py:7
              year = 2018, so year >= 2019 is FALSE
              would give id = 1, city = NY, year = 2018
              fix, run and seen to work:
                - filter year >= 2019
                + filter year >= 2018
                in etl.py:7:
                - .filter(F.col("year") >= 2019)
                + .filter(F.col("year") >= 2018)
              2 to 3 other rows of the result change
        """,
    )


def test_several_operators_are_aligned_and_exact_effects_have_examples() -> None:
    golden(
        answer(joined(rank=1)),
        """
        Why is there no row like {'city': 'NY'}?

         1. filter year >= 2019   etl.py:7
        and join on id = buyer    etl.py:8
              id = 1: no partner on the right
              nearest on the right: buyer = 2
              would give id = 1, city = NY, buyer = null, year = null
              and 4 more like that
              fix, run and seen to work:
                - join on id = buyer
                + left join on id = buyer
              2 other rows enter the result, 1 leaves, such as
                + id = 7, city = SF
                - id = 8, city = null
        """,
    )


def test_the_runner_up_is_one_line() -> None:
    second = RunnerUp(filtered().fixes, SideEffects(0, 0))
    text = str(answer(filtered(runner_up=second)))
    assert "      also seen to work: filter year >= 2018 (no other row of the result changes)" in text


def test_what_changes_more_is_one_line_and_so_is_what_was_tried_in_vain() -> None:
    dominated = joined(alternative={"year": "mm"}, side_effects=SideEffects(4, 4, 4, 0), extends=1, is_folded=True)
    vain = filtered(verified=False, minimal=False, reason="the total is 7, not 9")
    golden(
        answer(filtered(fixes=()), dominated, tried=(vain,) * 5, warnings=("larger ones may be missing.",)),
        """
        Why is there no row like {'city': 'NY'}?

         1. filter year >= 2019   etl.py:7
              year = 2018, so year >= 2019 is FALSE
              would give id = 1, city = NY, year = 2018
              run and seen to work
              2 to 3 other rows of the result change
              changes more than is needed:
                 2. filter year >= 2019 and join on id = buyer, with mm in place of year (4 other rows enter the result)

        Tried without success:
            filter year >= 2019: the total is 7, not 9
            filter year >= 2019: the total is 7, not 9
            filter year >= 2019: the total is 7, not 9
            and 2 more

        Note: larger ones may be missing.
        """,
    )


def test_of_an_explained_row_only_changes_that_were_run_are_told_as_tried() -> None:
    nothing_run = filtered(verified=False, minimal=False, fixes=(), reason="no change is known")
    assert "Tried without success" not in str(answer(filtered(), tried=(nothing_run,)))
    alone = str(answer(tried=(nothing_run,), outcome="unexplained"))
    assert "Tried without success:\n    filter year >= 2019: no change is known" in alone


def test_a_join_of_columns_with_one_name_is_told_by_it() -> None:
    ours, theirs = Attribute(AttrId(1), "id", INTEGER), Attribute(AttrId(2), "id", INTEGER)
    day, night = Attribute(AttrId(3), "day", INTEGER), Attribute(AttrId(4), "day", INTEGER)
    left = Table(id=OpId(1), attributes=(ours, day), source=Source("a"))
    right = Table(id=OpId(2), attributes=(theirs, night), source=Source("b"))

    def told(*parts: Expr) -> str:
        return show_op(Join(id=OpId(3), left=left, right=right, how="left", condition=all_of(parts)))

    same, swapped = Compare("=", Ref(ours), Ref(theirs)), Compare("=", Ref(night), Ref(day))
    assert told(same) == "left join on id"
    assert told(same, swapped) == "left join on id, day"
    assert told(Compare("<", Ref(ours), Ref(theirs))) == "left join on left.id < right.id"
    later = Compare(">", Ref(day), Ref(night))
    assert told(same, later) == "left join on (left.id = right.id) and (left.day > right.day)"


def test_a_fix_that_does_not_work_says_why() -> None:
    text = str(answer(filtered(verified=False, minimal=False, reason="city is LA", side_effects=None)))
    assert "      tried:\n        - filter year >= 2019\n        + filter year >= 2018\n" in text
    assert text.endswith("      not verified: city is LA")
    assert "seen to work" not in text


def test_where_no_change_is_known_the_answer_says_so() -> None:
    text = str(answer(filtered(verified=False, minimal=False, reason="city is LA", side_effects=None, fixes=())))
    assert text.endswith("      no automatic fix: city is LA")


def test_an_explanation_that_was_not_tried_says_nothing_of_fixes() -> None:
    text = str(answer(filtered(verified=None, minimal=None, fixes=(), side_effects=None)))
    assert text.endswith("would give id = 1, city = NY, year = 2018")


def test_an_operator_is_shown_as_it_reads_under_the_alternative() -> None:
    month = query(year=Attribute(AttrId(4), "month", INTEGER))
    told = replace(filtered(alternative={"year": "month"}, evidence=(Message("similar_names"),)), plan=month)
    text = str(answer(told))
    assert " 1. filter year >= 2019   etl.py:7\n      as filter month >= 2019\n" in text
    assert "      with month in place of year\n      their names are similar\n" in text
    assert "      as " not in str(answer(filtered()))


def test_a_filter_that_no_row_blames_says_what_it_has_to_do_with_the_row() -> None:
    told = filtered(witnesses=(), count=0, returned={"id": "1"})
    assert "etl.py:7\n      what it lets through decides what is counted or kept further on\n" in str(answer(told))


def test_not_in_is_told_as_it_was_written() -> None:
    plan = query()
    null_aware = Or((plan.condition, IsNull(plan.condition))) if plan.condition else None
    assert show_op(replace(plan, how="anti", condition=null_aware)) == "anti join (not in) on id = buyer"
    assert "not in" not in show_op(replace(plan, how="anti"))


def test_a_column_that_is_named_by_what_it_computes_needs_no_backticks() -> None:
    names = ("sum(kg)", "count(1)", "max(a.b)", "corr(x, y)", "year", "a b", "sum(", "f(g(x))")
    shown = ["sum(kg)", "count(1)", "max(a.b)", "corr(x, y)", "year", "`a b`", "`sum(`", "`f(g(x))`"]
    assert [plain(Attribute(AttrId(1), name, INTEGER)) for name in names] == shown


def test_operators_that_look_the_same_are_told_apart_by_their_step() -> None:
    twin = replace(operator(3), id=9)
    text = str(answer(replace(filtered(), operators=(operator(3), twin))))
    assert "filter year >= 2019   etl.py:7, step 3\n" in text
    assert "and filter year >= 2019   etl.py:7, step 9\n" in text


def test_the_other_outcomes() -> None:
    golden(
        answer(outcome="not_missing", matching=({"id": "1", "city": "NY"},)),
        """
        Why is there no row like {'city': 'NY'}?

        It is there:
          id = 1, city = NY
        """,
    )
    golden(
        answer(outcome="not_in_data", gaps=(gap(),)),
        """
        Why is there no row like {'city': 'NY'}?

        No source has such a row:
          table people (id, city): no row with city = 'NYC'
            nearest to city = 'NYC': NY, ' NYC'
        """,
    )
    assert str(answer(outcome="unexplained")).endswith(
        "No set of operators was found that would let such a row through."
    )


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        (SideEffects(0, 0), "no other row of the result changes"),
        (SideEffects(1, 1), "1 other row of the result changes"),
        (SideEffects(0, 1), "0 to 1 other rows of the result change"),
        (SideEffects(0, 0, 0, 0), "no other row of the result changes"),
        (SideEffects(1, 1, 1, 0), "1 other row enters the result"),
        (SideEffects(2, 2, 0, 2), "2 other rows leave the result"),
        (SideEffects(5, 5, 3, 2), "3 other rows enter the result, 2 leave"),
    ],
)
def test_side_effects_in_words(effects: SideEffects, words: str) -> None:
    assert show_effects(effects) == words


# --- what data may contain ---

EVIL = "a\x1b[31m\x07\r\n\u202eb"


def test_nothing_in_the_data_steers_the_terminal() -> None:
    attribute = Attribute(AttrId(4), f"y{EVIL}", INTEGER)
    plan = query(year=attribute, table=EVIL)
    told = filtered(plan=plan, row={f"y{EVIL}": EVIL}, reason=EVIL, evidence=(EVIL,), alternative={"y": EVIL})
    for text in (str(answer(told, plan=plan, warnings=(EVIL,), missing={"city": EVIL})), str(answer(tried=(told,)))):
        assert all(character.isprintable() or character == "\n" for character in text)
        assert "<U+001B>[31m" in text


def test_colour_adds_only_what_the_style_says() -> None:
    told = answer(filtered(row={"id": EVIL}), joined())
    text = render_coloured(Report.of(told))
    for code in ("\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[0m"):
        assert code in text
        text = text.replace(code, "")
    assert [line.rstrip() for line in text.splitlines()] == str(told).splitlines()


def test_long_values_are_cut() -> None:
    text = str(answer(filtered(row={"id": "x" * 5000, "city": "y" * 5000, "more": "z" * 5000})))
    assert max(map(len, text.splitlines())) < 150


# --- as wide as the terminal ---


def test_lines_are_broken_between_words_where_a_terminal_is_narrow() -> None:
    told = answer(filtered(row={"id": "1", "city": "New York", "year": "2018"}), joined())
    wide, narrow = render(Report.of(told)), render(Report.of(told), width=41)
    verbatim = [line for line in narrow.splitlines() if "F.col" in line]
    assert all(len(line) <= 41 for line in narrow.splitlines() if line not in verbatim)
    assert [line.strip() for line in verbatim] == [line.strip() for line in wide.splitlines() if "F.col" in line]
    assert narrow.split() == wide.split()
    assert "      would give id = 1, city = New York,\n      year = 2018\n" in narrow


def test_a_place_stays_beside_its_operator_where_there_is_room() -> None:
    text = render(Report.of(answer(joined(rank=1))), width=34)
    assert " 1. filter year >= 2019   etl.py:7\nand join on id = buyer    etl.py:8\n" in text
    text = render(Report.of(answer(joined(rank=1))), width=30)
    assert " 1. filter year >= 2019\n    etl.py:7\nand join on id = buyer\n    etl.py:8\n" in text


def test_a_word_that_is_too_long_stays_whole() -> None:
    text = render(Report.of(answer(filtered(row={"id": "x" * 50, "city": "NY"}))), width=30)
    assert f"      would give id =\n      {'x' * 50},\n      city = NY\n" in text


def test_colours_go_on_in_the_next_line() -> None:
    told = Report.of(answer(filtered(verified=False, minimal=False, reason="the total is 7 and not 9 as asked for")))
    coloured = render_coloured(told, width=30)
    assert "\x1b[31mis 7 and not 9 as asked\x1b[0m\n      \x1b[31mfor\x1b[0m" in coloured
    plain = re.sub(r"\x1b\[\d+m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == render(told, width=30).splitlines()


def test_only_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "77")
    assert width_of(Terminal()) == 77
    assert width_of(io.StringIO()) is None


# --- colour only where it is welcome ---


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_and_no_color_turns_it_off() -> None:
    assert takes_colour(Terminal(), {})
    assert not takes_colour(io.StringIO(), {})
    assert not takes_colour(Terminal(), {"NO_COLOR": "1"})
    assert not takes_colour(Terminal(), {"TERM": "dumb"})


def test_show_is_plain_when_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(filtered())
    told.show()
    assert capsys.readouterr().out == f"{told}\n"
