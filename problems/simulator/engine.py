"""The engine: clock, commitments, and who is asked. It knows no family by name."""

from __future__ import annotations

from problems.instance import IntArray
from problems.simulator.arrays import (
    AVAILABLE,
    COMPLETION,
    DUE,
    FREE,
    HAS_CHANGEOVER,
    HAS_RESOURCES,
    JOB,
    JOB_WORK,
    LAST,
    LEFT,
    LENGTH,
    LOAD,
    LOCAL,
    LONGEST_ROUTE,
    MAKESPAN,
    MEAN_FLOW,
    NONE,
    NOW,
    NUM_OPEN,
    NUM_PREDS,
    NUM_REVEALED,
    NUM_ROWS,
    NUM_USES,
    NUM_WAITED,
    OBJECTIVE,
    OPEN_SLOT,
    PAIR_AGENT,
    PAIR_HI,
    PAIR_LO,
    PAIR_TIME,
    PIECES,
    PIECES_LEFT,
    PREDS_LEFT,
    QUEUE_PAIR,
    QUEUE_READY,
    QUEUE_TASK,
    QUEUED,
    READY,
    RELEASE,
    REVEAL,
    ROW_AGENT,
    ROW_CHANGEOVER_END,
    ROW_CHANGEOVER_START,
    ROW_END,
    ROW_OPERATOR,
    ROW_START,
    ROW_TASK,
    SHORTEST,
    SUCC_HI,
    SUCC_LO,
    TASK_HI,
    TASK_LO,
    TASKS_LEFT,
    TOTAL_COMPLETION,
    WAITED,
    WEIGHT,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.changeover import changeover_time, return_time
from problems.simulator.switches.duration import duration_of
from problems.simulator.switches.placement import placement, record_uses

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
        state.agents[agent, QUEUED] = 0
    for job in range(len(state.jobs)):
        state.jobs[job, LEFT] = 0
        state.jobs[job, COMPLETION] = problem.jobs[job, RELEASE]
        state.jobs[job, WORK_LEFT] = problem.jobs[job, JOB_WORK]
        state.jobs[job, LOCAL] = 0
    for task in range(len(state.tasks)):
        state.tasks[task, PIECES_LEFT] = problem.tasks[task, PIECES]
        state.tasks[task, PREDS_LEFT] = problem.tasks[task, NUM_PREDS]
        state.tasks[task, READY] = problem.jobs[problem.tasks[task, JOB], RELEASE]
        state.tasks[task, OPEN_SLOT] = NONE
        state.jobs[problem.tasks[task, JOB], LEFT] += 1
    advance(problem, state, 0)


@jit
def advance(problem: Problem, state: State, time: int) -> None:
    """Move the clock to ``time``: jobs whose reveal has come are known from now on."""
    state.clock[NOW] = time
    while state.clock[NUM_REVEALED] < len(problem.reveals):
        job = problem.reveals[state.clock[NUM_REVEALED]]
        if problem.jobs[job, REVEAL] > time:
            return
        state.clock[NUM_REVEALED] += 1
        for slot in range(problem.jobs[job, TASK_LO], problem.jobs[job, TASK_HI]):
            task = problem.job_tasks[slot]
            _share_load(problem, state, task, problem.tasks[task, PIECES])
            if problem.tasks[task, NUM_PREDS] == 0:
                _open(problem, state, task)


@jit
def copy_state(source: State, target: State) -> None:
    """Make ``target`` equal to ``source``, both of the same problem."""
    for number in range(len(source.clock)):
        target.clock[number] = source.clock[number]
    for slot in range(source.clock[NUM_OPEN]):
        target.open[slot] = source.open[slot]
    _copy_rows(source.agents, target.agents, len(source.agents))
    _copy_rows(source.tasks, target.tasks, len(source.tasks))
    _copy_rows(source.jobs, target.jobs, len(source.jobs))
    _copy_rows(source.queue, target.queue, len(source.queue))
    for pair in range(len(source.pair_slot)):
        target.pair_slot[pair] = source.pair_slot[pair]
    _copy_rows(source.uses, target.uses, source.clock[NUM_USES])
    _copy_rows(source.rows, target.rows, source.clock[NUM_ROWS])


@jit
def _copy_rows(source: IntArray, target: IntArray, count: int) -> None:
    for row in range(count):
        for column in range(source.shape[1]):
            target[row, column] = source[row, column]


@inlined
def _share_load(problem: Problem, state: State, task: int, pieces: int) -> None:
    """Add the work of some pieces of ``task`` to its eligible agents, in equal shares."""
    low, high = problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]
    for pair in range(low, high):
        state.agents[problem.pairs[pair, PAIR_AGENT], LOAD] += pieces * (problem.pairs[pair, PAIR_TIME] // (high - low))


@inlined
def _open(problem: Problem, state: State, task: int) -> None:
    """Put ``task`` on the list of open tasks and into the queue of each eligible agent."""
    state.open[state.clock[NUM_OPEN]] = task
    state.tasks[task, OPEN_SLOT] = state.clock[NUM_OPEN]
    state.clock[NUM_OPEN] += 1
    for pair in range(problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]):
        agent = problem.pairs[pair, PAIR_AGENT]
        slot = problem.agent_ptr[agent] + state.agents[agent, QUEUED]
        state.queue[slot, QUEUE_TASK] = task
        state.queue[slot, QUEUE_READY] = state.tasks[task, READY]
        state.queue[slot, QUEUE_PAIR] = pair
        state.pair_slot[pair] = slot
        state.agents[agent, QUEUED] += 1


