"""Our own JSON, written: what the reader would fill in anyway is left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from problems.families.mtsp import floored_distances
from problems.families.spark import WAVE_NAMES
from problems.formats.document import dump_document
from problems.formats.json_reader import EUCLIDEAN, SCHEMA, VERSION
from problems.instance import NO_STATE, NO_TIME, BetweenLevels, Instance, Opens, Serves, Waves


def write(instance: Instance) -> str:
    """JSON text of any instance; reading it gives an equal instance."""
    return dump_document(instance_document(instance))


def instance_document(instance: Instance) -> dict[str, Any]:
    """The document as nested dictionaries and lists of Python numbers."""
    document: dict[str, Any] = {"schema": SCHEMA, "version": VERSION, "name": instance.name}
    document["family"] = instance.family
    document["objective"] = str(instance.objective)
    _put(document, "scale", instance.scale, 1)
    _put(document, "moving_delay", int(instance.moving_delay), 0)
    _put(document, "opens", str(instance.opens), str(Opens.FINISHED))
    _put(document, "serves", str(instance.serves), str(Serves.PIECE))
    _put(document, "retire", bool(instance.retire), False)
    if instance.coordinates is not None:
        document["coordinates"] = instance.coordinates.tolist()
    if instance.changeover is not None:
        document["changeover"] = _changeover(instance)
    if instance.waves is not None:
        document["waves"] = _waves(instance.waves)
    if instance.resources is not None:
        document["resources"] = _resources(instance)
    document["agents"] = [_agent(instance, agent) for agent in range(instance.num_agents)]
    document["jobs"] = _jobs(instance)
    return document


def _put(target: dict[str, Any], key: str, value: Any, default: Any) -> None:
    if value != default:
        target[key] = value


def _waves(waves: Waves) -> dict[str, Any]:
    document = {"levels": waves.levels.tolist(), "warm_up": int(waves.warm_up), "seed": int(waves.seed)}
    _put(document, "between", str(waves.between), str(BetweenLevels.BELOW))
    return document


def _changeover(instance: Instance) -> dict[str, Any]:
    changeover, places = instance.changeover, instance.coordinates
    assert changeover is not None
    document: dict[str, Any] = {"times": changeover.times.tolist()}
    if places is not None and np.array_equal(changeover.times, floored_distances(places, instance.scale)[None]):
        document["times"] = EUCLIDEAN
    _put(document, "returns", bool(changeover.returns), False)
    _put(document, "needs_task", bool(changeover.needs_task), False)
    return document


def _resources(instance: Instance) -> dict[str, Any]:
    resources = instance.resources
    assert resources is not None
    operators = [[instance.agent_names[agent] for agent in np.flatnonzero(row)] for row in resources.operator_serves]
    return {"capacity": resources.capacity.tolist(), "operators": operators}


def _agent(instance: Instance, agent: int) -> dict[str, Any]:
    document: dict[str, Any] = {"name": instance.agent_names[agent]}
    _put(document, "available", int(instance.agent_available[agent]), 0)
    if instance.changeover is not None:
        _put(document, "home", int(instance.changeover.agent_home[agent]), NO_STATE)
        _put(document, "matrix", int(instance.changeover.agent_matrix[agent]), 0)
    if instance.resources is not None and instance.resources.changeover_use[agent].any():
        document["changeover_uses"] = instance.resources.changeover_use[agent].tolist()
    return document


def _jobs(instance: Instance) -> list[dict[str, Any]]:
    members = _members(instance)
    place = {task: (job, position) for job, tasks in enumerate(members) for position, task in enumerate(tasks)}
    is_grouped = [task for tasks in members for task in tasks] == list(range(instance.num_tasks))
    return [_job(instance, job, tasks, place, is_grouped) for job, tasks in enumerate(members)]


def _members(instance: Instance) -> list[list[int]]:
    """Tasks of each job."""
    members: list[list[int]] = [[] for _ in range(instance.num_jobs)]
    for task, job in enumerate(instance.task_job):
        members[job].append(task)
    return members


def _job(
    instance: Instance, job: int, tasks: list[int], place: dict[int, tuple[int, int]], is_grouped: bool
) -> dict[str, Any]:
    document: dict[str, Any] = {"name": instance.job_names[job]}
    for key, column, default in (
        ("release", instance.job_release, 0),
        ("reveal", instance.job_reveal, 0),
        ("due", instance.job_due, NO_TIME),
        ("deadline", instance.job_deadline, NO_TIME),
        ("weight", instance.job_weight, 1),
    ):
        _put(document, key, int(column[job]), default)
    document["tasks"] = [_task(instance, task, place, is_grouped) for task in tasks]
    return document


def _task(instance: Instance, task: int, place: dict[int, tuple[int, int]], is_grouped: bool) -> dict[str, Any]:
    document: dict[str, Any] = {"durations": _durations(instance, task)}
    job, position = place[task]
    after = [place[int(other)] for other in instance.predecessors(task)]
    if after != ([(job, position - 1)] if position else []):
        document["after"] = [other if where == job else [where, other] for where, other in after]
    _put(document, "pieces", int(instance.task_pieces[task]), 1)
    if instance.changeover is not None:
        document["state"] = int(instance.changeover.task_state[task])
    if instance.resources is not None and instance.resources.task_use[task].any():
        document["uses"] = instance.resources.task_use[task].tolist()
    if instance.waves is not None:
        _put(document, "samples", _samples(instance, task), {})
    if not is_grouped:
        document["number"] = task
    return document


def _durations(instance: Instance, task: int) -> int | dict[str, int]:
    agents, durations = instance.eligible(task)
    if len(agents) == instance.num_agents > 1 and len(set(durations.tolist())) == 1:
        return int(durations[0])
    return {instance.agent_names[agent]: int(duration) for agent, duration in zip(agents, durations, strict=True)}


def _samples(instance: Instance, task: int) -> dict[str, list[list[int]]]:
    waves = instance.waves
    assert waves is not None
    num_levels = len(waves.levels)
    document = {}
    for number, wave in enumerate(WAVE_NAMES):
        cells = range((task * 3 + number) * num_levels, (task * 3 + number + 1) * num_levels)
        levels = [waves.samples[waves.sample_ptr[cell] : waves.sample_ptr[cell + 1]].tolist() for cell in cells]
        if any(levels):
            document[wave] = levels
    return document
