"""Constraints of the interval model, one method each."""

from __future__ import annotations

from problems.instance import NO_TIME
from solvers.cpsat.intervals.variables import Variables


def add_constraints(variables: Variables) -> None:
    """Everything but the changeovers."""
    _add_no_overlap(variables)
    _add_precedence(variables)
    _add_availability(variables)
    _add_deadlines(variables)


def _add_no_overlap(variables: Variables) -> None:
    """A zero-length task may touch others but not lie inside one, as the checker has it."""
    for agent in range(variables.instance.num_agents):
        variables.model.add_no_overlap(variables.intervals[task, agent] for task in variables.tasks_of(agent))


def _add_precedence(variables: Variables) -> None:
    for task in range(variables.instance.num_tasks):
        for before in variables.instance.predecessors(task).tolist():
            variables.model.add(variables.start[task] >= variables.end[before])


def _add_availability(variables: Variables) -> None:
    for (task, agent), present in variables.presence.items():
        available = int(variables.instance.agent_available[agent])
        if available > 0:
            variables.model.add(variables.start[task] >= available).only_enforce_if(present)


def _add_deadlines(variables: Variables) -> None:
    for task, job in enumerate(variables.instance.task_job.tolist()):
        deadline = int(variables.instance.job_deadline[job])
        if deadline != NO_TIME:
            variables.model.add(variables.end[task] <= deadline)
