"""Rules about single rows: what exists, what is complete, who may do it and for how long."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.check.report import Kind, Violation
from problems.check.table import Table
from problems.check.waves import WaveDurations


def unknown_rows(table: Table) -> Iterator[Violation]:
    """Rows that name a task or an agent which the instance does not have."""
    schedule, most = table.schedule, table.instance
    for row in np.flatnonzero(~table.known_task):
        task = int(schedule.task[row])
        message = f"the schedule names task {task}; the instance has tasks 0 to {most.num_tasks - 1}"
        yield Violation(Kind.UNKNOWN_TASK, task, int(schedule.agent[row]), (int(schedule.start[row]),), message)
    for row in np.flatnonzero(~table.known_agent):
        agent = int(schedule.agent[row])
        message = f"the schedule names agent {agent}; the instance has agents 0 to {most.num_agents - 1}"
        yield Violation(Kind.UNKNOWN_AGENT, int(schedule.task[row]), agent, (int(schedule.start[row]),), message)


def completeness(table: Table) -> Iterator[Violation]:
    """Every piece of every task has one row; a row of an unknown agent counts as an attempt at its piece."""
    schedule, pieces = table.schedule, table.instance.task_pieces
    rows = np.flatnonzero(table.known_task)
    task, piece = schedule.task[rows], schedule.piece[rows]
    exists = (piece >= 0) & (piece < pieces[task])
    for row in rows[~exists].tolist():
        number = int(schedule.task[row])
        message = f"{table.name(number)} has no piece {schedule.piece[row]}; it has {pieces[number]}"
        times = (int(schedule.start[row]),)
        yield Violation(Kind.UNKNOWN_PIECE, number, int(schedule.agent[row]), times, message)
    rows, task, piece = rows[exists], task[exists], piece[exists]
    order = np.lexsort((rows, piece, task))
    again = np.flatnonzero((np.diff(task[order]) == 0) & (np.diff(piece[order]) == 0)) + 1
    for place in again.tolist():
        yield _duplicate(table, int(rows[order[place - 1]]), int(rows[order[place]]))
    present = np.delete(order, again)
    bounds = np.searchsorted(task[present], np.arange(len(pieces) + 1))
    for number in np.flatnonzero(np.diff(bounds) < pieces).tolist():
        done = piece[present[bounds[number] : bounds[number + 1]]]
        for absent in np.setdiff1d(np.arange(pieces[number]), done).tolist():
            message = f"{table.name(number)}, piece {absent} is not scheduled"
            yield Violation(Kind.MISSING, number, None, (), message)


def _duplicate(table: Table, first: int, row: int) -> Violation:
    schedule = table.schedule
    task, times = int(schedule.task[row]), (int(schedule.start[first]), int(schedule.start[row]))
    message = f"{table.name(task)}, piece {schedule.piece[row]} is scheduled again, at {times[0]} and at {times[1]}"
    return Violation(Kind.DUPLICATE, task, int(schedule.agent[row]), times, message)


def eligibility_and_durations(table: Table) -> Iterator[Violation]:
    """Each row is on an eligible agent and lasts for exactly its duration there."""
    expected = table.instance.durations[table.task, table.agent]
    waves = None if table.instance.waves is None else WaveDurations(table, table.instance.waves)
    lengths = table.end - table.start
    right = lengths == expected if waves is None else waves.explain(lengths)
    wrong = np.flatnonzero((expected < 0) | ~right | (table.end < table.start))
    needed = expected if waves is None or len(wrong) == 0 else waves.first_possible()
    for row in wrong.tolist():
        start, end = int(table.start[row]), int(table.end[row])
        if expected[row] < 0:
            message = f"{table.row_name(row)}: this agent is not eligible"
            yield table.at(Kind.NOT_ELIGIBLE, row, (start, end), message)
        else:
            message = f"{table.row_name(row)} lasts from {start} to {end}, but its duration is {needed[row]}"
            if waves is not None and waves.fewest[row] < waves.most[row]:
                message += f", or that of another level up to {waves.most[row]} local executors"
            yield table.at(Kind.DURATION, row, (start, end, int(needed[row])), message)
