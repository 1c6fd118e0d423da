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
JOB, PIECES, PLACE, PAIR_LO, PAIR_HI, SUCC_LO, SUCC_HI, NUM_PREDS, SHORTEST, TAIL, TAIL_TASKS = range(11)
# Problem.pairs
PAIR_AGENT, PAIR_TIME = 0, 1
# Problem.flags
OBJECTIVE, HAS_CHANGEOVER, NEEDS_TASK, RETURNS, MOVING_DELAY = range(5)

# State.clock
NOW, NUM_ROWS, NUM_OPEN, TASKS_LEFT = range(4)
# State.agents
FREE, LAST, WAITED, LENGTH, LOAD = range(5)
# State.tasks
PIECES_LEFT, PREDS_LEFT, READY, OPEN_SLOT = range(4)
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
    tasks : int64 [T, 11]
        Job, pieces, changeover state, range of eligible pairs, range of successors, number of predecessors,
        shortest duration, longest shortest-work path after the task, number of tasks on that path.
    pairs : int64 [E, 2]
        Eligible agent and duration.
    durations : int64 [T, A]
        The same as a matrix, -1 where not eligible.
    successors : int64 [P]
    changeover : int64 [K, S, S]
        A single 0 where there is none.
    flags : int64 [5]
        Objective, has changeover, changeover needs its task, agents return, moving delay.
    unit : float64 [1]
        Mean duration plus changeover of a task: the length that features are measured in.
    """

    agents: IntArray
    jobs: IntArray
    tasks: IntArray
    pairs: IntArray
    durations: IntArray
    successors: IntArray
    changeover: IntArray
    flags: IntArray
    unit: FloatArray


class State(NamedTuple):
    """A partial schedule.

    Attributes
    ----------
    clock : int64 [4]
        The present instant, rows written, open tasks, tasks with pieces left.
    agents : int64 [A, 5]
        End of the last commitment, last task, whether it waited since the last change, route length,
        work of open and future tasks it may get.
    tasks : int64 [T, 4]
        Pieces left, predecessors not committed, ready time, slot in ``open`` (-1: not open).
    jobs : int64 [J, 3]
        Tasks left, latest committed end, shortest work left.
    open : int64 [T]
        Tasks whose predecessors are committed and that have pieces left, in no particular order.
    rows : int64 [N, 6]
        Task, agent, start, end, changeover start and end of each commitment.
    """

    clock: IntArray
    agents: IntArray
    tasks: IntArray
    jobs: IntArray
    open: IntArray
    rows: IntArray


def compile_problem(instance: Instance) -> Problem:
    """Arrays of ``instance`` for the compiled simulator.

    Raises
    ------
    UnsupportedError
        If the instance has a feature that the simulator does not know.
    """
    _refuse(instance)
    successor_ptr, successor_task = instance.successors
    tasks = np.zeros((instance.num_tasks, 11), np.int64)
    tasks[:, JOB] = instance.task_job
    tasks[:, PIECES] = instance.task_pieces
    tasks[:, PAIR_LO], tasks[:, PAIR_HI] = instance.eligible_ptr[:-1], instance.eligible_ptr[1:]
    tasks[:, SUCC_LO], tasks[:, SUCC_HI] = successor_ptr[:-1], successor_ptr[1:]
    tasks[:, NUM_PREDS] = np.diff(instance.predecessor_ptr)
    agents = np.zeros((instance.num_agents, 3), np.int64)
    agents[:, AVAILABLE], agents[:, HOME] = instance.agent_available, NO_STATE
    flags = np.zeros(5, np.int64)
    flags[OBJECTIVE] = OBJECTIVES.index(instance.objective)
    flags[MOVING_DELAY] = instance.moving_delay
    matrix = np.zeros((1, 1, 1), np.int64)
    changeover = instance.changeover
    if changeover is not None:
        tasks[:, PLACE] = changeover.task_state
        agents[:, MATRIX], agents[:, HOME] = changeover.agent_matrix, changeover.agent_home
        flags[HAS_CHANGEOVER] = 1
        flags[NEEDS_TASK], flags[RETURNS] = changeover.needs_task, changeover.returns
        matrix = np.ascontiguousarray(changeover.times)
    if instance.num_tasks:
        tasks[:, SHORTEST] = np.minimum.reduceat(instance.eligible_duration, instance.eligible_ptr[:-1])
    _fill_tails(instance, tasks)
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
    return Problem(
        agents=agents,
        jobs=np.stack(columns, axis=1).reshape(-1, 6),
        tasks=tasks,
        pairs=np.stack([instance.eligible_agent, instance.eligible_duration], axis=1),
        durations=instance.durations.copy(),
        successors=successor_task.copy(),
        changeover=matrix.copy(),
        flags=flags,
        unit=np.array([_unit(instance, matrix)]),
    )


def _refuse(instance: Instance) -> None:
    for feature, present in (
        ("random durations by wave (waves)", instance.waves is not None),
        ("renewable resources", instance.resources is not None),
        ("stages that open when their parents are dispatched (opens)", instance.opens is not Opens.FINISHED),
        ("agents that retire early (retire)", instance.retire),
    ):
        if present:
            raise UnsupportedError(f"the simulator does not support {feature} yet; instance '{instance.name}' uses it")


def _fill_tails(instance: Instance, tasks: IntArray) -> None:
    """Longest path of shortest work after each task, and its number of tasks, in reverse topological order."""
    waiting = tasks[:, SUCC_HI] - tasks[:, SUCC_LO]
    stack = [int(task) for task in np.flatnonzero(waiting == 0)]
    while stack:
        task = stack.pop()
        path = tasks[task, TAIL] + tasks[task, SHORTEST]
        for before in instance.predecessors(task):
            if path >= tasks[before, TAIL]:
                tasks[before, TAIL], tasks[before, TAIL_TASKS] = path, tasks[task, TAIL_TASKS] + 1
            waiting[before] -= 1
            if waiting[before] == 0:
                stack.append(int(before))


def _unit(instance: Instance, matrix: IntArray) -> float:
    duration = float(instance.eligible_duration.mean()) if len(instance.eligible_duration) else 0.0
    return max(duration + float(matrix.mean()), 1e-9) or 1.0


def new_state(problem: Problem) -> State:
    """The empty schedule at time 0."""
    num_agents, num_tasks = problem.durations.shape[1], problem.durations.shape[0]
    state = State(
        clock=np.zeros(4, np.int64),
        agents=np.zeros((num_agents, 5), np.int64),
        tasks=np.zeros((num_tasks, 4), np.int64),
        jobs=np.zeros((len(problem.jobs), 3), np.int64),
        open=np.zeros(num_tasks, np.int64),
        rows=np.zeros((int(problem.tasks[:, PIECES].sum()), 6), np.int64),
    )
    from problems.simulator.engine import reset

    reset(problem, state)
    return state
