"""JSON of DAG jobs: what a Spark trace says, job by job and stage by stage; see ``docs/spark-json.md``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from problems.errors import FormatError, InstanceError, UnsupportedError
from problems.families.spark import WAVE_NAMES, Preset, SparkJob, SparkStage, spark_cluster
from problems.families.spark_variants import is_spark_cluster, preset_of, spark_jobs
from problems.formats.document import Node, check_schema, dump_document, parse_document
from problems.formats.features import refuse_features
from problems.formats.source import LARGEST_COUNT, Source, show
from problems.instance import Instance
from problems.objective import Objective

SCHEMA = "makespan-spark-jobs"
VERSION = 1
OBJECTIVES = (Objective.MEAN_FLOW_TIME, Objective.MAKESPAN)
DEFAULT_SCALE = 1000
MOVING_SECONDS, WARM_UP_SECONDS = 2, 1
"""Delays where a file does not say: in units of the source, which are seconds."""

_ROOT_OPTIONAL = (
    "name", "comment", "executors", "preset", "objective", "scale", "moving_delay", "warm_up", "seed",
)  # fmt: skip
_CARRIED = (
    "release dates", "reveal dates", "tasks of several pieces", "alternative agents", "jobs without tasks",
    "precedence other than one chain per job", "moving delays", "random durations",
    "tasks that open when predecessors are dispatched", "agents that serve whole stages",
    "objectives other than the makespan",
)  # fmt: skip
_DETECTED = re.compile(r'\s*\{.*?"schema"\s*:\s*"' + SCHEMA + '"', re.DOTALL)


def detect(source: Source) -> bool:
    """Whether the text is a JSON object that names this schema."""
    return _DETECTED.match(source.text) is not None


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of a JSON document of schema ``makespan-spark-jobs`` for ``agents`` executors, else for its own.

    Raises
    ------
    FormatError
        With the line of a syntax error or the path of a wrong value.
    """
    root = parse_document(source)
    check_schema(root, SCHEMA, VERSION)
    members = root.members(("schema", "version", "jobs"), _ROOT_OPTIONAL)
    if "comment" in members:
        members["comment"].text()
    scale = _integer(members, "scale", DEFAULT_SCALE, low=1)
    try:
        return spark_cluster(
            members["name"].text() if "name" in members else source.name,
            _jobs(members["jobs"]),
            _executors(root, members, agents),
            members["preset"].choice([str(preset) for preset in Preset]) if "preset" in members else Preset.DEFAULT,
            moving_delay=_integer(members, "moving_delay", MOVING_SECONDS * scale),
            warm_up=_integer(members, "warm_up", WARM_UP_SECONDS * scale),
            objective=Objective(_objective(members)),
            seed=_integer(members, "seed", 0),
            scale=scale,
        )
    except (InstanceError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(source.path, None, str(error)) from None


def _integer(members: dict[str, Node], key: str, default: int, low: int = 0) -> int:
    return members[key].integer(low) if key in members else default


def _executors(root: Node, members: dict[str, Node], agents: int | None) -> int:
    if agents is not None:
        return agents
    if "executors" not in members:
        root.fail("does not say how many 'executors' there are; give agents=M (--executors M)")
    return members["executors"].integer(1, LARGEST_COUNT)


def _objective(members: dict[str, Node]) -> str:
    known = [str(objective) for objective in OBJECTIVES]
    return members["objective"].choice(known) if "objective" in members else known[0]


def _jobs(node: Node) -> list[SparkJob]:
    jobs: list[SparkJob] = []
    names: set[str] = set()
    for number, item in enumerate(node.items(), 1):
        job = _job(item, str(number))
        if job.name in names:
            item.fail(f"a second job is called {show(job.name)}; names must differ")
        names.add(str(job.name))
        jobs.append(job)
    return jobs


def _job(node: Node, number: str) -> SparkJob:
    members = node.members(("stages",), ("name", "arrival", "edges"))
    parts = [stage.members(("tasks",), ("name", "duration", "durations")) for stage in members["stages"].items()]
    names = [part["name"].text() if "name" in part else None for part in parts]
    for position, name in enumerate(names):
        if name is not None and name in names[:position]:
            parts[position]["name"].fail(f"a second stage is called {show(name)}; names must differ within a job")
    stages = [_stage(stage, part) for stage, part in zip(members["stages"].items(), parts, strict=True)]
    edges = _edges(members["edges"], names) if "edges" in members else []
    name = members["name"].text() if "name" in members else number
    return SparkJob(stages, edges, name, _integer(members, "arrival", 0))


def _stage(node: Node, members: dict[str, Node]) -> SparkStage:
    num_tasks = members["tasks"].integer(1)
    if ("duration" in members) == ("durations" in members):
        node.fail("needs either 'duration' or 'durations'")
    if "duration" in members:
        return SparkStage(num_tasks, duration=members["duration"].integer())
    waves = members["durations"].members((), WAVE_NAMES)
    samples = {wave: _levels(waves[wave]) for wave in waves}
    if not any(cell for levels in samples.values() for cell in levels.values()):
        members["durations"].fail("holds no duration; expected at least one")
    return SparkStage(num_tasks, samples=samples)


def _levels(node: Node) -> dict[int, list[int]]:
    """Durations by number of executors."""
    if not isinstance(node.value, dict):
        node.fail('expected an object of durations by number of executors, such as {"5": [120, 130]}')
    for key in node.value:
        if not re.fullmatch("[1-9][0-9]{0,5}", key):
            node.fail(f"{show(key)} is no number of executors; expected a whole number from 1 on")
    return {int(key): node.member(key).integers() for key in node.value}


def _edges(node: Node, names: Sequence[str | None]) -> list[tuple[int, int]]:
    edges: list[tuple[int, int]] = []
    for item in node.items():
        parent, child = (_place(end, names) for end in item.items(2))
        if parent == child:
            item.fail(f"stage {_called(names, parent)} waits for itself")
        if (parent, child) in edges:
            item.fail(f"the edge from {_called(names, parent)} to {_called(names, child)} is listed twice")
        edges.append((parent, child))
    _refuse_cycle(node, edges, names)
    return edges


def _place(node: Node, names: Sequence[str | None]) -> int:
    """Position of a stage that is given by its name or its number."""
    known = node.value in names if type(node.value) is str else type(node.value) is int and 0 <= node.value < len(names)
    if not known:
        node.fail(f"there is no stage {show(node.value)}; name one of the job, or count them from 0")
    return names.index(node.value) if isinstance(node.value, str) else int(node.value)


def _called(names: Sequence[str | None], stage: int) -> str:
    name = names[stage]
    return str(stage) if name is None else show(name)


def _refuse_cycle(node: Node, edges: Sequence[tuple[int, int]], names: Sequence[str | None]) -> None:
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for parent, child in edges:
        sorter.add(child, parent)
    try:
        sorter.prepare()
    except CycleError as error:
        node.fail("the stages wait for each other: " + " -> ".join(_called(names, stage) for stage in error.args[1]))


def write(instance: Instance) -> str:
    """Text of a Spark cluster; reading it gives an equal instance. Names of stages are not kept.

    Raises
    ------
    UnsupportedError
        Naming what the format cannot carry.
    """
    refuse_features(instance, "JSON of Spark jobs", _CARRIED)
    _refuse_others(instance)
    document: dict[str, Any] = {"schema": SCHEMA, "version": VERSION, "name": instance.name}
    document |= {"executors": instance.num_agents, "preset": preset_of(instance), "objective": str(instance.objective)}
    document |= {"scale": instance.scale, "moving_delay": int(instance.moving_delay)}
    if instance.waves is not None:
        document |= {"warm_up": int(instance.waves.warm_up), "seed": int(instance.waves.seed)}
    document["jobs"] = [_job_document(job) for job in spark_jobs(instance)]
    return dump_document(document)


def _refuse_others(instance: Instance) -> None:
    if instance.objective not in OBJECTIVES:
        problem = f"the objective {instance.objective}"
    elif len(set(instance.job_names)) < instance.num_jobs:
        problem = "jobs of the same name"
    elif not is_spark_cluster(instance):
        problem = f"anything but stages for identical executors (family '{instance.family}')"
    else:
        return
    raise UnsupportedError(f"JSON of Spark jobs cannot carry {problem} ({instance.name}); write JSON instead")


def _job_document(job: SparkJob) -> dict[str, Any]:
    document: dict[str, Any] = {"name": job.name}
    if job.arrival:
        document["arrival"] = job.arrival
    document["stages"] = [_stage_document(stage) for stage in job.stages]
    document["edges"] = [list(edge) for edge in job.edges]
    return document


def _stage_document(stage: SparkStage) -> dict[str, Any]:
    if stage.samples is None:
        return {"tasks": stage.num_tasks, "duration": stage.duration}
    waves = {
        wave: {str(level): cell for level, cell in by_level.items() if cell or wave == "rest"}
        for wave, by_level in stage.samples.items()
    }  # one wave lists every level, so that none is lost
    return {"tasks": stage.num_tasks, "durations": {wave: cells for wave, cells in waves.items() if cells}}
