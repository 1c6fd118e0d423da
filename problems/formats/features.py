"""Which features an instance uses, so that a format can refuse by name what it cannot carry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_TIME, Instance, Opens, Serves
from problems.objective import Objective

FEATURES: dict[str, Callable[[Instance], bool]] = {
    "release dates": lambda instance: bool(instance.job_release.any()),
    "reveal dates": lambda instance: bool(instance.job_reveal.any()),
    "due dates": lambda instance: bool((instance.job_due != NO_TIME).any()),
    "deadlines": lambda instance: bool((instance.job_deadline != NO_TIME).any()),
    "job weights": lambda instance: bool((instance.job_weight != 1).any()),
    "availability of agents": lambda instance: bool(instance.agent_available.any()),
    "tasks of several pieces": lambda instance: bool((instance.task_pieces != 1).any()),
    "alternative agents": lambda instance: bool((np.diff(instance.eligible_ptr) != 1).any()),
    "precedence other than one chain per job": lambda instance: not is_chained(instance),
    "jobs without tasks": lambda instance: len(np.unique(instance.task_job)) < instance.num_jobs,
    "changeovers": lambda instance: instance.changeover is not None,
    "coordinates": lambda instance: instance.coordinates is not None,
    "moving delays": lambda instance: instance.moving_delay != 0,
    "random durations": lambda instance: instance.waves is not None,
    "resources": lambda instance: instance.resources is not None,
    "tasks that open when predecessors are dispatched": lambda instance: instance.opens is not Opens.FINISHED,
    "agents that serve whole stages": lambda instance: instance.serves is not Serves.PIECE,
    "agents that retire": lambda instance: instance.retire,
    "objectives other than the makespan": lambda instance: instance.objective is not Objective.MAKESPAN,
}
"""Every feature beyond the plain job shop: name -> whether the instance uses it."""


def refuse_features(instance: Instance, format_name: str, carried: tuple[str, ...] = ()) -> None:
    """Raise `UnsupportedError` naming the first used feature that is not ``carried``."""
    for feature, is_used in FEATURES.items():
        if feature not in carried and is_used(instance):
            raise UnsupportedError(f"{format_name} cannot carry {feature} ({instance.name}); write JSON instead")


def is_chained(instance: Instance) -> bool:
    """Whether the tasks lie job after job and each waits for exactly the one before it in its job."""
    if np.any(np.diff(instance.task_job) < 0):
        return False
    for task in range(instance.num_tasks):
        first = task == 0 or instance.task_job[task] != instance.task_job[task - 1]
        if list(instance.predecessors(task)) != ([] if first else [task - 1]):
            return False
    return True


def job_shop_rows(instance: Instance, format_name: str) -> list[list[tuple[int, int]]]:
    """(machine, integer duration) pairs of each job of a plain job shop."""
    refuse_features(instance, format_name)
    rows: list[list[tuple[int, int]]] = [[] for _ in range(instance.num_jobs)]
    for task, job in enumerate(instance.task_job):
        agents, durations = instance.eligible(task)
        rows[job].append((int(agents[0]), int(durations[0])))
    return rows


def decimal(time: int, scale: int) -> str:
    """Exact decimal number of ``time / scale``.

    Raises
    ------
    UnsupportedError
        If the scale has a prime factor other than 2 and 5, so that no finite decimal exists.
    """
    whole, rest = divmod(time, scale)
    if rest == 0:
        return str(whole)
    digits = scale.bit_length()
    if 10**digits % scale:
        raise UnsupportedError(f"a scale of {scale} gives durations without a finite decimal form; write JSON instead")
    return f"{whole}." + str(rest * 10**digits // scale).zfill(digits).rstrip("0")
