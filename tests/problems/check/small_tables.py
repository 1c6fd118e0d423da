"""Small instances, tables and readings of the checker that its tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

from problems import Changeover, Instance, Job, Schedule, Task
from problems.build import build_instance
from problems.check import Kind, Violation, check
from problems.schedule import COLUMNS


def table(*rows: tuple[int, ...]) -> Schedule:
    """Schedule of rows (task, agent, start, end[, changeover start, changeover end[, operator[, piece]]])."""
    full = []
    for row in rows:
        task, agent, start, end, *more = row
        begin, ready, operator, piece = (*more, *(start, start, -1, 0)[len(more) :])
        full.append((task, piece, agent, start, end, begin, ready, operator))
    columns = np.array(full, np.int64).reshape(-1, len(COLUMNS)).T
    return Schedule(*columns)


def mutate(schedule: Schedule, row: int, **changes: int) -> Schedule:
    """Copy with some cells of one row changed."""
    columns = {name: getattr(schedule, name).copy() for name in COLUMNS}
    for name, value in changes.items():
        columns[name][row] = value
    return Schedule(**columns)


def without(schedule: Schedule, row: int) -> Schedule:
    """Copy that lacks one row."""
    return Schedule(*(np.delete(getattr(schedule, name), row) for name in COLUMNS))


def kinds(instance: Instance, schedule: Schedule) -> set[Kind]:
    """Kinds of all violations."""
    return {violation.kind for violation in check(instance, schedule).violations}


def only(instance: Instance, schedule: Schedule) -> Violation:
    """The single violation of ``schedule``."""
    violations = check(instance, schedule).violations
    assert len(violations) == 1, violations
    return violations[0]


def shop(**switches: Any) -> Instance:
    """Two machines, two jobs of two operations: 3 on M0 then 2 on M1; 2 on M1 then 4 on M0."""
    jobs = [Job([Task({0: 3}), Task({1: 2})]), Job([Task({1: 2}), Task({0: 4})])]
    return build_instance("shop", "jsp", ("M0", "M1"), jobs, **switches)


SHOP_ROWS = ((0, 0, 0, 3), (1, 1, 3, 5), (2, 1, 0, 2), (3, 0, 3, 7))


def setups(needs_task: bool = False, returns: bool = False, **switches: Any) -> Instance:
    """One machine, two jobs of one operation of 2; setup 1 to the first state, 3 to the second; home is state 2."""
    times = np.array([[[0, 3, 4], [2, 0, 5], [1, 3, 0]]])
    changeover = Changeover(times, np.zeros(1), np.array([0, 1]), np.array([2]), returns, needs_task)
    jobs = switches.pop("jobs", [Job([Task({0: 2})]), Job([Task({0: 2})])])
    return build_instance("setups", "custom", ("M0",), jobs, changeover=changeover, **switches)


SETUP_ROWS = ((0, 0, 1, 3, 0, 1), (1, 0, 6, 8, 3, 6))
