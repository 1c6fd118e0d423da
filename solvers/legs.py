"""Sequences of tasks that are judged by their length: routes of like agents, and loads of unlike ones."""

from __future__ import annotations

import numpy as np

from problems.instance import NO_STATE, NO_TIME, Instance, IntArray
from problems.objective import Objective

DEPOT = 0
"""Row and column of the agents' home; task i is i + 1."""

UNABLE = -1
"""Leg to a task that the agent cannot do."""


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


def unlike_loads(instance: Instance) -> list[str]:
    """What keeps the makespan of ``instance`` from being the largest load of an agent, in words."""
    features = {
        f"the objective {instance.objective}": instance.objective is not Objective.MAKESPAN,
        "precedence": len(instance.predecessor_task) > 0,
        "release dates (job_release, job_reveal)": bool(instance.job_release.any() or instance.job_reveal.any()),
        "deadlines (job_deadline)": bool((instance.job_deadline != NO_TIME).any()),
        "renewable resources or operators (resources)": instance.resources is not None,
        "a moving delay (moving_delay)": instance.moving_delay > 0,
        "random durations by wave (waves)": instance.waves is not None,
        "agents that retire early (retire)": instance.retire,
    }
    return [name for name, present in features.items() if present]


def load_legs(instance: Instance) -> IntArray:
    """What each task adds to the load of an agent after another one, int64 [A, T + 1, T + 1], home first.

    A leg holds the changeover and the duration of the task that it leads to, the first one also the time at which the
    agent is available. It is negative where the agent cannot do that task. Legs home are 0 unless agents return.
    """
    legs = np.zeros((instance.num_agents, instance.num_tasks + 1, instance.num_tasks + 1), np.int64)
    legs[:, DEPOT, 1:] = instance.agent_available[:, None]
    changeover = instance.changeover
    if changeover is not None:
        states = changeover.task_state
        for agent, (matrix, home) in enumerate(zip(changeover.agent_matrix, changeover.agent_home, strict=True)):
            times = changeover.times[matrix]
            legs[agent, 1:, 1:] = times[np.ix_(states, states)]
            if home != NO_STATE:
                legs[agent, DEPOT, 1:] += times[home, states]
                legs[agent, 1:, DEPOT] = times[states, home] if changeover.returns else 0
    durations = instance.durations.T  # [A, T]
    legs[:, :, 1:] += durations[:, None, :]
    legs[:, :, 1:][np.broadcast_to(durations[:, None, :] < 0, legs[:, :, 1:].shape)] = UNABLE
    return legs


def shortest_paths(lengths: IntArray) -> IntArray:
    """Floyd-Warshall: rounded lengths, or any setup times, may break the triangle inequality."""
    paths = lengths.copy()
    for k in range(len(paths)):
        paths = np.minimum(paths, paths[:, k : k + 1] + paths[k : k + 1, :])
    return paths
