"""Spark clusters: the public simulator's figures with the TPC-H profile, the tuned exponent, streams in time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, at_least, at_most, holds, reported, within
from marl.policies.shipped import shipped_priority
from problems.families.spark import spark_cluster
from problems.generators.traces import tpch_batch, tpch_job
from problems.instance import FloatArray, Instance
from problems.measure import in_source_unit
from problems.simulator import compile_problem
from solvers.priority import Priority
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority
from solvers.tuning import tuned_alpha

PROFILE = "bench/spark/tpch_profile_full.json.gz"
SIZES = (2, 5, 10, 20, 50, 100)
"""Data sets of the paper's batches, in gigabytes."""

BATCHES = 100
RULES = ("fifo", "sjf", "sjf-cp", "naive-weighted-fair", "fair", "weighted-fair:-0.5", "weighted-fair:-1", "tetris")
TUNING_SEEDS = range(1000, 1020)
"""Batches that the exponent is tuned on; the tests are on the seeds from 0."""

PUBLIC = {
    (50, 2000, 20): {"fifo": 248.5, "sjf-cp": 163.3, "fair": 96.7, "weighted-fair:-1": 89.8},
    (10, 2000, 5): {"fifo": 728.6, "sjf-cp": 333.3, "fair": 462.5},
    (50, 0, 5): {"fifo": 243.9, "sjf-cp": 145.2, "fair": 95.2, "weighted-fair:-1": 86.1},
}
"""Mean completion times in seconds that the public simulator of arXiv 1810.01963 gave, by executors, moving delay in
milliseconds and batches. The jobs are the same here, their luck is not."""

COMMAND = "python -m benchmarks --shared DIR --only spark"
LEARNED_COMMAND = f"{COMMAND}-learned"


LEARNED = ("tuned", "policy")
GOALS = {("batch", 50): ("weighted-fair", 0.79), ("batch", 10): ("sjf-cp", 0.93), ("stream", 50): ("fair", 0.81)}
"""What the policies are compared with, and the mean ratio that they are to reach, by kind of cluster and executors."""

STREAMS = 20
"""Seeds of streams of 200 jobs, one every 25 s: each of them takes as long as ten batches."""


def rows(shared: Path, batches: int = BATCHES) -> Iterator[Row]:
    """Batches of 20 jobs at 50 and 10 executors, the same jobs and the same luck for all rules, and streams in time."""
    profile = shared / PROFILE
    yield from _public(profile)
    yield from _many_executors(profile, batches)
    yield from _few_executors(profile, batches)
    for preset in ("default", "decima"):
        yield _stream(profile, preset)


def _public(profile: Path) -> Iterator[Row]:
    """The same jobs as in the public simulator."""
    for (num_executors, delay, batches), published in PUBLIC.items():
        instances = (public_batch(profile, num_executors, delay, seed) for seed in range(batches))
        means = np.mean([_times(instance, tuple(published)) for instance in instances], axis=0)
        for (rule, target), mean in zip(published.items(), means, strict=True):
            what = f"{rule}: {batches} batches of the public simulator, {num_executors} executors, move {delay} ms, s"
            yield within(what, float(mean), target, 0.02 * target, COMMAND)


def public_batch(profile: Path, num_executors: int, moving_delay: int, seed: int) -> Instance:
    """The 20 jobs that the public simulator draws with ``seed``."""
    random = np.random.RandomState(seed)
    drawn = [(random.randint(22) + 1, SIZES[random.randint(len(SIZES))]) for _ in range(20)]
    jobs = [tpch_job(profile, f"{size}g-{query}") for query, size in drawn]
    return spark_cluster(f"public-{seed}", jobs, num_executors, "decima", moving_delay, seed=seed)


def _many_executors(profile: Path, batches: int) -> Iterator[Row]:
    """Where durations grow with parallelism, giving everything to one job is bad."""
    means = _mean_times(profile, 50, "decima", RULES, batches)
    yield from _reported(means, 50, "decima", batches)
    what = f"{batches} batches of 20, 50 executors, decima: mean completion time"
    ratio = means["fifo"] / means["fair"]
    yield holds(f"{what}, fifo / fair", f"{ratio:.3f}", "2.3 to 2.9", 2.3 <= ratio <= 2.9, COMMAND)
    ratio = means["fifo"] / means["sjf-cp"]
    yield holds(f"{what}, fifo / sjf-cp", f"{ratio:.3f}", "1.4 to 1.7", 1.4 <= ratio <= 1.7, COMMAND)
    ratio = means["weighted-fair:-1"] / means["fair"]
    yield holds(f"{what}, weighted-fair:-1 / fair", f"{ratio:.3f}", "< 1", ratio < 1, COMMAND)
    tuned = tuned_alpha(_batch(profile, 50, "decima", seed) for seed in TUNING_SEEDS)
    mean = _mean_times(profile, 50, "decima", [f"weighted-fair:{tuned}"], batches)[f"weighted-fair:{tuned}"]
    yield reported(f"{what}, weighted-fair tuned on other batches (alpha = {tuned}), s", mean, COMMAND)
    yield from _reported(_mean_times(profile, 50, "default", RULES, batches), 50, "default", batches)


