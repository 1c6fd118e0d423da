"""Names and version of everything a policy sees; written into every checkpoint.

A checkpoint of another version is refused by name: a change to a feature is a change of the version.
"""

from __future__ import annotations

SCHEMA_VERSION = 1

CANDIDATE_FEATURES = (
    "log_duration",
    "log_job_work",
    "job_work",
    "agent_load",
    "log_tasks_left",
    "job_waited",
    "log_next_duration",
    "next_agent_load",
    "next_agent_busy",
    "next_agent_idle",
    "next_agent_queue",
    "duration",
    "relative_job_work",
    "job_work_times_load",
    "log_startable",
    "is_last_task",
    "is_reservation",
    "delay",
    "route_congestion",
    "largest_load_ahead",
    "work_to_bottleneck",
    "work_from_bottleneck",
    "agent_bound",
    "job_bound",
    "load_bound",
    "log_competitors",
    "early_competitors",
    "next_agent_bound",
    "changeover",
    "return_home",
    "closing_length",
    "present_length",
    "other_end",
    "other_closing",
    "log_relative_duration",
    "nearest_open",
    "second_nearest_open",
    "mean_open",
    "extra_changeover",
    "log_open_per_agent",
    "is_nearest_agent",
    "remoteness",
    "is_wait",
    "next_event",
)
"""Columns of a candidate row; formulas in `graphs.features`."""

NUM_FEATURES = len(CANDIDATE_FEATURES)
NUM_SHOP_FEATURES = 28
"""The first columns describe durations, loads and routes through the shop; the rest changeovers and alternatives."""
