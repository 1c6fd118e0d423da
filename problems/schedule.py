"""A schedule: one table for all families."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from problems.instance import IntArray

NO_RESOURCE = -1
"""Stands for "no operator" in the resource column."""

COLUMNS = ("task", "piece", "agent", "start", "end", "changeover_start", "changeover_end", "resource")


@dataclass(frozen=True, eq=False)
class Schedule:
    """Rows of equal length, one per piece of a task, ordered by (start, agent, end).

    Rows that are equal in all three keep the order in which they are given: it is the order in which an agent
    visits places that lie closer together than one time unit.

    Attributes
    ----------
    task, piece, agent : int64 [N]
        Which piece of which task is processed by which agent.
    start, end : int64 [N]
        Processing, in integer time units of the instance.
    changeover_start, changeover_end : int64 [N]
        The changeover before it; equal where there is none.
    resource : int64 [N]
        The operator of the changeover, or ``NO_RESOURCE``.
    """

    task: IntArray
    piece: IntArray
    agent: IntArray
    start: IntArray
    end: IntArray
    changeover_start: IntArray
    changeover_end: IntArray
    resource: IntArray

    def __post_init__(self) -> None:
        columns = {field.name: np.asarray(getattr(self, field.name), np.int64) for field in fields(self)}
        lengths = {name: column.shape for name, column in columns.items()}
        if len(set(lengths.values())) != 1 or columns["task"].ndim != 1:
            raise ValueError(f"the columns of a schedule must be one-dimensional and of equal length, got {lengths}")
        order = np.lexsort(tuple(columns[key] for key in ("end", "agent", "start")))
        for name, column in columns.items():
            ordered = column[order]
            ordered.setflags(write=False)
            object.__setattr__(self, name, ordered)

    @classmethod
    def from_times(cls, task: IntArray, agent: IntArray, start: IntArray, end: IntArray) -> Schedule:
        """Schedule of single-piece tasks without changeovers."""
        none = np.zeros(len(task), np.int64)
        return cls(task, none, agent, start, end, start, start, none + NO_RESOURCE)

    def __len__(self) -> int:
        return len(self.task)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in COLUMNS)

    __hash__ = None  # type: ignore[assignment]

    def sequences(self, num_agents: int) -> list[list[int]]:
        """Task order of each agent (a task appears once per piece): the plan that `replay` turns back into times."""
        plan: list[list[int]] = [[] for _ in range(num_agents)]
        order = np.lexsort((self.end, self.start, self.changeover_start))
        for row in order:
            plan[self.agent[row]].append(int(self.task[row]))
        return plan