def _few_executors(profile: Path, batches: int) -> Iterator[Row]:
    """Where durations hardly grow, short jobs first are best."""
    means = _mean_times(profile, 10, "decima", RULES, batches)
    yield from _reported(means, 10, "decima", batches)
    saved = 100 * (1 - means["sjf-cp"] / means["fair"])
    yield at_least(f"{batches} batches of 20, 10 executors, decima: sjf-cp below fair, %", saved, 15, COMMAND)


def _reported(means: dict[str, float], num_executors: int, preset: str, batches: int) -> Iterator[Row]:
    for rule, mean in means.items():
        what = f"{rule}: mean completion time, {batches} batches of 20, {num_executors} executors, {preset}, s"
        yield reported(what, mean, COMMAND, f"spark {preset} {num_executors} {rule}")


def _mean_times(profile: Path, num_executors: int, preset: str, rules: Sequence[str], batches: int) -> dict[str, float]:
    times = np.array([_times(_batch(profile, num_executors, preset, seed), rules) for seed in range(batches)])
    return dict(zip(rules, times.mean(axis=0).tolist(), strict=True))


def _batch(profile: Path, num_executors: int, preset: str, seed: int) -> Instance:
    return tpch_batch(profile, 20, num_executors, seed, SIZES, preset)


def _times(instance: Instance, solvers: Sequence[str]) -> FloatArray:
    """Mean completion time by rule or policy, in seconds."""
    runner = Runner(compile_problem(instance))
    return np.array([in_source_unit(instance, int(runner.sample(_priority(solver))[0])) for solver in solvers])


def _priority(solver: str) -> Priority:
    return shipped_priority(solver, "spark") if solver in LEARNED else rule_priority(solver)


def learned(shared: Path, batches: int = BATCHES, streams: int = STREAMS) -> Iterator[Row]:
    """The policies against the rule that is strongest for each kind of cluster: the same jobs, the same luck."""
    profile = shared / PROFILE
    alpha = tuned_alpha(_batch(profile, 50, "decima", seed) for seed in TUNING_SEEDS)
    for (kind, num_executors), (rule, goal) in GOALS.items():
        count = batches if kind == "batch" else streams
        make, plural = (_batch, "batches") if kind == "batch" else (_long_stream, "streams")
        name = f"{rule}:{alpha}" if rule == "weighted-fair" else rule
        instances = (make(profile, num_executors, "decima", seed) for seed in range(count))
        times = np.array([_times(instance, (name, *LEARNED)) for instance in instances])
        for column, policy in enumerate(LEARNED, start=1):
            ratios = times[:, column] / times[:, 0]
            error = 1.96 * float(ratios.std(ddof=1)) / np.sqrt(count)
            what = f"{policy}: mean time over that of {name}, {count} paired {plural}, {num_executors} executors,"
            what = f"{what} decima, +- {error:.3f} (goal {goal})"
            yield reported(what, float(ratios.mean()), LEARNED_COMMAND, f"spark {kind} {num_executors} {policy}")
            if kind == "batch":
                key, mean = f"spark decima {num_executors} {policy}", float(times[:, column].mean())
                what = f"{policy}: mean completion time, {count} batches of 20, {num_executors} executors, decima, s"
                yield reported(what, mean, LEARNED_COMMAND, key)


def _long_stream(profile: Path, num_executors: int, preset: str, seed: int) -> Instance:
    return tpch_batch(profile, 200, num_executors, seed, SIZES, preset, interval=25_000.0)


def _stream(profile: Path, preset: str) -> Row:
    """Time of `fair` on 200 jobs that come every 25 s, after compilation."""
    instance = tpch_batch(profile, 200, 50, 1, preset=preset, interval=25_000.0)
    runner = Runner(compile_problem(instance))
    seconds = []
    for _ in range(4):
        started = time.perf_counter()
        runner.sample(rule_priority("fair"))
        seconds.append(time.perf_counter() - started)
    what = f"fair: 200 jobs, one every 25 s, 50 executors, {instance.num_pieces} pieces, {preset}, s"
    return at_most(what, float(np.median(seconds[1:])), 1.0, COMMAND)
