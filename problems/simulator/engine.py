"""The engine: clock, commitments, and who is asked. It knows no family by name."""

from __future__ import annotations

from problems.instance import IntArray
from problems.simulator.arrays import (
    AVAILABLE,
    COMPLETION,
    DUE,
    FREE,
    HAS_CHANGEOVER,
    JOB,
    JOB_WORK,
    LAST,
    LEFT,
    LENGTH,
    LOAD,
    LONGEST_ROUTE,
    MAKESPAN,
    MEAN_FLOW,
    NONE,
    NOW,
    NUM_OPEN,
    NUM_PREDS,
    NUM_ROWS,
    OBJECTIVE,
    OPEN_HI,
    OPEN_LO,
    OPEN_READY,
    OPEN_REVEAL,
    OPEN_SLOT,
    OPEN_TASK,
    PAIR_AGENT,
    PAIR_HI,
    PAIR_LO,
    PAIR_TIME,
    PIECES,
    PIECES_LEFT,
    PREDS_LEFT,
    READY,
    RELEASE,
    REVEAL,
    ROW_AGENT,
    ROW_CHANGEOVER_END,
    ROW_CHANGEOVER_START,
    ROW_END,
    ROW_START,
    ROW_TASK,
    SHORTEST,
    SUCC_HI,
    SUCC_LO,
    TASKS_LEFT,
    TOTAL_COMPLETION,
    WAITED,
    WEIGHT,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.jit import jit
from problems.simulator.switches.changeover import changeover_time, return_time
from problems.simulator.switches.earliest import earliest

LEGAL, UNKNOWN_AGENT, UNKNOWN_TASK, NOT_ELIGIBLE, NOT_OPEN, NOT_REVEALED = range(6)


@jit
def reset(problem: Problem, state: State) -> None:
    """Bring ``state`` back to the empty schedule at time 0."""
    state.clock[:] = 0
    state.clock[TASKS_LEFT] = len(state.tasks)
    for agent in range(len(state.agents)):
        state.agents[agent, FREE] = problem.agents[agent, AVAILABLE]
        state.agents[agent, LAST] = NONE
        state.agents[agent, WAITED] = 0
        state.agents[agent, LENGTH] = 0
        state.agents[agent, LOAD] = 0
    for job in range(len(state.jobs)):
        state.jobs[job, LEFT] = 0
        state.jobs[job, COMPLETION] = problem.jobs[job, RELEASE]
        state.jobs[job, WORK_LEFT] = problem.jobs[job, JOB_WORK]
    for task in range(len(state.tasks)):
        state.tasks[task, PIECES_LEFT] = problem.tasks[task, PIECES]
        state.tasks[task, PREDS_LEFT] = problem.tasks[task, NUM_PREDS]
        state.tasks[task, READY] = problem.jobs[problem.tasks[task, JOB], RELEASE]
        state.tasks[task, OPEN_SLOT] = NONE
        state.jobs[problem.tasks[task, JOB], LEFT] += 1
        _share_load(problem, state, task, problem.tasks[task, PIECES])
        if problem.tasks[task, NUM_PREDS] == 0:
            _open(problem, state, task)


@jit
def copy_state(source: State, target: State) -> None:
    """Make ``target`` equal to ``source``, both of the same problem."""
    for number in range(len(source.clock)):
        target.clock[number] = source.clock[number]
    _copy_rows(source.open, target.open, source.clock[NUM_OPEN])
    _copy_rows(source.agents, target.agents, len(source.agents))
    _copy_rows(source.tasks, target.tasks, len(source.tasks))
    _copy_rows(source.jobs, target.jobs, len(source.jobs))
    _copy_rows(source.rows, target.rows, source.clock[NUM_ROWS])


@jit
def _copy_rows(source: IntArray, target: IntArray, count: int) -> None:
    for row in range(count):
        for column in range(source.shape[1]):
            target[row, column] = source[row, column]


@jit
def _share_load(problem: Problem, state: State, task: int, pieces: int) -> None:
    """Add the work of some pieces of ``task`` to its eligible agents, in equal shares."""
    low, high = problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]
    for pair in range(low, high):
        state.agents[problem.pairs[pair, PAIR_AGENT], LOAD] += pieces * (problem.pairs[pair, PAIR_TIME] // (high - low))


@jit
def _open(problem: Problem, state: State, task: int) -> None:
    slot = state.clock[NUM_OPEN]
    state.open[slot, OPEN_TASK] = task
    state.open[slot, OPEN_READY] = state.tasks[task, READY]
    state.open[slot, OPEN_REVEAL] = problem.jobs[problem.tasks[task, JOB], REVEAL]
    state.open[slot, OPEN_LO] = problem.tasks[task, PAIR_LO]
    state.open[slot, OPEN_HI] = problem.tasks[task, PAIR_HI]
    state.tasks[task, OPEN_SLOT] = slot
    state.clock[NUM_OPEN] = slot + 1


@jit
def _close(state: State, task: int) -> None:
    slot, last = state.tasks[task, OPEN_SLOT], state.clock[NUM_OPEN] - 1
    for column in range(5):
        state.open[slot, column] = state.open[last, column]
    state.tasks[state.open[slot, OPEN_TASK], OPEN_SLOT] = slot
    state.tasks[task, OPEN_SLOT] = NONE
    state.clock[NUM_OPEN] = last


@jit
def legality(problem: Problem, state: State, agent: int, task: int) -> int:
    """Why ``agent`` may not commit to ``task`` now, or ``LEGAL``."""
    if not 0 <= agent < len(state.agents):
        return UNKNOWN_AGENT
    if not 0 <= task < len(state.tasks):
        return UNKNOWN_TASK
    if problem.durations[task, agent] < 0:
        return NOT_ELIGIBLE
    if state.tasks[task, OPEN_SLOT] == NONE:
        return NOT_OPEN
    if problem.jobs[problem.tasks[task, JOB], REVEAL] > state.clock[NOW]:
        return NOT_REVEALED
    return LEGAL


@jit
def commit(problem: Problem, state: State, agent: int, task: int) -> None:
    """Append one piece of ``task`` to the sequence of ``agent``, as early as earlier commitments allow.

    The caller has made sure that it is legal. This is the only function that changes a schedule.
    """
    begin, start, end = earliest(problem, state, agent, task)
    time = changeover_time(problem, state, agent, task)
    if time == 0:
        begin = start
    row = state.clock[NUM_ROWS]
    state.rows[row, ROW_TASK], state.rows[row, ROW_AGENT] = task, agent
    state.rows[row, ROW_START], state.rows[row, ROW_END] = start, end
    state.rows[row, ROW_CHANGEOVER_START], state.rows[row, ROW_CHANGEOVER_END] = begin, begin + time
    state.clock[NUM_ROWS] = row + 1
    state.agents[agent, FREE] = end
    state.agents[agent, LAST] = task
    state.agents[agent, LENGTH] += time
    state.agents[:, WAITED] = 0
    job = problem.tasks[task, JOB]
    state.jobs[job, WORK_LEFT] -= problem.tasks[task, SHORTEST]
    state.jobs[job, COMPLETION] = max(state.jobs[job, COMPLETION], end)
    _share_load(problem, state, task, -1)
    state.tasks[task, PIECES_LEFT] -= 1
    for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
        after = problem.successors[slot]
        state.tasks[after, READY] = max(state.tasks[after, READY], end)
    if state.tasks[task, PIECES_LEFT] == 0:
        _finish(problem, state, task)


@jit
def _finish(problem: Problem, state: State, task: int) -> None:
    """All pieces of ``task`` are committed: successors may open."""
    _close(state, task)
    state.clock[TASKS_LEFT] -= 1
    state.jobs[problem.tasks[task, JOB], LEFT] -= 1
    for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
        after = problem.successors[slot]
        state.tasks[after, PREDS_LEFT] -= 1
        if state.tasks[after, PREDS_LEFT] == 0:
            _open(problem, state, after)


@jit
def objective_value(problem: Problem, state: State) -> int:
    """Objective of the commitments so far, in integer time (a sum over jobs where the objective is a mean)."""
    kind = problem.flags[OBJECTIVE]
    value = 0
    if kind == MAKESPAN:
        for agent in range(len(state.agents)):
            if state.agents[agent, LAST] != NONE:
                home = return_time(problem, agent, state.agents[agent, LAST]) if problem.flags[HAS_CHANGEOVER] else 0
                value = max(value, state.agents[agent, FREE] + home)
        return value
    if kind == LONGEST_ROUTE:
        for agent in range(len(state.agents)):
            last = state.agents[agent, LAST]
            value = max(value, state.agents[agent, LENGTH] + return_time(problem, agent, last))
        return value
    for job in range(len(state.jobs)):
        end, weight = state.jobs[job, COMPLETION], problem.jobs[job, WEIGHT]
        if kind == MEAN_FLOW:
            value += end - problem.jobs[job, RELEASE]
        elif kind == TOTAL_COMPLETION:
            value += weight * end
        elif problem.jobs[job, DUE] != NONE:
            value += weight * max(0, end - problem.jobs[job, DUE])
    return value
