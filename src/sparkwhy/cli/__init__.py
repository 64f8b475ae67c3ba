"""The command line: a module for each command, `main` which picks one, and one place that catches."""
