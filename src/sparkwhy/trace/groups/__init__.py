"""What groupings and duplicates share: rows merged into one, and the trail of the merged row."""
