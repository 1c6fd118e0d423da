"""The command line ``python -m training``, plots, reports and tracking."""
