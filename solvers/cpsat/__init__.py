"""Exact references with OR-Tools CP-SAT; importing this package does not import it."""
