"""Proposers for one conjunct of a condition: each yields other forms of it that hold for a witness.

One file is one way to change a condition, by a function `propose(part, value_of)`; `CONDITION_PROPOSERS` in
`proposals/condition_forms.py` lists them. A comparison comes with its constant on the right and without a negation.
"""
