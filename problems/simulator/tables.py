"""From an instance to the arrays of `problems.simulator.arrays.Problem`."""

from __future__ import annotations

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_STATE, NO_TIME, BetweenLevels, FloatArray, Instance, IntArray, Opens, Serves
from problems.simulator.arrays import (
    ARE_ALIKE,
    ASKS_ONE,
    AVAILABLE,
    HAS_CHANGEOVER,
    HAS_MANY_SIDES,
    HAS_PRECEDENCE,
    HAS_RESOURCES,
    HAS_WAVES,
    HEAD,
    HOME,
    IS_DEDICATED,
    IS_INVERTED,
    JOB,
    MATRIX,
    MOVING_DELAY,
    NEAREST,
    NEEDS_TASK,
    NONE,
    NUM_FLAGS,
    NUM_PREDS,
    OBJECTIVE,
    OBJECTIVES,
    OPENS_EARLY,
    PAIR_HI,
    PAIR_LO,
    PIECES,
    PLACE,
    PRED_HI,
    PRED_LO,
    RETURNS,
    SEED,
    SERVES_STAGE,
    SHORTEST,
    SHORTEST_AGENT,
    STAGE,
    SUCC_HI,
    SUCC_LO,
    TAIL,
    TAIL_NEXT,
    TAIL_TASKS,
    WARM_UP,
    Problem,
)
from problems.simulator.waves import expected_durations


def compile_problem(instance: Instance) -> Problem:
    """Arrays of ``instance`` for the compiled simulator.

    Raises
    ------
    UnsupportedError
        If the instance has a feature that the simulator does not know.
    """
    _refuse(instance)
    changeover = instance.changeover
    matrix = np.zeros((1, 1, 1), np.int64) if changeover is None else changeover.times.copy()
    order = np.argsort(instance.eligible_agent, kind="stable")
    owner = np.repeat(np.arange(instance.num_tasks), np.diff(instance.eligible_ptr))
    counts = np.bincount(instance.eligible_agent, minlength=instance.num_agents)
    tasks = _task_table(instance, matrix)
    return Problem(
        agents=_agent_table(instance),
        jobs=_job_table(instance, tasks),
        tasks=tasks,
        pairs=np.stack([instance.eligible_agent, instance.eligible_duration], axis=1),
        durations=instance.durations.copy(),
        successors=instance.successors[1].copy(),
        predecessors=instance.predecessor_task.copy(),
        job_tasks=np.argsort(instance.task_job, kind="stable").astype(np.int64),
        agent_tasks=owner[order].astype(np.int64),
        agent_ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        changeover=matrix,
        reveals=_arrivals(instance),
        **_resource_tables(instance),
        **_wave_tables(instance),
        flags=_flags(instance),
        means=_means(instance, matrix),
    )


def _flags(instance: Instance) -> IntArray:
    flags = np.zeros(NUM_FLAGS, np.int64)
    flags[OBJECTIVE] = OBJECTIVES.index(instance.objective)
    flags[MOVING_DELAY] = instance.moving_delay
    flags[HAS_PRECEDENCE] = len(instance.predecessor_task) > 0
    flags[IS_DEDICATED] = len(instance.eligible_agent) == instance.num_tasks
    flags[OPENS_EARLY], flags[SERVES_STAGE] = instance.opens is Opens.DISPATCHED, instance.serves is Serves.STAGE
    flags[HAS_RESOURCES] = instance.resources is not None
    flags[HAS_MANY_SIDES] = instance.moving_delay > 0 or any(
        bool(differ.any())
        for differ in (instance.task_pieces > 1, instance.job_due != NO_TIME, instance.job_weight != 1)
    )
    flags[ARE_ALIKE] = _agents_are_alike(instance)
    if instance.waves is not None:
        flags[HAS_WAVES], flags[SEED], flags[WARM_UP] = 1, instance.waves.seed, instance.waves.warm_up
        flags[IS_INVERTED] = instance.waves.between is BetweenLevels.INVERTED
        flags[ASKS_ONE] = _agents_are_alike(instance) and not instance.agent_available.any()
    if instance.changeover is not None:
        flags[HAS_CHANGEOVER] = 1
        flags[NEEDS_TASK], flags[RETURNS] = instance.changeover.needs_task, instance.changeover.returns
    return flags


