"""The search for a change that returns the missing row."""
