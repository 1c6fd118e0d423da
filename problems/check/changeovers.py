"""Rules about what an agent does between two tasks: travel, setup, a move to another job."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.check.report import Kind, Violation
from problems.check.table import NO_ROW, Table
from problems.instance import NO_STATE, IntArray


def changeovers(table: Table) -> Iterator[Violation]:
    """Before each task lies its changeover: as long as it must be, after the previous task and before this one."""
    needed = changeover_times(table)
    length = table.ready - table.begin
    lies = (length != 0) | (needed != 0)  # a changeover of no length lies nowhere
    before = table.previous
    freed = np.where(before == NO_ROW, np.iinfo(np.int64).min, table.end[before])
    wrong = (length != needed) | (table.ready < table.begin)
    for row in np.flatnonzero(lies & (wrong | (table.ready > table.start) | (table.begin < freed))).tolist():
        begin, end, name = int(table.begin[row]), int(table.ready[row]), _name(table, row)
        if wrong[row]:
            message = f"{name} lasts from {begin} to {end}, but it takes {needed[row]}"
            yield table.at(Kind.CHANGEOVER_DURATION, row, (begin, end, int(needed[row])), message)
        if end > table.start[row]:
            times = (end, int(table.start[row]))
            message = f"{name} ends at {end}, after the task's start {times[1]}"
            yield table.at(Kind.CHANGEOVER_OVERLAP, row, times, message)
        if begin < freed[row]:
            times = (begin, int(freed[row]))
            message = f"{name} begins at {begin}, before the agent's previous task ends at {times[1]}"
            yield table.at(Kind.CHANGEOVER_OVERLAP, row, times, message)


def changeover_times(table: Table) -> IntArray:
    """How long the changeover before each row must be, int64 [N]: its travel or setup, and its move to another job."""
    before = table.previous
    times = np.zeros(len(table), np.int64)
    if table.instance.moving_delay > 0:
        moves = (before == NO_ROW) | (table.job != table.job[before])
        times += np.where(moves, table.instance.moving_delay, 0)
    changeover = table.instance.changeover
    if changeover is not None:
        home = changeover.agent_home[table.agent]
        state = np.where(before == NO_ROW, home, changeover.task_state[table.task[before]])
        matrix, target = changeover.agent_matrix[table.agent], changeover.task_state[table.task]
        times += np.where(state == NO_STATE, 0, changeover.times[matrix, state, target])
    return times


def early_changeovers(table: Table) -> Iterator[Violation]:
    """A changeover of some length may have to wait for the agent, for news of the job, and for the task itself."""
    instance = table.instance
    bounds = [("the agent is available", instance.agent_available[table.agent])]
    reveal = instance.job_reveal[table.job]
    bounds.append(("its job is revealed", np.where(reveal > 0, reveal, np.iinfo(np.int64).min)))
    if instance.changeover is not None and instance.changeover.needs_task:
        ready = np.maximum(instance.job_release[table.job], table.task_ready[table.task])
        bounds.append(("its task is ready", ready))
    for what, bound in bounds:
        for row in np.flatnonzero((table.ready > table.begin) & (table.begin < bound)).tolist():
            times = (int(table.begin[row]), int(bound[row]))
            message = f"{_name(table, row)} begins at {times[0]}, before {what} at {times[1]}"
            yield table.at(Kind.CHANGEOVER_EARLY, row, times, message)


def _name(table: Table, row: int) -> str:
    return f"the changeover before {table.row_name(row)}"
