"""Rules about the pieces of a stage: in which order they begin, and who goes on with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.check.crowd import dispatch_windows
from problems.check.report import Kind, Violation
from problems.check.table import NO_ROW, Table
from problems.instance import Serves


def piece_order(table: Table) -> Iterator[Violation]:
    """Where durations are random, pieces are numbered in the order of their dispatch: nobody chooses his luck."""
    if table.instance.waves is None:
        return
    earliest, latest = dispatch_windows(table)
    order = np.lexsort((table.piece, table.task))
    bounds = np.searchsorted(table.task[order], np.arange(table.instance.num_tasks + 1))
    for task in range(table.instance.num_tasks):
        rows = order[bounds[task] : bounds[task + 1]]
        before = np.maximum.accumulate(earliest[rows])
        for place in (np.flatnonzero(latest[rows][1:] < before[:-1]) + 1).tolist():
            row, times = int(rows[place]), (int(latest[rows[place]]), int(before[place - 1]))
            message = (
                f"{table.row_name(row)}: piece {table.piece[row]} was dispatched at {times[0]}, "
                f"before a piece of a smaller number at {times[1]}"
            )
            yield table.at(Kind.PIECE_ORDER, row, times, message)


def stage_service(table: Table) -> Iterator[Violation]:
    """Where agents serve their stage, one whose piece ends goes on at once while the stage has pieces left."""
    if table.instance.serves is not Serves.STAGE:
        return
    last_start = np.full(table.instance.num_tasks, np.iinfo(np.int64).min)
    np.maximum.at(last_start, table.task, table.start)
    after = np.full(len(table), NO_ROW, np.int64)
    followers = np.flatnonzero(table.previous != NO_ROW)
    after[table.previous[followers]] = followers
    goes_on = (after != NO_ROW) & (table.task[after] == table.task) & (table.start[after] == table.end)
    for row in np.flatnonzero((last_start[table.task] > table.end) & ~goes_on).tolist():
        times = (int(table.end[row]), int(last_start[table.task[row]]))
        message = (
            f"{table.row_name(row)} ends at {times[0]}, but the agent does not go on with the stage, "
            f"whose last piece begins at {times[1]}"
        )
        yield table.at(Kind.STAGE_SERVICE, row, times, message)
