"""Tracing rules: one file for each operator."""
