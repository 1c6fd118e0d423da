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

    With at least as many jobs as machines some machines are busy from 0 to the end (all of them from twice as many
    on), else some jobs are; so the constructed schedule meets their load (their length) and is optimal.

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
    occupant, starts, ends = _cut_rectangle(min(num_jobs, num_machines), max(num_jobs, num_machines), random)
    line = np.repeat(np.arange(len(occupant)), occupant.shape[1])
    job, machine = (occupant.ravel(), line) if by_machine else (line, occupant.ravel())
    start, end = starts.ravel(), ends.ravel()
    order = np.lexsort((start, job))  # tasks are numbered job by job, in order of time
    job, machine, start, end = job[order], machine[order], start[order], end[order]
    jobs: list[list[tuple[int, int]]] = [[] for _ in range(num_jobs)]
    for row in range(len(job)):
        jobs[job[row]].append((int(machine[row]), int(end[row] - start[row])))
    instance = job_shop(f"jsp-known-{num_jobs}x{num_machines}-s{seed}", jobs, num_machines)
    return instance, Schedule.from_times(np.arange(len(job)), machine, start, end)


def _cut_rectangle(num_lines: int, num_slots: int, random: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """Occupant, start and end [L, S] of the slots of each line; nobody is in two places at once.

    Starts from cuts common to all lines and a Latin rectangle. Where there are hardly more slots than lines,
    occupants have no time to spare and no cut could move, so some lines get gaps. In the full lines single cuts are
    then moved as far as their occupants allow; the first line is always full.
    """
    shift = random.permutation(num_slots)[:num_lines]
    people = random.permutation(num_slots)
    occupant = people[(np.arange(num_slots)[None, :] + shift[:, None]) % num_slots]  # [L, S]
    common = np.concatenate([[0], np.cumsum(random.integers(1, 2 * MEAN_DURATION, num_slots))])
    starts = np.tile(common[:-1], (num_lines, 1))  # [L, S]
    ends = np.tile(common[1:], (num_lines, 1))  # [L, S]
    num_full = max(1, min(num_lines, num_slots // 2))
    _open_gaps(starts[num_full:], ends[num_full:], random)
    where = np.argsort(occupant, axis=1)  # [L, occupant]: the slot of the occupant in the line
    for _ in range(_PASSES):
        for line in random.permutation(num_full):
            for slot in random.permutation(np.arange(1, num_slots)):
                low, high = _free_range(int(line), int(slot), occupant, starts, ends, where)
                starts[line, slot] = ends[line, slot - 1] = random.integers(low, high, endpoint=True)
    return occupant, starts, ends


def _open_gaps(starts: IntArray, ends: IntArray, random: np.random.Generator) -> None:
    """Shrink every slot to a random part of itself, one time unit at least."""
    starts[:] = random.integers(starts, ends)
    ends[:] = random.integers(starts + 1, ends, endpoint=True)


def _free_range(
    line: int, slot: int, occupant: IntArray, starts: IntArray, ends: IntArray, where: IntArray
) -> tuple[int, int]:
    """Where the cut before ``slot`` may lie: the occupants on its two sides may not meet their other visits."""
    before, after = where[:, occupant[line, slot - 1]], where[:, occupant[line, slot]]  # [L] each
    lines = np.arange(len(where))
    later, earlier = before > slot - 1, after < slot
    low = max([int(starts[line, slot - 1]) + 1, *ends[lines[earlier], after[earlier]].tolist()])
    high = min([int(ends[line, slot]) - 1, *starts[lines[later], before[later]].tolist()])
    return low, high
