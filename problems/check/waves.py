"""Random durations by wave and level, recomputed from their definition in `problems.simulator.switches.duration`.

The level of a piece depends on how many executors were local to its job when it was dispatched, and a schedule does
not say when and in which order that was. Known is a window: an executor that moves to another job is dispatched when
its move begins; one that stays is dispatched between the end of its previous piece and the start of this one. Others
that join or leave the job at the same instant, or within the window, may have done so before or after. So a row has
a range of possible numbers of local executors, and its duration is right if one of them leads to it. Where agents
serve their stage (``Serves.STAGE``) executors are local to jobs in ways that no row shows; then any number is possible.
There an executor that does not go on at once had been idle, so its piece is a fresh one; one that does may have joined
the pool of its job for no time, so a piece of the first wave may be a fresh one, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from problems.check.crowd import local_executors
from problems.check.table import NO_ROW, BoolArray, Table
from problems.instance import BetweenLevels, IntArray, Serves, Waves

FRESH, FIRST, REST = range(3)
SOURCES = np.array([[FRESH, FIRST, REST], [FIRST, FRESH, REST], [REST, FIRST, FRESH]])
"""Where a piece of each wave takes its samples from, in order of preference."""

INTERPOLATION = 3
"""Stands in place of a source in the draw that chooses between two levels."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)

Words = NDArray[np.uint64]


