"""Names and version of everything a policy sees; written into every checkpoint.

A checkpoint of another version is refused by name: a change to a feature is a change of the version.
"""

from __future__ import annotations

SCHEMA_VERSION = 3

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
    "regret",
    "log_job_work_left",
    "work_per_agent",
    "agent_share",
    "log_share_of_fair",
    "is_same_job",
    "is_same_task",
    "log_pieces_left",
    "log_job_age",
    "log_jobs_present",
    "due_slack",
    "has_due",
    "log_weight",
    "log_task_slowdown",
    "log_job_slowdown",
    "use_of_one_more",
)
"""Columns of a candidate row; formulas in `graphs.features`."""

NUM_FEATURES = len(CANDIDATE_FEATURES)
NUM_SHOP_FEATURES = 28
"""The first columns describe durations, loads and routes through the shop; the rest changeovers, alternatives, and
jobs that share agents."""

NODE_TYPES = ("agent", "task", "job")

EDGE_TYPES = (
    ("agent", "can_do", "task"),
    ("job", "has", "task"),
    ("task", "precedes", "task"),
    ("task", "follows", "task"),
    ("task", "near", "task"),
    ("task", "near_to", "task"),
    ("task", "done_by", "agent"),
    ("task", "part_of", "job"),
)
"""Every relation with its reverse; all are always present, empty where an instance has none.

``near`` leads from each of the `NUM_NEIGHBOURS` nearest remaining tasks to a task, ``near_to`` back.
"""

NUM_NEIGHBOURS = 5

NODE_FEATURES = {
    "agent": (
        "free_in",
        "squashed_free_in",
        "is_free",
        "load",
        "earliest_finish",
        "log_open_tasks",
        "log_tasks",
        "present_length",
        "log_tasks_per_agent",
    ),
    "task": (
        "duration",
        "log_duration",
        "log_tasks_after",
        "log_agents",
        "log_pieces_left",
        "early",
        "squashed_early",
        "tail",
        "path",
        "is_open",
        "is_ready",
        "waited",
        "due_slack",
        "has_due",
        "nearest",
        "return_home",
    ),
    "job": (
        "work_left",
        "log_tasks_left",
        "path",
        "committed_until",
        "share_done",
        "due_slack",
        "has_due",
        "relative_weight",
        "agent_share",
        "log_age",
    ),
}
"""Columns of each type of node; formulas in `graphs.encode`."""

PAIR_FEATURES = (
    "duration",
    "log_relative_duration",
    "squashed_delay",
    "changeover",
    "can_begin",
    "finish",
    "is_same_job",
)
NEAR_FEATURES = ("distance",)
EDGE_FEATURES: dict[str, tuple[str, ...]] = {
    "can_do": PAIR_FEATURES,
    "has": (),
    "precedes": (),
    "follows": (),
    "near": NEAR_FEATURES,
    "near_to": NEAR_FEATURES,
    "done_by": PAIR_FEATURES,
    "part_of": (),
}
"""Columns of each type of edge; a relation and its reverse share them."""
