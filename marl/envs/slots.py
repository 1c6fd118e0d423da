"""Which task an action means: the slots that agents choose from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from problems.errors import InstanceError
from problems.instance import Instance, IntArray, Serves


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


def gives_slots_by_age(instance: Instance, slots: int, num_limits: int = 1) -> bool:
    """Whether an environment with ``slots`` slots offers the oldest candidates of each agent, slots not being fixed."""
    return is_stream(instance) and slots < num_slots(instance, num_limits)


def num_slots(instance: Instance, num_limits: int = 1) -> int:
    """Number of slots that ``instance`` needs if each task has a slot for each of so many parallelism limits."""
    return num_limits * (instance.num_jobs if _jobs_are_chains(instance) else instance.num_tasks)


def _jobs_are_chains(instance: Instance) -> bool:
    follower = np.repeat(np.arange(instance.num_tasks), np.diff(instance.predecessor_ptr))
    follows = np.zeros(instance.num_tasks, np.bool_)
    follows[follower[instance.predecessor_task == follower - 1]] = True
    same_job = np.zeros(instance.num_tasks, np.bool_)
    same_job[1:] = instance.task_job[1:] == instance.task_job[:-1]
    starts = int(np.count_nonzero(~same_job))
    return bool(np.all(follows[same_job])) and starts == len(np.unique(instance.task_job))


def read_limits(limits: Sequence[int]) -> IntArray:
    """Parallelism limits of an environment, a single 0 where there are none.

    Raises
    ------
    ValueError
        If they are not increasing whole numbers from 1 on.
    """
    numbers = [limit for limit in limits if isinstance(limit, int | np.integer) and limit >= 1]
    if len(numbers) < len(limits) or sorted(set(numbers)) != numbers:
        raise ValueError(f"limits are {list(limits)}; expected increasing whole numbers from 1 on")
    return np.array(numbers or [0], np.int64)


def require_limits_apply(instance: Instance, limits: IntArray) -> None:
    """Refuse parallelism limits where agents do not serve their stage.

    Raises
    ------
    InstanceError
        If agents decide after each piece anyway.
    """
    if limits.any() and instance.serves is not Serves.STAGE:
        raise InstanceError(
            f"agents of '{instance.name}' decide after each piece, so limits= means nothing; leave it out, or give "
            "a Spark cluster of preset decima"
        )


def require_room(instance: Instance, slots: int, agents: int, num_limits: int = 1) -> None:
    """Refuse an instance that does not fit the spaces; a stream of jobs fits if one task has its slots.

    Raises
    ------
    InstanceError
        If the instance has more slots or agents than the environment.
    """
    least = num_slots(instance, num_limits)
    if is_stream(instance):
        least = min(least, num_limits)
    for word, needed, room in (("slots", least, slots), ("agents", instance.num_agents, agents)):
        if needed > room:
            raise InstanceError(
                f"instance '{instance.name}' needs {needed} {word}, the environment has {room}; "
                f"make it with {word}={needed} or more"
            )
