"""Spark clusters: how many tiny ones CP-SAT proves, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.rows import Row, at_least
from problems.families.spark import SparkJob, SparkStage, spark_cluster
from problems.instance import Instance
from solvers.budget import Budget
from solvers.registry import get_solver

PLAIN = [(seed, 20 + seed % 11, 3 + seed % 2, 0, seed % 4 > 1) for seed in range(18)]
MOVES = [(seed, 9 + seed % 4, 2 + seed % 2, 3, seed % 2 == 1) for seed in range(18, 30)]
"""Seed, pieces, executors, moving delay, and whether jobs arrive one after the other."""


def tiny_cluster(seed: int, pieces: int, executors: int, delay: int, stream: bool = False) -> Instance:
    """Three jobs of up to four stages with so many pieces in all, each as long as 1 to 9 units of time."""
    random = np.random.default_rng(seed)
    jobs = []
    for number, share in enumerate(np.diff(np.linspace(0, pieces, 4).astype(int)).tolist()):
        stages = int(random.integers(2, min(5, share + 1)))
        counts = 1 + random.multinomial(share - stages, np.full(stages, 1 / stages))
        edges = [(int(random.integers(stage)), stage) for stage in range(1, stages) if random.random() < 0.8]
        arrival = int(random.integers(15)) if stream and number > 0 else 0
        pairs = zip(counts.tolist(), random.integers(1, 10, stages).tolist(), strict=True)
        jobs.append(SparkJob([SparkStage(*pair) for pair in pairs], edges, arrival=arrival))
    return spark_cluster(f"tiny-s{seed}", jobs, executors, moving_delay=delay, scale=1)


def proofs() -> Iterator[Row]:
    """Every tiny cluster proved; a proof includes that the replay of its schedule is worth exactly the optimum."""
    for title, cases in (("without moves", PLAIN), ("with moves", MOVES)):
        results = [get_solver("cp-sat")(tiny_cluster(*case), Budget(60.0, workers=2), 1) for case in cases]
        proved = sum(result.status == "optimal" for result in results)
        slowest = max(result.runtime_s for result in results)
        what = f"cp-sat: proved of {len(cases)} tiny clusters {title} (slowest {slowest:.1f} s)"
        yield at_least(what, proved, len(cases), "python -m benchmarks --shared DIR --only cluster-proofs")
