"""What `make quality` measures, on a few cases: verified fixes are sound, and what relaxing explains is found."""

from __future__ import annotations

from functools import cache

from bench.quality import page
from bench.quality_cases import FEWEST, MOST, case, operators
from bench.quality_compare import Quality, compared, our_answer, quality
from sparkwhy.lab.oracle import consult, is_successful
from sparkwhy.question.match import row_matches

SEEDS = 100


@cache
def found() -> Quality:
    return quality(SEEDS)


def test_a_seed_makes_a_question_that_only_a_changed_query_answers() -> None:
    made = [each for each in (case(f"quality/{i}") for i in range(20)) if each is not None]
    assert len(made) >= 5
    for each in made:
        assert FEWEST <= operators(each.plan) <= MOST
        assert not is_successful(each.plan, each.tables, each.question)
        assert all(any(row_matches(each.question, row) for row in way.rows) for way in each.oracle.successful)
        assert each.oracle.minimal


def test_the_oracle_is_asked_as_anybody_would_ask_it() -> None:
    made = next(each for each in (case(f"quality/{i}") for i in range(20)) if each is not None and each.groups)
    asked = consult(made.plan, made.tables, made.question, groups=made.groups)
    assert asked.explanations == made.oracle.explanations


def test_the_same_seed_has_the_same_result() -> None:
    seed = found().results[0].seed
    made = case(seed)
    assert made is not None
    assert compared(made, our_answer(made)) == found().results[0]


def test_there_are_enough_cases() -> None:
    assert len(found().complete) >= 40
    assert 10 <= sum(each.declared for each in found().complete) <= len(found().complete) - 10


def test_every_verified_fix_returns_the_row() -> None:
    assert sum(each.verified for each in found().results) >= 40
    for each in found().results:
        assert each.sound == each.verified, each.seed


def test_what_relaxing_explains_is_found() -> None:
    assert found().recall("relaxing", smallest=True) == 1.0
    assert found().recall("relaxing") >= 0.9


def test_most_of_what_we_call_minimal_is_minimal_for_the_oracle() -> None:
    minimal = sum(each.minimal for each in found().complete)
    assert sum(each.msrs for each in found().complete) >= 0.85 * minimal


def test_the_page_tells_the_figures() -> None:
    text = page(found(), "| the small ones |")
    assert "| the small ones |" in text
    assert "`make quality` generates this page" in text
    assert "(100.0 %)" in text
    assert text.count("```") % 2 == 0
