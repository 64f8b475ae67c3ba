"""From blame to explanations: which sets of operators would let the row through, and rows that show it."""
