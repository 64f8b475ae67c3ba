"""Concrete changes of a query that let the missing row through: proposed, run, and compared with the query."""
