"""Rules about renewable resources and operators, which tasks and changeovers share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from problems.check.report import Kind, Violation
from problems.check.table import NO_ROW, BoolArray, Table, begun_inside
from problems.instance import IntArray
from problems.schedule import NO_RESOURCE


def capacities(table: Table) -> Iterator[Violation]:
    """What runs at the same time uses no more units of a resource than there are."""
    resources = table.instance.resources
    if resources is None:
        return
    begin, end = np.concatenate([table.start, table.begin]), np.concatenate([table.end, table.ready])
    rows = np.arange(len(begin)) % max(len(table), 1)
    for resource, capacity in enumerate(resources.capacity.tolist()):
        task_use = resources.task_use[table.task, resource]
        uses = np.concatenate([task_use, resources.changeover_use[table.agent, resource]])
        sharing = np.flatnonzero((uses > 0) & (end > begin))
        used = _use_at_begin(begin[sharing], end[sharing], uses[sharing])
        for place in np.flatnonzero(used > capacity).tolist():
            row, now = int(rows[sharing[place]]), int(begin[sharing[place]])
            message = (
                f"resource {resource + 1}: {used[place]} of {capacity} units are used at {now}, "
                f"when {table.row_name(row)} takes its share"
            )
            yield table.at(Kind.CAPACITY, row, (now, int(used[place]), capacity), message)


def _use_at_begin(begin: IntArray, end: IntArray, uses: IntArray) -> IntArray:
    """Units in use at the begin of each interval: use rises nowhere else, so each excess shows there."""
    by_begin, by_end = np.argsort(begin, kind="stable"), np.argsort(end, kind="stable")
    taken = np.concatenate([[0], np.cumsum(uses[by_begin])])
    given = np.concatenate([[0], np.cumsum(uses[by_end])])
    begun = np.searchsorted(begin[by_begin], begin, side="right")
    ended = np.searchsorted(end[by_end], begin, side="right")
    return taken[begun] - given[ended]


def operators(table: Table) -> Iterator[Violation]:
    """A changeover of some length has an operator who serves the agent, where the agent has any; no other row has."""
    resources = table.instance.resources
    serves = np.zeros((0, table.instance.num_agents), bool) if resources is None else resources.operator_serves
    served: BoolArray = np.logical_or.reduce(serves, axis=0)
    needed = served[table.agent] & (table.ready > table.begin)
    exists = (table.operator >= 0) & (table.operator < len(serves))
    right = ~needed & (table.operator == NO_RESOURCE)
    rows = np.flatnonzero(needed & exists)
    right[rows] = serves[table.operator[rows], table.agent[rows]]
    for row in np.flatnonzero(~right).tolist():
        operator, times = int(table.operator[row]), (int(table.begin[row]), int(table.ready[row]))
        problem = _operator_problem(operator, bool(needed[row]), len(serves))
        yield table.at(Kind.OPERATOR, row, times, f"the changeover before {table.row_name(row)} {problem}")
    for operator in range(len(serves)):
        yield from _operator_overlaps(table, operator)


def _operator_problem(operator: int, needed: bool, size: int) -> str:
    """What is wrong with the operator of a row, in words."""
    if not needed:
        return f"names operator {operator + 1}, but needs none"
    if operator == NO_RESOURCE:
        return "has no operator, but needs one"
    if not 0 <= operator < size:
        return f"names operator {operator + 1}; there are {size}"
    return f"names operator {operator + 1}, who does not serve this agent"


def _operator_overlaps(table: Table, operator: int) -> Iterator[Violation]:
    rows = np.flatnonzero((table.operator == operator) & (table.ready > table.begin))
    rows = rows[np.lexsort((table.ready[rows], table.begin[rows]))]
    holder = begun_inside(table.begin[rows], table.ready[rows])
    for place in np.flatnonzero(holder != NO_ROW).tolist():
        row, times = int(rows[place]), (int(table.begin[rows[place]]), int(table.ready[rows[holder[place]]]))
        message = (
            f"operator {operator + 1} begins the changeover before {table.row_name(row)} at {times[0]}, "
            f"while busy until {times[1]}"
        )
        yield table.at(Kind.OPERATOR_OVERLAP, row, times, message)
