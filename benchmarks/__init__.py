"""Every number that README and docs quote, measured anew: ``python -m benchmarks --shared DIR``."""