def _agents_are_alike(instance: Instance) -> bool:
    """Whether it makes no difference to any task which of several agents does it, but for what they did before."""
    if instance.num_agents < 2 or instance.changeover is not None or instance.resources is not None:
        return False
    everywhere = len(instance.eligible_agent) == instance.num_tasks * instance.num_agents
    return everywhere and bool((instance.durations == instance.durations[:, :1]).all())


def _are_executors(instance: Instance) -> bool:
    """Whether agents are alike, be it a single one, and need no changeovers but moves."""
    return _agents_are_alike(instance) or (instance.num_agents == 1 and instance.changeover is None)


def _wave_tables(instance: Instance) -> dict[str, IntArray]:
    waves, nothing = instance.waves, np.zeros(0, np.int64)
    return {
        "levels": nothing if waves is None else waves.levels.copy(),
        "sample_ptr": nothing if waves is None else waves.sample_ptr.copy(),
        "samples": nothing if waves is None else waves.samples.copy(),
        "expected": expected_durations(instance),
    }


def _resource_tables(instance: Instance) -> dict[str, IntArray]:
    resources = instance.resources
    if resources is None:
        return {
            "capacity": np.zeros(0, np.int64),
            "task_use": np.zeros((instance.num_tasks, 0), np.int64),
            "changeover_use": np.zeros((instance.num_agents, 0), np.int64),
            "serves": np.zeros((0, instance.num_agents), np.int64),
        }
    operators = np.ones(len(resources.operator_serves), np.int64)
    return {
        "capacity": np.concatenate([resources.capacity, operators]),
        "task_use": resources.task_use.copy(),
        "changeover_use": resources.changeover_use.copy(),
        "serves": resources.operator_serves.astype(np.int64),
    }


def _agent_table(instance: Instance) -> IntArray:
    agents = np.zeros((instance.num_agents, 3), np.int64)
    agents[:, AVAILABLE], agents[:, HOME] = instance.agent_available, NO_STATE
    if instance.changeover is not None:
        agents[:, MATRIX], agents[:, HOME] = instance.changeover.agent_matrix, instance.changeover.agent_home
    return agents


def _arrivals(instance: Instance) -> IntArray:
    """Jobs in order of their reveal, then of their release, int64 [J]."""
    return np.lexsort((instance.job_release, instance.job_reveal)).astype(np.int64)


def _job_table(instance: Instance, tasks: IntArray) -> IntArray:
    work = np.zeros(instance.num_jobs, np.int64)
    np.add.at(work, instance.task_job, tasks[:, SHORTEST] * instance.task_pieces)
    ends = np.cumsum(np.bincount(instance.task_job, minlength=instance.num_jobs))
    columns = (
        instance.job_release,
        instance.job_reveal,
        instance.job_due,
        instance.job_deadline,
        instance.job_weight,
        work,
        np.concatenate([[0], ends[:-1]])[: instance.num_jobs],
        ends,
        np.argsort(_arrivals(instance)),
    )
    return np.stack(columns, axis=1).reshape(-1, 9)


