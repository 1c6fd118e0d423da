"""Names of the columns that an observation has besides the candidate rows of `graphs.schema`."""

from __future__ import annotations

AGENT_FEATURES = (
    "relative_index",
    "is_asked",
    "has_waited",
    "time_to_free",
    "load",
    "route_length",
    "closing_length",
    "log_startable",
    "log_queued",
)
"""Columns of the agent row.

Index / A; whether the agent is asked now; whether it waited since the last commitment; time until its commitments end;
work it may still get; route length; route length if it went home now (these four in units of P, the mean duration plus
changeover); log(1 + candidates it can begin now); log(1 + open tasks it may get).
"""

GLOBAL_FEATURES = (
    "now",
    "objective",
    "tasks_left",
    "log_open",
    "asked_agents",
    "has_event",
    "time_to_event",
    "log_tasks",
    "log_agents",
)
"""Columns of the global row.

Present instant and objective of the commitments so far, in units of P; share of tasks left; log(1 + open tasks); share
of agents asked; whether an event will come and how far it is, in units of P; log of the numbers of tasks and agents.
"""
