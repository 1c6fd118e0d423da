"""Episodes that begin as a given schedule does and go on as the priority likes, and episodes that keep given orders.

Many samples of a priority are worth more if they learn from each other: what the best one so far did up to some
decision is kept, and only what follows is drawn anew (a nested search of one level, after Cazenave 2009). Such an
episode also takes half as long as a whole one. Read backwards, the schedule is one of the reversed instance, where
its end is kept and its beginning drawn anew.
"""

from __future__ import annotations

import numpy as np

from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import NONE, NUM_ROWS, ROW_AGENT, ROW_START, ROW_TASK, Problem, State
from problems.simulator.candidates import AGENT, FAR, START, TASK, next_decision
from problems.simulator.engine import commit, copy_state, reset, wait
from problems.simulator.jit import jit
from problems.simulator.random import seed_stream, uniform
from solvers.priority import Priority
from solvers.rollout import Runner, Work, finish, outcome


@jit
def planned_row(table: IntArray, count: int, wanted: IntArray) -> int:
    """Row of the candidate that a plan takes next, if it would start when the plan says; else -1."""
    for row in range(count):
        if table[row, TASK] == wanted[ROW_TASK] and table[row, AGENT] == wanted[ROW_AGENT]:
            return row if table[row, START] == wanted[ROW_START] else NONE
    return NONE


@jit
def follow(problem: Problem, state: State, count: int, row: int, work: Work) -> None:
    """Commit to the candidate in ``row``; all asked agents wait if it is -1."""
    if row == NONE:
        for other in range(count):
            wait(state, work.found.table[other, AGENT])
    else:
        commit(problem, state, work.found.table[row, AGENT], work.found.table[row, TASK])


@jit
def play_rows(problem: Problem, state: State, candidate_filter: int, work: Work, rows: IntArray, count: int) -> int:
    """Play the first ``count`` rows of a finished state (int64 [N, 7]) again; returns how many were possible."""
    reset(problem, state)
    while state.clock[NUM_ROWS] < count:
        candidates = next_decision(problem, state, candidate_filter, work.found)
        if candidates == 0:
            break
        row = planned_row(work.found.table, candidates, rows[state.clock[NUM_ROWS]])
        follow(problem, state, candidates, row, work)
    return state.clock[NUM_ROWS]


@jit
def _play_orders(
    problem: Problem, state: State, candidate_filter: int, work: Work, agent: IntArray, place: IntArray, done: IntArray
) -> int:
    """Play each agent's tasks in their order, as early as that allows; returns the `outcome`.

    ``agent`` and ``place`` (int64 [T]) say who does a task, and after how many others; ``done`` is int64 [A] room.
    """
    reset(problem, state)
    done[:] = 0
    while True:
        candidates = next_decision(problem, state, candidate_filter, work.found)
        if candidates == 0:
            return outcome(problem, state)
        next_row = NONE
        for row in range(candidates):
            task, asked = work.found.table[row, TASK], work.found.table[row, AGENT]
            if agent[task] == asked and place[task] == done[asked]:
                next_row = row
                done[asked] += 1
                break
        follow(problem, state, candidates, next_row, work)


def play_backwards(runner: Runner, priority: Priority, rows: IntArray) -> tuple[int, IntArray]:
    """Play a schedule of the reversed instance from its end: every agent does its tasks in the opposite order.

    Parameters
    ----------
    runner
        Of the problem that the schedule is to be one of.
    priority
        Its candidate filter is kept to.
    rows : int64 [N, 7]
        A finished schedule of the other direction, one row per task.

    Returns
    -------
    value : int
        The objective. Tasks begin as early as the orders allow, so it may be better than that of ``rows``.
    rows : int64 [N, 7]
    """
    agent, place = np.zeros((2, len(rows)), np.int64)
    agent[rows[:, ROW_TASK]] = rows[:, ROW_AGENT]
    room = np.zeros(len(runner.state.agents), np.int64)
    for task, doer in rows[::-1, [ROW_TASK, ROW_AGENT]].tolist():
        place[task] = room[doer]
        room[doer] += 1
    value = _play_orders(runner.problem, runner.state, int(priority.candidate_filter), runner.work, agent, place, room)
    return int(value), rows_of(runner.state)


@jit
def _sample_after(
    problem: Problem,
    state: State,
    best: State,
    candidate_filter: int,
    kind: int,
    parameters: FloatArray,
    work: Work,
    temperature: float,
    rows: IntArray,
    seed: int,
    first: int,
    count: int,
) -> int:
    best_value = FAR
    for number in range(first, first + count):
        seed_stream(work.stream, seed, number)
        play_rows(problem, state, candidate_filter, work, rows, int(uniform(work.stream) * len(rows)))
        value = finish(problem, state, candidate_filter, kind, parameters, work, temperature, FAR)
        if value < best_value:
            best_value = value
            copy_state(state, best)
    return best_value


def sample_after(
    runner: Runner, priority: Priority, rows: IntArray, numbers: range, seed: int = 0, temperature: float = 1.0
) -> int:
    """Best objective of rollouts that keep a beginning of a schedule; ``runner.best`` holds the first best.

    Where each rollout leaves the schedule is drawn evenly.

    Parameters
    ----------
    runner
        Of the problem.
    priority
        Decides from there on.
    rows : int64 [N, 7]
        The schedule, as a finished state tells it; made under the candidate filter of the priority.
    numbers
        Numbers of the rollouts, which tell them apart.
    seed
        Seed of the random numbers.
    temperature
        Size of the noise on scores.
    """
    runner.make_room(priority)
    return int(
        _sample_after(
            runner.problem,
            runner.state,
            runner.best,
            int(priority.candidate_filter),
            int(priority.kind),
            priority.parameters,
            runner.work,
            temperature,
            rows,
            seed,
            numbers.start,
            len(numbers),
        )
    )


def rows_of(state: State) -> IntArray:
    """Copy of the rows written to ``state``, int64 [N, 7]."""
    return np.array(state.rows[: state.clock[NUM_ROWS]])
