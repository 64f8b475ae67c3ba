"""Rewrites: plan to equal plan, one rule a file. Nothing here knows about questions or tracing.

`rules.RULES` lists those that run on every plan before Spark does. The answer never depends on them, only its speed.
The other files hold transformations that stages ask for by name.
"""
