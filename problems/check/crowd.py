"""How many executors may have been local to a job when a piece was dispatched."""

from __future__ import annotations

import numpy as np

from problems.check.table import NO_ROW, BoolArray, Table
from problems.instance import IntArray, Serves


def local_executors(table: Table) -> tuple[IntArray, IntArray]:
    """Fewest and most executors local to the job of each row at its dispatch, its own included, int64 [N] each.

    An executor is local to the job of its last dispatched piece.
    """
    if table.instance.serves is Serves.STAGE:
        return np.ones(len(table), np.int64), np.full(len(table), table.instance.num_agents)
    earliest, latest = dispatch_windows(table)
    crowd = _Crowd(table, earliest, latest)
    fewest = np.maximum(crowd.fewest() + crowd.joins, 1)
    return fewest, np.minimum(crowd.most(), table.instance.num_agents)


def dispatch_windows(table: Table) -> tuple[IntArray, IntArray]:
    """Between which instants each row was dispatched, int64 [N] each; where agents serve their stage, when it began."""
    instance, before = table.instance, table.previous
    if instance.serves is Serves.STAGE:
        return table.start, table.start
    freed = np.where(before == NO_ROW, instance.agent_available[table.agent], table.end[before])
    earliest = np.maximum(freed, instance.job_reveal[table.job])
    changes = table.ready > table.begin
    latest = np.where(changes, table.begin, table.start)
    waits = instance.resources is not None or (instance.changeover is not None and instance.changeover.needs_task)
    if not waits:  # a changeover begins at once
        earliest = np.where(changes, latest, earliest)
    return np.minimum(earliest, latest), latest


class _Crowd:
    """Executors that join and leave jobs within windows of time, counted by sorted keys of (job, rank of time)."""

    def __init__(self, table: Table, earliest: IntArray, latest: IntArray) -> None:
        times, ranks = np.unique(np.concatenate([earliest, latest]), return_inverse=True)
        self._span = len(times) + 1
        self._early, self._late = ranks[: len(table)] + 1, ranks[len(table) :] + 1
        self._job, before = table.job, table.previous
        self.joins: BoolArray = (before == NO_ROW) | (table.job[before] != table.job)
        leaves = self.joins & (before != NO_ROW)
        left = table.job[before[leaves]]
        self._join_early = np.sort(self._keys(table.job[self.joins], self._early[self.joins]))
        self._join_late = np.sort(self._keys(table.job[self.joins], self._late[self.joins]))
        self._leave_early = np.sort(self._keys(left, self._early[leaves]))
        self._leave_late = np.sort(self._keys(left, self._late[leaves]))

    def most(self) -> IntArray:
        """Most that can be there at an instant of each row's window: joined as early and left as late as possible."""
        own = self._at_most(self._keys(self._job, self._early))
        within = self._within(self._join_early)
        return np.maximum(own, _extreme(np.maximum, self._at_most(self._join_early), within, np.iinfo(np.int64).min))

    def fewest(self) -> IntArray:
        """Fewest, without a row's own executor if it joins: joined as late and left as early as possible."""
        own = self._at_least(self._keys(self._job, self._early))
        within = self._within(self._leave_early)
        return np.minimum(own, _extreme(np.minimum, self._at_least(self._leave_early), within, np.iinfo(np.int64).max))

    def _keys(self, job: IntArray, rank: IntArray) -> IntArray:
        return job * self._span + rank

    def _at_most(self, keys: IntArray) -> IntArray:
        return self._count(self._join_early, keys, "right") - self._count(self._leave_late, keys, "left")

    def _at_least(self, keys: IntArray) -> IntArray:
        return self._count(self._join_late, keys, "left") - self._count(self._leave_early, keys, "right")

    def _count(self, events: IntArray, keys: IntArray, side: str) -> IntArray:
        """How many events of the same job lie before each key; with side "right" also those at it."""
        begin = np.searchsorted(events, keys - keys % self._span)
        return np.searchsorted(events, keys, side) - begin  # type: ignore[call-overload]

    def _within(self, events: IntArray) -> tuple[IntArray, IntArray]:
        """Range of the events of its job that lie in each row's window, after its first instant."""
        low = np.searchsorted(events, self._keys(self._job, self._early), "right")
        return low, np.searchsorted(events, self._keys(self._job, self._late), "right")


def _extreme(ufunc: np.ufunc, values: IntArray, within: tuple[IntArray, IntArray], nothing: int) -> IntArray:
    """Largest or smallest of ``values`` in each range; ``nothing`` for an empty one."""
    low, high = within
    padded = np.append(values, nothing)
    found = ufunc.reduceat(padded, np.stack([low, high], axis=1).ravel())[::2]
    return np.where(high > low, found, nothing)
