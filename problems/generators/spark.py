"""Synthetic Spark jobs, shaped like TPC-H queries on Spark.

The constants say how long such queries run and how they are built; they were fitted to the medians of public
measurements (the profile that comes with arXiv 1810.01963), none of which are part of this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from problems.errors import InstanceError
from problems.families.spark import MOVING_DELAY, WAVE_NAMES, Preset, SparkJob, SparkStage, fixed_stage, spark_cluster
from problems.generators.arrivals import STREAM_INTERVAL, arrivals
from problems.instance import FloatArray, Instance

SIZES = (2, 5, 10, 20, 50, 80, 100)
"""Sizes of the data that a job reads, in gigabytes; one is drawn for each job."""

LEVELS = (5, 10, 20, 40, 50, 60, 80, 100)
"""Numbers of executors of a job for which durations are drawn."""

SAMPLES = 8
"""Durations of each stage, wave and level."""

MOST_STAGES, DEEPEST = 18, 9
"""Stages of a job, and stages on its longest path, at most."""

_SHUFFLE_TASKS = 200
"""Pieces of a stage that reads what other stages have written: a setting of Spark, whatever the data."""

_NOISE = 0.22
"""Standard deviation of the logarithm of a duration within a stage, wave and level."""


@dataclass(frozen=True)
class _Curves:
    """Mean durations of a kind of stage by level, as multiples of its rest duration on few executors."""

    rest: tuple[float, ...]
    first: tuple[float, ...]
    fresh: tuple[float, ...]


_SCAN = _Curves(
    rest=(1.0, 1.0, 1.02, 1.13, 1.16, 1.19, 1.27, 1.35),
    first=(1.13, 1.14, 1.17, 1.29, 1.35, 1.36, 1.47, 1.65),
    fresh=(2.05, 2.07, 2.09, 2.25, 2.34, 2.44, 2.66, 2.93),
)
_SHUFFLE = _Curves(
    rest=(1.0, 1.14, 1.38, 1.89, 2.11, 2.34, 2.81, 3.22),
    first=(4.4, 4.5, 4.8, 5.8, 6.1, 6.8, 7.9, 8.9),
    fresh=(18.0, 18.9, 18.9, 22.5, 22.5, 24.0, 29.0, 30.0),
)


def random_spark(
    num_jobs: int,
    num_executors: int,
    seed: int,
    preset: Preset | str = Preset.DEFAULT,
    interval: float | None = None,
    fixed: bool = False,
    sizes: Sequence[int] = SIZES,
    max_stages: int = MOST_STAGES,
    max_tasks: int | None = None,
    moving_delay: int = MOVING_DELAY,
    name: str | None = None,
) -> Instance:
    """Jobs shaped like TPC-H queries, in a batch or a Poisson stream; times are milliseconds.

    Parameters
    ----------
    num_jobs, num_executors
        Size.
    seed
        Same seed, same instance; also the seed of its random durations.
    preset
        How executors are asked and stages open.
    interval
        Mean time between arrivals; None for a batch.
    fixed
        Whether every stage has one fixed duration instead of random ones.
    sizes
        Gigabytes of a job, drawn uniformly; larger jobs have more pieces and longer ones.
    max_stages, max_tasks
        Most stages of a job, at least 2, and most pieces of a stage.
    moving_delay
        Time of an executor before its first piece for another job.
    name
        Name of the instance; made from kind, size and seed if None.

    Raises
    ------
    InstanceError
        If an argument lies outside its range.
    UnknownNameError
        If there is no such preset.
    """
    if max_stages < 2:
        raise InstanceError(f"max_stages is {max_stages}; a job has at least 2 stages")
    random = np.random.default_rng(seed)
    jobs = []
    for arrival in arrivals(num_jobs, interval, random):
        stages, edges = _query(int(random.choice(sizes)), max_stages, max_tasks, random)
        kept = [fixed_stage(stage, num_executors) for stage in stages] if fixed else stages
        jobs.append(SparkJob(kept, edges, arrival=arrival))
    kind = ("-fixed" if fixed else "") + ("-stream" if interval is not None else "")
    name = name if name is not None else f"spark{kind}-{num_jobs}x{num_executors}-s{seed}"
    return spark_cluster(name, jobs, num_executors, preset, moving_delay=moving_delay, seed=seed)


def spark_stream(num_jobs: int, num_executors: int, seed: int, preset: Preset | str = Preset.DEFAULT) -> Instance:
    """As `random_spark`, with a job every 25 seconds on average."""
    return random_spark(num_jobs, num_executors, seed, preset, interval=STREAM_INTERVAL)


def fixed_spark(num_jobs: int, num_executors: int, seed: int, preset: Preset | str = Preset.DEFAULT) -> Instance:
    """As `random_spark`, with one fixed duration for each stage."""
    return random_spark(num_jobs, num_executors, seed, preset, fixed=True)


def _query(
    size: int, max_stages: int, max_tasks: int | None, random: np.random.Generator
) -> tuple[list[SparkStage], list[tuple[int, int]]]:
    """Stages, scans first and the sink last, and edges of one job."""
    num_stages = int(np.clip(round(random.gamma(4.0, 2.3)), 2, max_stages))
    num_scans = int(np.clip(round(num_stages * random.uniform(0.3, 0.5)), 1, (num_stages + 1) // 2))
    edges = _tree(num_stages, num_scans, random)
    stages = []
    for number in range(num_stages):
        is_scan, is_sink = number < num_scans, number == num_stages - 1
        tasks = _scan_tasks(size, random) if is_scan else _shuffle_tasks(is_sink, random)
        tasks = tasks if max_tasks is None else min(tasks, max_tasks)
        duration = _duration(size, is_scan, tasks, random)
        stages.append(SparkStage(tasks, samples=_samples(duration, is_scan, tasks, random)))
    return stages, edges


def _tree(num_stages: int, num_scans: int, random: np.random.Generator) -> list[tuple[int, int]]:
    """Edges of a tree from the scans to the last stage, plus an extra one now and then.

    Each stage after the scans reads one or two of the stages that nobody has read yet; where two, they are joined.
    """
    depth = 0
    while not 0 < depth <= DEEPEST:
        num_inner = num_stages - num_scans
        joins = set(random.permutation(num_inner)[: num_scans - 1].tolist())
        unread, edges, level = list(range(num_scans)), [], [1] * num_stages
        for step in range(num_inner):
            stage = num_scans + step
            for _ in range(2 if step in joins else 1):
                parent = unread.pop(int(random.integers(len(unread))))
                edges.append((parent, stage))
                level[stage] = max(level[stage], level[parent] + 1)
            unread.append(stage)
        depth = level[-1]
    return _with_extra(edges, num_stages, num_scans, random)


def _with_extra(
    edges: list[tuple[int, int]], num_stages: int, num_scans: int, random: np.random.Generator
) -> list[tuple[int, int]]:
    """With an edge more in some of the jobs: a stage may be read twice."""
    parent = int(random.integers(num_stages - 1))
    child = int(random.integers(max(parent + 1, num_scans), num_stages))
    wanted = random.random() < 0.5 and (parent, child) not in edges
    return [*edges, (parent, child)] if wanted else edges


def _scan_tasks(size: int, random: np.random.Generator) -> int:
    """Pieces of a stage that reads a table: the largest tables grow with the data, the smallest do not."""
    kind = random.random()
    if kind < 0.28:
        return max(12, round(5.93 * size))
    return max(2, round(size * random.uniform(0.2, 1.4))) if kind < 0.58 else int(random.integers(1, 6))


def _shuffle_tasks(is_sink: bool, random: np.random.Generator) -> int:
    """Pieces of any other stage; most last stages collect everything in one piece."""
    if random.random() < (0.4 if is_sink else 0.87):
        return _SHUFFLE_TASKS
    return 1 if is_sink else int(random.integers(1, 21))


def _duration(size: int, is_scan: bool, tasks: int, random: np.random.Generator) -> float:
    """Mean rest duration on few executors, in milliseconds."""
    if is_scan:
        return float(random.lognormal(np.log(1700.0 if tasks > 5 else 900.0), 0.35))
    if tasks == 1:
        return float(random.lognormal(np.log(34.0), 0.35))
    return float(random.lognormal(np.log(17.0 * size**0.27), 0.67 + 0.28 * np.log(size / 2)))


def _samples(
    duration: float, is_scan: bool, tasks: int, random: np.random.Generator
) -> dict[str, dict[int, list[int]]]:
    """Durations by wave and level; those that a measurement would lack are left out.

    With as many executors as pieces there is no second round, and stages within a job seldom start on fresh executors.
    """
    curves = _SCAN if is_scan else _SHUFFLE
    spread = random.lognormal(0.0, (0.0, 0.1, 0.25) if is_scan else (0.0, 0.45, 0.3))  # [fresh comes last]
    mean = duration * np.array([curves.fresh, curves.first, curves.rest]) * spread[::-1, None]  # [wave, level]
    drawn = mean[:, :, None] * random.lognormal(-0.5 * _NOISE**2, _NOISE, (*mean.shape, SAMPLES))  # [wave, level, K]
    values = _whole(drawn).tolist()
    samples = {wave: dict(zip(LEVELS, rows, strict=True)) for wave, rows in zip(WAVE_NAMES, values, strict=True)}
    samples["rest"] = {level: cell if tasks > level else [] for level, cell in samples["rest"].items()}
    if not is_scan and random.random() < 0.82:
        samples["fresh"] = {}
    return samples


def _whole(values: FloatArray) -> FloatArray:
    return np.maximum(np.rint(values), 1).astype(np.int64)
