"""Evidence: what the data says about a witness beyond the query itself (near misses, nearest keys)."""
