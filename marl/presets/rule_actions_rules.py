"""Composite dispatching rules of arXiv 2509.07019: one rule picks the job, another its machine."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from problems.instance import FloatArray, IntArray


class Routes(NamedTuple):
    """Work of each job on the fastest and on the slowest eligible machines.

    Attributes
    ----------
    before : int64 [T]
        Work of a task's job before the task, on the fastest machines.
    after_fast, after_slow : int64 [T]
        Work of its job after the task, on the fastest and on the slowest machines.
    left : int64 [T]
        Tasks of its job from the task on.
    """

    before: IntArray
    after_fast: IntArray
    after_slow: IntArray
    left: IntArray


class Offer(NamedTuple):
    """What can be started now, one entry per job, jobs increasing.

    Attributes
    ----------
    task : int64 [N]
        Next task of each job.
    fast, slow : int64 [N]
        Its shortest and its longest duration on the machines that are free.
    waiting : int64 [N]
        Since when, until now, the job has not been processed.
    routes
        Of all tasks.
    """

    task: IntArray
    fast: IntArray
    slow: IntArray
    waiting: IntArray
    routes: Routes


class MachineRule(IntEnum):
    """Which of the free eligible machines takes the operation."""

    FASTEST = 0
    SLOWEST = 1


def _spt(offer: Offer) -> IntArray:
    return -offer.fast


def _mwkr(offer: Offer) -> IntArray:
    return offer.slow + offer.routes.after_slow[offer.task]


def _fdd_mwkr(offer: Offer) -> FloatArray:
    left = offer.fast + offer.routes.after_fast[offer.task]
    return -np.divide(offer.routes.before[offer.task], left, out=np.full(len(left), np.inf), where=left > 0)


def _mopnr(offer: Offer) -> IntArray:
    return offer.routes.left[offer.task]


def _lrm(offer: Offer) -> IntArray:
    return offer.routes.after_slow[offer.task]


def _fifo(offer: Offer) -> IntArray:
    return offer.waiting


JOB_RULES: dict[str, Callable[[Offer], NDArray[np.int64 | np.float64]]] = {
    "spt": _spt,
    "mwkr": _mwkr,
    "fdd-mwkr": _fdd_mwkr,
    "mopnr": _mopnr,
    "lrm": _lrm,
    "fifo": _fifo,
}
"""Priority of each job by the name of the rule; the job with the highest goes first, the lowest index among equals.

Shortest operation; most work remaining; least work done / work remaining; most operations remaining; most work
remaining after this operation; longest wait. Rules that look for little count the fastest machines, those that look for
much the slowest ones, among the free ones for the operation at hand.
"""

ACTIONS = tuple((job_rule, machine_rule) for job_rule in JOB_RULES for machine_rule in MachineRule)
"""What each action means."""
