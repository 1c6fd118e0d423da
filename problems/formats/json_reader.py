"""Our own JSON: every switch of the model, jobs and tasks nested as people think of them.

Times are whole numbers; ``scale`` of them make one unit of the source. All keys but ``schema``, ``version``,
``agents``, ``jobs``, ``tasks`` and ``durations`` may be left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from problems.errors import FormatError, InstanceError
from problems.families.mtsp import floored_distances, with_salesmen
from problems.families.spark import WAVE_NAMES
from problems.families.spark_variants import with_executors
from problems.formats import spark_json
from problems.formats.document import Node, check_schema, parse_document
from problems.formats.source import LARGEST_COUNT, Source
from problems.instance import (
    NO_STATE,
    NO_TIME,
    BetweenLevels,
    Changeover,
    FloatArray,
    Instance,
    IntArray,
    Opens,
    Resources,
    Serves,
    Waves,
)
from problems.objective import Objective

SCHEMA = "makespan-instance"
VERSION = 1
EUCLIDEAN = "euclidean"

_ROOT_OPTIONAL = (
    "name", "family", "objective", "scale", "comment", "changeover", "moving_delay", "waves", "resources",
    "opens", "serves", "retire", "coordinates",
)  # fmt: skip
_AGENT_OPTIONAL = ("available", "home", "matrix", "changeover_uses")
_JOB_OPTIONAL = ("name", "release", "reveal", "due", "deadline", "weight")
_TASK_OPTIONAL = ("after", "pieces", "state", "uses", "samples", "number")


@dataclass
class _Task:
    """A task as it stands in the document; ``after`` holds (job, position) pairs."""

    node: Node
    members: dict[str, Node]
    job: int
    position: int
    durations: dict[int, int]
    after: list[tuple[int, int]]


@dataclass
class _Model:
    """What is known while the document is read from the top."""

    root: dict[str, Node]
    agents: list[Node]
    agent_members: list[dict[str, Node]]
    agent_names: list[str]
    jobs: list[dict[str, Node]] = field(default_factory=list)
    tasks: list[_Task] = field(default_factory=list)


def detect(source: Source) -> bool:
    """Whether the text starts like a JSON object or list, and is not one of Spark jobs."""
    return source.text.lstrip()[:1] in ("{", "[") and not spark_json.detect(source)


def read(source: Source, agents: int | None = None) -> Instance:
    """Instance of a JSON document of schema ``makespan-instance``.

    ``agents`` chooses the number of salesmen or executors where the document holds a problem of such a family.

    Raises
    ------
    FormatError
        With the line of a syntax error or the path of a wrong value.
    """
    root = parse_document(source)
    check_schema(root, SCHEMA, VERSION)
    model = _parse(root)
    try:
        instance = _build(model, source)
        if agents is not None and agents != instance.num_agents:
            resize = with_executors if instance.family == "spark" else with_salesmen
            instance = resize(instance, agents)
    except (InstanceError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(source.path, None, str(error)) from None
    return instance


def _parse(root: Node) -> _Model:
    members = root.members(("schema", "version", "agents", "jobs"), _ROOT_OPTIONAL)
    if "comment" in members:
        members["comment"].text()
    agents = _agent_nodes(members["agents"])
    parts = [agent.members(("name",), _AGENT_OPTIONAL) for agent in agents]
    names = [part["name"].text() for part in parts]
    for number, name in enumerate(names):
        if name in names[:number]:
            parts[number]["name"].fail(f"a second agent is called '{name}'; names must differ")
    model = _Model(members, agents, parts, names)
    index = {name: number for number, name in enumerate(names)}
    for number, job in enumerate(members["jobs"].items()):
        _parse_job(model, job, number, index)
    return model


def _agent_nodes(node: Node) -> list[Node]:
    """Agents may be a number of them, a list of names or a list of objects."""
    if type(node.value) is int:
        named = [{"name": f"agent_{number}"} for number in range(node.integer(0, LARGEST_COUNT))]
        return Node(node.file, node.where, named).items()
    agents = node.items(what="a number of agents, or a list of names or objects")
    return [Node(a.file, a.where, {"name": a.value} if type(a.value) is str else a.value) for a in agents]


def _parse_job(model: _Model, job: Node, number: int, index: dict[str, int]) -> None:
    """A job may be an object or, for short, the list of its tasks."""
    if isinstance(job.value, list):
        job_members = {"tasks": job}
    else:
        job_members = job.members(("tasks",), _JOB_OPTIONAL)
    model.jobs.append(job_members)
    for position, node in enumerate(job_members["tasks"].items()):
        members = node.members(("durations",), _TASK_OPTIONAL)
        durations = _durations(members["durations"], model.agent_names, index)
        after = _after(members.get("after"), number, position)
        model.tasks.append(_Task(node, members, number, position, durations, after))


def _durations(node: Node, agent_names: list[str], index: dict[str, int]) -> dict[int, int]:
    """Durations are an object by agent, or one number for all agents."""
    if not agent_names:
        node.fail("has no eligible agent, since the document has no 'agents'; add one")
    if node.value == {}:
        node.fail('has no eligible agent; expected {"agent": duration} for at least one, or one number for all')
    if not isinstance(node.value, dict):
        if type(node.value) is not int:
            node.fail('expected an object {"agent": duration}, or one whole number for all agents')
        return dict.fromkeys(range(len(agent_names)), node.integer())
    for name in node.value:
        if name not in index:
            node.fail(f"unknown agent '{name[:40]}'")
    return {index[name]: node.member(name).integer() for name in node.value}


def _after(node: Node | None, job: int, position: int) -> list[tuple[int, int]]:
    """Positions within the job, or [job, position] pairs; the task before if not given."""
    if node is None:
        return [(job, position - 1)] if position else []
    pairs = []
    for item in node.items():
        if isinstance(item.value, list):
            other = item.integers(2)
            pairs.append((other[0], other[1]))
        else:
            pairs.append((job, item.integer()))
    return pairs


def _build(model: _Model, source: Source) -> Instance:
    root = model.root
    tasks = _numbered(model)
    scale = root["scale"].integer(1) if "scale" in root else 1
    coordinates = _coordinates(root.get("coordinates"))
    return Instance(
        name=root["name"].text() if "name" in root else source.name,
        family=root["family"].text() if "family" in root else "custom",
        objective=Objective(_choice(root, "objective", Objective.MAKESPAN, list(Objective))),
        agent_names=tuple(model.agent_names),
        agent_available=_array(
            part["available"].integer() if "available" in part else 0 for part in model.agent_members
        ),
        moving_delay=root["moving_delay"].integer() if "moving_delay" in root else 0,
        opens=Opens(_choice(root, "opens", Opens.FINISHED, list(Opens))),
        serves=Serves(_choice(root, "serves", Serves.PIECE, list(Serves))),
        retire=root["retire"].flag() if "retire" in root else False,
        coordinates=coordinates,
        scale=scale,
        changeover=_changeover(model, tasks, coordinates, scale),
        waves=_waves(model, tasks),
        resources=_resources(model, tasks),
        **_job_arrays(model),
        **_task_arrays(tasks),
    )


def _choice(members: dict[str, Node], key: str, default: str, options: list[Any]) -> str:
    return members[key].choice([str(option) for option in options]) if key in members else default


def _array(values: Any) -> IntArray:
    return np.array(list(values), np.int64)


def _numbered(model: _Model) -> list[_Task]:
    """Tasks in the order of their numbers: as they stand, unless each has a ``number``."""
    given = [task for task in model.tasks if "number" in task.members]
    if not given:
        return model.tasks
    if len(given) < len(model.tasks):
        missing = next(task for task in model.tasks if "number" not in task.members)
        missing.node.fail("lacks 'number'; give it to every task or to none")
    size = len(given)
    ordered = sorted(given, key=lambda task: task.members["number"].integer(0, size - 1))
    for expected, task in enumerate(ordered):
        if task.members["number"].value != expected:
            task.members["number"].fail(f"number {expected} is missing; tasks are numbered from 0, each number once")
    return ordered


def _job_arrays(model: _Model) -> dict[str, Any]:
    def column(key: str, default: int) -> IntArray:
        return _array(job[key].integer() if key in job else default for job in model.jobs)

    return {
        "job_names": tuple(
            job["name"].text() if "name" in job else str(number) for number, job in enumerate(model.jobs, 1)
        ),
        "job_release": column("release", 0),
        "job_reveal": column("reveal", 0),
        "job_due": column("due", NO_TIME),
        "job_deadline": column("deadline", NO_TIME),
        "job_weight": column("weight", 1),
    }


def _task_arrays(tasks: list[_Task]) -> dict[str, Any]:
    number = {(task.job, task.position): index for index, task in enumerate(tasks)}
    eligible = [sorted(task.durations.items()) for task in tasks]
    before = [[_number_of(task, pair, number) for pair in task.after] for task in tasks]
    return {
        "task_job": _array(task.job for task in tasks),
        "task_pieces": _array(task.members["pieces"].integer(1) if "pieces" in task.members else 1 for task in tasks),
        "eligible_ptr": _pointer(eligible),
        "eligible_agent": _array(agent for row in eligible for agent, _ in row),
        "eligible_duration": _array(duration for row in eligible for _, duration in row),
        "predecessor_ptr": _pointer(before),
        "predecessor_task": _array(task for row in before for task in row),
    }


def _number_of(task: _Task, pair: tuple[int, int], number: dict[tuple[int, int], int]) -> int:
    if pair not in number:
        task.members["after"].fail(f"there is no task {pair[1]} in job {pair[0]}; both are counted from 0")
    return number[pair]


def _pointer(rows: list[Any]) -> IntArray:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)


def _coordinates(node: Node | None) -> FloatArray | None:
    if node is None:
        return None
    places = [[value.number() for value in place.items(2)] for place in node.items()]
    return np.array(places, np.float64).reshape(-1, 2)


def _refuse_without(switch: str, keys: dict[str, list[dict[str, Node]]]) -> None:
    for key, members in keys.items():
        for part in members:
            if key in part:
                part[key].fail(f"needs '{switch}' at the top of the document")


def _changeover(model: _Model, tasks: list[_Task], coordinates: FloatArray | None, scale: int) -> Changeover | None:
    task_members, agent_members = [task.members for task in tasks], model.agent_members
    if "changeover" not in model.root:
        _refuse_without("changeover", {"state": task_members, "home": agent_members, "matrix": agent_members})
        return None
    members = model.root["changeover"].members(("times",), ("returns", "needs_task"))
    for task in tasks:
        if "state" not in task.members:
            task.node.fail("lacks 'state', which every task needs where there are changeovers")
    return Changeover(
        times=_changeover_times(members["times"], coordinates, scale),
        agent_matrix=_array(part["matrix"].integer() if "matrix" in part else 0 for part in agent_members),
        task_state=_array(part["state"].integer() for part in task_members),
        agent_home=_array(part["home"].integer() if "home" in part else NO_STATE for part in agent_members),
        returns=members["returns"].flag() if "returns" in members else False,
        needs_task=members["needs_task"].flag() if "needs_task" in members else False,
    )


def _changeover_times(node: Node, coordinates: FloatArray | None, scale: int) -> IntArray:
    """A list of matrices, one matrix, or ``"euclidean"``: floored distances between the coordinates."""
    if node.value == EUCLIDEAN:
        if coordinates is None:
            node.fail("'euclidean' needs 'coordinates' at the top of the document")
        return floored_distances(coordinates, scale)[None]
    matrices = node.items(what="a matrix, a list of matrices, or 'euclidean'")
    first = matrices[0].value if matrices else None
    if isinstance(first, list) and first and not isinstance(first[0], list):
        matrices = [node]
    size = len(matrices[0].items()) if matrices else 0
    times = [[row.integers(size) for row in matrix.items(size)] for matrix in matrices]
    return np.array(times, np.int64).reshape(len(matrices), size, size)


def _waves(model: _Model, tasks: list[_Task]) -> Waves | None:
    members = [task.members for task in tasks]
    if "waves" not in model.root:
        _refuse_without("waves", {"samples": members})
        return None
    switch = model.root["waves"].members(("levels",), ("warm_up", "seed", "between"))
    levels = switch["levels"].integers()
    cells = [cell for part in members for cell in _samples(part.get("samples"), len(levels))]
    return Waves(
        levels=_array(levels),
        sample_ptr=_pointer(cells),
        samples=_array(value for cell in cells for value in cell),
        warm_up=switch["warm_up"].integer() if "warm_up" in switch else 0,
        seed=switch["seed"].integer(-(2**63), 2**63 - 1) if "seed" in switch else 0,
        between=BetweenLevels(_choice(switch, "between", BetweenLevels.BELOW, list(BetweenLevels))),
    )


def _samples(node: Node | None, num_levels: int) -> list[list[int]]:
    """Samples of a task by wave and level; empty where not given."""
    waves = node.members((), WAVE_NAMES) if node is not None else {}
    cells: list[list[int]] = []
    for wave in WAVE_NAMES:
        if wave in waves:
            cells += [level.integers() for level in waves[wave].items(num_levels)]
        else:
            cells += [[] for _ in range(num_levels)]
    return cells


def _resources(model: _Model, tasks: list[_Task]) -> Resources | None:
    task_members, agent_members = [task.members for task in tasks], model.agent_members
    if "resources" not in model.root:
        _refuse_without("resources", {"uses": task_members, "changeover_uses": agent_members})
        return None
    members = model.root["resources"].members((), ("capacity", "operators"))
    capacity = members["capacity"].integers() if "capacity" in members else []
    operators = members["operators"].items() if "operators" in members else []
    serves = [_served(operator, model.agent_names) for operator in operators]

    def use(parts: list[dict[str, Node]], key: str) -> IntArray:
        rows = [_use(part[key], capacity) if key in part else [0] * len(capacity) for part in parts]
        return np.array(rows, np.int64).reshape(len(parts), len(capacity))

    return Resources(
        capacity=_array(capacity),
        task_use=use(task_members, "uses"),
        changeover_use=use(agent_members, "changeover_uses"),
        operator_serves=np.array(serves, np.bool_).reshape(len(serves), len(model.agent_names)),
    )


def _use(node: Node, capacity: list[int]) -> list[int]:
    """Units of each resource, at most its capacity."""
    used = node.integers(len(capacity))
    for item, most in zip(node.items(), capacity, strict=True):
        if item.value > most:
            item.fail(f"found {item.value}; expected a number between 0 and the capacity, {most}")
    return used


def _served(operator: Node, agent_names: list[str]) -> list[bool]:
    """An operator is the list of the agents that it serves."""
    names = [agent.choice(agent_names) for agent in operator.items()]
    return [name in names for name in agent_names]
