"""Minmax routes of like agents, seen as a matrix of legs between the depot and the tasks."""

from __future__ import annotations

import numpy as np

from problems.instance import NO_STATE, NO_TIME, Instance, IntArray

DEPOT = 0
"""Row and column of the agents' home; task i is i + 1."""


def unlike_routes(instance: Instance) -> list[str]:
    """What keeps ``instance`` from being minmax routes of like agents over free tasks, in words."""
    changeover = instance.changeover
    features = {
        "a longest route without changeover times": changeover is None,
        "tasks that not every agent may do": bool((instance.durations < 0).any()),
        "precedence between the tasks of routes": len(instance.predecessor_task) > 0,
        "deadlines on routes (job_deadline)": bool((instance.job_deadline != NO_TIME).any()),
    }
    if changeover is not None:
        alike = len(set(zip(changeover.agent_matrix.tolist(), changeover.agent_home.tolist(), strict=True))) <= 1
        features["agents with different homes or travel times"] = not alike
    return [name for name, present in features.items() if present]


def leg_lengths(instance: Instance) -> IntArray:
    """Length of each leg, int64 [T + 1, T + 1], the depot first; legs that an agent does not drive are 0."""
    changeover = instance.changeover
    assert changeover is not None
    times = changeover.times[changeover.agent_matrix[0]]
    home, states = changeover.agent_home[0], changeover.task_state
    lengths = np.zeros((instance.num_tasks + 1, instance.num_tasks + 1), np.int64)
    lengths[1:, 1:] = times[np.ix_(states, states)]
    if home != NO_STATE:
        lengths[0, 1:] = times[home, states]
        lengths[1:, 0] = times[states, home] if changeover.returns else 0
    np.fill_diagonal(lengths, 0)
    return lengths


def shortest_paths(lengths: IntArray) -> IntArray:
    """Floyd-Warshall: rounded lengths, or any setup times, may break the triangle inequality."""
    paths = lengths.copy()
    for k in range(len(paths)):
        paths = np.minimum(paths, paths[:, k : k + 1] + paths[k : k + 1, :])
    return paths
