"""Constraints of the interval model, one method each."""

from __future__ import annotations

from ortools.sat.python import cp_model

from problems.instance import NO_TIME
from solvers.cpsat.intervals.placement import Placement
from solvers.cpsat.intervals.variables import Variables


def add_constraints(variables: Variables) -> None:
    """Everything but the changeovers and the resources."""
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


def add_capacities(variables: Variables, placement: Placement | None) -> None:
    """What tasks and changeovers use of each renewable resource at a time stays within its capacity."""
    resources = variables.instance.resources
    if resources is None:
        return
    for resource, capacity in enumerate(resources.capacity.tolist()):
        intervals: list[cp_model.IntervalVar] = []
        demands: list[int] = []
        for (task, agent), present in variables.presence.items():
            use = int(resources.task_use[task, resource])
            if use > 0:
                intervals.append(variables.intervals[task, agent])
                demands.append(use)
            use = int(resources.changeover_use[agent, resource])
            if use > 0 and placement is not None:
                name = f"changeover_{task}_on_{agent}_uses_{resource}"
                intervals.append(placement.interval(task, present, name))
                demands.append(use)
        variables.model.add_cumulative(intervals, demands, capacity)
