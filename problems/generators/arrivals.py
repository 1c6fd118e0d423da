"""When jobs come: all at once, or in a Poisson stream."""

from __future__ import annotations

import numpy as np

from problems.errors import InstanceError

STREAM_INTERVAL = 25_000
"""Mean time between jobs with which the policies of arXiv 1810.01963 were trained, in milliseconds."""


def arrivals(num_jobs: int, interval: float | None, random: np.random.Generator) -> list[int]:
    """Arrival of each job: all at 0 where ``interval`` is None.

    Else the first comes at 0 and the others after gaps drawn from an exponential distribution of mean ``interval``,
    cut off to whole numbers.
    """
    if interval is None or num_jobs == 0:
        return [0] * num_jobs
    if not interval > 0:
        raise InstanceError(f"interval is {interval}; expected a positive mean time between arrivals")
    gaps = random.exponential(interval, num_jobs - 1).astype(np.int64)
    return [0, *np.cumsum(gaps).tolist()]
