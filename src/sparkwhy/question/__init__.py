"""The question: a pattern of the missing row, checked against a schema, and made into conditions on rows.

`pattern` is the language that users write, `bind` checks a pattern against the output of a plan, `match` says which
rows match. Nothing in here knows Spark.
"""
