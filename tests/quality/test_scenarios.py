"""The small scenarios of docs/quality.md: the running example has the explanations of the paper."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from bench.quality_compare import explanations, our_answer, steps_of
from bench.quality_scenarios import cases


@pytest.mark.spark
def test_the_running_example_has_two_minimal_explanations_with_its_group(spark: SparkSession) -> None:
    alone, grouped = [case for case in cases(spark) if case.seed.startswith("running example")]
    for case, count in ((alone, 1), (grouped, 2)):
        minimal = {steps_of(each) for each in our_answer(case).ranked if each.minimal}
        assert minimal == explanations(case.oracle)
        assert len(minimal) == count
