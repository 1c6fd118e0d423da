"""How long an agent needs to get ready for a task, and to get home."""

from __future__ import annotations

from problems.simulator.arrays import (
    HAS_CHANGEOVER,
    HOME,
    JOB,
    LAST,
    MATRIX,
    MOVING_DELAY,
    NONE,
    PLACE,
    RETURNS,
    Problem,
    State,
)
from problems.simulator.jit import inlined


@inlined
def place_of(problem: Problem, state: State, agent: int) -> int:
    """Changeover state the agent is in (its home before its first task; -1 where it has none)."""
    last = state.agents[agent, LAST]
    if last == NONE:
        return problem.agents[agent, HOME]
    return problem.tasks[last, PLACE]


@inlined
def changeover_time(problem: Problem, state: State, agent: int, task: int) -> int:
    """Time that ``agent`` needs before ``task``: travel or setup, and a move when the job changes."""
    time = 0
    if problem.flags[MOVING_DELAY] > 0:
        last = state.agents[agent, LAST]
        if last == NONE or problem.tasks[last, JOB] != problem.tasks[task, JOB]:
            time = problem.flags[MOVING_DELAY]
    if problem.flags[HAS_CHANGEOVER] == 0:
        return time
    place = place_of(problem, state, agent)
    if place == NONE:
        return time
    return time + problem.changeover[problem.agents[agent, MATRIX], place, problem.tasks[task, PLACE]]


@inlined
def return_time(problem: Problem, agent: int, task: int) -> int:
    """Time from ``task`` back to the home of ``agent``; 0 where agents do not return or have done nothing."""
    if problem.flags[RETURNS] == 0 or task == NONE:
        return 0
    matrix, home = problem.agents[agent, MATRIX], problem.agents[agent, HOME]
    return problem.changeover[matrix, problem.tasks[task, PLACE], home]