def _task_table(instance: Instance, matrix: IntArray) -> IntArray:
    tasks = np.zeros((instance.num_tasks, 18), np.int64)
    if instance.num_tasks == 0:
        return tasks
    tasks[:, JOB] = instance.task_job
    tasks[:, PIECES] = instance.task_pieces
    tasks[:, PAIR_LO], tasks[:, PAIR_HI] = instance.eligible_ptr[:-1], instance.eligible_ptr[1:]
    tasks[:, SUCC_LO], tasks[:, SUCC_HI] = instance.successors[0][:-1], instance.successors[0][1:]
    tasks[:, NUM_PREDS] = np.diff(instance.predecessor_ptr)
    tasks[:, PRED_LO], tasks[:, PRED_HI] = instance.predecessor_ptr[:-1], instance.predecessor_ptr[1:]
    tasks[:, STAGE] = _places_in_jobs(instance)
    for task in range(instance.num_tasks):
        agents, durations = instance.eligible(task)
        fastest = int(durations.argmin())
        tasks[task, SHORTEST], tasks[task, SHORTEST_AGENT] = durations[fastest], agents[fastest]
    if instance.changeover is not None:
        places = instance.changeover.task_state
        between = matrix[:, places][:, :, places].min(axis=0)
        np.fill_diagonal(between, np.iinfo(np.int64).max)
        tasks[:, PLACE] = places
        tasks[:, NEAREST] = between.min(axis=0) if instance.num_tasks > 1 else 0
    _fill_paths(instance, tasks)
    return tasks


def _places_in_jobs(instance: Instance) -> IntArray:
    """How many tasks of its job have a smaller number, int64 [T]."""
    order = np.argsort(instance.task_job, kind="stable")
    jobs = instance.task_job[order]
    places = np.empty(instance.num_tasks, np.int64)
    places[order] = np.arange(instance.num_tasks) - np.searchsorted(jobs, jobs)
    return places


def _refuse(instance: Instance) -> None:
    has_waves, serves_stage = instance.waves is not None, instance.serves is Serves.STAGE
    for feature, present in (
        ("return trips that use a resource or an operator", _uses_resources_to_return(instance)),
        ("random durations (waves) with resources", has_waves and instance.resources is not None),
        ("agents that serve stages (serves) and differ", serves_stage and not _are_executors(instance)),
        ("agents that serve stages with resources", serves_stage and instance.resources is not None),
        ("agents that serve stages and are not there at time 0", serves_stage and bool(instance.agent_available.any())),
        ("agents that serve stages which open late (opens)", serves_stage and instance.opens is Opens.FINISHED),
        ("jobs released after their reveal to agents that serve stages", serves_stage and _is_released_late(instance)),
        ("agents that retire early (retire)", instance.retire),
    ):
        if present:
            raise UnsupportedError(f"the simulator does not support {feature} yet; instance '{instance.name}' uses it")


def _is_released_late(instance: Instance) -> bool:
    return bool((instance.job_release > instance.job_reveal).any())


def _uses_resources_to_return(instance: Instance) -> bool:
    resources, changeover = instance.resources, instance.changeover
    if resources is None or changeover is None or not changeover.returns:
        return False
    return bool(resources.changeover_use.any()) or bool(resources.operator_serves.any())


def _fill_paths(instance: Instance, tasks: IntArray) -> None:
    """Longest paths of shortest work before and after each task."""
    order = instance.topological_order
    for task in order:
        for before in instance.predecessors(task):
            tasks[task, HEAD] = max(tasks[task, HEAD], tasks[before, HEAD] + tasks[before, SHORTEST])
    tasks[:, TAIL_NEXT] = NONE
    for task in reversed(order):
        path = tasks[task, TAIL] + tasks[task, SHORTEST]
        for before in instance.predecessors(task):
            if tasks[before, TAIL_NEXT] == NONE or path > tasks[before, TAIL]:
                tasks[before, TAIL], tasks[before, TAIL_NEXT] = path, task
                tasks[before, TAIL_TASKS] = tasks[task, TAIL_TASKS] + 1


def _means(instance: Instance, matrix: IntArray) -> FloatArray:
    is_known = instance.job_reveal == instance.job_reveal.min(initial=np.iinfo(np.int64).max)
    known = np.repeat(is_known[instance.task_job], np.diff(instance.eligible_ptr))
    duration = float(instance.eligible_duration[known].mean()) if known.any() else 0.0
    changeover = float(matrix.mean())
    return np.array([max(duration + changeover, 1.0), duration, changeover])
