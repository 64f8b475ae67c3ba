"""What all tests share: one Spark session, and how long generated tests may take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

from tests.golden_files import CheckGolden, compare_golden
from tests.sessions import QUICK_START

settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("explore", parent=settings.get_profile("default"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


LONGEST = (
    "tests/robust/test_odd_data.py",
    "tests/scenarios/test_scenarios.py",
    "tests/printed/test_source.py",
    "tests/test_causes.py",
    "tests/test_fixes.py",
    "tests/cluster/test_answers.py",
    "tests/test_docs.py",
    "tests/test_alternatives.py",
    "tests/spark/test_tpch.py",
    "tests/spark/test_operators.py",
    "tests/spark/test_nested_json.py",
    "tests/test_stability.py",
    "tests/test_why_not.py",
    "tests/lab/test_baselines.py",
    "tests/robust/test_faults.py",
    "tests/spark/test_generated.py",
    "tests/trace/test_law_of_alternatives.py",
    "tests/report/test_notebook.py",
    "tests/fix/test_laws.py",
)
"""The files that take longest, the longest first: so that several processes end at about the same time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the files below tests/golden anew")


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> CheckGolden:
    """Compare sections with a golden file; see `golden_files`."""
    update = bool(request.config.getoption("--update-golden"))

    def check(path: str, sections: Mapping[str, str]) -> None:
        compare_golden(path, sections, update=update)

    return check


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the files, those that take longest come first; alone, in the order of names."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: LONGEST.index(_file(item)) if _file(item) in LONGEST else len(LONGEST))


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    warehouse = tmp_path_factory.mktemp("warehouse")  # of this process alone: others may run tests beside it
    session = (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.default.parallelism", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", QUICK_START)
        .config("spark.sql.warehouse.dir", str(warehouse))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(params=["ansi", "legacy"])
def both_modes(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """The session with ANSI mode on, then off."""
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", str(request.param == "ansi").lower())
    yield spark
    assert before is not None
    spark.conf.set("spark.sql.ansi.enabled", before)
