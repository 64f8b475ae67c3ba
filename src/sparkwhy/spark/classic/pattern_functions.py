"""Functions of the user in a pattern, checked by Spark's analyzer before any job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.errors import PatternError
from sparkwhy.plan.types import Type
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.catalyst import calls_python
from sparkwhy.spark.classic.jobs.failures import shorten_message
from sparkwhy.spark.classic.run.columns import MAKES_A_CONDITION, apply_user_function
from sparkwhy.spark.classic.run.types import spark_type


def is_random_function(session: SparkSession, function: Callable[..., Any], name: str, type: Type) -> bool:
    """Return whether the function gives other values at each run; refuse one that makes no condition."""
    value = session.range(0).select(F.lit(None).cast(spark_type(type)).alias("value"))
    condition = apply_user_function(function, name, F.col("value"))
    try:
        resolved = jvm.analyzed_plan(value.filter(condition)).condition()
    except PySparkException as error:
        problem = f"the function {name} of the pattern makes no condition. Spark says: {shorten_message(str(error))}"
        raise PatternError(problem, hint=MAKES_A_CONDITION) from error
    if calls_python(resolved):  # Spark has none inside of its own functions of functions, which fixes are tried with
        raise PatternError(f"the function {name} of the pattern calls a Python function.", hint=_AS_A_COLUMN)
    return not resolved.deterministic()


_AS_A_COLUMN = 'make it a column, df.withColumn("found", ...), and ask for {"found": True}.'
