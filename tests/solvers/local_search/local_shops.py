"""Small shops of all kinds that local search supports."""

from __future__ import annotations

import numpy as np

from problems.build import Job, Task, build_instance
from problems.instance import Instance


def random_shop(num_jobs: int, num_machines: int, seed: int, flexibility: int = 1) -> Instance:
    """Jobs of ragged length with recirculation, zero durations, releases and late machines.

    Each operation can be done by up to ``flexibility`` machines.
    """
    random = np.random.default_rng(seed)

    def task() -> Task:
        count = int(random.integers(1, min(flexibility, num_machines) + 1))
        machines = random.choice(num_machines, count, replace=False)
        return Task({int(machine): int(random.integers(0, 9)) for machine in machines})

    jobs = [
        Job([task() for _ in range(random.integers(1, num_machines + 2))], release=int(random.integers(0, 12)))
        for _ in range(num_jobs)
    ]
    late = random.integers(0, 9, num_machines)
    names = [f"machine_{machine}" for machine in range(num_machines)]
    return build_instance(f"shop-{seed}", "custom", names, jobs, agent_available=late)
