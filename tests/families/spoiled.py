"""A valid schedule about to be spoiled: what the mutations ask of it, and how they edit it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from problems.instance import Instance, IntArray
from problems.schedule import COLUMNS, Schedule

NO_ROW = -1
SHIFTED = ("start", "end", "changeover_start", "changeover_end")


@dataclass(frozen=True)
class Spoiled:
    """A valid schedule and what the mutations want to know of it; all arrays have one entry per row."""

    instance: Instance
    schedule: Schedule

    @cached_property
    def previous(self) -> IntArray:
        """The row before each on its agent, or ``NO_ROW``."""
        table, last = self.schedule, dict[int, int]()
        before = np.full(len(table), NO_ROW)
        for row in np.lexsort((table.changeover_start, table.end, table.start)).tolist():
            before[row] = last.get(int(table.agent[row]), NO_ROW)
            last[int(table.agent[row])] = row
        return before

    @cached_property
    def job(self) -> IntArray:
        """Job of each row."""
        return self.instance.task_job[self.schedule.task]

    @property
    def length(self) -> IntArray:
        """Duration of each row."""
        return self.schedule.end - self.schedule.start

    @property
    def changeover(self) -> IntArray:
        """Length of the changeover before each row."""
        return self.schedule.changeover_end - self.schedule.changeover_start

    @cached_property
    def ready(self) -> IntArray:
        """When the last predecessor of each row ends; -1 without any."""
        times = np.full(len(self.schedule), -1)
        for row, task in enumerate(self.schedule.task.tolist()):
            before = np.isin(self.schedule.task, self.instance.predecessors(task))
            times[row] = self.schedule.end[before].max(initial=-1)
        return times

    def edit(self, row: int, **cells: int) -> Schedule:
        """Copy with some cells of a row changed."""
        columns = {name: getattr(self.schedule, name).copy() for name in COLUMNS}
        for name, value in cells.items():
            columns[name][row] = value
        return Schedule(**columns)

    def shift(self, row: int, by: int, names: tuple[str, ...] = SHIFTED) -> Schedule:
        """Copy with some times of a row moved together."""
        return self.edit(row, **{name: int(getattr(self.schedule, name)[row]) + by for name in names})

    def shift_start(self, row: int, to: int) -> Schedule:
        """Copy with a row and its changeover moved so that the task starts at ``to``."""
        return self.shift(row, to - int(self.schedule.start[row]))

    def shift_changeover(self, row: int, to: int) -> Schedule:
        """Copy with the changeover before a row moved so that it begins at ``to``."""
        return self.shift(row, to - int(self.schedule.changeover_start[row]), SHIFTED[2:])
