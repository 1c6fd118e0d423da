"""Flexible job shop: every job is a chain of operations, each on one of several machines, as fast as that one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from problems.build import Job, Task, build_instance
from problems.errors import InstanceError
from problems.families.setups import machine_setups
from problems.instance import Instance, IntArray


def flexible_job_shop(
    name: str,
    jobs: Sequence[Sequence[Mapping[int, int]]],
    num_machines: int,
    setups: IntArray | None = None,
    releases: Sequence[int] | None = None,
    scale: int = 1,
) -> Instance:
    """Flexible job shop that minimises the makespan.

    Parameters
    ----------
    name
        Name of the instance.
    jobs
        Operations of each job in order, each as its integer durations by machine (from 0).
    num_machines
        Number of machines, named ``machine_0``, ``machine_1``, ... Some may be of no use to any operation.
    setups : int64 [M, O, O]
        ``setups[k, i, j]`` is the setup on machine k when operation j directly follows operation i there, with the
        operations counted over all jobs; the first operation of a machine needs none. None for no setups.
    releases
        From when the operations of each job may start; 0 where not given.
    scale
        Integer time units per unit of the source.

    Raises
    ------
    InstanceError
        If an operation has no machine, a machine does not exist, a number is negative or too large, or the setups or
        releases are of the wrong shape.
    """
    times = [0] * len(jobs) if releases is None else list(releases)
    if len(times) != len(jobs):
        raise InstanceError(f"releases has {len(times)} entries; expected one per job: {len(jobs)}")
    return build_instance(
        name=name,
        family="fjsp",
        agent_names=[f"machine_{number}" for number in range(num_machines)],
        jobs=[
            Job(tasks=[Task(durations) for durations in job], release=release)
            for job, release in zip(jobs, times, strict=True)
        ],
        changeover=machine_setups(num_machines, sum(map(len, jobs)), setups),
        scale=scale,
    )
