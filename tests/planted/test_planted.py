"""The planted bugs are bugs: with the line as it stands the order is missing, and the commit brings it back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.planted.causes import CAUSES, Cause
from tests.planted.judge import judge, load
from tests.planted.settings import ALONE, GROUP, Setting, source
from tests.sessions import uncompiled


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: f"{cause.number} {cause.name}")
def test_a_bug_loses_the_order_and_the_commit_brings_it_back(
    session: SparkSession, tmp_path: Path, cause: Cause
) -> None:
    lost, found = (
        {row["order_id"] for row in load(source(cause, ALONE, fixed=fixed), tmp_path / "etl.py")(session).collect()}
        for fixed in (False, True)
    )
    assert 3 not in lost
    assert 3 in found


@pytest.mark.parametrize("setting", [ALONE, GROUP], ids=lambda setting: setting.name)
def test_an_answer_is_judged_by_the_commit(session: SparkSession, tmp_path: Path, setting: Setting) -> None:
    (cause,) = (cause for cause in CAUSES if cause.name == "off by one")
    verdict = judge(session, cause, setting, tmp_path)
    assert (verdict.is_first, verdict.is_commit, verdict.false) == (True, True, ())
    (other,) = (cause for cause in CAUSES if cause.name == "null is not less")
    wrong = replace(cause, operator=other.operator, commit='orders.filter(F.col("amount") < 1000).limit(1)')
    assert not judge(session, wrong, setting, tmp_path).is_commit
