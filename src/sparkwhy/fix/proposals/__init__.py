"""Proposers: each looks at an operator that dropped a row, and yields changes that may let the row through.

One file proposes one kind of change, by a function `propose(context, blamed)`. `PROPOSERS` in `fix/propose.py` lists
them. Changes of a filter's condition are proposed conjunct by conjunct, by `proposals/conditions`.
"""
