"""The engine in memory: gives plans a meaning over Python rows, the one that Spark gives them.

What Spark leaves few rows of is finished here, and in the tests it judges the tracing. It is small, and knows nothing
of what it runs or checks.
"""
