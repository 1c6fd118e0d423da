"""Orders to agents that serve a stage until no piece is left: who is asked, for which stages, and how many are given.

What Spark executors do in the simulator of arXiv 1810.01963. An agent is *in a pool* (of a job, or of none), *running*
a piece, or *moving* to a job. Orders are given in rounds. A round is about the agents of one source: all that are on a
stage which has no pieces left, including those that still work there and will leave as they finish, or all in one
pool. A stage is a candidate if it is unsaturated and all its predecessors are saturated: pieces begun, agents ordered
to it and agents moving to it make up all its pieces. It need not be able to start: an agent sent early waits in the
job's pool.

Each order is for one agent. To order a stage under a parallelism limit l gives it ``min(demand, l - executors of the
job, agents left in the round)`` agents, where the round's own agents do not count as executors of its job; the stage is
then no candidate for the rest of the round.
"""

from __future__ import annotations

from problems.simulator.arrays import (
    BOUND,
    CHOSEN,
    COMING,
    JOB,
    LAST,
    LOCAL,
    MOVING_TO,
    NONE,
    NUM_REVEALED,
    ORDER,
    ORDER_NUMBER,
    ORDERED,
    PHASE,
    PIECES_LEFT,
    PRED_HI,
    PRED_LO,
    ROUND,
    ROUND_AGENT,
    ROUND_JOB,
    ROUND_LEFT,
    ROUND_STAGE,
    SEQUENCE,
    SERVES_STAGE,
    SINCE,
    STAGES_UNENDED,
    TASK_HI,
    TASK_LO,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit

# State.servers, column PHASE
POOLED, RUNNING, MOVING = range(3)
NOWHERE = -2
"""Stands in the place of a stage: the agent is left idle."""


@inlined
def next_number(state: State) -> int:
    """A sequence number larger than all before."""
    state.clock[SEQUENCE] += 1
    return state.clock[SEQUENCE]


@inlined
def demand(state: State, task: int) -> int:
    """Pieces of ``task`` that no agent is ordered or moving to; may be negative."""
    return state.tasks[task, PIECES_LEFT] - state.stages[task, ORDERED] - state.stages[task, MOVING_TO]


@jit
def is_candidate(problem: Problem, state: State, task: int) -> bool:
    """Whether agents may be ordered to ``task``, a stage of a revealed job."""
    if demand(state, task) <= 0 or state.stages[task, CHOSEN] == state.clock[ROUND]:
        return False
    for slot in range(problem.tasks[task, PRED_LO], problem.tasks[task, PRED_HI]):
        if demand(state, problem.predecessors[slot]) > 0:
            return False
    return True


@jit
def first_candidate(problem: Problem, state: State) -> int:
    """First candidate in order of the jobs' arrival; -1 if there is none."""
    for number in range(state.clock[NUM_REVEALED]):
        job = problem.reveals[number]
        if state.pools[job, STAGES_UNENDED] == 0:
            continue
        for slot in range(problem.jobs[job, TASK_LO], problem.jobs[job, TASK_HI]):
            if is_candidate(problem, state, problem.job_tasks[slot]):
                return problem.job_tasks[slot]
    return NONE


@jit
def asked_agent(state: State) -> int:
    """Agent of the round that gets the next order: on a stage the one that is free, in a pool the one there longest."""
    first = state.clock[ROUND_AGENT]
    if first != NONE and state.servers[first, ORDER] == NONE:
        return first
    best = NONE
    for agent in range(len(state.agents)):
        if is_source(state, agent) and state.servers[agent, ORDER] == NONE:
            best = earlier(state, agent, best, SINCE)
    return best


@inlined
def earlier(state: State, agent: int, other: int, column: int) -> int:
    """The one of two agents with the smaller sequence number; ``agent`` where the other is -1."""
    if other != NONE and state.servers[other, column] < state.servers[agent, column]:
        return other
    return agent


@inlined
def is_source(state: State, agent: int) -> bool:
    """Whether the round is about ``agent``."""
    if state.clock[ROUND_STAGE] != NONE:
        return state.servers[agent, PHASE] == RUNNING and state.agents[agent, LAST] == state.clock[ROUND_STAGE]
    return state.servers[agent, PHASE] == POOLED and state.agents[agent, BOUND] == state.clock[ROUND_JOB]


@jit
def open_round(state: State, stage: int, job: int, agent: int) -> None:
    """Ask for orders to all agents on ``stage``, of which ``agent`` is free, or (-1) to all in the pool of ``job``."""
    state.clock[ROUND_STAGE], state.clock[ROUND_JOB], state.clock[ROUND_AGENT] = stage, job, agent
    state.clock[ROUND] += 1
    for other in range(len(state.agents)):
        if is_source(state, other):
            state.clock[ROUND_LEFT] += 1


@jit
def order(problem: Problem, state: State, task: int) -> None:
    """Order the next agent of the round to ``task`` (``NOWHERE``: to stay idle)."""
    agent = asked_agent(state)
    state.servers[agent, ORDER], state.servers[agent, ORDER_NUMBER] = task, next_number(state)
    state.clock[ROUND_LEFT] -= 1
    if task != NOWHERE:
        state.stages[task, ORDERED] += 1
        job = problem.tasks[task, JOB]
        if state.agents[agent, BOUND] != job:
            state.pools[job, COMING] += 1


@jit
def has_orders(state: State) -> bool:
    """Whether some agent is ordered to a stage: then something will happen."""
    for agent in range(len(state.servers)):
        if state.servers[agent, ORDER] >= 0:
            return True
    return False


@jit
def executors_of(state: State, job: int) -> int:
    """Agents local to ``job``, or on their way there, apart from those of the round without an order."""
    own = state.clock[ROUND_LEFT] if state.clock[ROUND_JOB] == job else 0
    return state.jobs[job, LOCAL] + state.pools[job, COMING] - own


@inlined
def other_executors(problem: Problem, state: State, agent: int, job: int) -> int:
    """Agents of ``job`` besides ``agent``, which is asked; where agents serve stages, besides all that are asked."""
    if problem.flags[SERVES_STAGE]:
        return executors_of(state, job)
    return state.jobs[job, LOCAL] - (1 if state.agents[agent, BOUND] == job else 0)


@jit
def take_order(problem: Problem, state: State, agent: int) -> int:
    """Oldest order of the agents on the stage of ``agent``, which leaves it; -1 if none has an order."""
    oldest = NONE
    for other in range(len(state.agents)):
        is_there = state.servers[other, PHASE] == RUNNING and state.agents[other, LAST] == state.agents[agent, LAST]
        if is_there and state.servers[other, ORDER] != NONE:
            oldest = earlier(state, other, oldest, ORDER_NUMBER)
    if oldest == NONE:
        return NONE
    task = state.servers[oldest, ORDER]
    state.servers[oldest, ORDER] = state.servers[agent, ORDER]
    state.servers[oldest, ORDER_NUMBER] = state.servers[agent, ORDER_NUMBER]
    forget_order(problem, state, agent, task)
    return task


@jit
def forget_order(problem: Problem, state: State, agent: int, task: int) -> None:
    """``agent`` leaves with its order to ``task``, which does not count as an order any more."""
    state.servers[agent, ORDER] = NONE
    if task != NOWHERE:
        state.stages[task, ORDERED] -= 1
        job = problem.tasks[task, JOB]
        if state.agents[agent, BOUND] != job:
            state.pools[job, COMING] -= 1
