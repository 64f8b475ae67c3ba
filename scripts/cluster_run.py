"""What a run of the tests on a cluster gave, as `docs/cluster.json`, for the page on reliability.

`make cluster-test` leaves its results in `build/cluster.xml`; then `python -m scripts.cluster_run build/cluster.xml`.
Parts may be run one after the other, with results of their own: then several files are named.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.cluster.test_answers import SETTINGS

RECORD = Path(__file__).resolve().parent.parent / "docs" / "cluster.json"

FAULTS = "faults"
OTHERS = "others"


def record(*results: str) -> dict[str, Any]:
    """How many tests of each part passed, of how many that were run, and the seconds of all.

    What could not begin, as without a cluster, was not run.
    """
    suites = [next(ElementTree.fromstring(each).iter("testsuite")) for each in results]
    parts = {part: {"passed": 0, "run": 0} for part in (FAULTS, *SETTINGS, OTHERS)}
    for case in (case for suite in suites for case in suite.iter("testcase")):
        found = parts[_part(case.get("classname", ""), case.get("name", ""))]
        wrong = {each.tag for each in case}
        found["run"] += not wrong & {"error", "skipped"}
        found["passed"] += not wrong & {"error", "skipped", "failure"}
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    return {"runs": len(suites), "seconds": round(seconds), "parts": parts}


def _part(module: str, name: str) -> str:
    """By the settings that a test has in brackets: `test_the_answer_is_that_of_local_mode[no broadcast-shares]`."""
    if module.endswith("test_faults"):
        return FAULTS
    return next((part for part in SETTINGS if f"[{part}-" in name), OTHERS)


def main(*results: str) -> None:
    found = record(*(Path(each).read_text(encoding="utf-8") for each in results))
    RECORD.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
