"""Cheap valid lower bounds, in integer time units."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from problems.instance import NO_STATE, NO_TIME, Instance, IntArray
from problems.objective import Objective


def lower_bound(instance: Instance) -> int:
    """Bound that no complete schedule of ``instance`` can beat, in integer time units.

    It bounds `problems.measure.integer_objective`, which for a mean is the sum over the jobs;
    `problems.measure.in_source_unit` turns it into the unit of the source.

    ``MAKESPAN``: the longest path, and for each agent its heads, its load and its tails over the tasks that no other
    agent can do. ``LONGEST_ROUTE``: the farthest task there and back, and the lightest tree that connects all tasks
    shared among the agents. The others: each job's longest path. Changeovers count for routes only. With random
    durations the least measured ones are used.

    Returns
    -------
    int
        At least 0.
    """
    if instance.objective is Objective.LONGEST_ROUTE:
        return _route_bound(instance)
    shortest = _shortest_durations(instance)
    completion, tail = _paths(instance, shortest)
    ends = _ends(instance, completion)
    if instance.objective is Objective.MAKESPAN:
        return max([_load_bound(instance, shortest, completion, tail), *ends.tolist()])
    return _sum_bound(instance, ends)


def _shortest_durations(instance: Instance) -> IntArray:
    """Least duration of one piece of each task on any agent, int64 [T]."""
    starts = instance.eligible_ptr[:-1]
    shortest = np.minimum.reduceat(instance.eligible_duration, starts) if len(starts) else np.zeros(0, np.int64)
    if instance.waves is not None:
        cells = instance.waves.sample_ptr[:: 3 * len(instance.waves.levels)]
        for task, (low, high) in enumerate(pairwise(cells)):
            if high > low:
                shortest[task] = min(shortest[task], instance.waves.samples[low:high].min())
    return shortest


def _paths(instance: Instance, shortest: IntArray) -> tuple[IntArray, IntArray]:
    """Earliest completion of each task, and the least time between its end and the end of what follows, [T] each."""
    completion, tail = np.zeros(instance.num_tasks, np.int64), np.zeros(instance.num_tasks, np.int64)
    order = instance.topological_order
    for task in order:
        agents, _ = instance.eligible(task)
        job = instance.task_job[task]
        ready = max(instance.job_release[job], instance.job_reveal[job], instance.agent_available[agents].min())
        before = instance.predecessors(task)
        ready = max(ready, completion[before].max()) if len(before) else ready
        completion[task] = ready + shortest[task]
    for task in reversed(order):
        before = instance.predecessors(task)
        tail[before] = np.maximum(tail[before], shortest[task] + tail[task])
    return completion, tail


def _load_bound(instance: Instance, shortest: IntArray, completion: IntArray, tail: IntArray) -> int:
    """Work that only one agent can do, between the least head and the least tail; all work shared by all agents."""
    work = shortest * instance.task_pieces  # [T]
    bound = 0
    if instance.num_tasks:
        bound = int(instance.agent_available.min()) + -(-int(work.sum()) // instance.num_agents)
    only_one = np.diff(instance.eligible_ptr) == 1
    agent_of = instance.eligible_agent[instance.eligible_ptr[:-1]]
    for agent in range(instance.num_agents):
        mine = np.flatnonzero(only_one & (agent_of == agent))
        if len(mine):
            head = (completion - shortest)[mine].min()
            bound = max(bound, int(head + work[mine].sum() + tail[mine].min()))
    return bound


def _ends(instance: Instance, completion: IntArray) -> IntArray:
    """Earliest completion of each job, int64 [J]; a job without tasks is complete at its release."""
    ends = instance.job_release.copy()
    np.maximum.at(ends, instance.task_job, completion)
    return ends


def _sum_bound(instance: Instance, ends: IntArray) -> int:
    """Objectives that are sums over the jobs, each job taken by itself."""
    jobs = zip(ends.tolist(), instance.job_weight.tolist(), instance.job_release.tolist(), strict=True)
    if instance.objective is Objective.MEAN_FLOW_TIME:
        return sum(end - release for end, _, release in jobs)
    if instance.objective is Objective.TOTAL_COMPLETION_TIME:
        return sum(weight * end for end, weight, _ in jobs)
    due = [end if time == NO_TIME else time for end, time in zip(ends.tolist(), instance.job_due.tolist(), strict=True)]
    return sum(weight * max(0, end - time) for (end, weight, _), time in zip(jobs, due, strict=True))


def _route_bound(instance: Instance) -> int:
    changeover = instance.changeover
    if changeover is None or instance.num_tasks == 0:
        return 0
    out = _distances_from_home(instance, changeover.times)  # [A, T]
    way = out + _distances_from_home(instance, changeover.times.transpose(0, 2, 1)) if changeover.returns else out
    reachable = instance.durations.T >= 0  # [A, T]
    farthest = np.where(reachable, way, np.iinfo(np.int64).max).min(axis=0).max()
    return max(int(farthest), -(-_lightest_tree(instance) // instance.num_agents))


def _distances_from_home(instance: Instance, times: IntArray) -> IntArray:
    """Shortest way from each agent's home to each task, over other tasks too, [A, T].

    Floored lengths may break the triangle inequality by a unit, so the direct way need not be the shortest.
    """
    changeover = instance.changeover
    assert changeover is not None
    ways = np.zeros((instance.num_agents, instance.num_tasks), np.int64)
    known: dict[tuple[int, int], IntArray] = {}
    for agent, (matrix, home) in enumerate(zip(changeover.agent_matrix, changeover.agent_home, strict=True)):
        if home != NO_STATE:
            if (matrix, home) not in known:
                known[matrix, home] = _shortest_ways(times[matrix], int(home))
            ways[agent] = known[matrix, home][changeover.task_state]
    return ways


def _shortest_ways(times: IntArray, home: int) -> IntArray:
    """Bellman-Ford from one state; a loop there is left out, [S]."""
    ways = times[home].copy()
    ways[home] = min(0, ways[home]) if len(ways) == 1 else ways[home]
    while True:
        shorter = np.minimum(ways, (ways[:, None] + times).min(axis=0))
        if np.array_equal(shorter, ways):
            return ways
        ways = shorter


def _lightest_tree(instance: Instance) -> int:
    """Prim's algorithm on all tasks and one node for all homes, with each pair at its least changeover."""
    changeover = instance.changeover
    assert changeover is not None
    state = changeover.task_state
    least = changeover.times.min(axis=0)  # [S, S]
    least = np.minimum(least, least.T)
    if np.any(changeover.agent_home == NO_STATE):
        nearest = np.zeros(instance.num_tasks, np.int64)
    else:
        nearest = least[changeover.agent_home].min(axis=0)[state]  # [T]
    outside = np.ones(instance.num_tasks, np.bool_)
    total = 0
    for _ in range(instance.num_tasks):
        task = int(np.argmin(np.where(outside, nearest, np.iinfo(np.int64).max)))
        total += int(nearest[task])
        outside[task] = False
        nearest = np.minimum(nearest, least[state[task]][state])
    return total
