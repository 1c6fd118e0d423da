"""Random job shops, and job shops whose optimum is known by construction."""

from __future__ import annotations

import numpy as np

from problems.families.jsp import job_shop
from problems.instance import Instance, IntArray
from problems.schedule import Schedule

MEAN_DURATION = 50
"""Mean duration of an operation in a job shop of known optimum."""

_PASSES = 8
"""Passes over all cuts when they are moved; the schedule looks random long before."""


def random_job_shop(
    num_jobs: int, num_machines: int, seed: int, low: int = 1, high: int = 99, name: str | None = None
) -> Instance:
    """Job shop in which each job visits every machine once, in random order, with uniform durations.

    Parameters
    ----------
    num_jobs, num_machines
        Size; 15 jobs and 15 machines give instances like ta01.
    seed
        Same seed, same instance.
    low, high
        Least and largest duration, both included.
    name
        Name of the instance; made from size and seed if None.
    """
    random = np.random.default_rng(seed)
    durations = random.integers(low, high, (num_jobs, num_machines), endpoint=True)  # [J, M]
    machines = random.permuted(np.tile(np.arange(num_machines), (num_jobs, 1)), axis=1)  # [J, M]
    jobs = [list(zip(*job, strict=True)) for job in zip(machines.tolist(), durations.tolist(), strict=True)]
    return job_shop(name if name is not None else f"jsp-{num_jobs}x{num_machines}-s{seed}", jobs, num_machines)


def known_optimum_job_shop(num_jobs: int, num_machines: int, seed: int) -> tuple[Instance, int]:
    """Job shop and its least makespan, known because a gap-free rectangle was cut to make it.

    With at least as many jobs as machines every machine is busy from 0 to the end, else every job is; so the
    constructed schedule meets the load bound of each machine (the length of each job) and is optimal.

    Parameters
    ----------
    num_jobs, num_machines
        Size, both at least 1.
    seed
        Same seed, same instance.

    Raises
    ------
    ValueError
        If there is no job or no machine.
    """
    instance, schedule = known_optimum_with_schedule(num_jobs, num_machines, seed)
    return instance, int(schedule.end.max())


def known_optimum_with_schedule(num_jobs: int, num_machines: int, seed: int) -> tuple[Instance, Schedule]:
    """As `known_optimum_job_shop`, with an optimal schedule instead of its makespan."""
    if num_jobs < 1 or num_machines < 1:
        raise ValueError(f"{num_jobs} jobs and {num_machines} machines; expected at least one of each")
    random = np.random.default_rng(seed)
    by_machine = num_jobs >= num_machines
    occupant, cuts = _cut_rectangle(min(num_jobs, num_machines), max(num_jobs, num_machines), random)
    line = np.repeat(np.arange(len(occupant)), occupant.shape[1])
    job, machine = (occupant.ravel(), line) if by_machine else (line, occupant.ravel())
    start, end = cuts[:, :-1].ravel(), cuts[:, 1:].ravel()
    order = np.lexsort((start, job))  # tasks are numbered job by job, in order of time
    job, machine, start, end = job[order], machine[order], start[order], end[order]
    jobs: list[list[tuple[int, int]]] = [[] for _ in range(num_jobs)]
    for row in range(len(job)):
        jobs[job[row]].append((int(machine[row]), int(end[row] - start[row])))
    instance = job_shop(f"jsp-known-{num_jobs}x{num_machines}-s{seed}", jobs, num_machines)
    return instance, Schedule.from_times(np.arange(len(job)), machine, start, end)


def _cut_rectangle(num_lines: int, num_slots: int, random: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Occupant [L, S] and cuts [L, S + 1] of lines that are full from the first cut to the last.

    Starts from cuts common to all lines and a Latin rectangle, so that no occupant is in two places at once;
    then moves single cuts as far as this stays true.
    """
    shift = random.permutation(num_slots)[:num_lines]
    people = random.permutation(num_slots)
    occupant = people[(np.arange(num_slots)[None, :] + shift[:, None]) % num_slots]  # [L, S]
    common = np.concatenate([[0], np.cumsum(random.integers(1, 2 * MEAN_DURATION, num_slots))])
    cuts = np.tile(common, (num_lines, 1))  # [L, S + 1]
    where = np.argsort(occupant, axis=1)  # [L, occupant]: the slot of the occupant in the line
    for _ in range(_PASSES):
        for line in random.permutation(num_lines):
            for slot in random.permutation(np.arange(1, num_slots)):
                low, high = _free_range(int(line), int(slot), occupant, cuts, where)
                cuts[line, slot] = random.integers(low, high, endpoint=True)
    return occupant, cuts


def _free_range(line: int, slot: int, occupant: IntArray, cuts: IntArray, where: IntArray) -> tuple[int, int]:
    """Where the cut between two slots may lie: neither occupant may meet its other visits."""
    before, after = int(occupant[line, slot - 1]), int(occupant[line, slot])
    low, high = int(cuts[line, slot - 1]) + 1, int(cuts[line, slot + 1]) - 1
    for other in range(len(cuts)):
        place = int(where[other, before])
        if place > slot - 1:
            high = min(high, int(cuts[other, place]))
        place = int(where[other, after])
        if place < slot:
            low = max(low, int(cuts[other, place + 1]))
    return low, high
