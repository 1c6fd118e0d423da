"""Instances read from the end to the beginning: what was last comes first.

A schedule read backwards is a schedule of the reversed instance, of the same makespan. So whoever only appends can
build a schedule from its end, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from problems.instance import NO_STATE, NO_TIME, Changeover, Instance, Opens, Serves
from problems.objective import Objective

_FORGET_ORDER = (Objective.MAKESPAN, Objective.LONGEST_ROUTE)


def is_reversible(instance: Instance) -> bool:
    """Whether nothing but precedence and changeovers tells the beginning of ``instance`` from its end.

    There may be no times at which things come or are due, no durations revealed as time goes on, no resources, no
    tasks of several pieces, and agents must return home where they begin there.
    """
    no_times = not instance.job_release.any() and not instance.agent_available.any() and not instance.is_online
    never_late = bool((instance.job_due == NO_TIME).all() and (instance.job_deadline == NO_TIME).all())
    plain = instance.resources is None and bool((instance.task_pieces == 1).all()) and instance.moving_delay == 0
    plain = plain and instance.opens is Opens.FINISHED and instance.serves is Serves.PIECE and not instance.retire
    return instance.objective in _FORGET_ORDER and no_times and never_late and plain and _both_ends_alike(instance)


def _both_ends_alike(instance: Instance) -> bool:
    changeover = instance.changeover
    if changeover is None:
        return True
    at_home = changeover.agent_home != NO_STATE
    return not changeover.needs_task and bool(np.all(at_home == changeover.returns))


def reversed_instance(instance: Instance) -> Instance:
    """``instance`` from its end: arcs of the precedence and changeovers are turned round.

    Raises
    ------
    ValueError
        If it is not reversible.
    """
    if not is_reversible(instance):
        raise ValueError(f"'{instance.name}' cannot be reversed; see is_reversible")
    pointer, followers = instance.successors
    return instance.replace(
        predecessor_ptr=pointer, predecessor_task=followers, changeover=_turned_round(instance.changeover)
    )


def _turned_round(changeover: Changeover | None) -> Changeover | None:
    return None if changeover is None else replace(changeover, times=changeover.times.transpose(0, 2, 1))
