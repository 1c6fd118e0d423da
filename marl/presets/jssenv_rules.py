"""What the single agent of JSSEnv (arXiv 2104.03760) may do: which jobs give way, and when it may let time pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from marl.presets.shop import Progress
from problems.instance import IntArray

MOST_JOBS = 4
MOST_MACHINES = 3
"""With more legal jobs, or more machines that these need, time may not pass."""


def outranked(
    machine: IntArray, duration: IntArray, legal: NDArray[np.bool_], ended: IntArray, free_now: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Jobs whose last operation gives way, bool [J].

    It gives way to a shorter operation for the same machine, of a job that could go on to a machine which is free now.

    Parameters
    ----------
    machine, duration : int64 [J, M]
        Of each operation of each job.
    legal : bool [J]
        Jobs that could start now.
    ended : int64 [J]
        Operations of each job that have ended.
    free_now : bool [M]
        Machines on which nothing runs.
    """
    jobs, out = np.flatnonzero(legal), np.zeros(len(legal), np.bool_)
    steps, last = ended[jobs], machine.shape[1] - 1
    needs, takes = machine[jobs, steps], duration[jobs, steps]
    goes_on = (steps < last) & free_now[machine[jobs, np.minimum(steps + 1, last)]]
    shortest = np.full(machine.shape[1], np.iinfo(np.int64).max)
    np.minimum.at(shortest, needs[goes_on], takes[goes_on])
    out[jobs] = (steps == last) & (takes > shortest[needs])
    return out


def may_pass(
    machine: IntArray,
    duration: IntArray,
    legal: NDArray[np.bool_],
    barred: NDArray[np.bool_],
    progress: Progress,
    free: IntArray,
    now: int,
) -> bool:
    """Whether the agent may start nothing and let time pass.

    It may if few jobs are legal, none of them would end before the next event, and each of their machines is needed,
    by a job that is neither legal nor barred, before a legal job would leave it. When a job needs a machine is
    estimated from its remaining route (the last operation left out) as if it never waited again.

    Parameters
    ----------
    machine, duration, legal
        As in `outranked`.
    barred : bool [J]
        Jobs that were passed over since their machine last started something.
    progress
        Where each job stands.
    free : int64 [M]
        When the commitments of each machine end.
    now
        The present instant.
    """
    jobs = np.flatnonzero(legal)
    needs = machine[jobs, progress.ended[jobs]]
    ends = now + duration[jobs, progress.ended[jobs]]
    events = free[free > now]
    if not len(events) or len(jobs) > MOST_JOBS or len(np.unique(needs)) > MOST_MACHINES or ends.min() < events.min():
        return False
    leaves, limit = _horizons(needs.tolist(), ends.tolist(), now)
    wanted: set[int] = set()
    for job in np.flatnonzero(~legal & ~barred & (progress.ended < machine.shape[1])):
        step = int(progress.ended[job] + progress.running[job])
        time = int(progress.end[job] if progress.running[job] else max(now, free[machine[job, step]]))
        wanted |= _needed(machine[job, step:-1].tolist(), duration[job, step:-1].tolist(), time, leaves, limit)
    return len(wanted) == len(leaves)


def _horizons(needs: list[int], ends: list[int], now: int) -> tuple[dict[int, int], int]:
    """When each machine could be left at the earliest, and how far to look ahead.

    The look-ahead goes to the latest end of the *first* legal job of each machine, as in the source.
    """
    leaves: dict[int, int] = {}
    limit = now
    for needed, end in zip(needs, ends, strict=True):
        leaves[needed] = min(end, leaves.get(needed, end))
        limit = max(limit, leaves[needed])
    return leaves, limit


def _needed(route: list[int], durations: list[int], time: int, leaves: dict[int, int], limit: int) -> set[int]:
    """Machines on ``route`` that a job reaches before they could be left, if it begins it at ``time``."""
    needed = set()
    for step, takes in zip(route, durations, strict=True):
        if time >= limit:
            break
        if step in leaves and time < leaves[step]:
            needed.add(step)
        time += takes
    return needed
