"""Fixes as edits of the user's own source code."""
