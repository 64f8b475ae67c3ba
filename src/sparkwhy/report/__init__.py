"""Answers: one frozen result, and the ways to show it."""
