"""Time of a run, and the log of its improvements."""

from __future__ import annotations

import time
from typing import TypeAlias

Plan: TypeAlias = list[list[int]]
"""Task order of each agent."""


class Clock:
    """Seconds since the start of a run, and whether its limit is over."""

    def __init__(self, limit: float | None) -> None:
        self._started, self._limit = time.perf_counter(), limit
        self.limited = limit is not None

    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    def progress(self) -> float:
        """Part of the time limit that has passed, 1 at most; 0 without a limit."""
        return 0.0 if not self._limit else min(1.0, self.seconds() / self._limit)

    def over(self, share: float = 1.0) -> bool:
        """Whether that share of the time limit has passed."""
        return self._limit is not None and self.seconds() >= share * self._limit


def improvements(log: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The entries (seconds, value), in order of time, that are better than all before them."""
    kept: list[tuple[float, int]] = []
    for entry in sorted(log):
        if not kept or entry[1] < kept[-1][1]:
            kept.append(entry)
    return kept
