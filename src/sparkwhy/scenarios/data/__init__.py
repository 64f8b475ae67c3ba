"""The data of the scenarios: made on demand, in a cache folder outside the repository, the same for the same seed."""
