"""The page on what sparkwhy bears counts what is tested."""

from __future__ import annotations

from scripts.reliability import PAGE, page


def test_the_counts_are_up_to_date() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert page(written) == written, "run `python -m scripts.reliability`"


def test_old_counts_would_be_seen() -> None:
    written = PAGE.read_text(encoding="utf-8")
    old = written.replace(" bad inputs**", "0 bad inputs**")
    assert old != written
    assert page(old) == written
