"""Reports: evaluations as one self-contained HTML page."""
