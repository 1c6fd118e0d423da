"""Synthetic Spark jobs: their shape, their calibration, and what can be asked for."""

from __future__ import annotations

from collections import defaultdict
from graphlib import TopologicalSorter

import numpy as np
import pytest

from problems import InstanceError
from problems.families.spark import SparkJob
from problems.families.spark_variants import preset_of, spark_jobs
from problems.generators import fixed_spark, random_spark, spark_stream
from problems.generators.arrivals import arrivals
from problems.generators.spark import LEVELS, SAMPLES

REST_BY_LEVEL = {10: 1.09, 20: 1.30, 40: 1.75, 50: 1.96, 60: 2.15, 80: 2.54, 100: 2.97}
"""Median rest duration relative to that on five executors, as measured with TPC-H."""

WORK_BY_SIZE = {2: 54, 10: 176, 50: 804, 100: 1633}
"""Mean executor seconds of a TPC-H query on so many gigabytes, all pieces as long as on five executors."""


@pytest.fixture(scope="module")
def jobs() -> list[SparkJob]:
    return [job for seed in range(4) for job in spark_jobs(random_spark(100, 50, seed))]


def depth(job: SparkJob) -> int:
    parents = {stage: [parent for parent, child in job.edges if child == stage] for stage in range(len(job.stages))}
    level: dict[int, int] = {}
    for stage in TopologicalSorter(parents).static_order():
        level[stage] = 1 + max((level[parent] for parent in parents[stage]), default=0)
    return max(level.values())


def test_shape_of_the_jobs(jobs: list[SparkJob]) -> None:
    """Stages, depth, edges and pieces lie where TPC-H has them; every job ends in one stage."""
    stages = [len(job.stages) for job in jobs]
    depths = [depth(job) for job in jobs]
    pieces = [sum(stage.num_tasks for stage in job.stages) for job in jobs]
    assert 8.7 < np.mean(stages) < 9.8 and min(stages) == 2 and max(stages) == 18
    assert min(depths) == 2 and 5 <= np.mean(depths) <= 6.5 and max(depths) <= 9
    assert 700 < np.median(pieces) < 1400 and max(pieces) > 2.5 * np.median(pieces)
    assert 0 < np.mean([len(job.edges) - len(job.stages) + 1 for job in jobs]) < 0.7
    for job in jobs:
        last = len(job.stages) - 1
        assert {parent for parent, _ in job.edges} == set(range(last))  # every other stage is read


def test_waves_are_calibrated(jobs: list[SparkJob]) -> None:
    """Fresh, first and rest durations stand to each other, and grow with the level, as in the measured profile."""
    ratios = defaultdict(list)
    for job in jobs:
        for stage in job.stages:
            assert stage.samples is not None
            mean = {
                (wave, level): np.mean(cell) for wave, by in stage.samples.items() for level, cell in by.items() if cell
            }
            for level in LEVELS:
                fresh, first, rest = (mean.get((wave, level)) for wave in ("fresh", "first", "rest"))
                base = mean.get(("rest", 5))
                for name, above, below in (("fresh", fresh, rest), ("first", first, rest), (level, rest, base)):
                    if above and below:
                        ratios[name].append(above / below)
                if fresh and first:
                    ratios["fresh - first"].append(fresh - first)
    median = {name: float(np.median(values)) for name, values in ratios.items()}
    assert median["fresh"] == pytest.approx(3.0, rel=0.25)
    assert median["first"] == pytest.approx(2.8, rel=0.15)
    assert 400 < median["fresh - first"] < 1300
    for level, expected in REST_BY_LEVEL.items():
        assert median[level] == pytest.approx(expected, rel=0.1)


def test_work_grows_with_the_size_of_the_data() -> None:
    """Executor seconds of a job follow the measured ones, and a few jobs have most of the work."""
    work = {}
    for size in WORK_BY_SIZE:
        sized = spark_jobs(random_spark(150, 5, seed=size, sizes=[size], fixed=True))
        work[size] = [sum(stage.num_tasks * (stage.duration or 0) for stage in job.stages) / 1000 for job in sized]
        assert np.mean(work[size]) == pytest.approx(WORK_BY_SIZE[size], rel=0.3)
    every = np.sort(np.concatenate(list(work.values())))[::-1]
    assert every[: int(0.23 * len(every))].sum() > 0.5 * every.sum()


def test_samples_stay_small(jobs: list[SparkJob]) -> None:
    """A cell holds few samples, and a stage has no rest pieces where every piece has an executor of its own."""
    for job in jobs[:50]:
        for stage in job.stages:
            assert stage.samples is not None
            assert all(len(cell) in (0, SAMPLES) for by in stage.samples.values() for cell in by.values())
            assert all(bool(cell) == (stage.num_tasks > level) for level, cell in stage.samples["rest"].items())


@pytest.mark.parametrize("make", [random_spark, spark_stream, fixed_spark])
def test_same_seed_same_instance(make) -> None:
    """Equal seeds give equal instances, other seeds others; the name tells the kind and the preset is kept."""
    one = make(3, 4, seed=5)
    assert one == make(3, 4, seed=5) != make(3, 4, seed=6)
    assert (one.num_jobs, one.num_agents, preset_of(one)) == (3, 4, "default")
    assert preset_of(make(3, 4, seed=5, preset="decima")) == "decima"
    assert (one.waves is None) == (make is fixed_spark)


def test_limits_are_kept() -> None:
    """Stages and pieces can be limited, as a small instance for an exact solver needs."""
    instance = random_spark(30, 2, seed=1, fixed=True, max_stages=4, max_tasks=3, moving_delay=11)
    assert np.bincount(instance.task_job).max() <= 4
    assert instance.task_pieces.max() == 3
    assert instance.moving_delay == 11
    for options, message in (
        ({"max_stages": 1}, "max_stages is 1"),
        ({"max_tasks": 0}, "task_pieces must be at least 1"),
    ):
        with pytest.raises(InstanceError, match=message):
            random_spark(1, 1, seed=1, **options)


def test_streams_are_poisson() -> None:
    """The first job is there at once; gaps have the mean and the spread of an exponential distribution."""
    times = arrivals(4000, 400.5, np.random.default_rng(2))
    assert times[0] == 0
    assert np.mean(np.diff(times)) == pytest.approx(400, rel=0.05) == pytest.approx(np.std(np.diff(times)), rel=0.05)
    instance = spark_stream(300, 1, seed=1)
    assert (instance.job_reveal == instance.job_release).all()
    assert np.diff(instance.job_release).mean() == pytest.approx(25_000, rel=0.15)


def test_arrivals_without_a_stream() -> None:
    """A batch is there at once; no job has no arrival; a mean gap of nothing is refused."""
    random = np.random.default_rng(0)
    assert arrivals(3, None, random) == [0, 0, 0]
    assert arrivals(0, 10.0, random) == []
    for interval in (0, -1, float("nan")):
        with pytest.raises(InstanceError, match="interval is"):
            arrivals(2, interval, random)
