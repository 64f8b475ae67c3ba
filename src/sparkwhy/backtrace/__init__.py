"""What the question requires of the rows at each operator: the pattern, pushed down to the sources."""
