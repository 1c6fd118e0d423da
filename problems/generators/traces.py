"""Batches and streams of Spark jobs drawn from measured profiles, whose files the user brings."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from problems.errors import FormatError, InstanceError
from problems.families.spark import SCALE, Preset, SparkJob, SparkStage, fixed_stage, spark_cluster
from problems.formats.document import Node, parse_document
from problems.formats.source import Source
from problems.generators.arrivals import arrivals
from problems.instance import Instance

QUERIES = range(1, 23)
"""The queries of TPC-H."""

SIZES = (2, 5, 10, 20, 50, 80, 100)
"""Sizes of the profile's data sets, in gigabytes."""

LEVELS = (5, 10, 20, 40, 50, 60, 80, 100)
"""Numbers of executors that the simulator of arXiv 1810.01963 tells apart; the profile holds others as well."""

_PROFILE_WAVES = {"fresh": "fresh_durations", "first": "first_wave", "rest": "rest_wave"}


def tpch_batch(
    path: str | Path,
    num_jobs: int,
    num_executors: int,
    seed: int,
    sizes: Sequence[int] = SIZES,
    preset: Preset | str = Preset.DEFAULT,
    interval: float | None = None,
    fixed: bool = False,
) -> Instance:
    """Random jobs of a TPC-H profile, each with a query and a size drawn uniformly, in a batch or a stream.

    Parameters
    ----------
    path
        The profile as (compressed) JSON: an object with a member per data set and query, such as ``"20g-7"``, each
        with ``edges`` (parent, child) and ``stages``; a stage has ``fresh_durations``, ``first_wave`` and
        ``rest_wave``, each an object of lists of milliseconds by number of executors. See `tpch_job`.
    num_jobs, num_executors
        Size.
    seed
        Same seed, same instance; also the seed of its random durations.
    sizes
        Data sets to draw from, in gigabytes.
    preset
        How executors are asked and stages open.
    interval
        Mean time between arrivals in milliseconds; None for a batch.
    fixed
        Whether every stage gets its expected duration as the fixed one.

    Raises
    ------
    FormatError
        If the file cannot be read, or lacks a query of a size.
    """
    random = np.random.default_rng(seed)
    jobs = []
    for number, arrival in enumerate(arrivals(num_jobs, interval, random), 1):
        query, size = int(random.choice(QUERIES)), int(random.choice(sizes))
        job = tpch_job(Path(path), f"{size}g-{query}")
        stages = [fixed_stage(stage, num_executors) for stage in job.stages] if fixed else job.stages
        jobs.append(SparkJob(stages, job.edges, f"{number}: {job.name}", arrival))
    name = f"tpch{_kind(interval, fixed)}-{num_jobs}x{num_executors}-s{seed}"
    return spark_cluster(name, jobs, num_executors, preset, seed=seed)


def _kind(interval: float | None, fixed: bool) -> str:
    return ("-fixed" if fixed else "") + ("-stream" if interval is not None else "")


@lru_cache(maxsize=1024)
def tpch_job(path: Path, key: str) -> SparkJob:
    """One query of a profile, prepared as the simulator of arXiv 1810.01963 does.

    The number of pieces is what the first level lists. First-wave durations lose the fresh ones that are listed among
    them; where a level keeps none, it takes those of the next lower level. A level that was not measured takes all
    durations of the largest one that was.
    """
    root = _profile(path)
    if key not in root.value:
        raise FormatError(path, None, f"has no entry {key!r}; entries are called SIZEg-QUERY, for instance '20g-7'")
    members = root.member(key)
    stages = [_tpch_stage(stage) for stage in _member(members, "stages").items()]
    edges = [_edge(edge, len(stages)) for edge in _member(members, "edges").items()]
    return SparkJob(stages, edges, key)


def _member(node: Node, key: str) -> Node:
    """A member of an object that may hold others."""
    if not isinstance(node.value, dict) or key not in node.value:
        node.fail(f"lacks '{key}'")
    return node.member(key)


@lru_cache(maxsize=2)
def _profile(path: Path) -> Node:
    root = parse_document(Source(path, _text(path)))
    if not isinstance(root.value, dict):
        root.fail("expected an object with a member per data set and query, such as '20g-7'")
    return root


