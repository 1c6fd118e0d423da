"""Rules that choose a job first and then one of its stages: for agents that are alike and share jobs.

Notation for a candidate stage s of job j: T total work of j, R its work not yet begun, n executors of j (or on their
way to it), the agent that is asked not counted. Of two stages of a job the one that can start now goes first, then
under ``sjf-cp`` the one on the longer path, else the one with the smaller number, as in the public simulator's own
heuristics. Of two jobs that look the same the one that arrived first goes first.

``fifo``           the job that arrived first
``sjf``            smallest R
``sjf-cp``         smallest T
``weighted-fair``  the agent's own job while it has candidates; else smallest n / T^alpha, then largest T^alpha, so that
                   executors are shared in proportion to T^alpha (alpha = 0: fair, alpha = 1: naive)
``tetris``         smallest R / mean R - a / mean a, where a = min(pieces of s not begun, agents free now): packing and
                   shortest work, after R. Grandl et al. (SIGCOMM 2014, doi:10.1145/2619239.2626334), for one resource

The baselines of arXiv 1810.01963, section 7.1.
"""

from __future__ import annotations

import numpy as np

from problems.instance import FloatArray
from problems.simulator.arrays import (
    BOUND,
    FREE,
    JOB,
    JOB_WORK,
    NOW,
    PIECES_LEFT,
    PREDS_UNENDED,
    RANK,
    READY,
    ROUND_LEFT,
    SERVES_STAGE,
    SHORTEST,
    TAIL,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.candidates import AGENT, END, TASK, Candidates
from problems.simulator.jit import inlined, jit
from problems.simulator.random import gumbel
from problems.simulator.switches.service import demand, other_executors
from solvers.kinds import FIFO, SJF, SJF_CP, TETRIS

NO_EXECUTOR = 1e-6
"""Stands in the place of n = 0: of jobs without executors the one with the largest share goes first."""

SMALLEST_VALUE = 1e-300
"""Values below this are taken as this in logarithms."""

MOST_FIT = 1e3
"""More than any fit over the mean fit: keeps the values of ``tetris`` positive."""


@jit
def choose_by_job(
    problem: Problem,
    state: State,
    found: Candidates,
    count: int,
    kind: int,
    parameters: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> int:
    """Row of the candidate whose job, then whose stage, goes first; noise as in `solvers.priority.choose`."""
    best, best_value = 0, np.inf
    mean_left, mean_fit = _tetris_means(problem, state, found, count) if kind == TETRIS else (1.0, 1.0)
    for row in range(count):
        value = _job_value(problem, state, found, row, kind, parameters, mean_left, mean_fit)
        if temperature > 0.0:
            value = np.log(max(value, SMALLEST_VALUE)) - temperature * gumbel(stream)
        if value < best_value or (value == best_value and _goes_first(problem, state, found, row, best, kind)):
            best, best_value = row, value
    return best


@inlined
def _job_value(
    problem: Problem,
    state: State,
    found: Candidates,
    row: int,
    kind: int,
    parameters: FloatArray,
    mean_left: float,
    mean_fit: float,
) -> float:
    """How far behind others the job of a candidate is; for ``TETRIS``, the stage."""
    task, agent = found.table[row, TASK], found.table[row, AGENT]
    job = problem.tasks[task, JOB]
    if kind == FIFO:
        return problem.jobs[job, RANK] + 1.0
    if kind == SJF:
        return float(state.jobs[job, WORK_LEFT])
    if kind == SJF_CP:
        return float(problem.jobs[job, JOB_WORK])
    if kind == TETRIS:
        fit = _fit(problem, state, task)
        return state.jobs[job, WORK_LEFT] / mean_left + MOST_FIT - fit / mean_fit
    if state.agents[agent, BOUND] == job:
        return 0.0
    share = max(float(problem.jobs[job, JOB_WORK]), 1.0) ** parameters[0]
    return max(float(other_executors(problem, state, agent, job)), NO_EXECUTOR) / share


@inlined
def _goes_first(problem: Problem, state: State, found: Candidates, row: int, other: int, kind: int) -> bool:
    """Whether a candidate goes before another one whose job looks as good."""
    task, rival = found.table[row, TASK], found.table[other, TASK]
    job, rival_job = problem.tasks[task, JOB], problem.tasks[rival, JOB]
    if job != rival_job:
        return bool(problem.jobs[job, RANK] < problem.jobs[rival_job, RANK])
    can_start, rival_can = _can_start(problem, state, task), _can_start(problem, state, rival)
    if can_start != rival_can:
        return can_start
    path = problem.tasks[task, TAIL] + problem.tasks[task, SHORTEST]
    rival_path = problem.tasks[rival, TAIL] + problem.tasks[rival, SHORTEST]
    if kind == SJF_CP and path != rival_path:
        return bool(path > rival_path)
    if task != rival:
        return task < rival
    return found.table[row, END] < found.table[other, END]


@inlined
def _can_start(problem: Problem, state: State, task: int) -> bool:
    """Whether the predecessors of ``task`` have ended."""
    if problem.flags[SERVES_STAGE]:
        return state.stages[task, PREDS_UNENDED] == 0
    return state.tasks[task, READY] <= state.clock[NOW]


@jit
def _tetris_means(problem: Problem, state: State, found: Candidates, count: int) -> tuple[float, float]:
    """Mean work left and mean fit of the candidates."""
    left, fit = 0.0, 0.0
    for row in range(count):
        task = found.table[row, TASK]
        left += state.jobs[problem.tasks[task, JOB], WORK_LEFT]
        fit += _fit(problem, state, task)
    return max(left / count, 1.0), max(fit / count, 1.0)


@inlined
def _fit(problem: Problem, state: State, task: int) -> float:
    """Agents that are free now and that ``task`` can use."""
    if problem.flags[SERVES_STAGE]:
        return float(min(demand(state, task), state.clock[ROUND_LEFT]))
    free = 0
    for agent in range(len(state.agents)):
        free += state.agents[agent, FREE] <= state.clock[NOW]
    return float(min(state.tasks[task, PIECES_LEFT], free))
