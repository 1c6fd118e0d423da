"""Bounds on the longest route: the farthest task, and the lightest tree."""

from __future__ import annotations

import numpy as np

from problems.instance import NO_STATE, Instance, IntArray


def route_bound(instance: Instance) -> int:
    """The farthest task there and back, and the lightest tree that connects all tasks shared among the agents."""
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
