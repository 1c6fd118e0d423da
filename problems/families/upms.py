"""Unrelated parallel machines: jobs of one operation each, with setups that depend on machine and sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from problems.build import Job, Task, build_instance
from problems.errors import InstanceError
from problems.families.setups import machine_setups
from problems.instance import Instance, IntArray, Resources

NOT_ELIGIBLE = -1
"""Stands for the duration of a job on a machine that cannot process it."""


def parallel_machines(
    name: str,
    durations: IntArray,
    setups: IntArray | None,
    initial_setups: IntArray | None = None,
    releases: Sequence[int] | None = None,
    operators: NDArray[np.bool_] | None = None,
    setup_capacity: int | None = None,
    scale: int = 1,
) -> Instance:
    """Parallel machines that minimise the makespan; job i is task i.

    Parameters
    ----------
    name
        Name of the instance.
    durations : int64 [n, m]
        Duration of each job on each machine; -1 where the machine cannot process the job. The machines are named
        ``machine_0``, ``machine_1``, ...
    setups : int64 [m, n, n]
        ``setups[k, i, j]`` is the setup on machine k when job j directly follows job i. None for no setups.
    initial_setups : int64 [m, n]
        Setup of each job where it is the first of a machine; none where not given.
    releases
        From when each job may start; 0 where not given.
    operators : bool [W, m]
        Setup operators and the machines each of them can serve. Every setup longer than 0 needs one of those that
        serve its machine; a machine that nobody serves sets up by itself.
    setup_capacity
        How many setups can go on at the same time; unlimited if not given.
    scale
        Integer time units per unit of the source.

    Raises
    ------
    InstanceError
        If a job has no machine, a shape is wrong, a number is out of range, or there are operators or a setup capacity
        but no setups.
    """
    times = np.asarray(durations, np.int64)
    if times.ndim != 2:
        raise InstanceError(f"durations have shape {times.shape}; expected (n, m)")
    num_jobs, num_machines = times.shape
    starts = [0] * num_jobs if releases is None else list(releases)
    if len(starts) != num_jobs:
        raise InstanceError(f"releases has {len(starts)} entries; expected one per job: {num_jobs}")
    if times.size and times.min() < NOT_ELIGIBLE:
        raise InstanceError(f"durations hold {times.min()}; use {NOT_ELIGIBLE} where a machine cannot process a job")
    changeover = machine_setups(num_machines, num_jobs, setups, initial_setups)
    return build_instance(
        name=name,
        family="upms",
        agent_names=[f"machine_{number}" for number in range(num_machines)],
        jobs=[Job(tasks=[Task(_eligible(row))], release=release) for row, release in zip(times, starts, strict=True)],
        changeover=changeover,
        resources=_resources(operators, setup_capacity, num_jobs, num_machines, changeover is not None),
        scale=scale,
    )


def _eligible(row: IntArray) -> dict[int, int]:
    return {machine: int(time) for machine, time in enumerate(row) if time != NOT_ELIGIBLE}


def _resources(
    operators: NDArray[np.bool_] | None, setup_capacity: int | None, num_jobs: int, num_machines: int, has_setups: bool
) -> Resources | None:
    if operators is None and setup_capacity is None:
        return None
    if not has_setups:
        raise InstanceError("operators and setup_capacity bind setups, of which there are none; leave them out")
    if setup_capacity is not None and setup_capacity < 1:
        raise InstanceError(f"setup_capacity is {setup_capacity}; expected at least 1")
    serves = np.zeros((0, num_machines), np.bool_) if operators is None else np.asarray(operators, np.bool_)
    if serves.ndim != 2 or serves.shape[1] != num_machines:
        raise InstanceError(f"operators have shape {serves.shape}; expected (W, {num_machines})")
    capacity = np.array([] if setup_capacity is None else [setup_capacity], np.int64)
    return Resources(
        capacity=capacity,
        task_use=np.zeros((num_jobs, len(capacity)), np.int64),
        changeover_use=np.ones((num_machines, len(capacity)), np.int64),
        operator_serves=serves,
    )
