"""Rules about a job: order of its tasks, release, reveal and deadline."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.check.report import Kind, Violation
from problems.check.table import Table
from problems.instance import NO_TIME


def precedence(table: Table) -> Iterator[Violation]:
    """A task starts when all pieces of its predecessors have ended."""
    early = np.flatnonzero(table.start < table.task_ready[table.task])
    for row in early[np.argsort(table.task[early], kind="stable")].tolist():
        task, start = int(table.task[row]), int(table.start[row])
        for before in table.instance.predecessors(task).tolist():
            end = int(table.task_end[before])
            if start < end:
                message = f"{table.name(task)} starts at {start}, before {table.name(before)} ends at {end}"
                yield table.at(Kind.PRECEDENCE, row, (start, end), message)


def job_times(table: Table) -> Iterator[Violation]:
    """Tasks start after release and reveal of their job and end by its deadline."""
    instance = table.instance
    for kind, bounds in ((Kind.RELEASE, instance.job_release), (Kind.REVEAL, instance.job_reveal)):
        bound = bounds[table.job]
        for row in np.flatnonzero(table.start < bound).tolist():
            times = (int(table.start[row]), int(bound[row]))
            message = f"{_name(table, row)} starts at {times[0]}, before the {kind} of its job at {times[1]}"
            yield table.at(kind, row, times, message)
    deadline = instance.job_deadline[table.job]
    for row in np.flatnonzero((deadline != NO_TIME) & (table.end > deadline)).tolist():
        times = (int(table.end[row]), int(deadline[row]))
        message = f"{_name(table, row)} ends at {times[0]}, after the deadline of its job at {times[1]}"
        yield table.at(Kind.DEADLINE, row, times, message)


def _name(table: Table, row: int) -> str:
    return table.name(int(table.task[row]))
