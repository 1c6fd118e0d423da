"""The engine: clock, commitments, and who is asked. It knows no family by name."""

from __future__ import annotations

from problems.instance import IntArray
from problems.simulator.arrays import (
    AVAILABLE,
    BOUND,
    CHOSEN,
    COMPLETION,
    DUE,
    ENDS,
    FREE,
    HAS_CHANGEOVER,
    HAS_RESOURCES,
    IS_BELIEF,
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
    NUM_ROWS,
    NUM_USES,
    NUM_WAITED,
    OBJECTIVE,
    OPEN_SLOT,
    PIECES,
    PIECES_LEFT,
    PREDS_LEFT,
    QUEUED,
    READY,
    RELEASE,
    RIPE,
    ROUND,
    ROUND_LEFT,
    RUNS,
    SERVES_STAGE,
    TASKS_LEFT,
    TOTAL_COMPLETION,
    UNTIL,
    WAITED,
    WEIGHT,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit
from problems.simulator.pieces import advance, append
from problems.simulator.rounds import reset_rounds, run_on
from problems.simulator.switches.changeover import changeover_time, return_time
from problems.simulator.switches.duration import duration_of
from problems.simulator.switches.opens import is_revealed, is_ripe
from problems.simulator.switches.placement import placement, record_uses
from problems.simulator.switches.service import asked_agent, demand, executors_of, is_candidate, order, other_executors

LEGAL, UNKNOWN_AGENT, UNKNOWN_TASK, NOT_ELIGIBLE, NOT_OPEN, NOT_REVEALED, NOT_ASKED = range(7)


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
        state.agents[agent, UNTIL], state.agents[agent, BOUND] = state.agents[agent, FREE], NONE
        state.agents[agent, RUNS] = 0
    for job in range(len(state.jobs)):
        state.jobs[job, LEFT] = 0
        state.jobs[job, COMPLETION] = problem.jobs[job, RELEASE]
        state.jobs[job, WORK_LEFT] = problem.jobs[job, JOB_WORK]
        state.jobs[job, LOCAL], state.jobs[job, ENDS] = 0, state.jobs[job, COMPLETION]
    for task in range(len(state.tasks)):
        state.tasks[task, PIECES_LEFT] = problem.tasks[task, PIECES]
        state.tasks[task, PREDS_LEFT] = problem.tasks[task, NUM_PREDS]
        state.tasks[task, READY] = problem.jobs[problem.tasks[task, JOB], RELEASE]
        state.tasks[task, OPEN_SLOT], state.tasks[task, RIPE] = NONE, state.tasks[task, READY]
        state.jobs[problem.tasks[task, JOB], LEFT] += 1
    advance(problem, state, 0)
    if problem.flags[SERVES_STAGE]:
        reset_rounds(problem, state)


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
    _copy_rows(source.servers, target.servers, len(source.servers))
    _copy_rows(source.stages, target.stages, len(source.stages))
    _copy_rows(source.pools, target.pools, len(source.pools))
    _copy_rows(source.rows, target.rows, source.clock[NUM_ROWS])


@jit
def _copy_rows(source: IntArray, target: IntArray, count: int) -> None:
    for row in range(count):
        for column in range(source.shape[1]):
            target[row, column] = source[row, column]


@jit
def believe(problem: Problem, state: State) -> None:
    """Replace what only the engine knows of a state by what can be expected, for searches to look ahead from.

    To be used with the belief of the problem; see `problems.simulator.arrays.belief_of`.
    """
    now = state.clock[NOW]
    for job in range(len(state.jobs)):
        if state.jobs[job, ENDS] > now and is_revealed(problem, state, job):
            state.jobs[job, ENDS] = now
    for agent in range(len(state.agents)):
        if state.agents[agent, UNTIL] > now:
            state.agents[agent, UNTIL] = state.agents[agent, FREE]
            if state.agents[agent, RUNS]:
                job = problem.tasks[state.agents[agent, LAST], JOB]
                state.jobs[job, ENDS] = max(state.jobs[job, ENDS], state.agents[agent, FREE])
    for task in range(len(state.tasks)):
        if state.tasks[task, RIPE] > now:
            state.tasks[task, RIPE] = max(state.tasks[task, READY], now + 1)


@jit
def legality(problem: Problem, state: State, agent: int, task: int) -> int:
    """Why ``agent`` may not commit to ``task`` now, or ``LEGAL``."""
    if not 0 <= agent < len(state.agents):
        return UNKNOWN_AGENT
    if not 0 <= task < len(state.tasks):
        return UNKNOWN_TASK
    if problem.durations[task, agent] < 0:
        return NOT_ELIGIBLE
    if not is_revealed(problem, state, problem.tasks[task, JOB]):
        return NOT_REVEALED
    if problem.flags[SERVES_STAGE]:
        is_asked = state.clock[ROUND_LEFT] > 0 and agent == asked_agent(state)
        return LEGAL if is_asked and is_candidate(problem, state, task) else NOT_ASKED
    if state.tasks[task, OPEN_SLOT] == NONE or not is_ripe(problem, state, task):
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

    Where agents serve their stage, the agent is ordered to the stage instead; what follows from it until the next
    order happens at once. The caller has made sure that it is legal. This is the only function that changes a schedule.
    """
    forget_waits(state)
    if problem.flags[SERVES_STAGE]:
        order(problem, state, task)
        run_on(problem, state)
        return
    time = changeover_time(problem, state, agent, task)
    begin, start, operator = placement(problem, state, agent, task, state.tasks[task, RIPE], time)
    if problem.flags[HAS_RESOURCES]:
        end = start + duration_of(problem, state, agent, task)
        record_uses(problem, state, agent, task, begin, begin + time, start, end, operator)
    append(problem, state, agent, task, begin, begin + time, start, operator)


@jit
def executors(problem: Problem, state: State, agent: int, task: int) -> int:
    """Agents of the job of ``task``, those that are asked now not counted."""
    return other_executors(problem, state, agent, problem.tasks[task, JOB])


@jit
def commit_under(problem: Problem, state: State, agent: int, task: int, limit: int) -> None:
    """`commit`, repeated for other agents that are asked now while the job of ``task`` has fewer than ``limit``.

    Where agents serve their stage, the stage is no candidate for the rest of the round.
    """
    job = problem.tasks[task, JOB]
    if problem.flags[SERVES_STAGE]:
        forget_waits(state)
        for _ in range(min(demand(state, task), limit - executors_of(state, job), state.clock[ROUND_LEFT])):
            order(problem, state, task)
        state.stages[task, CHOSEN] = state.clock[ROUND]
        run_on(problem, state)
        return
    commit(problem, state, agent, task)
    for other in range(len(state.agents)):
        is_free = state.agents[other, FREE] <= state.clock[NOW] and problem.durations[task, other] >= 0
        if is_free and state.tasks[task, PIECES_LEFT] > 0 and state.jobs[job, LOCAL] < limit:
            commit(problem, state, other, task)


@jit
def objective_value(problem: Problem, state: State) -> int:
    """Objective of the commitments so far, in integer time (a sum over jobs where the objective is a mean).

    In a belief, of the jobs that are revealed.
    """
    kind = problem.flags[OBJECTIVE]
    value = 0
    if kind == MAKESPAN:
        for agent in range(len(state.agents)):
            if state.agents[agent, LAST] != NONE:
                home = return_time(problem, agent, state.agents[agent, LAST]) if problem.flags[HAS_CHANGEOVER] else 0
                value = max(value, state.agents[agent, UNTIL] + home)
        for job in range(len(state.jobs)):
            if not problem.flags[IS_BELIEF] or is_revealed(problem, state, job):
                value = max(value, state.jobs[job, ENDS])
        return value
    if kind == LONGEST_ROUTE:
        for agent in range(len(state.agents)):
            last = state.agents[agent, LAST]
            value = max(value, state.agents[agent, LENGTH] + return_time(problem, agent, last))
        return value
    for job in range(len(state.jobs)):
        if problem.flags[IS_BELIEF] and not is_revealed(problem, state, job):
            continue
        end, weight = state.jobs[job, ENDS], problem.jobs[job, WEIGHT]
        if kind == MEAN_FLOW:
            value += end - problem.jobs[job, RELEASE]
        elif kind == TOTAL_COMPLETION:
            value += weight * end
        elif problem.jobs[job, DUE] != NONE:
            value += weight * max(0, end - problem.jobs[job, DUE])
    return value
