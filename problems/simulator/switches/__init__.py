"""What differs between kinds of problem, one compiled function per file."""
