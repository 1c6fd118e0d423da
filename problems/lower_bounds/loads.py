"""Bounds on the makespan from the work that agents have to do."""

from __future__ import annotations

import numpy as np

from problems.instance import Instance, IntArray
from problems.lower_bounds.paths import Paths, least_changeovers

FAR = np.iinfo(np.int64).max
"""Longer than any duration."""


def load_bound(instance: Instance, paths: Paths) -> int:
    """Work that only one agent can do, and all work shared among all agents; int, at least 0."""
    if instance.num_tasks == 0:
        return 0
    first, later = least_changeovers(instance)
    shared = max(_shared_work(instance, paths), _shared_work_with_changeovers(instance, paths, first, later))
    return max(shared, _work_of_one_agent(instance, paths, later))


def _shared_work(instance: Instance, paths: Paths) -> int:
    """All pieces lie between the least head and the least tail."""
    work = int((paths.shortest * instance.task_pieces).sum())
    return int(paths.head.min()) - (-work // instance.num_agents) + int(paths.tail.min())


def _shared_work_with_changeovers(instance: Instance, paths: Paths, first: IntArray, later: IntArray) -> int:
    """Every piece with its least changeover, and one move to each job; as many pieces as there are agents are first."""
    able = instance.durations >= 0  # [T, A]
    duration = np.minimum(instance.durations, paths.shortest[:, None] if instance.waves is not None else FAR)  # [T, A]
    usual = np.where(able, duration + later, FAR).min(axis=1)  # [T]
    least = np.where(able, duration + np.minimum(first, later), FAR).min(axis=1)
    chances = np.minimum(instance.task_pieces, instance.num_agents)
    saved = np.sort(np.repeat(usual - least, chances))[::-1][: instance.num_agents]
    moves = instance.moving_delay * len(np.unique(instance.task_job))
    work = int((usual * instance.task_pieces).sum()) - int(saved.sum()) + moves
    return int(instance.agent_available.min()) - (-work // instance.num_agents)


def _work_of_one_agent(instance: Instance, paths: Paths, later: IntArray) -> int:
    """Tasks that no other agent can do, with their changeovers, between their least head and their least tail."""
    work = paths.shortest * instance.task_pieces  # [T]
    only_one = np.diff(instance.eligible_ptr) == 1
    agent_of = instance.eligible_agent[instance.eligible_ptr[:-1]]
    bound = 0
    for agent in range(instance.num_agents):
        mine = np.flatnonzero(only_one & (agent_of == agent))
        if len(mine):
            setups = later[mine, agent]
            between = int((setups * instance.task_pieces[mine]).sum() - setups.max())
            load = int(work[mine].sum()) + between
            bound = max(bound, int(paths.head[mine].min()) + load + int(paths.tail[mine].min()))
    return bound
