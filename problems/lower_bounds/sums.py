"""Bounds on sums over the jobs: completion times, flow times, tardiness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from problems.instance import NO_TIME, Instance, IntArray
from problems.lower_bounds.paths import Paths
from problems.objective import Objective

LARGEST_WEIGHT = 2**62
"""No weight of a valid instance is larger."""


def sum_bound(instance: Instance, paths: Paths) -> int:
    """The best of several bounds: each job by itself, and jobs that compete for all agents or for one of them.

    If the k-th job of a set cannot end before e_k, whichever it is, then the least that the objective can be is found
    by pairing early ends with large weights, or with early due dates.
    """
    alone = _alone(instance, paths.ends)  # [J]
    bound = int(alone.sum())
    for jobs, ends in _competitions(instance, paths):
        others = int(alone.sum() - alone[jobs].sum())
        ordered = np.maximum(ends, np.sort(paths.ends[jobs]))
        bound = max(bound, others + _paired(instance, jobs, ordered))
    return bound


def _alone(instance: Instance, ends: IntArray) -> IntArray:
    """What each job costs if it ends as early as its longest path allows, int64 [J]."""
    if instance.objective is Objective.MEAN_FLOW_TIME:
        return ends - instance.job_release
    if instance.objective is Objective.TOTAL_COMPLETION_TIME:
        return instance.job_weight * ends
    late = np.maximum(0, ends - instance.job_due)
    return np.where(instance.job_due == NO_TIME, 0, instance.job_weight * late)


def _paired(instance: Instance, jobs: IntArray, ends: IntArray) -> int:
    """Least cost of ``jobs`` if they end at ``ends``, int64 rising, in the order that suits best."""
    weights = instance.job_weight[jobs]
    if instance.objective is Objective.MEAN_FLOW_TIME:
        return int(ends.sum() - instance.job_release[jobs].sum())
    if instance.objective is Objective.TOTAL_COMPLETION_TIME:
        return int((np.sort(weights)[::-1] * ends).sum())
    has_due = instance.job_due[jobs] != NO_TIME
    due = np.sort(instance.job_due[jobs][has_due])
    late = np.maximum(0, ends[: len(due)] - due)
    return int(late.sum() * weights[has_due].min(initial=LARGEST_WEIGHT))


def _competitions(instance: Instance, paths: Paths) -> Iterator[tuple[IntArray, IntArray]]:
    """Sets of jobs, and from when the first, second, ... of each can have ended."""
    jobs = np.unique(instance.task_job)  # a job without tasks competes for nothing
    shared = job_work(instance, paths)[jobs]
    yield jobs, shortest_remaining_first(shared, _known(instance)[jobs], instance.num_agents)
    work = paths.shortest * instance.task_pieces
    only_one = np.diff(instance.eligible_ptr) == 1
    agent_of = instance.eligible_agent[instance.eligible_ptr[:-1]]
    for agent in range(instance.num_agents) if instance.num_agents > 1 else ():
        mine = np.flatnonzero(only_one & (agent_of == agent))
        jobs, place = np.unique(instance.task_job[mine], return_inverse=True)
        if len(jobs) > 1:
            loads = np.zeros(len(jobs), np.int64)
            np.add.at(loads, place, work[mine])
            heads = np.full(len(jobs), np.iinfo(np.int64).max)
            np.minimum.at(heads, place, paths.head[mine])
            yield jobs, shortest_remaining_first(loads, heads, 1) + paths.tail[mine].min()


def job_work(instance: Instance, paths: Paths) -> IntArray:
    """Time that each job takes of all agents together, at least, one move included, int64 [J]."""
    work = np.zeros(instance.num_jobs, np.int64)
    np.add.at(work, instance.task_job, paths.shortest * instance.task_pieces)
    work[np.unique(instance.task_job)] += instance.moving_delay
    return work


def _known(instance: Instance) -> IntArray:
    """From when agents may do anything for each job, int64 [J]; they may move there before it is released."""
    begin = instance.job_reveal if instance.moving_delay > 0 else np.maximum(instance.job_release, instance.job_reveal)
    return np.maximum(begin, instance.agent_available.min(initial=0))


def shortest_remaining_first(work: IntArray | Sequence[int], known: IntArray | Sequence[int], speed: int) -> IntArray:
    """Ends of jobs on one machine that goes on with the job of least remaining work, rising, int64 [J].

    No schedule on ``speed`` agents, one unit of work each per unit of time, has the k-th job done earlier: at every
    moment it has ended as many jobs as possible (L. Schrage, Operations Research 16, 1968,
    https://doi.org/10.1287/opre.16.3.687).

    Parameters
    ----------
    work, known : int64 [J]
        Work of each job, and from when it can be done.
    speed
        Units of work per unit of time.
    """
    coming = sorted(zip((int(time) * speed for time in known), map(int, work), strict=True), reverse=True)
    waiting: list[int] = []
    ends: list[int] = []
    now = 0  # in units of time / speed, so that all is integer
    while coming or waiting:
        if not waiting:
            now = max(now, coming[-1][0])
        while coming and coming[-1][0] <= now:
            heappush(waiting, coming.pop()[1])
        left = heappop(waiting)
        if coming and now + left > coming[-1][0]:
            heappush(waiting, left - (coming[-1][0] - now))
            now = coming[-1][0]
        else:
            now += left
            ends.append(-(-now // speed))
    return np.array(ends, np.int64)
