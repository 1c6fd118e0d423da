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
    """Refuse an instance that does not fit the spaces.

    Raises
    ------
    InstanceError
        If the instance has more slots or agents than the environment.
    """
    for word, needed, room in (("slots", num_slots(instance), slots), ("agents", instance.num_agents, agents)):
        if needed > room:
            raise InstanceError(
                f"instance '{instance.name}' needs {needed} {word}, the environment has {room}; "
                f"make it with {word}={needed} or more"
            )
