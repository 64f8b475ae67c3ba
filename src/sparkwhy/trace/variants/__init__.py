"""How one traced row stands for several variants of a query."""
