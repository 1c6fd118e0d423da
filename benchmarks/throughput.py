"""Rollouts per second of the learned policies, by family and size, on one core."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.library import median_seconds
from benchmarks.rows import Row, reported
from marl.policies.shipped import shipped_priority
from problems.generators import brandimarte_like, random_job_shop, random_multiple_tsp, random_spark, vallada_ruiz
from problems.instance import Instance
from problems.simulator import compile_problem
from solvers.rollout import Runner

COMMAND = "python -m benchmarks --shared DIR --only throughput"
ENOUGH_SECONDS = 0.5
"""About as long as one measurement takes."""


def instances() -> list[tuple[str, Instance]]:
    """Two sizes of each family, with what people call them."""
    return [
        ("15x15", random_job_shop(15, 15, 1)),
        ("100x20", random_job_shop(100, 20, 1)),
        ("10 jobs, 6 machines", brandimarte_like(10, 6, 1)),
        ("20 jobs, 15 machines", brandimarte_like(20, 15, 1)),
        ("50 cities, 5 salesmen", random_multiple_tsp(50, 5, 1)),
        ("100 cities, 8 salesmen", random_multiple_tsp(100, 8, 1)),
        ("12 jobs, 5 machines", vallada_ruiz(12, 5, 49, 1)),
        ("100 jobs, 15 machines", vallada_ruiz(100, 15, 49, 1)),
        ("20 jobs, 10 executors", random_spark(20, 10, 1, "decima")),
        ("20 jobs, 50 executors", random_spark(20, 50, 1, "decima")),
    ]


def rows() -> Iterator[Row]:
    """Free samples of both policies on every instance."""
    for title, instance in instances():
        for policy in ("tuned", "policy"):
            rate, spread = rollouts_per_second(instance, policy)
            what = f"{policy}: rollouts per second, {instance.family}, {title}, one core (spread {spread:.0f} %)"
            yield reported(what, rate, COMMAND)


def rollouts_per_second(instance: Instance, policy: str) -> tuple[float, float]:
    """Median rate of five measurements, and how far the slowest and the fastest are apart in percent."""
    runner, priority = Runner(compile_problem(instance)), shipped_priority(policy, instance.family)
    once, _ = median_seconds(lambda: runner.sample(priority), 1)
    count = max(1, int(ENOUGH_SECONDS / max(once, 1e-6)))
    seconds, spread = median_seconds(lambda: runner.sample(priority, count))
    return count / seconds, 100 * spread / seconds
