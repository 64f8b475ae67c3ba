"""The bridge to Spark: a DataFrame becomes a plan (`read`), a plan becomes a DataFrame (`run`).

`jvm` holds every call into Spark's JVM; `catalyst` the trees that Spark describes; the rest is ordinary Python.
"""
