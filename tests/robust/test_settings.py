"""Settings of a session that change what a query means to Spark, or how it is read, change no answer of ours.

Each could reach what we build: functions that mean something else, text that is parsed otherwise, rules that are left
out. The query is built as SQL, so that it is the same under each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sparkwhy import Answer, why_not
from sparkwhy.errors import QueryFailed
from tests.sessions import uncompiled

SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.analyzer.failAmbiguousSelfJoin": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.groupByAliases": "false",
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.legacy.castComplexTypesToString.enabled": "true",
    "spark.sql.legacy.createEmptyCollectionUsingStringType": "true",
    "spark.sql.legacy.followThreeValuedLogicInArrayExists": "false",
    "spark.sql.legacy.sizeOfNull": "false",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PushDownPredicates",
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.retainGroupColumns": "false",
    "spark.sql.selfJoinAutoResolveAmbiguity": "false",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
}

ITEMS = """
    select * from values
        (1, 'a', 5, date'2024-02-29', array(named_struct('k', 1, 'select', 'x'), named_struct('k', 2, 'select', null))),
        (2, 'b', 20, null, slice(array(named_struct('k', 0, 'select', '')), 1, 0)),
        (3, null, 7, date'2023-01-01', null)
    as items(id, part, n, day, list)"""

PARTS = "select * from values ('a', 'red', 1.10), (null, 'green', 2.25) as parts(part, color, price)"

TOTALS = f"""
    with items as ({ITEMS}), parts as ({PARTS})
    select id, sum(n * price) as total, collect_list(e.`select`) as words, size(max(list)) as long
    from items join parts on items.part = parts.part lateral view explode(list) exploded as e
    where color <> 'red' and day >= date'2024-03-01' and (id, n) not in (select id, n from items where id = 3)
    group by items.id having count(*) > 1"""

MISSING: dict[str, Any] = {"id": 1, "words": ["x", ...]}


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


def ask(session: SparkSession) -> Answer:
    return why_not(session.sql(TOTALS), MISSING, side_effects="exact")


@pytest.fixture(scope="module")
def usual(session: SparkSession) -> dict[str, Any]:
    answer = ask(session)
    assert answer.outcome == "explained"
    assert answer.explanations[0].verified
    return answer.to_dict()


@pytest.fixture(params=SETTINGS)
def changed(session: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    before = session.conf.get(request.param)
    assert before != SETTINGS[request.param], "it is no change"
    session.conf.set(request.param, SETTINGS[request.param])
    yield session
    session.conf.set(request.param, str(before))


def test_where_joins_need_a_condition_it_is_told(session: SparkSession) -> None:
    """A setting of Spark 2: rows are compared with all of a subquery there, as the query itself does not have to."""
    session.conf.set("spark.sql.crossJoin.enabled", "false")
    try:
        with pytest.raises(QueryFailed) as raised:
            ask(session)
        assert "spark.sql.crossJoin.enabled" in str(raised.value.hint)
    finally:
        session.conf.set("spark.sql.crossJoin.enabled", "true")


def test_the_answer_is_the_usual_one(usual: dict[str, Any], changed: SparkSession) -> None:
    assert ask(changed).to_dict() == usual
