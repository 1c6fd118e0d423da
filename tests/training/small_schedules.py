"""Small instances and schedules for the tests of this folder, made without any solver."""

from __future__ import annotations

import numpy as np

from problems import Instance, Schedule
from problems.families import job_shop, multiple_tsp

# Two jobs on two machines; the schedule below is optimal.
SHOP_JOBS = [[(0, 3), (1, 2)], [(1, 2), (0, 4)]]
SHOP_OBJECTIVE = 7

SQUARE = np.array([[0.0, 0.0], [0.0, 3.0], [4.0, 3.0], [4.0, 0.0]])


def shop(name: str = "small") -> Instance:
    """A job shop of two jobs on two machines, best makespan 7."""
    return job_shop(name, SHOP_JOBS, 2)


def shop_schedule() -> Schedule:
    """An optimal schedule of `shop`."""
    task, agent = np.array([0, 2, 1, 3]), np.array([0, 1, 1, 0])
    return Schedule.from_times(task, agent, np.array([0, 0, 3, 3]), np.array([3, 2, 5, 7]))


def square(num_salesmen: int = 2) -> Instance:
    """Depot and three cities on a 3-by-4 rectangle."""
    return multiple_tsp("square", SQUARE, num_salesmen)


def square_schedule() -> Schedule:
    """Salesman 0 visits cities 1 and 2 (length 12), salesman 1 city 3 (length 8)."""
    ticks = np.array([3, 7, 4]) * 10_000
    begins = np.array([0, 3, 0]) * 10_000
    none = np.zeros(3, np.int64)
    return Schedule(np.array([0, 1, 2]), none, np.array([0, 0, 1]), ticks, ticks, begins, ticks, none - 1)