class WaveDurations:
    """What is known of the durations of all rows of a table.

    Attributes
    ----------
    wave : int64 [N]
        Wave of each row.
    fewest, most : int64 [N]
        Range of the number of executors local to the job of each row when it was dispatched.
    """

    def __init__(self, table: Table, waves: Waves) -> None:
        self._table, self._waves = table, waves
        shape = (table.instance.num_tasks, 3, len(waves.levels))
        self._counts = np.diff(waves.sample_ptr).reshape(shape)
        self._measured: BoolArray = np.logical_or.reduce(self._counts > 0, axis=1)  # [T, L]
        self._key = _piece_key(table, waves)
        self.fewest, self.most = local_executors(table)
        before = table.previous
        same_job = (before != NO_ROW) & (table.job[before] == table.job)
        same_task = same_job & (table.task[before] == table.task)
        idle = (table.start > table.end[before]) & (table.instance.serves is Serves.STAGE)
        self.wave = np.where(same_task, REST, np.where(same_job & ~idle, FIRST, FRESH))

    def explain(self, lengths: IntArray) -> BoolArray:
        """Whether each row may last as long as it does, bool [N]."""
        explained = self._explain_as(lengths, self.wave)
        if self._table.instance.serves is Serves.STAGE:
            explained |= self._explain_as(lengths, np.where(self.wave == FIRST, FRESH, self.wave))
        return explained

    def _explain_as(self, lengths: IntArray, wave: IntArray) -> BoolArray:
        """The same if the rows are of certain waves, int64 [N]."""
        explained = np.zeros(len(lengths), bool)
        for level in range(len(self._waves.levels)):
            rows = np.flatnonzero(~explained & self._is_reachable(level))
            explained[rows] = self._at_level(level, rows, wave[rows]) == lengths[rows]
        return explained

    def first_possible(self) -> IntArray:
        """Duration of each row at the lowest level that it may have, int64 [N]."""
        times = np.zeros(len(self._table), np.int64)
        for level in reversed(range(len(self._waves.levels))):
            rows = np.flatnonzero(self._is_reachable(level))
            times[rows] = self._at_level(level, rows, self.wave[rows])
        return times

    def _is_reachable(self, level: int) -> BoolArray:
        """Whether some possible number of local executors leads to a level, bool [N]."""
        if self._waves.between is BetweenLevels.INVERTED:
            return self._is_reachable_inverted(level)
        numbers, task = self._waves.levels, self._table.task
        higher = np.where(self._measured & (numbers > numbers[level]), numbers, np.iinfo(np.int64).max).min(axis=1)
        is_lowest = ~np.logical_or.reduce(self._measured[:, :level], axis=1)
        lowest = np.where(is_lowest, 0, numbers[level])
        unknown: BoolArray = ~np.logical_or.reduce(self._measured, axis=1)
        usable = (self._measured[:, level] | unknown)[task]
        return usable & (unknown[task] | ((self.most >= lowest[task]) & (self.fewest < higher[task])))

    def _is_reachable_inverted(self, level: int) -> BoolArray:
        """The same where a level is drawn from the two next to the number: see `BetweenLevels.INVERTED`."""
        numbers, last = self._waves.levels, len(self._waves.levels) - 1
        low = 0 if level == 0 else int(numbers[level])
        high = np.iinfo(np.int64).max if level == last else int(numbers[level])
        reachable: BoolArray = (self.fewest <= high) & (self.most >= low)
        every = np.arange(len(self._table))
        if level < last:
            width = numbers[level + 1] - numbers[level]
            first = numbers[level] + 1 + self._draw(every, width, INTERPOLATION, 0)
            reachable |= np.maximum(self.fewest, first) <= np.minimum(self.most, numbers[level + 1] - 1)
        if level > 0:
            width = numbers[level] - numbers[level - 1]
            final = numbers[level - 1] + self._draw(every, width, INTERPOLATION, 0)
            reachable |= np.maximum(self.fewest, numbers[level - 1] + 1) <= np.minimum(self.most, final)
        return reachable

    def _at_level(self, level: int, rows: IntArray, wave: IntArray) -> IntArray:
        """Duration of some rows of certain waves at a level; where that is not measured, at the largest one that is."""
        table, waves = self._table, self._waves
        task, num_levels = table.task[rows], len(waves.levels)
        largest = np.where(self._measured, np.arange(num_levels), 0).max(axis=1)
        used = np.where(self._measured[task, level], level, largest[task])
        counts = np.take_along_axis(self._counts[task, :, used], SOURCES[wave], axis=1)  # [rows, 3]
        chosen = (counts > 0).argmax(axis=1)
        source, count = SOURCES[wave, chosen], counts[np.arange(len(rows)), chosen]
        place = waves.sample_ptr[(task * 3 + source) * num_levels + used] + self._draw(rows, count, source, used)
        times = np.append(waves.samples, 0)[np.minimum(place, len(waves.samples))]
        times = times + np.where((wave == FRESH) & (source != FRESH), waves.warm_up, 0)
        return np.where(count > 0, times, table.instance.durations[task, table.agent[rows]])

    def _draw(self, rows: IntArray, size: IntArray | np.int64, a: IntArray | int, b: IntArray | int) -> IntArray:
        """Whole number below ``size`` for some rows, a pure function of the piece, ``a`` and ``b``."""
        key = _absorb(_absorb(self._key[rows], a), b)
        return (((key >> _HALF) * np.asarray(size).astype(np.uint64)) >> _HALF).astype(np.int64)


def _piece_key(table: Table, waves: Waves) -> Words:
    """Random word of the job, stage and piece of each row."""
    order = np.argsort(table.instance.task_job, kind="stable")
    jobs = table.instance.task_job[order]
    stage = np.empty(table.instance.num_tasks, np.int64)
    stage[order] = np.arange(len(order)) - np.searchsorted(jobs, jobs)
    start = np.full(len(table), waves.seed % 2**64, np.uint64)
    key = _mix(start + _GOLDEN)
    for value in (table.job, stage[table.task], table.piece):
        key = _absorb(key, value)
    return key


def _absorb(key: Words, value: IntArray | int) -> Words:
    return _mix(key + _GOLDEN * (np.atleast_1d(value).astype(np.uint64) + np.uint64(1)))


def _mix(word: Words) -> Words:
    """The finaliser of SplitMix64, doi:10.1145/2660193.2660195."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
