"""What a complete schedule is worth, recomputed from the table alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.instance import NO_STATE, NO_TIME, Instance, IntArray
from problems.objective import Objective
from problems.schedule import Schedule


def integer_objective(instance: Instance, schedule: Schedule) -> int:
    """Objective of a complete schedule in integer time: a sum over jobs where the objective is a mean.

    A job without tasks is complete at its release. The makespan ends when the last agent is home, where agents return.
    """
    if instance.objective is Objective.LONGEST_ROUTE:
        return max((int(sum(legs)) for legs in _legs(instance, schedule)), default=0)
    completion = instance.job_release.copy()
    np.maximum.at(completion, instance.task_job[schedule.task], schedule.end)
    if instance.objective is Objective.MAKESPAN:
        return max([*completion.tolist(), *_returns_home(instance, schedule)], default=0)
    if instance.objective is Objective.MEAN_FLOW_TIME:
        return int((completion - instance.job_release).sum())
    if instance.objective is Objective.TOTAL_COMPLETION_TIME:
        return int((instance.job_weight * completion).sum())
    late = np.where(instance.job_due == NO_TIME, 0, np.maximum(completion - instance.job_due, 0))
    return int((instance.job_weight * late).sum())


def in_source_unit(instance: Instance, value: int) -> int | float:
    """Turn a value of `integer_objective`, or a bound on it, into the unit of the source (an int where exact)."""
    unit = instance.scale
    if instance.objective is Objective.MEAN_FLOW_TIME:
        unit *= max(1, instance.num_jobs)
    whole, rest = divmod(value, unit)
    return whole if rest == 0 else value / unit


def objective_value(instance: Instance, schedule: Schedule) -> int | float:
    """Objective of a complete schedule in the unit of the source.

    Routes between given coordinates are measured by their real Euclidean length in float64, not by floored integers.
    """
    if instance.objective is Objective.LONGEST_ROUTE and instance.coordinates is not None:
        return max((float(sum(legs)) for legs in _real_legs(instance, schedule)), default=0.0)
    return in_source_unit(instance, integer_objective(instance, schedule))


def _routes(instance: Instance, schedule: Schedule) -> Iterator[tuple[int, IntArray]]:
    """Each agent that works, with its tasks in order."""
    for agent in range(instance.num_agents):
        rows = np.flatnonzero(schedule.agent == agent)
        if len(rows):
            keys = (rows, schedule.changeover_start[rows], schedule.end[rows], schedule.start[rows])
            yield agent, schedule.task[rows[np.lexsort(keys)]]


def _states(instance: Instance, agent: int, tasks: IntArray) -> IntArray:
    """The changeover states that an agent goes through, home included where it has one."""
    changeover = instance.changeover
    assert changeover is not None
    home = changeover.agent_home[agent : agent + 1]
    home = home[home != NO_STATE]
    return np.concatenate([home, changeover.task_state[tasks], home if changeover.returns else home[:0]])


def _legs(instance: Instance, schedule: Schedule) -> Iterator[IntArray]:
    """Changeovers and moves of each agent that works."""
    changeover = instance.changeover
    for agent, tasks in _routes(instance, schedule):
        moves = _moves(instance, tasks)
        if changeover is None:
            yield moves
        else:
            states = _states(instance, agent, tasks)
            yield np.concatenate([changeover.times[changeover.agent_matrix[agent], states[:-1], states[1:]], moves])


def _moves(instance: Instance, tasks: IntArray) -> IntArray:
    """Moving delays of an agent: before its first task, and wherever the job changes."""
    changes = 1 + int(np.count_nonzero(np.diff(instance.task_job[tasks])))
    return np.full(changes if instance.moving_delay else 0, instance.moving_delay, np.int64)


def _real_legs(instance: Instance, schedule: Schedule) -> Iterator[np.ndarray]:
    assert instance.coordinates is not None
    for agent, tasks in _routes(instance, schedule):
        steps = np.diff(instance.coordinates[_states(instance, agent, tasks)], axis=0)
        yield np.concatenate([np.hypot(steps[:, 0], steps[:, 1]), _moves(instance, tasks) / instance.scale])


def _returns_home(instance: Instance, schedule: Schedule) -> Iterator[int]:
    """When each agent that works is back home, where agents return."""
    changeover = instance.changeover
    if changeover is None or not changeover.returns:
        return
    for agent, tasks in _routes(instance, schedule):
        matrix, home = changeover.agent_matrix[agent], changeover.agent_home[agent]
        back = changeover.times[matrix, changeover.task_state[tasks[-1]], home]
        yield int(schedule.end[schedule.agent == agent].max() + back)
