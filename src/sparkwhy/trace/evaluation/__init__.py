"""Rules that run several queries at once: one `present` bit set says in which of them a row is."""
