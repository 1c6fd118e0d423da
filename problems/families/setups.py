"""Sequence-dependent setups of machines: one matrix per machine over all tasks."""

from __future__ import annotations

import numpy as np

from problems.errors import InstanceError
from problems.instance import NO_STATE, Changeover, Instance, IntArray


def machine_setups(
    num_machines: int, num_tasks: int, setups: IntArray | None, initial_setups: IntArray | None = None
) -> Changeover | None:
    """One matrix per machine and one state per task, and a home state after them where there are initial setups.

    Parameters
    ----------
    num_machines, num_tasks
        M and T.
    setups : int64 [M, T, T]
        ``setups[k, i, j]`` is the setup on machine k when task j directly follows task i; None for none.
    initial_setups : int64 [M, T]
        Setup of each task where it is the first of a machine; None for none.

    Returns
    -------
    Changeover or None
        None if neither is given.

    Raises
    ------
    InstanceError
        If a shape is wrong.
    """
    if setups is None and initial_setups is None:
        return None
    num_states = num_tasks + (initial_setups is not None)
    times = np.zeros((num_machines, num_states, num_states), np.int64)
    if setups is not None:
        times[:, :num_tasks, :num_tasks] = _shaped("setups", setups, (num_machines, num_tasks, num_tasks))
    if initial_setups is not None:
        times[:, num_tasks, :num_tasks] = _shaped("initial_setups", initial_setups, (num_machines, num_tasks))
    return Changeover(
        times=times,
        agent_matrix=np.arange(num_machines),
        task_state=np.arange(num_tasks),
        agent_home=np.full(num_machines, NO_STATE if initial_setups is None else num_tasks),
    )


def _shaped(field: str, values: IntArray, expected: tuple[int, ...]) -> IntArray:
    matrix = np.asarray(values, np.int64)
    if matrix.shape != expected:
        raise InstanceError(f"{field} has shape {matrix.shape}; expected {expected}, one matrix (or row) per machine")
    return matrix


def has_plain_setups(instance: Instance) -> bool:
    """Whether there are changeovers between tasks, which `machine_setups` makes from ``changeover.times`` alone."""
    changeover, shape = instance.changeover, (instance.num_agents, instance.num_tasks, instance.num_tasks)
    if changeover is None or changeover.times.shape != shape or instance.num_tasks == 0:
        return False
    plain = machine_setups(instance.num_agents, instance.num_tasks, changeover.times)
    return instance.replace(changeover=plain) == instance
