"""Tabu search on the critical path of shops; importing this package compiles nothing."""
