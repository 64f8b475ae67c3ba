"""What joins of all kinds share: their sides, the partners of a row, counted rows, and the joined rows."""
