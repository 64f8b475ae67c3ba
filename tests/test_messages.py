"""Messages: codes with typed parameters, worded in one place, and hidden by their values."""

from __future__ import annotations

import doctest
import pickle
import re
from pathlib import Path
from string import Formatter

import pytest
from pyspark.sql import DataFrame, SparkSession

from sparkwhy import messages
from sparkwhy.messages import TEMPLATES, Message, Template, Value, Values, join_reasons, values_in
from sparkwhy.report.redact import Redaction, redact_answer
from tests.robust import test_redact as redacting

SOURCE = Path(messages.__file__).parent


def hide(value: Value) -> Value:
    return Value(value.column, None, hidden="***")


def test_the_examples_of_the_module_hold() -> None:
    assert doctest.testmod(messages).failed == 0


def test_a_message_is_its_text_and_knows_its_parts() -> None:
    message = Message("change_fails", condition="DIVIDE_BY_ZERO")
    assert message == "with this change the query fails: DIVIDE_BY_ZERO"
    assert (message.code, dict(message.parameters)) == ("change_fails", {"condition": "DIVIDE_BY_ZERO"})
    assert pickle.loads(pickle.dumps(message)).code == "change_fails"


def test_hidden_values_are_gone_from_the_text_and_from_the_parameters() -> None:
    message = Message("other_values", values=Values([Value("total", 25), Value("n", None)]), wanted="total = 45")
    assert message == "with this change total is 25, n is null, not total = 45"
    hidden = message.with_values(hide)
    assert "25" not in hidden
    assert [value.value for value in values_in(hidden)] == [None, None]


def test_reasons_are_joined_and_hidden_together() -> None:
    one, two = Message("still_missing"), Message("other_values", values=Values([Value("n", 7)]), wanted="n > 8")
    joined = join_reasons([one, two])
    assert joined == f"{one}; {two}"
    assert joined is not None
    assert "7" not in joined.with_values(hide)
    assert join_reasons([]) is None


def test_every_message_that_the_code_makes_has_a_wording_and_its_parameters() -> None:
    made: dict[str, set[str]] = {}
    for file in SOURCE.rglob("*.py"):
        for code, rest in re.findall(r'Message\(\s*"(\w+)"((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)', file.read_text()):
            made.setdefault(code, set()).update(re.findall(r"(\w+)=", re.sub(r"\([^()]*\)", "", rest)))
    assert made.keys() <= TEMPLATES.keys()
    for code, given in made.items():
        for text in filter(None, TEMPLATES[code]):
            wanted = {name for _, name, _, _ in Formatter().parse(text) if name}
            assert wanted <= given, code


def reworded() -> dict[str, Template]:
    """Return other wordings for all messages: the same parameters, in another order, between other words."""

    def word(text: str) -> str:
        return " ~ ".join(f"{{{name}}}" for _, name, _, _ in reversed(list(Formatter().parse(text))) if name) + " !"

    return {code: Template(word(template.text)) for code, template in TEMPLATES.items()}


@pytest.fixture(scope="module")
def people(spark: SparkSession) -> DataFrame:
    rows = [(4711, "Zelda", "zq17 ", 1999), (8152, "Quux", "other", 2024)]
    return spark.createDataFrame(rows, "id int, name string, code string, year int").alias("people")


@pytest.fixture(scope="module")
def codes(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([("ZQ17", "Wibble")], "code string, label string").alias("codes")


@pytest.mark.spark
@pytest.mark.parametrize("name", redacting.QUESTIONS)
def test_nothing_leaks_however_the_messages_are_worded(
    people: DataFrame, codes: DataFrame, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "TEMPLATES", reworded())
    answer = redacting.ask(people, codes, name)
    assert redacting.leaks(answer)
    assert redacting.leaks(redact_answer(answer, Redaction())) == set()
