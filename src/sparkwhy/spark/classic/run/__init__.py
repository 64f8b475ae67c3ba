"""Running: a plan becomes a DataFrame, and its rows are collected."""
