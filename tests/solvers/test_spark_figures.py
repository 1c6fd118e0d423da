"""Figures of the public Spark simulator with the TPC-H profile, on a few batches; `benchmarks.spark` has them all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from problems.generators.traces import tpch_batch
from problems.simulator import compile_problem
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

PROFILE = "bench/spark/tpch_profile_full.json.gz"
SIZES = (2, 5, 10, 20, 50, 100)


def mean_times(profile: Path, num_executors: int, rules: tuple[str, ...], batches: int) -> np.ndarray:
    """Mean completion time by rule in seconds, the same jobs and the same luck for all."""
    values = []
    for seed in range(batches):
        runner = Runner(compile_problem(tpch_batch(profile, 20, num_executors, seed, SIZES, "decima")))
        values.append([int(runner.sample(rule_priority(rule))[0]) / 20_000 for rule in rules])
    return np.mean(values, axis=0)


@pytest.mark.shared
def test_many_executors_punish_rules_that_give_all_to_one_job(shared: Path) -> None:
    """50 executors: fifo over fair is near 2.57, fifo over sjf-cp near 1.5, weighted shares beat fair ones."""
    rules = ("fifo", "sjf-cp", "fair", "weighted-fair:-1")
    fifo, shortest, fair, weighted = mean_times(shared / PROFILE, 50, rules, 10)
    assert 2.2 < fifo / fair < 3.0
    assert 1.3 < fifo / shortest < 1.8
    assert weighted < fair


@pytest.mark.shared
def test_few_executors_reward_short_jobs_first(shared: Path) -> None:
    """10 executors: sjf-cp is at least 15 % below fair."""
    shortest, fair = mean_times(shared / PROFILE, 10, ("sjf-cp", "fair"), 5)
    assert shortest < 0.85 * fair
