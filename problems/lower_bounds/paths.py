"""Heads and tails: how early a task can end, and how much must follow it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from problems.instance import NO_STATE, Instance, IntArray


class Paths:
    """What the longest paths say of an instance.

    Attributes
    ----------
    shortest : int64 [T]
        Least duration of one piece of each task on any agent.
    completion : int64 [T]
        Earliest end of each task.
    tail : int64 [T]
        Least time between the end of a task and the end of all that follows it.
    ends : int64 [J]
        Earliest completion of each job; its release if it has no tasks.
    """

    def __init__(self, instance: Instance) -> None:
        self.shortest = _shortest_durations(instance)
        self.completion = _completions(instance, self.shortest)
        self.tail = np.zeros(instance.num_tasks, np.int64)
        for task in reversed(instance.topological_order):
            before = instance.predecessors(task)
            self.tail[before] = np.maximum(self.tail[before], self.shortest[task] + self.tail[task])
        self.ends = instance.job_release.copy()
        np.maximum.at(self.ends, instance.task_job, self.completion)

    @property
    def head(self) -> IntArray:
        """Earliest start of each task, int64 [T]."""
        return self.completion - self.shortest


def _shortest_durations(instance: Instance) -> IntArray:
    starts = instance.eligible_ptr[:-1]
    shortest = np.minimum.reduceat(instance.eligible_duration, starts) if len(starts) else np.zeros(0, np.int64)
    if instance.waves is not None:
        cells = instance.waves.sample_ptr[:: 3 * len(instance.waves.levels)]
        for task, (low, high) in enumerate(pairwise(cells)):
            if high > low:
                shortest[task] = min(shortest[task], instance.waves.samples[low:high].min())
    return shortest


def _completions(instance: Instance, shortest: IntArray) -> IntArray:
    """No task starts before its job is known and an agent is there, who needs the moving delay to come to a job."""
    completion = np.zeros(instance.num_tasks, np.int64)
    for task in instance.topological_order:
        job = instance.task_job[task]
        first = max(instance.job_reveal[job], instance.agent_available[instance.eligible(task)[0]].min())
        before = instance.predecessors(task)
        ready = max(instance.job_release[job], first + instance.moving_delay)
        ready = max(ready, completion[before].max()) if len(before) else ready
        completion[task] = ready + shortest[task]
    return completion


def least_changeovers(instance: Instance) -> tuple[IntArray, IntArray]:
    """Least changeover before each task on each agent, int64 [T, A]: of its first task, and after another task.

    0 where the agent is not eligible.
    """
    first, later = np.zeros((2, instance.num_tasks, instance.num_agents), np.int64)
    changeover = instance.changeover
    if changeover is None:
        return first, later
    for agent in range(instance.num_agents):
        mine = np.flatnonzero(instance.durations[:, agent] >= 0)
        states, home = changeover.task_state[mine], changeover.agent_home[agent]
        times = changeover.times[changeover.agent_matrix[agent]]
        if home != NO_STATE:
            first[mine, agent] = times[home, states]
        if instance.task_pieces[mine].sum() > 1:
            between = times[np.ix_(states, states)].copy()
            single = np.flatnonzero(instance.task_pieces[mine] == 1)
            between[single, single] = np.iinfo(np.int64).max
            later[mine, agent] = between.min(axis=0)
    return first, later
