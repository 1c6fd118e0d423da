"""Spark clusters: jobs are DAGs of stages, stages are identical pieces, executors serve them one by one.

After H. Mao, M. Schwarzkopf, S. B. Venkatakrishnan, Z. Meng, M. Alizadeh, "Learning scheduling algorithms for data
processing clusters", SIGCOMM 2019, arXiv 1810.01963.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import numpy as np

from problems.build import Job, Task, build_instance
from problems.errors import InstanceError, UnknownNameError
from problems.instance import BetweenLevels, Instance, Opens, Serves, Waves
from problems.objective import Objective

SCALE = 1000
"""Milliseconds, of which a thousand make the unit in which results are reported."""

MOVING_DELAY = 2 * SCALE
"""What an executor needs before its first piece for another job, in milliseconds."""

WARM_UP = SCALE
"""What a fresh executor needs in addition where no fresh duration was measured, in milliseconds."""

WAVE_NAMES = ("fresh", "first", "rest")
"""Of a piece on an executor that comes from elsewhere, from another stage of the job, from the same stage."""

Samples = Mapping[str, Mapping[int, Sequence[int]]]
"""Measured durations of a piece by wave and by number of executors of the job."""


class Preset(StrEnum):
    """How executors are asked and stages open.

    ``DEFAULT``  An executor decides after every piece; a stage opens when its parents are planned to their end.
    ``DECIMA``   As in the simulator of the paper: an executor serves its stage until no piece is left; a stage opens
                 when its parents are dispatched; between two levels the wrong neighbour is the likelier one.
    """

    DEFAULT = "default"
    DECIMA = "decima"


@dataclass(frozen=True)
class Switches:
    """What a preset says of the switches of an instance."""

    opens: Opens
    serves: Serves
    between: BetweenLevels


SWITCHES = {
    Preset.DEFAULT: Switches(Opens.FINISHED, Serves.PIECE, BetweenLevels.BELOW),
    Preset.DECIMA: Switches(Opens.DISPATCHED, Serves.STAGE, BetweenLevels.INVERTED),
}


@dataclass(frozen=True)
class SparkStage:
    """A stage: ``num_tasks`` identical pieces, with one fixed duration or with measured ones.

    Attributes
    ----------
    num_tasks
        Number of pieces.
    duration
        Of every piece, wherever and whenever it runs; None where ``samples`` are given.
    samples
        Measured durations by wave ("fresh", "first", "rest") and level; None where ``duration`` is given.
    """

    num_tasks: int
    duration: int | None = None
    samples: Samples | None = None


@dataclass(frozen=True)
class SparkJob:
    """A job: stages, and edges (parent, child) between their positions, counted from 0."""

    stages: Sequence[SparkStage]
    edges: Sequence[tuple[int, int]] = ()
    name: str | None = None
    arrival: int = 0


def spark_cluster(
    name: str,
    jobs: Sequence[SparkJob],
    num_executors: int,
    preset: Preset | str = Preset.DEFAULT,
    moving_delay: int = MOVING_DELAY,
    warm_up: int = WARM_UP,
    objective: Objective = Objective.MEAN_FLOW_TIME,
    seed: int = 0,
    scale: int = SCALE,
) -> Instance:
    """Cluster of identical executors, every one eligible for every stage.

    Where all stages have fixed durations there are no waves, and an exact optimum is possible. Where any has samples,
    durations are drawn from them by wave and level; a fixed duration then stands for itself in all of them. The
    expected duration of a stage is that of a rest piece; see `expected_duration`. Jobs are unknown before they arrive.

    Parameters
    ----------
    name
        Name of the instance.
    jobs
        Jobs with their arrivals, in integer time.
    num_executors
        Number of executors, named ``executor_0``, ``executor_1``, ...
    preset
        How executors are asked and stages open.
    moving_delay
        Time before the first piece for another job.
    warm_up
        Added to a fresh piece where no fresh duration was measured.
    objective
        Mean job completion time, or the makespan.
    seed
        Of the random durations.
    scale
        Integer time units per unit of the source.

    Raises
    ------
    InstanceError
        If there is no executor, a stage has neither or both kinds of durations or a wave that does not exist, an edge
        joins unknown stages, or stages wait for each other in a circle.
    UnknownNameError
        If there is no such preset.
    """
    switches = SWITCHES[get_preset(preset)]
    if num_executors < 1:
        raise InstanceError(f"num_executors is {num_executors}; expected at least 1")
    for number, job in enumerate(jobs, 1):
        _check(job, job.name if job.name is not None else str(number))
    return build_instance(
        name=name,
        family="spark",
        agent_names=[f"executor_{number}" for number in range(num_executors)],
        jobs=[_job(job, num_executors) for job in jobs],
        objective=objective,
        moving_delay=moving_delay,
        waves=_waves([stage for job in jobs for stage in job.stages], warm_up, seed, switches.between),
        opens=switches.opens,
        serves=switches.serves,
        scale=scale,
    )


def get_preset(name: str) -> Preset:
    """Preset called ``name``; an unknown one is refused with the alternatives."""
    if name not in list(Preset):
        raise UnknownNameError("preset", name, [str(preset) for preset in Preset])
    return Preset(name)


def _check(job: SparkJob, name: str) -> None:
    """Refuse what the arrays of an instance could not tell apart from something right."""
    for position, stage in enumerate(job.stages):
        where = f"job {name}, stage {position}"
        if (stage.duration is None) == (stage.samples is None):
            raise InstanceError(f"{where} needs either a duration or samples")
        if stage.samples is not None:
            unknown = [wave for wave in stage.samples if wave not in WAVE_NAMES]
            if unknown:
                raise InstanceError(f"{where} has samples of wave '{unknown[0]}'; expected {', '.join(WAVE_NAMES)}")
            if not any(cell for wave in stage.samples.values() for cell in wave.values()):
                raise InstanceError(f"{where} has no sample; expected at least one duration")
    for parent, child in job.edges:
        for stage_number in (parent, child):
            if not 0 <= stage_number < len(job.stages):
                raise InstanceError(f"job {name} has an edge with stage {stage_number}, which does not exist")


def _job(job: SparkJob, num_executors: int) -> Job:
    after: list[list[int]] = [[] for _ in job.stages]
    for parent, child in job.edges:
        after[child].append(parent)
    everyone = range(num_executors)
    tasks = [
        Task(dict.fromkeys(everyone, expected_duration(stage, num_executors)), before, stage.num_tasks)
        for stage, before in zip(job.stages, after, strict=True)
    ]
    return Job(tasks, job.name, release=job.arrival, reveal=job.arrival)


def expected_duration(stage: SparkStage, num_executors: int) -> int:
    """Expected duration of a rest piece: the mean over the levels that ``num_executors`` can reach, each level once.

    A level without rest samples counts with its first ones, else with its fresh ones. Where no level is so low, the
    lowest one counts.
    """
    if stage.samples is None:
        assert stage.duration is not None
        return stage.duration
    rest, first, fresh = (stage.samples.get(wave, {}) for wave in reversed(WAVE_NAMES))
    cells = {level: rest.get(level) or first.get(level) or fresh.get(level) for level in {*rest, *first, *fresh}}
    means = {level: float(np.mean(cell)) for level, cell in sorted(cells.items()) if cell}
    reached = [mean for level, mean in means.items() if level <= num_executors]
    return int(np.mean(reached or list(means.values())[:1]) + 0.5)


def fixed_stage(stage: SparkStage, num_executors: int) -> SparkStage:
    """The stage with its expected duration as the fixed one, so that an exact optimum is possible."""
    return SparkStage(stage.num_tasks, duration=expected_duration(stage, num_executors))


def _waves(stages: Sequence[SparkStage], warm_up: int, seed: int, between: BetweenLevels) -> Waves | None:
    """Samples of all stages in CSR layout; None where no stage has any."""
    sampled = [stage.samples for stage in stages if stage.samples is not None]
    if not sampled:
        return None
    levels = sorted({level for samples in sampled for wave in samples.values() for level in wave})
    cells = list(chain.from_iterable(_cells(stage, levels) for stage in stages))
    lengths = np.fromiter(map(len, cells), np.int64, len(cells))
    return Waves(
        levels=np.array(levels, np.int64),
        sample_ptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        samples=np.fromiter(chain.from_iterable(cells), np.int64, int(lengths.sum())),
        warm_up=warm_up,
        seed=seed,
        between=between,
    )


def _cells(stage: SparkStage, levels: Sequence[int]) -> Iterable[Sequence[int]]:
    """Samples of one stage, wave by wave and level by level."""
    if stage.samples is None:
        assert stage.duration is not None
        return [(stage.duration,)] * (len(WAVE_NAMES) * len(levels))
    return [stage.samples.get(wave, {}).get(level, ()) for wave in WAVE_NAMES for level in levels]
