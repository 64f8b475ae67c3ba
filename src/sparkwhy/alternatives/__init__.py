"""Variants of a query: the same operators reading other columns or using other functions."""
