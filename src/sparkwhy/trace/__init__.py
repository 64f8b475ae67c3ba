"""Tracing: the query run with no operator allowed to drop a row, and many changed queries evaluated in one pass."""
