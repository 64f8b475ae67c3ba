"""The page on reliability counts the tests."""

from __future__ import annotations

from scripts.cluster_run import record
from scripts.reliability import PAGE, fuzzed, page, ran_on_a_cluster


def test_the_counts_are_up_to_date() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert page(written) == written, "run `python -m scripts.reliability`"


def test_old_counts_would_be_seen() -> None:
    written = PAGE.read_text(encoding="utf-8")
    old = written.replace(" bad inputs**", "0 bad inputs**")
    assert old != written
    assert page(old) == written


RESULTS = """<testsuites><testsuite time="125.4">
<testcase classname="tests.cluster.test_faults" name="test_a" />
<testcase classname="tests.cluster.test_faults" name="test_b"><failure message="no">why</failure></testcase>
<testcase classname="tests.cluster.test_answers" name="test_c[no broadcast-shares]" />
<testcase classname="tests.cluster.test_answers" name="test_c[no broadcast, not adaptive-C1]"><error /></testcase>
<testcase classname="tests.cluster.test_answers" name="test_d"><skipped /></testcase>
</testsuite></testsuites>"""


def test_a_run_on_a_cluster_is_counted_by_its_parts() -> None:
    found = record(RESULTS)
    assert (found["runs"], found["seconds"]) == (1, 125)
    assert found["parts"] == {
        "faults": {"passed": 1, "run": 2},
        "Spark's defaults": {"passed": 0, "run": 0},
        "no broadcast": {"passed": 1, "run": 1},
        "not adaptive": {"passed": 0, "run": 0},
        "no broadcast, not adaptive": {"passed": 0, "run": 0},
        "speculation": {"passed": 0, "run": 0},
        "others": {"passed": 0, "run": 0},
    }
    told = ran_on_a_cluster(found)
    assert told[0] == "**The last run** passed 2 of 3 started tests, in 2 minutes:"
    assert "| faults | 2 | 1 |" in told
    assert "| speculation | not run | 0 |" in told


def test_runs_of_parts_are_added() -> None:
    twice = record(RESULTS, RESULTS)
    assert (twice["runs"], twice["seconds"]) == (2, 251)
    assert twice["parts"]["faults"] == {"passed": 2, "run": 4}
    assert ran_on_a_cluster(twice)[0].startswith(
        "**The last 2 runs**, one after the other, passed 4 of 6 started tests"
    )


def test_a_run_of_the_fuzzer_is_told_law_by_law() -> None:
    laws = {
        "matching": {"cases": 1200, "failures": 0, "seconds": 7},
        "asking": {"cases": 3, "failures": 1, "seconds": 9},
    }
    told = fuzzed({"seed": "8", "minutes": 60.0, "laws": laws})
    assert "`make fuzz MINUTES=60 SEED=8`) checked 1,203 cases;" in told[0]
    assert told[1].startswith("failures: 1.")
    assert told[-2:] == ["| matching | 1,200 | 0 | 7 |", "| asking | 3 | 1 | 9 |"]
