"""Tables behind random durations of pieces; `problems.simulator.switches.duration` defines these."""

from __future__ import annotations

import numpy as np

from problems.instance import BetweenLevels, Instance, IntArray, Waves

FRESH, FIRST, REST = range(3)
FALLBACKS = ((FRESH, FIRST, REST), (FIRST, FRESH, REST), (REST, FIRST, FRESH))
"""Waves whose samples are taken, the first that has any."""


def expected_durations(instance: Instance) -> IntArray:
    """Mean duration by wave and number of local executors, int64 [T, 3, A + 1]; empty without waves.

    Means are rounded to the nearest integer. Where the level is drawn, they are weighted by its probabilities.
    """
    if instance.waves is None:
        return np.zeros((0, 3, 0), np.int64)
    means = _means(instance, instance.waves)
    table = np.empty((instance.num_tasks, 3, instance.num_agents + 1), np.int64)
    is_measured = measured_levels(instance, instance.waves)
    tasks = np.arange(instance.num_tasks)
    for count in range(instance.num_agents + 1):
        low, high, weight = _levels_around(instance.waves, is_measured, count)
        mean = weight * means[tasks, :, low] + (1.0 - weight) * means[tasks, :, high]
        table[:, :, count] = np.floor(mean + 0.5)
    return table


def measured_levels(instance: Instance, waves: Waves) -> np.ndarray:
    """Whether a stage has samples at a level, in any wave: bool [T, L]."""
    counts = np.diff(waves.sample_ptr).reshape(instance.num_tasks, 3, len(waves.levels))
    return np.asarray(counts.any(axis=1))


def _means(instance: Instance, waves: Waves) -> np.ndarray:
    """Mean of what a piece of each wave draws from at each level, float64 [T, 3, L].

    Where a level has no samples, the expected duration of the stage stands: it is used if no level has any.
    """
    shape = (instance.num_tasks, 3, len(waves.levels))
    counts = np.diff(waves.sample_ptr).reshape(shape)
    sums = np.diff(np.concatenate([[0], np.cumsum(waves.samples)])[waves.sample_ptr]).reshape(shape)
    means = np.empty(shape)
    means[:] = _nominal_durations(instance)[:, None, None]
    for wave, order in enumerate(FALLBACKS):
        for source in reversed(order):
            has_any = counts[:, source] > 0
            extra = waves.warm_up if wave == FRESH != source else 0
            means[:, wave][has_any] = sums[:, source][has_any] / counts[:, source][has_any] + extra
    return means


def _nominal_durations(instance: Instance) -> IntArray:
    """Duration of each task on its first eligible agent, int64 [T]."""
    return instance.eligible_duration[instance.eligible_ptr[:-1]]


def _levels_around(waves: Waves, is_measured: np.ndarray, count: int) -> tuple[IntArray, IntArray, float]:
    """Indices of the two levels that a piece may have among ``count`` local executors, int64 [T] each, and the
    probability of the first."""
    last = np.where(is_measured, np.arange(len(waves.levels)), -1).max(axis=1)
    if waves.between is BetweenLevels.BELOW:
        level = np.where(is_measured & (waves.levels <= count), np.arange(len(waves.levels)), -1).max(axis=1)
        level = np.where(level < 0, is_measured.argmax(axis=1), level)
        return level, level, 1.0
    low = max(int(np.searchsorted(waves.levels, count, side="right")) - 1, 0)
    high = min(low + (count > waves.levels[low]), len(waves.levels) - 1)
    width = int(waves.levels[high] - waves.levels[low])
    weight = (count - int(waves.levels[low])) / width if width > 0 else 1.0
    return (
        np.where(is_measured[:, low], low, last),
        np.where(is_measured[:, high], high, last),
        min(max(weight, 0.0), 1.0),
    )
