"""Spark clusters taken apart and put together in another way: other executors, another preset."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from problems.errors import InstanceError
from problems.families.spark import (
    SWITCHES,
    WARM_UP,
    WAVE_NAMES,
    Preset,
    SparkJob,
    SparkStage,
    Switches,
    get_preset,
    spark_cluster,
)
from problems.instance import Instance


def spark_jobs(instance: Instance) -> list[SparkJob]:
    """Jobs from which `spark_cluster` makes ``instance``, if it is plain; see `is_spark_cluster`."""
    jobs = []
    for number, name in enumerate(instance.job_names):
        place = {task: position for position, task in enumerate(np.flatnonzero(instance.task_job == number).tolist())}
        edges = [(int(before), task) for task in place for before in instance.predecessors(task)]
        inside = [(place[parent], place[child]) for parent, child in edges if parent in place]
        stages = [_stage(instance, task) for task in place]
        jobs.append(SparkJob(stages, inside, name, int(instance.job_release[number])))
    return jobs


def _stage(instance: Instance, task: int) -> SparkStage:
    pieces = int(instance.task_pieces[task])
    waves = instance.waves
    if waves is None:
        return SparkStage(pieces, duration=int(instance.eligible(task)[1][0]))
    samples: dict[str, dict[int, list[int]]] = {}
    for number, wave in enumerate(WAVE_NAMES):
        first = (task * len(WAVE_NAMES) + number) * len(waves.levels)
        bounds = waves.sample_ptr[first : first + len(waves.levels) + 1].tolist()
        cells = [waves.samples[low:high].tolist() for low, high in pairwise(bounds)]
        samples[wave] = dict(zip(waves.levels.tolist(), cells, strict=True))
    return SparkStage(pieces, samples=samples)


def _rebuilt(instance: Instance, num_executors: int) -> Instance:
    waves = instance.waves
    return spark_cluster(
        instance.name,
        spark_jobs(instance),
        num_executors,
        _find_preset(instance) or Preset.DEFAULT,
        moving_delay=instance.moving_delay,
        warm_up=WARM_UP if waves is None else waves.warm_up,
        objective=instance.objective,
        seed=0 if waves is None else waves.seed,
        scale=instance.scale,
    )


def is_spark_cluster(instance: Instance) -> bool:
    """Whether `spark_cluster` would make the same instance."""
    if instance.family != "spark" or instance.num_agents == 0:
        return False
    try:
        return _rebuilt(instance, instance.num_agents) == instance
    except InstanceError:  # a stage without samples, say
        return False


def preset_of(instance: Instance) -> str | None:
    """Preset of a Spark instance ("custom" if it fits none); None for other families."""
    return str(_find_preset(instance) or "custom") if instance.family == "spark" else None


def _find_preset(instance: Instance) -> Preset | None:
    for preset, switches in SWITCHES.items():
        between = switches.between if instance.waves is None else instance.waves.between
        if Switches(instance.opens, instance.serves, between) == switches:
            return preset
    return None


def with_preset(instance: Instance, preset: Preset | str) -> Instance:
    """The same jobs under another preset.

    Raises
    ------
    InstanceError
        If the instance is of another family.
    UnknownNameError
        If there is no such preset.
    """
    if instance.family != "spark":
        raise InstanceError(
            f"{instance.name} is of family '{instance.family}'; a preset can be chosen only for 'spark'"
        )
    switches = SWITCHES[get_preset(preset)]
    waves = None if instance.waves is None else replace(instance.waves, between=switches.between)
    return instance.replace(opens=switches.opens, serves=switches.serves, waves=waves)


def with_executors(instance: Instance, num_executors: int) -> Instance:
    """The same jobs on another number of executors.

    Raises
    ------
    InstanceError
        If the instance is not a plain Spark cluster, or there is no executor.
    """
    if not is_spark_cluster(instance):
        raise InstanceError(
            f"the number of executors of {instance.name} is fixed; it can be chosen only for Spark clusters"
        )
    return _rebuilt(instance, num_executors)
