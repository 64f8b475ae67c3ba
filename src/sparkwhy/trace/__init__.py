"""Tracing: what a question wants of the rows at each operator, and the query run with nobody allowed to drop a row."""
