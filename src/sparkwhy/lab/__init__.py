"""The laboratory: what answers are judged with, an exact oracle and the paper's baselines.

Nothing below imports it. It is small and slow on purpose, and shares no code with what it checks.
"""
