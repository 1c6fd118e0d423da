"""The arrays the compiled simulator works on: what is given (`Problem`) and what has happened (`State`).

Both are named tuples of few arrays with named columns, so that a state copies with a handful of block moves
and a compiled function takes either at little cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_STATE, NO_TIME, FloatArray, Instance, IntArray, Opens
from problems.objective import Objective

# Problem.agents
AVAILABLE, MATRIX, HOME = 0, 1, 2
# Problem.jobs
RELEASE, REVEAL, DUE, DEADLINE, WEIGHT, JOB_WORK, TASK_LO, TASK_HI = range(8)
# Problem.tasks
JOB, PIECES, PLACE, PAIR_LO, PAIR_HI, SUCC_LO, SUCC_HI, NUM_PREDS = range(8)
SHORTEST, SHORTEST_AGENT, HEAD, TAIL, TAIL_TASKS, TAIL_NEXT, NEAREST = range(8, 15)
# Problem.pairs
PAIR_AGENT, PAIR_TIME = 0, 1
# Problem.flags
OBJECTIVE, HAS_CHANGEOVER, NEEDS_TASK, RETURNS, MOVING_DELAY, HAS_PRECEDENCE, IS_DEDICATED = range(7)
HAS_RESOURCES, HAS_MANY_SIDES, ARE_ALIKE = 7, 8, 9
NUM_FLAGS = 10

# Problem.means
UNIT, MEAN_DURATION, MEAN_CHANGEOVER = range(3)

# State.clock
NOW, NUM_ROWS, NUM_OPEN, TASKS_LEFT, NUM_WAITED, NUM_REVEALED, NUM_USES = range(7)
# State.agents
FREE, LAST, WAITED, LENGTH, LOAD, QUEUED = range(6)
# State.tasks
PIECES_LEFT, PREDS_LEFT, READY, OPEN_SLOT = range(4)
# State.queue
QUEUE_TASK, QUEUE_READY, QUEUE_PAIR = range(3)
# State.jobs
LEFT, COMPLETION, WORK_LEFT, LOCAL = range(4)
# State.rows
ROW_TASK, ROW_AGENT, ROW_START, ROW_END, ROW_CHANGEOVER_START, ROW_CHANGEOVER_END, ROW_OPERATOR = range(7)
# State.uses
USE_RESOURCE, USE_START, USE_END, USE_UNITS = range(4)

NONE = -1
OBJECTIVES = tuple(Objective)
MAKESPAN, LONGEST_ROUTE, MEAN_FLOW, TOTAL_COMPLETION, TOTAL_TARDINESS = range(5)


class Problem(NamedTuple):
    """An instance as the compiled code sees it.

    Attributes
    ----------
    agents : int64 [A, 3]
        Available from, changeover matrix, home state.
    jobs : int64 [J, 8]
        Release, reveal, due, deadline, weight, total shortest work, range of tasks in ``job_tasks``.
    tasks : int64 [T, 15]
        Job, pieces, changeover state, range of eligible pairs, range of successors, number of predecessors,
        shortest duration and the agent that has it, shortest work on the longest path before and after the
        task, number of tasks on the path after it, next task on it (-1: none), shortest changeover to the task
        from another one.
    pairs : int64 [E, 2]
        Eligible agent and duration.
    durations : int64 [T, A]
        The same as a matrix, -1 where not eligible.
    successors : int64 [P]
    job_tasks : int64 [T]
        Tasks of each job.
    agent_tasks, agent_ptr : int64 [E], [A + 1]
        Tasks that each agent is eligible for.
    changeover : int64 [K, S, S]
        A single 0 where there is none.
    reveals : int64 [J]
        Jobs in order of their reveal.
    capacity : int64 [R + W]
        Units of each renewable resource; then 1 for each operator.
    task_use, changeover_use : int64 [T, R], [A, R]
        Units of each resource that a task uses, and that a changeover of the agent uses.
    serves : int64 [W, A]
        Whether each operator can serve each agent.
    flags : int64 [10]
        Objective, has changeover, changeover needs its task, agents return, moving delay, has precedence, whether
        each task has a single eligible agent, has resources, whether jobs differ in more than their routes (several
        pieces, moving delays, due dates or weights), whether all agents are the same to all tasks.
    means : float64 [3]
        Mean duration of a pair plus mean changeover, at least 1: the length that features are measured in; the two
        means by themselves.
    """

    agents: IntArray
    jobs: IntArray
    tasks: IntArray
    pairs: IntArray
    durations: IntArray
    successors: IntArray
    job_tasks: IntArray
    agent_tasks: IntArray
    agent_ptr: IntArray
    changeover: IntArray
    reveals: IntArray
    capacity: IntArray
    task_use: IntArray
    changeover_use: IntArray
    serves: IntArray
    flags: IntArray
    means: FloatArray


class State(NamedTuple):
    """A partial schedule.

    Attributes
    ----------
    clock : int64 [7]
        The present instant, rows written, open tasks, tasks with pieces left, agents that wait, jobs revealed,
        uses of resources on record.
    agents : int64 [A, 6]
        End of the last commitment, last task, whether it waited since the last change, route length,
        work of open and future tasks it may get, length of its queue.
    tasks : int64 [T, 4]
        Pieces left, predecessors not committed, ready time, slot in ``open`` (-1: not open).
    jobs : int64 [J, 4]
        Tasks left, latest committed end, shortest work left, agents whose last commitment was to the job.
    open : int64 [T]
        Tasks of revealed jobs whose predecessors are committed and that have pieces left, in no particular order.
    queue : int64 [E, 3]
        The same for each agent: task, ready time, pair; rows ``agent_ptr[a]`` and following, as many as
        ``agents[a, QUEUED]``. A scan reads one block per free agent and skips the busy ones.
    pair_slot : int64 [E]
        Row of ``queue`` that holds the pair, if its task is open.
    uses : int64 [U, 4]
        Resource (operators after the resources), start, end, units of each use that may still matter.
    rows : int64 [N, 7]
        Task, agent, start, end, changeover start and end, operator (-1: none) of each commitment.
    """

    clock: IntArray
    agents: IntArray
    tasks: IntArray
    jobs: IntArray
    open: IntArray
    queue: IntArray
    pair_slot: IntArray
    uses: IntArray
    rows: IntArray


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
        job_tasks=np.argsort(instance.task_job, kind="stable").astype(np.int64),
        agent_tasks=owner[order].astype(np.int64),
        agent_ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        changeover=matrix,
        reveals=np.argsort(instance.job_reveal, kind="stable").astype(np.int64),
        **_resource_tables(instance),
        flags=_flags(instance),
        means=_means(instance, matrix),
    )


def _flags(instance: Instance) -> IntArray:
    flags = np.zeros(NUM_FLAGS, np.int64)
    flags[OBJECTIVE] = OBJECTIVES.index(instance.objective)
    flags[MOVING_DELAY] = instance.moving_delay
    flags[HAS_PRECEDENCE] = len(instance.predecessor_task) > 0
    flags[IS_DEDICATED] = len(instance.eligible_agent) == instance.num_tasks
    flags[HAS_RESOURCES] = instance.resources is not None
    flags[HAS_MANY_SIDES] = instance.moving_delay > 0 or any(
        bool(differ.any())
        for differ in (instance.task_pieces > 1, instance.job_due != NO_TIME, instance.job_weight != 1)
    )
    flags[ARE_ALIKE] = _agents_are_alike(instance)
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
    )
    return np.stack(columns, axis=1).reshape(-1, 8)


def _task_table(instance: Instance, matrix: IntArray) -> IntArray:
    tasks = np.zeros((instance.num_tasks, 15), np.int64)
    if instance.num_tasks == 0:
        return tasks
    tasks[:, JOB] = instance.task_job
    tasks[:, PIECES] = instance.task_pieces
    tasks[:, PAIR_LO], tasks[:, PAIR_HI] = instance.eligible_ptr[:-1], instance.eligible_ptr[1:]
    tasks[:, SUCC_LO], tasks[:, SUCC_HI] = instance.successors[0][:-1], instance.successors[0][1:]
    tasks[:, NUM_PREDS] = np.diff(instance.predecessor_ptr)
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


def _refuse(instance: Instance) -> None:
    for feature, present in (
        ("random durations by wave (waves)", instance.waves is not None),
        ("return trips that use a resource or an operator", _uses_resources_to_return(instance)),
        ("stages that open when their parents are dispatched (opens)", instance.opens is not Opens.FINISHED),
        ("agents that retire early (retire)", instance.retire),
    ):
        if present:
            raise UnsupportedError(f"the simulator does not support {feature} yet; instance '{instance.name}' uses it")


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
    duration = float(instance.eligible_duration.mean()) if len(instance.eligible_duration) else 0.0
    changeover = float(matrix.mean())
    return np.array([max(duration + changeover, 1.0), duration, changeover])


def new_state(problem: Problem) -> State:
    """The empty schedule at time 0."""
    num_agents, num_tasks = problem.durations.shape[1], problem.durations.shape[0]
    num_rows = int(problem.tasks[:, PIECES].sum())
    uses_per_row = 2 * problem.task_use.shape[1] + 1 if problem.flags[HAS_RESOURCES] else 0
    state = State(
        clock=np.zeros(7, np.int64),
        agents=np.zeros((num_agents, 6), np.int64),
        tasks=np.zeros((num_tasks, 4), np.int64),
        jobs=np.zeros((len(problem.jobs), 4), np.int64),
        open=np.zeros(num_tasks, np.int64),
        queue=np.zeros((len(problem.pairs), 3), np.int64),
        pair_slot=np.zeros(len(problem.pairs), np.int64),
        uses=np.zeros((num_rows * uses_per_row, 4), np.int64),
        rows=np.zeros((num_rows, 7), np.int64),
    )
    from problems.simulator.engine import reset

    reset(problem, state)
    return state
