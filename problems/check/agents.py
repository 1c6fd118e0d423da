"""Rules about an agent: one task at a time, and not before it is available."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.check.report import Kind, Violation
from problems.check.table import NO_ROW, Table, begun_inside


def overlaps(table: Table) -> Iterator[Violation]:
    """An agent does one task at a time; a row is named beside the running one that ends last."""
    order, bounds = table.order, np.searchsorted(table.agent[table.order], np.arange(table.instance.num_agents + 1))
    for agent in range(table.instance.num_agents):
        rows = order[bounds[agent] : bounds[agent + 1]]
        holder = begun_inside(table.start[rows], table.end[rows])
        for place in np.flatnonzero(holder != NO_ROW).tolist():
            yield _overlap(table, int(rows[holder[place]]), int(rows[place]))


def _overlap(table: Table, first: int, second: int) -> Violation:
    times = tuple(int(time) for row in (first, second) for time in (table.start[row], table.end[row]))
    message = (
        f"{table.row_name(second)} ({times[2]} to {times[3]}) overlaps "
        f"{table.name(int(table.task[first]))} ({times[0]} to {times[1]})"
    )
    return table.at(Kind.OVERLAP, second, times, message)


def availability(table: Table) -> Iterator[Violation]:
    """No task starts before its agent is available."""
    bound = table.instance.agent_available[table.agent]
    for row in np.flatnonzero(table.start < bound).tolist():
        times = (int(table.start[row]), int(bound[row]))
        message = f"{table.row_name(row)} starts at {times[0]}, before the agent is available at {times[1]}"
        yield table.at(Kind.AGENT_AVAILABILITY, row, times, message)
