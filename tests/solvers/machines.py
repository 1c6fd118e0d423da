"""Parallel machines that differ."""

from __future__ import annotations

import numpy as np

from problems import Instance
from problems.families.upms import parallel_machines


def unlike_machines(num_jobs: int, num_machines: int, seed: int, home: bool = True) -> Instance:
    """Parallel machines with setups, some of which cannot process all jobs; one of them comes late."""
    random = np.random.default_rng(seed)
    durations = random.integers(1, 20, (num_jobs, num_machines))
    durations[random.random(durations.shape) < 0.2] = -1
    durations[:, 0] = np.maximum(durations[:, 0], 5)
    setups = random.integers(0, 15, (num_machines, num_jobs, num_jobs))
    first = random.integers(0, 15, (num_machines, num_jobs)) if home else None
    instance = parallel_machines(f"machines-{seed}", durations, setups, first)
    return instance.replace(agent_available=np.eye(1, num_machines, dtype=np.int64)[0] * 7)
