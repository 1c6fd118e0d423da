"""A (flexible) job shop being played: where each job stands, seen from the present instant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from marl.presets.game import Game
from problems.errors import UnsupportedError
from problems.instance import Instance, IntArray
from problems.simulator.arrays import COMPLETION, LEFT
from solvers.local_search.shop import unlike_shop


class Progress(NamedTuple):
    """Where each job stands now.

    Attributes
    ----------
    ended : int64 [J]
        Operations that have ended.
    running : bool [J]
        Whether an operation is being processed.
    end : int64 [J]
        When the last operation that was started ends, or ended; 0 before the first.
    """

    ended: IntArray
    running: NDArray[np.bool_]
    end: IntArray


class ShopGame(Game):
    """Game of a shop whose jobs are chains, all there at time 0.

    Parameters
    ----------
    instance
        The shop.
    preset
        Name of the preset that plays it, for messages.

    Attributes
    ----------
    num_operations, first : int64 [J]
        Operations of each job, and the task that is its first one; the others follow.

    Raises
    ------
    UnsupportedError
        If the instance is no such shop.
    """

    def __init__(self, instance: Instance, preset: str) -> None:
        require_shop(instance, preset)
        super().__init__(instance)
        self.num_operations = np.bincount(instance.task_job, minlength=instance.num_jobs)
        self.first = np.searchsorted(instance.task_job, np.arange(instance.num_jobs))

    def progress(self) -> Progress:
        """Where each job stands now."""
        end = self.state.jobs[:, COMPLETION].copy()
        running = end > self.now
        started = self.num_operations - self.state.jobs[:, LEFT]
        return Progress(started - running, running, end)


def require_shop(instance: Instance, preset: str) -> None:
    """Refuse what is no (flexible) job shop with all jobs and machines at time 0.

    Raises
    ------
    UnsupportedError
        The message names the features that ``preset`` does not know.
    """
    features = {
        "jobs released after time 0": bool(instance.job_release.any()),
        "agents that are not there at time 0": bool(instance.agent_available.any()),
        "jobs whose tasks are not one chain each, in order": not _jobs_are_chains(instance),
        "no task at all": instance.num_tasks == 0,
    }
    found = unlike_shop(instance) + [name for name, present in features.items() if present]
    if found:
        raise UnsupportedError(f"the preset {preset} does not support {', '.join(found)}: '{instance.name}'")


def _jobs_are_chains(instance: Instance) -> bool:
    """Whether the tasks of each job stand together, each after the one before it."""
    follower = np.repeat(np.arange(instance.num_tasks), np.diff(instance.predecessor_ptr))
    expected = np.flatnonzero(np.diff(instance.task_job) == 0) + 1
    is_sorted = bool((np.diff(instance.task_job) >= 0).all())
    return is_sorted and np.array_equal(follower, expected) and np.array_equal(instance.predecessor_task, expected - 1)
