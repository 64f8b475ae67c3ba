"""Rewrites: plan to equal plan, one rule a file. Nothing here knows about questions or tracing."""