def _tpch_stage(node: Node) -> SparkStage:
    waves = {wave: _levels(node, name) for wave, name in _PROFILE_WAVES.items()}
    first_level = next(iter(waves["first"]), None)
    if first_level is None or any(waves[wave].keys() != waves["first"].keys() for wave in waves):
        node.fail("its waves list no or different numbers of executors; expected the same in all three")
    num_tasks = len(waves["first"][first_level]) + len(waves["rest"][first_level])
    waves["first"] = _filled({level: _without(cell, waves["fresh"][level]) for level, cell in waves["first"].items()})
    largest = max(waves["first"])
    samples = {wave: {level: cells.get(level, cells[largest]) for level in LEVELS} for wave, cells in waves.items()}
    return SparkStage(num_tasks, samples=samples)


def _levels(stage: Node, name: str) -> dict[int, list[int]]:
    node = _member(stage, name)
    if not isinstance(node.value, dict) or not all(key.isdecimal() for key in node.value):
        node.fail("expected an object of durations by number of executors")
    return {int(level): node.member(level).integers() for level in node.value}


def _without(cell: Sequence[int], removed: Sequence[int]) -> list[int]:
    """``cell`` less ``removed``, as multisets."""
    left = Counter(removed)
    kept = []
    for value in cell:
        if left[value] > 0:
            left[value] -= 1
        else:
            kept.append(value)
    return kept


def _filled(cells: dict[int, list[int]]) -> dict[int, list[int]]:
    """Each empty level takes the durations of the next lower one."""
    filled: dict[int, list[int]] = {}
    below: list[int] = []
    for level in sorted(cells):
        below = filled[level] = cells[level] or below
    return filled


def _edge(node: Node, num_stages: int) -> tuple[int, int]:
    parent, child = node.integers(2, high=num_stages - 1)
    return parent, child


def alibaba_batch(
    path: str | Path,
    num_jobs: int,
    num_executors: int,
    seed: int,
    preset: Preset | str = Preset.DEFAULT,
    interval: float | None = None,
    min_stages: int = 1,
) -> Instance:
    """Different random jobs of a trace, in a batch or a stream; every stage has one fixed duration.

    Parameters
    ----------
    path
        The trace as (compressed) JSON lines: each an object with ``job`` (a name), ``tasks`` (pieces of each stage),
        ``dur_s`` (seconds of a piece of each stage) and ``edges`` (parent, child).
    num_jobs, num_executors, seed, preset, interval
        As in `tpch_batch`.
    min_stages
        Jobs with fewer stages are passed over.

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the line.
    InstanceError
        If there are fewer such jobs than asked for.
    """
    known = [job for job in _trace(Path(path)) if len(job.stages) >= min_stages]
    if len(known) < num_jobs:
        raise InstanceError(f"{path} has {len(known)} jobs of at least {min_stages} stages; asked for {num_jobs}")
    random = np.random.default_rng(seed)
    times = arrivals(num_jobs, interval, random)
    chosen = [known[number] for number in random.choice(len(known), num_jobs, replace=False)]
    jobs = [SparkJob(job.stages, job.edges, job.name, time) for job, time in zip(chosen, times, strict=True)]
    name = f"alibaba{_kind(interval, False)}-{num_jobs}x{num_executors}-s{seed}"
    return spark_cluster(name, jobs, num_executors, preset, seed=seed)


@lru_cache(maxsize=1)
def _trace(path: Path) -> list[SparkJob]:
    return list(_trace_jobs(path))


def _trace_jobs(path: Path) -> Iterator[SparkJob]:
    for line, text in enumerate(_text(path).splitlines(), 1):
        node = parse_document(Source(path, text))
        whole = Node(path, f"line {line}", node.value).members(("job", "tasks", "dur_s", "edges"), ("id",))
        tasks = whole["tasks"].integers(low=1)
        durations = [round(item.exact() * SCALE) for item in whole["dur_s"].items(len(tasks))]
        stages = [SparkStage(count, duration=duration) for count, duration in zip(tasks, durations, strict=True)]
        edges = [_edge(edge, len(stages)) for edge in whole["edges"].items()]
        yield SparkJob(stages, edges, whole["job"].text())


def _text(path: Path) -> str:
    """Text of a file, compressed by gzip or not."""
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(path, None, f"cannot be read: {reason}") from None
