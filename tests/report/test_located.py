"""Places in the file that a SQL text is from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparkwhy.plan.nodes import SQL_TEXT, Filter, Place
from sparkwhy.plan.show import main_nodes
from sparkwhy.report.answer import Answer
from sparkwhy.report.located import name_file
from tests.report.answers import answer, filtered, query


def about_sql() -> Answer:
    """The filter stands in SQL text, the join in a Python file."""
    plan = query()
    assert isinstance(plan.right, Filter)
    plan = replace(plan, right=replace(plan.right, where=Place(SQL_TEXT, 3)))
    told = filtered(plan=plan)
    return answer(told, plan=plan, tried=(told,))


def test_sql_text_of_a_file_has_the_lines_of_the_file() -> None:
    asked = about_sql()
    assert "filter year >= 2019   SQL line 3" in str(asked)
    found = name_file(asked, Path("/home/sue/report.sql"))
    assert "filter year >= 2019   report.sql:3" in str(found)
    assert "in report.sql:3:" in str(found)
    assert "report.sql:3" in found.to_html()
    for told in (*found.explanations, *found.tried):
        assert [operator.where for operator in told.operators] == ["report.sql:3"]
    assert str(main_nodes(found.plan)[4].where) == "etl.py:8"
    assert "SQL line" not in str(found) + found.to_html() + found.to_json()
