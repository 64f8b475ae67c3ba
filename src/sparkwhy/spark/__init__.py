"""The bridge to Spark: `engine` is the interface that everything above knows, `classic` its implementation by the JVM.

In `classic`, `jvm` holds every call into Spark's JVM, `catalyst` the trees that Spark describes; the rest is ordinary
Python.
"""

from sparkwhy.spark.engine import engine_for

__all__ = ["engine_for"]
