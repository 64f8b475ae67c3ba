"""The laboratory: a reference engine that gives plans a meaning over Python rows, and what is judged with it.

Nothing below imports it. It is small and slow on purpose, and shares no code with what it checks.
"""
