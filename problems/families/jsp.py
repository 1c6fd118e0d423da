"""Job shop: every job is a chain of operations, each on its one machine."""

from __future__ import annotations

from collections.abc import Sequence

from problems.build import Job, Task, build_instance
from problems.errors import InstanceError
from problems.instance import Instance


def job_shop(
    name: str,
    jobs: Sequence[Sequence[tuple[int, int]]],
    num_machines: int,
    releases: Sequence[int] | None = None,
    scale: int = 1,
) -> Instance:
    """Job shop that minimises the makespan.

    Parameters
    ----------
    name
        Name of the instance.
    jobs
        Operations of each job in order, as (machine from 0, integer duration). Jobs may be of different
        lengths, empty, and visit a machine more than once.
    num_machines
        Number of machines, named ``machine_0``, ``machine_1``, ...
    releases
        From when the operations of each job may start; 0 where not given.
    scale
        Integer time units per unit of the source.

    Raises
    ------
    InstanceError
        If a machine does not exist, a number is negative or too large, or there are not as many releases as jobs.
    """
    times = [0] * len(jobs) if releases is None else list(releases)
    if len(times) != len(jobs):
        raise InstanceError(f"releases has {len(times)} entries; expected one per job: {len(jobs)}")
    return build_instance(
        name=name,
        family="jsp",
        agent_names=[f"machine_{number}" for number in range(num_machines)],
        jobs=[
            Job(tasks=[Task({machine: duration}) for machine, duration in job], release=release)
            for job, release in zip(jobs, times, strict=True)
        ],
        scale=scale,
    )
