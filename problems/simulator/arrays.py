"""The arrays the compiled simulator works on: what is given (`Problem`) and what has happened (`State`).

Both are named tuples of few arrays with named columns, so that a state copies with a handful of block moves
and a compiled function takes either at little cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import NO_STATE, FloatArray, Instance, IntArray, Opens
from problems.objective import Objective

# Problem.agents
AVAILABLE, MATRIX, HOME = 0, 1, 2
# Problem.jobs
RELEASE, REVEAL, DUE, DEADLINE, WEIGHT, JOB_WORK = 0, 1, 2, 3, 4, 5
# Problem.tasks
JOB, PIECES, PLACE, PAIR_LO, PAIR_HI, SUCC_LO, SUCC_HI, NUM_PREDS = range(8)
SHORTEST, SHORTEST_AGENT, HEAD, TAIL, TAIL_TASKS, TAIL_NEXT, NEAREST = range(8, 15)
# Problem.pairs
PAIR_AGENT, PAIR_TIME = 0, 1
# Problem.flags
OBJECTIVE, HAS_CHANGEOVER, NEEDS_TASK, RETURNS, MOVING_DELAY, HAS_PRECEDENCE, IS_DEDICATED = range(7)

# State.clock
NOW, NUM_ROWS, NUM_OPEN, TASKS_LEFT, NUM_WAITED = range(5)
# State.agents
FREE, LAST, WAITED, LENGTH, LOAD, QUEUED = range(6)
# State.tasks
PIECES_LEFT, PREDS_LEFT, READY, OPEN_SLOT = range(4)
# State.queue
QUEUE_TASK, QUEUE_READY, QUEUE_REVEAL, QUEUE_PAIR = range(4)
# State.jobs
LEFT, COMPLETION, WORK_LEFT = range(3)
# State.rows
ROW_TASK, ROW_AGENT, ROW_START, ROW_END, ROW_CHANGEOVER_START, ROW_CHANGEOVER_END = range(6)

NONE = -1
OBJECTIVES = tuple(Objective)
MAKESPAN, LONGEST_ROUTE, MEAN_FLOW, TOTAL_COMPLETION, TOTAL_TARDINESS = range(5)


class Problem(NamedTuple):
    """An instance as the compiled code sees it.

    Attributes
    ----------
    agents : int64 [A, 3]
        Available from, changeover matrix, home state.
    jobs : int64 [J, 6]
        Release, reveal, due, deadline, weight, total shortest work.
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
    agent_tasks, agent_ptr : int64 [E], [A + 1]
        Tasks that each agent is eligible for.
    changeover : int64 [K, S, S]
        A single 0 where there is none.
    flags : int64 [7]
        Objective, has changeover, changeover needs its task, agents return, moving delay, has precedence, whether
        each task has a single eligible agent.
    unit : float64 [1]
        Mean duration plus changeover of a task: the length that features are measured in.
    """

    agents: IntArray
    jobs: IntArray
    tasks: IntArray
    pairs: IntArray
    durations: IntArray
    successors: IntArray
    agent_tasks: IntArray
    agent_ptr: IntArray
    changeover: IntArray
    flags: IntArray
    unit: FloatArray


class State(NamedTuple):
    """A partial schedule.

    Attributes
    ----------
    clock : int64 [5]
        The present instant, rows written, open tasks, tasks with pieces left, agents that wait.
    agents : int64 [A, 6]
        End of the last commitment, last task, whether it waited since the last change, route length,
        work of open and future tasks it may get, length of its queue.
    tasks : int64 [T, 4]
        Pieces left, predecessors not committed, ready time, slot in ``open`` (-1: not open).
    jobs : int64 [J, 3]
        Tasks left, latest committed end, shortest work left.
    open : int64 [T]
        Tasks whose predecessors are committed and that have pieces left, in no particular order.
    queue : int64 [E, 4]
        The same for each agent: task, ready time, reveal, pair; rows ``agent_ptr[a]`` and following, as many as
        ``agents[a, QUEUED]``. A scan reads one block per free agent and skips the busy ones.
    pair_slot : int64 [E]
        Row of ``queue`` that holds the pair, if its task is open.
    rows : int64 [N, 6]
        Task, agent, start, end, changeover start and end of each commitment.
    """

    clock: IntArray
    agents: IntArray
    tasks: IntArray
    jobs: IntArray
    open: IntArray
    queue: IntArray
    pair_slot: IntArray
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
        agent_tasks=owner[order].astype(np.int64),
        agent_ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        changeover=matrix,
        flags=_flags(instance),
        unit=np.array([_unit(instance, matrix)]),
    )


def _flags(instance: Instance) -> IntArray:
    flags = np.zeros(7, np.int64)
    flags[OBJECTIVE] = OBJECTIVES.index(instance.objective)
    flags[MOVING_DELAY] = instance.moving_delay
    flags[HAS_PRECEDENCE] = len(instance.predecessor_task) > 0
    flags[IS_DEDICATED] = len(instance.eligible_agent) == instance.num_tasks
    if instance.changeover is not None:
        flags[HAS_CHANGEOVER] = 1
        flags[NEEDS_TASK], flags[RETURNS] = instance.changeover.needs_task, instance.changeover.returns
    return flags


def _agent_table(instance: Instance) -> IntArray:
    agents = np.zeros((instance.num_agents, 3), np.int64)
    agents[:, AVAILABLE], agents[:, HOME] = instance.agent_available, NO_STATE
    if instance.changeover is not None:
        agents[:, MATRIX], agents[:, HOME] = instance.changeover.agent_matrix, instance.changeover.agent_home
    return agents


def _job_table(instance: Instance, tasks: IntArray) -> IntArray:
    work = np.zeros(instance.num_jobs, np.int64)
    np.add.at(work, instance.task_job, tasks[:, SHORTEST] * instance.task_pieces)
    columns = (
        instance.job_release,
        instance.job_reveal,
        instance.job_due,
        instance.job_deadline,
        instance.job_weight,
        work,
    )
    return np.stack(columns, axis=1).reshape(-1, 6)


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
        ("renewable resources", instance.resources is not None),
        ("stages that open when their parents are dispatched (opens)", instance.opens is not Opens.FINISHED),
        ("agents that retire early (retire)", instance.retire),
    ):
        if present:
            raise UnsupportedError(f"the simulator does not support {feature} yet; instance '{instance.name}' uses it")


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


def _unit(instance: Instance, matrix: IntArray) -> float:
    """Mean duration of a pair plus mean changeover, at least one time unit."""
    duration = float(instance.eligible_duration.mean()) if len(instance.eligible_duration) else 0.0
    return max(duration + float(matrix.mean()), 1.0)


def new_state(problem: Problem) -> State:
    """The empty schedule at time 0."""
    num_agents, num_tasks = problem.durations.shape[1], problem.durations.shape[0]
    state = State(
        clock=np.zeros(5, np.int64),
        agents=np.zeros((num_agents, 6), np.int64),
        tasks=np.zeros((num_tasks, 4), np.int64),
        jobs=np.zeros((len(problem.jobs), 3), np.int64),
        open=np.zeros(num_tasks, np.int64),
        queue=np.zeros((len(problem.pairs), 4), np.int64),
        pair_slot=np.zeros(len(problem.pairs), np.int64),
        rows=np.zeros((int(problem.tasks[:, PIECES].sum()), 6), np.int64),
    )
    from problems.simulator.engine import reset

    reset(problem, state)
    return state
