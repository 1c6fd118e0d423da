"""Which task an action means: the slots that agents choose from."""

from __future__ import annotations

import numpy as np

from problems.errors import InstanceError
from problems.instance import Instance, IntArray


def slots_of_tasks(instance: Instance) -> IntArray:
    """Slot of each task, int64 [T].

    Where the tasks of every job form a chain, at most one of them is open at a time, so a slot is a job: the jobs of
    shops, the cities of travelling salesmen. Else a slot is a task.
    """
    if _jobs_are_chains(instance):
        return instance.task_job.copy()
    return np.arange(instance.num_tasks)


def ages_of_tasks(instance: Instance) -> IntArray:
    """Rank of each task by age, int64 [T]: the job that is revealed first comes first, then the task's number."""
    rank = np.empty(instance.num_tasks, np.int64)
    rank[np.argsort(instance.job_reveal[instance.task_job], kind="stable")] = np.arange(instance.num_tasks)
    return rank


def is_stream(instance: Instance) -> bool:
    """Whether jobs are revealed while others are worked on."""
    return bool(np.any(instance.job_reveal > 0))


def gives_slots_by_age(instance: Instance, slots: int) -> bool:
    """Whether an environment with ``slots`` slots offers the oldest candidates of each agent, slots not being fixed."""
    return is_stream(instance) and slots < num_slots(instance)


def num_slots(instance: Instance) -> int:
    """Number of slots that ``instance`` needs."""
    return instance.num_jobs if _jobs_are_chains(instance) else instance.num_tasks


def _jobs_are_chains(instance: Instance) -> bool:
    follower = np.repeat(np.arange(instance.num_tasks), np.diff(instance.predecessor_ptr))
    follows = np.zeros(instance.num_tasks, np.bool_)
    follows[follower[instance.predecessor_task == follower - 1]] = True
    same_job = np.zeros(instance.num_tasks, np.bool_)
    same_job[1:] = instance.task_job[1:] == instance.task_job[:-1]
    starts = int(np.count_nonzero(~same_job))
    return bool(np.all(follows[same_job])) and starts == len(np.unique(instance.task_job))


def require_room(instance: Instance, slots: int, agents: int) -> None:
    """Refuse an instance that does not fit the spaces; a stream of jobs fits any number of slots from 1 on.

    Raises
    ------
    InstanceError
        If the instance has more slots or agents than the environment.
    """
    least = min(1, instance.num_tasks) if is_stream(instance) else num_slots(instance)
    for word, needed, room in (("slots", least, slots), ("agents", instance.num_agents, agents)):
        if needed > room:
            raise InstanceError(
                f"instance '{instance.name}' needs {needed} {word}, the environment has {room}; "
                f"make it with {word}={needed} or more"
            )
