"""A schedule beside its instance, as every rule of the checker reads it.

Rules compare whole columns and build messages only for the rows that break them: a right schedule of some 200,000
rows is read in about a second.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from problems.check.report import Kind, Violation
from problems.instance import Instance, IntArray
from problems.schedule import Schedule

NO_ROW = -1
"""Stands for "no row before it"."""

BoolArray = NDArray[np.bool_]


class Table:
    """The rows that name a task and an agent of the instance, and what the rules want to know of them.

    Parameters
    ----------
    instance, schedule
        What is checked.

    Attributes
    ----------
    known_task, known_agent : bool [number of rows of the schedule]
        Which of its rows name a task, and an agent, of the instance.
    rows : int64 [N]
        The rows that name both. All other columns belong to these, in their order.
    task, piece, agent, start, end, begin, ready, operator, job : int64 [N]
        As in `Schedule`; ``begin`` and ``ready`` are the start and end of the changeover.
    """

    def __init__(self, instance: Instance, schedule: Schedule) -> None:
        self.instance = instance
        self.schedule = schedule
        self.known_task = (schedule.task >= 0) & (schedule.task < instance.num_tasks)
        self.known_agent = (schedule.agent >= 0) & (schedule.agent < instance.num_agents)
        self.rows = np.flatnonzero(self.known_task & self.known_agent)
        self.task, self.piece, self.agent = (
            column[self.rows] for column in (schedule.task, schedule.piece, schedule.agent)
        )
        self.start, self.end = schedule.start[self.rows], schedule.end[self.rows]
        self.begin, self.ready = schedule.changeover_start[self.rows], schedule.changeover_end[self.rows]
        self.operator = schedule.resource[self.rows]
        self.job = instance.task_job[self.task]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_measurable(self) -> bool:
        """Whether every task appears and no row is unknown, so that the schedule has an objective."""
        appears = np.zeros(self.instance.num_tasks, bool)
        appears[self.task] = True
        return bool(self.known_task.all()) and bool(self.known_agent.all()) and bool(appears.all())

    @cached_property
    def order(self) -> IntArray:
        """Rows one agent after the other, each in the order in which it works on them, int64 [N]."""
        return np.lexsort((self.begin, self.end, self.start, self.agent))

    @cached_property
    def previous(self) -> IntArray:
        """The row that its agent works on before each row, or ``NO_ROW``, int64 [N]."""
        before = np.full(len(self), NO_ROW, np.int64)
        order = self.order
        before[order[1:]] = np.where(self.agent[order[1:]] == self.agent[order[:-1]], order[:-1], NO_ROW)
        return before

    @cached_property
    def task_end(self) -> IntArray:
        """When the last piece of each task ends; 0 for a task without rows, int64 [T]."""
        ends = np.full(self.instance.num_tasks, np.iinfo(np.int64).min)
        rows = np.flatnonzero(self.known_task)
        np.maximum.at(ends, self.schedule.task[rows], self.schedule.end[rows])
        return np.where(ends == np.iinfo(np.int64).min, 0, ends)

    @cached_property
    def task_ready(self) -> IntArray:
        """When the last predecessor of each task ends; the smallest integer for a task without any, int64 [T]."""
        times = np.full(self.instance.num_tasks, np.iinfo(np.int64).min)
        after = np.repeat(np.arange(self.instance.num_tasks), np.diff(self.instance.predecessor_ptr))
        np.maximum.at(times, after, self.task_end[self.instance.predecessor_task])
        return times

    @cached_property
    def _position(self) -> list[int]:
        """1-based position of each task within its job."""
        count = [0] * self.instance.num_jobs
        positions = []
        for job in self.instance.task_job.tolist():
            count[job] += 1
            positions.append(count[job])
        return positions

    def name(self, task: int) -> str:
        """A task as people count it: its job's name and its position in the job."""
        job = int(self.instance.task_job[task])
        return f"job {self.instance.job_names[job]}, task {self._position[task]}"

    def row_name(self, row: int) -> str:
        """Task and agent of a row."""
        return f"{self.name(int(self.task[row]))} on {self.instance.agent_names[self.agent[row]]}"

    def at(self, kind: Kind, row: int, times: tuple[int, ...], message: str) -> Violation:
        """Violation of the task and agent of one row."""
        return Violation(kind, int(self.task[row]), int(self.agent[row]), tuple(int(time) for time in times), message)


def begun_inside(begin: IntArray, end: IntArray) -> IntArray:
    """For each interval the earlier one that it begins inside and that ends last, or ``NO_ROW``, int64 [N].

    Intervals are half-open and sorted by their begin, equal ones by their end.
    """
    if len(begin) < 2:
        return np.full(len(begin), NO_ROW, np.int64)
    latest = np.maximum.accumulate(end)
    rises = np.concatenate([[True], end[1:] > latest[:-1]])
    holder = np.maximum.accumulate(np.where(rises, np.arange(len(end)), 0))
    inside = np.concatenate([[False], begin[1:] < latest[:-1]])
    return np.where(inside, np.concatenate([[0], holder[:-1]]), NO_ROW)
