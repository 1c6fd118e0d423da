"""What a commitment changes, and what becomes known as time goes on: the core under the engine."""

from __future__ import annotations

from problems.simulator.arrays import (
    BOUND,
    COMPLETION,
    ENDS,
    FREE,
    HAS_WAVES,
    IS_BELIEF,
    JOB,
    LAST,
    LEFT,
    LENGTH,
    LOAD,
    LOCAL,
    NONE,
    NOW,
    NUM_OPEN,
    NUM_PREDS,
    NUM_REVEALED,
    NUM_ROWS,
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
    REVEAL,
    RIPE,
    ROW_AGENT,
    ROW_CHANGEOVER_END,
    ROW_CHANGEOVER_START,
    ROW_END,
    ROW_OPERATOR,
    ROW_START,
    ROW_TASK,
    RUNS,
    SHORTEST,
    SUCC_HI,
    SUCC_LO,
    TASK_HI,
    TASK_LO,
    TASKS_LEFT,
    UNTIL,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.duration import duration_of, realised_duration


@jit
def advance(problem: Problem, state: State, time: int) -> None:
    """Move the clock to ``time``: jobs whose reveal has come are known from now on, and so are pieces that ended."""
    state.clock[NOW] = time
    if problem.flags[HAS_WAVES]:
        for agent in range(len(state.agents)):
            if state.agents[agent, RUNS]:
                _look_at_piece(problem, state, agent)
    while problem.flags[IS_BELIEF] == 0 and state.clock[NUM_REVEALED] < len(problem.reveals):
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
def _look_at_piece(problem: Problem, state: State, agent: int) -> None:
    """See whether the piece that ``agent`` works on has ended; one that takes longer than expected ends soon."""
    now, task = state.clock[NOW], state.agents[agent, LAST]
    has_ended = state.agents[agent, UNTIL] <= now
    if has_ended:
        state.agents[agent, RUNS], state.agents[agent, FREE] = 0, state.agents[agent, UNTIL]
        job = problem.tasks[task, JOB]
        if state.jobs[job, ENDS] <= now:
            state.jobs[job, COMPLETION] = state.jobs[job, ENDS]
    elif state.agents[agent, FREE] > now:
        return
    else:
        state.agents[agent, FREE] = now + 1
    for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
        after = problem.successors[slot]
        if state.tasks[after, RIPE] <= now:
            state.tasks[after, READY] = state.tasks[after, RIPE]
        else:
            state.tasks[after, READY] = max(state.tasks[after, READY], now + 1)


@inlined
def append(
    problem: Problem, state: State, agent: int, task: int, begin: int, changed: int, start: int, operator: int
) -> None:
    """Let ``agent`` do one piece of ``task`` from ``start`` on, after a changeover from ``begin`` to ``changed``."""
    expected = start + duration_of(problem, state, agent, task)
    end = expected
    if problem.flags[HAS_WAVES]:
        end = start + realised_duration(problem, state, agent, task)
    row = state.clock[NUM_ROWS]
    state.rows[row, ROW_OPERATOR] = operator
    state.rows[row, ROW_TASK], state.rows[row, ROW_AGENT] = task, agent
    state.rows[row, ROW_START], state.rows[row, ROW_END] = start, end
    state.rows[row, ROW_CHANGEOVER_START], state.rows[row, ROW_CHANGEOVER_END] = begin, changed
    state.clock[NUM_ROWS] = row + 1
    job = problem.tasks[task, JOB]
    bind(state, agent, job)
    state.agents[agent, FREE], state.agents[agent, UNTIL], state.agents[agent, RUNS] = expected, end, 1
    state.agents[agent, LAST] = task
    state.agents[agent, LENGTH] += changed - begin
    state.jobs[job, WORK_LEFT] -= problem.tasks[task, SHORTEST]
    state.jobs[job, COMPLETION] = max(state.jobs[job, COMPLETION], expected)
    state.jobs[job, ENDS] = max(state.jobs[job, ENDS], end)
    _share_load(problem, state, task, -1)
    state.tasks[task, PIECES_LEFT] -= 1
    for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
        after = problem.successors[slot]
        state.tasks[after, READY] = max(state.tasks[after, READY], expected)
        state.tasks[after, RIPE] = max(state.tasks[after, RIPE], end)
    if state.tasks[task, PIECES_LEFT] == 0:
        _finish(problem, state, task)


@inlined
def bind(state: State, agent: int, job: int) -> None:
    """Make ``agent`` local to ``job`` (-1: to none)."""
    if state.agents[agent, BOUND] != NONE:
        state.jobs[state.agents[agent, BOUND], LOCAL] -= 1
    if job != NONE:
        state.jobs[job, LOCAL] += 1
    state.agents[agent, BOUND] = job


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
