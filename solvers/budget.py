"""What a solver may spend."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Limits of one run.

    Attributes
    ----------
    time_limit
        Seconds of wall time, or None for as long as it takes.
    samples
        Randomized repetitions of which the best counts, for rules and policies.
    workers
        Threads or processes.

    Raises
    ------
    ValueError
        If a limit is negative or not finite, or a number is below 1.
    """

    time_limit: float | None = None
    samples: int = 1
    workers: int = 1

    def __post_init__(self) -> None:
        if self.time_limit is not None and not (self.time_limit >= 0 and math.isfinite(self.time_limit)):
            raise ValueError(f"time_limit is {self.time_limit}; it must be a finite number of seconds, at least 0")
        for field in ("samples", "workers"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} is {getattr(self, field)}; it must be at least 1")
