"""Tiny instances, and priors that leave much to learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphs.schema import CANDIDATE_FEATURES, NUM_FEATURES
from problems.generators import random_job_shop, random_spark
from problems.instance import Instance
from problems.simulator import compile_problem
from solvers.priority import Priority, pack_network
from solvers.rollout import Runner


def prior_of(may_wait: bool = False, **weights: float) -> np.ndarray:
    """A linear prior with these weights of features."""
    linear = np.zeros(NUM_FEATURES)
    for name, weight in weights.items():
        linear[CANDIDATE_FEATURES.index(name)] = weight
    return pack_network(linear, np.zeros(8), np.zeros(8), np.zeros((NUM_FEATURES, 8)), may_wait=may_wait)


def job_shops(count: int = 6) -> list[Instance]:
    """Job shops of 5 jobs on 4 machines."""
    return [random_job_shop(5, 4, seed) for seed in range(count)]


def spark_batches(count: int = 4) -> list[Instance]:
    """Batches of 5 Spark jobs on 3 executors."""
    return [random_spark(5, 3, seed, preset="decima", max_stages=3, max_tasks=6) for seed in range(count)]


def greedy_mean(priority: Priority, instances: Sequence[Instance]) -> float:
    """Mean objective of greedy episodes, in integer time."""
    return float(np.mean([Runner(compile_problem(instance)).sample(priority)[0] for instance in instances]))