@inlined
def _close(problem: Problem, state: State, task: int) -> None:
    """Take ``task`` off the list and the queues; the last entry of each fills the gap."""
    state.clock[NUM_OPEN] -= 1
    moved = state.open[state.clock[NUM_OPEN]]
    state.open[state.tasks[task, OPEN_SLOT]] = moved
    state.tasks[moved, OPEN_SLOT] = state.tasks[task, OPEN_SLOT]
    state.tasks[task, OPEN_SLOT] = NONE
    for pair in range(problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]):
        agent = problem.pairs[pair, PAIR_AGENT]
        state.agents[agent, QUEUED] -= 1
        slot, last = state.pair_slot[pair], problem.agent_ptr[agent] + state.agents[agent, QUEUED]
        for column in range(3):
            state.queue[slot, column] = state.queue[last, column]
        state.pair_slot[state.queue[slot, QUEUE_PAIR]] = slot


@jit
def legality(problem: Problem, state: State, agent: int, task: int) -> int:
    """Why ``agent`` may not commit to ``task`` now, or ``LEGAL``."""
    if not 0 <= agent < len(state.agents):
        return UNKNOWN_AGENT
    if not 0 <= task < len(state.tasks):
        return UNKNOWN_TASK
    if problem.durations[task, agent] < 0:
        return NOT_ELIGIBLE
    if problem.jobs[problem.tasks[task, JOB], REVEAL] > state.clock[NOW]:
        return NOT_REVEALED
    if state.tasks[task, OPEN_SLOT] == NONE:
        return NOT_OPEN
    return LEGAL


@jit
def wait(state: State, agent: int) -> None:
    """Let ``agent`` be asked again after the next commitment at this instant, or at the next event."""
    if state.agents[agent, WAITED] == 0:
        state.agents[agent, WAITED] = 1
        state.clock[NUM_WAITED] += 1


@inlined
def forget_waits(state: State) -> None:
    """Something has changed: whoever waited is asked again."""
    if state.clock[NUM_WAITED] > 0:
        state.agents[:, WAITED] = 0
        state.clock[NUM_WAITED] = 0


@jit
def commit(problem: Problem, state: State, agent: int, task: int) -> None:
    """Append one piece of ``task`` to the sequence of ``agent``, as early as earlier commitments allow.

    The caller has made sure that it is legal. This is the only function that changes a schedule.
    """
    time = changeover_time(problem, state, agent, task)
    begin, start, operator = placement(problem, state, agent, task, state.tasks[task, READY], time)
    end = start + duration_of(problem, agent, task)
    if problem.flags[HAS_RESOURCES]:
        record_uses(problem, state, agent, task, begin, begin + time, start, end, operator)
    row = state.clock[NUM_ROWS]
    state.rows[row, ROW_OPERATOR] = operator
    state.rows[row, ROW_TASK], state.rows[row, ROW_AGENT] = task, agent
    state.rows[row, ROW_START], state.rows[row, ROW_END] = start, end
    state.rows[row, ROW_CHANGEOVER_START], state.rows[row, ROW_CHANGEOVER_END] = begin, begin + time
    state.clock[NUM_ROWS] = row + 1
    job = problem.tasks[task, JOB]
    last = state.agents[agent, LAST]
    if last != NONE:
        state.jobs[problem.tasks[last, JOB], LOCAL] -= 1
    state.jobs[job, LOCAL] += 1
    state.agents[agent, FREE] = end
    state.agents[agent, LAST] = task
    state.agents[agent, LENGTH] += time
    forget_waits(state)
    state.jobs[job, WORK_LEFT] -= problem.tasks[task, SHORTEST]
    state.jobs[job, COMPLETION] = max(state.jobs[job, COMPLETION], end)
    _share_load(problem, state, task, -1)
    state.tasks[task, PIECES_LEFT] -= 1
    for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
        after = problem.successors[slot]
        state.tasks[after, READY] = max(state.tasks[after, READY], end)
    if state.tasks[task, PIECES_LEFT] == 0:
        _finish(problem, state, task)


@inlined
def _finish(problem: Problem, state: State, task: int) -> None:
    """All pieces of ``task`` are committed: successors may open."""
    _close(problem, state, task)
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
        for job in range(len(state.jobs)):
            value = max(value, state.jobs[job, COMPLETION])
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
