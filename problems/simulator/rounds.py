"""What happens between two rounds of orders, where agents serve a stage until no piece is left.

Events go in order of time, then of the sequence in which they were set up: a piece ends, an agent arrives, a job is
revealed (first at its instant).

- An agent whose piece ended takes the next piece of its stage. Without any it follows the oldest order given to agents
  on that stage; if there is none, there is a round about all agents on the stage.
- If the piece was the last to end of its stage and lets other stages start, the agent follows its order or joins the
  job's pool, and there is a round about all agents of that pool.
- An agent ordered to a stage of its own job starts there, or waits in the pool if the stage cannot start yet. To
  another job it moves for the moving delay.
- An agent that arrives starts, or waits in the pool. If the stage has no pieces left, or an order comes too late, it
  looks for work itself: first an unsaturated stage of its job that can start, the one that could first; else it moves
  to the first candidate; else it stays in its pool.
- A revealed job leads to a round about all agents in no job's pool.
- When a job ends its pool is dissolved, and orders and moves to it lead nowhere.
"""

from __future__ import annotations

from problems.simulator.arrays import (
    BOUND,
    COMING,
    FREE,
    IS_BELIEF,
    JOB,
    LAST,
    LEFT,
    MOVED,
    MOVING_DELAY,
    MOVING_TO,
    NONE,
    NOW,
    NUM_REVEALED,
    ORDER,
    PHASE,
    PIECES,
    PIECES_LEFT,
    PREDS_UNENDED,
    REVEAL,
    ROUND,
    ROUND_AGENT,
    ROUND_LEFT,
    RUNNABLE,
    SINCE,
    STAGES_UNENDED,
    SUCC_HI,
    SUCC_LO,
    TARGET,
    TASK_HI,
    TASK_LO,
    TASKS_LEFT,
    UNENDED,
    UNTIL,
    Problem,
    State,
)
from problems.simulator.jit import inlined, jit
from problems.simulator.pieces import advance, append, bind
from problems.simulator.switches.changeover import changeover_time
from problems.simulator.switches.service import (
    MOVING,
    NOWHERE,
    POOLED,
    RUNNING,
    demand,
    earlier,
    first_candidate,
    forget_order,
    next_number,
    open_round,
    order,
    take_order,
)


@jit
def reset_rounds(problem: Problem, state: State) -> None:
    """Put all agents into the pool of no job and ask for their orders."""
    for agent in range(len(state.servers)):
        state.servers[agent, PHASE], state.servers[agent, SINCE] = POOLED, next_number(state)
        state.servers[agent, TARGET], state.servers[agent, ORDER] = NONE, NONE
    state.pools[:] = 0
    state.stages[:] = 0
    for task in range(len(state.stages)):
        state.stages[task, UNENDED] = problem.tasks[task, PIECES]
        state.pools[problem.tasks[task, JOB], STAGES_UNENDED] += 1
        for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
            state.stages[problem.successors[slot], PREDS_UNENDED] += 1
    open_round(state, NONE, NONE, NONE)
    run_on(problem, state)


@jit
def run_on(problem: Problem, state: State) -> None:
    """Let things happen until an agent can be ordered to some stage, or nothing is left to happen."""
    while True:
        if state.clock[ROUND_LEFT] > 0:
            if first_candidate(problem, state) != NONE:
                return
            dismiss(problem, state)
        _follow_orders(problem, state)
        while state.clock[ROUND_LEFT] == 0:
            if not _next_event(problem, state):
                return


@jit
def dismiss(problem: Problem, state: State) -> None:
    """Leave the agents of the round that have no order idle."""
    while state.clock[ROUND_LEFT] > 0:
        order(problem, state, NOWHERE)


@jit
def _follow_orders(problem: Problem, state: State) -> None:
    """The round is over: agents that are free leave."""
    state.clock[ROUND] += 1
    agent = state.clock[ROUND_AGENT]
    if agent != NONE:
        state.clock[ROUND_AGENT] = NONE
        _follow(problem, state, agent, take_order(problem, state, agent))
        return
    while True:
        agent = _first_pooled_with_order(state)
        if agent == NONE:
            return
        task = state.servers[agent, ORDER]
        forget_order(problem, state, agent, task)
        _follow(problem, state, agent, task)


@inlined
def _first_pooled_with_order(state: State) -> int:
    best = NONE
    for agent in range(len(state.agents)):
        if state.servers[agent, PHASE] == POOLED and state.servers[agent, ORDER] != NONE:
            best = earlier(state, agent, best, SINCE)
    return best


@jit
def _next_event(problem: Problem, state: State) -> bool:
    """Let the next event happen; False if there is none, or all pieces have begun."""
    if state.clock[TASKS_LEFT] == 0:
        return False
    agent = _next_agent(state)
    reveal = state.clock[NUM_REVEALED] < len(problem.reveals) and not problem.flags[IS_BELIEF]
    if reveal:
        time = problem.jobs[problem.reveals[state.clock[NUM_REVEALED]], REVEAL]
        if agent == NONE or time <= state.agents[agent, UNTIL]:
            advance(problem, state, time)
            open_round(state, NONE, NONE, NONE)
            return True
    if agent == NONE:
        return _ask_idle(problem, state)
    advance(problem, state, state.agents[agent, UNTIL])
    if state.servers[agent, PHASE] == MOVING:
        _arrive(problem, state, agent)
    else:
        _end_piece(problem, state, agent)
    return True


@jit
def _next_agent(state: State) -> int:
    """Agent with the next event; -1 if all are in pools."""
    best = NONE
    for agent in range(len(state.agents)):
        if state.servers[agent, PHASE] == POOLED:
            continue
        if best == NONE or state.agents[agent, UNTIL] < state.agents[best, UNTIL]:
            best = agent
        elif state.agents[agent, UNTIL] == state.agents[best, UNTIL]:
            best = earlier(state, agent, best, SINCE)
    return best


@jit
def _ask_idle(problem: Problem, state: State) -> bool:
    """Nothing will happen any more, but work may be left because agents were told to stay idle: ask them again."""
    if first_candidate(problem, state) == NONE:
        return False
    for agent in range(len(state.agents)):
        if state.agents[agent, BOUND] != NONE:
            bind(state, agent, NONE)
    open_round(state, NONE, NONE, NONE)
    return True


@jit
def _end_piece(problem: Problem, state: State, agent: int) -> None:
    """The piece of ``agent`` has ended."""
    task, job = state.agents[agent, LAST], state.agents[agent, BOUND]
    state.stages[task, UNENDED] -= 1
    lets_start = state.stages[task, UNENDED] == 0 and _end_stage(problem, state, task)
    if state.tasks[task, PIECES_LEFT] > 0:
        _start(problem, state, agent, task)
        return
    target = take_order(problem, state, agent)
    if target != NONE:
        _follow(problem, state, agent, target)
    elif lets_start:
        _join_pool(state, agent, job)
    else:
        open_round(state, task, job, agent)
    if lets_start:
        open_round(state, NONE, job, NONE)
    if state.pools[job, STAGES_UNENDED] == 0:
        _end_job(problem, state, job)


@jit
def _end_stage(problem: Problem, state: State, task: int) -> bool:
    """All pieces of ``task`` have ended; whether a stage with pieces left can start now."""
    lets_start = False
    state.pools[problem.tasks[task, JOB], STAGES_UNENDED] -= 1
    for slot in range(problem.tasks[task, SUCC_LO], problem.tasks[task, SUCC_HI]):
        after = problem.successors[slot]
        state.stages[after, PREDS_UNENDED] -= 1
        if state.stages[after, PREDS_UNENDED] == 0:
            state.stages[after, RUNNABLE] = next_number(state)
            lets_start = True
    return lets_start


@jit
def _end_job(problem: Problem, state: State, job: int) -> None:
    """``job`` is done: nobody is local to it, ordered to it or moving to it any more."""
    for agent in range(len(state.agents)):
        if state.agents[agent, BOUND] == job:
            bind(state, agent, NONE)
        target, ordered = state.servers[agent, TARGET], state.servers[agent, ORDER]
        if target >= 0 and problem.tasks[target, JOB] == job:
            state.servers[agent, TARGET] = NONE
        if ordered >= 0 and problem.tasks[ordered, JOB] == job:
            state.servers[agent, ORDER] = NONE


@jit
def _follow(problem: Problem, state: State, agent: int, task: int) -> None:
    """A free agent leaves for the stage that it is ordered to."""
    if task == NOWHERE:
        job = state.agents[agent, BOUND]
        _join_pool(state, agent, job if job != NONE and state.jobs[job, LEFT] > 0 else NONE)
    elif state.tasks[task, PIECES_LEFT] == 0:
        _find_work(problem, state, agent)
    elif state.agents[agent, BOUND] == problem.tasks[task, JOB]:
        _start_or_wait(problem, state, agent, task)
    else:
        _move(problem, state, agent, task)


@inlined
def _start_or_wait(problem: Problem, state: State, agent: int, task: int) -> None:
    if state.stages[task, PREDS_UNENDED] == 0:
        _start(problem, state, agent, task)
    else:
        _join_pool(state, agent, state.agents[agent, BOUND])


@jit
def _start(problem: Problem, state: State, agent: int, task: int) -> None:
    """Begin the next piece of ``task``; a move, if it was needed, is over."""
    now, time = state.clock[NOW], changeover_time(problem, state, agent, task)
    begin = state.servers[agent, MOVED] if time > 0 else now
    append(problem, state, agent, task, begin, begin + time, now, NONE)
    state.servers[agent, PHASE], state.servers[agent, SINCE] = RUNNING, next_number(state)


@jit
def _join_pool(state: State, agent: int, job: int) -> None:
    """Leave the stage for the pool of ``job`` (-1: of no job)."""
    if state.agents[agent, BOUND] != job:
        bind(state, agent, job)
    state.servers[agent, PHASE], state.servers[agent, SINCE] = POOLED, next_number(state)


@jit
def _move(problem: Problem, state: State, agent: int, task: int) -> None:
    """Set out for the job of ``task``."""
    now = state.clock[NOW]
    bind(state, agent, NONE)
    state.servers[agent, PHASE], state.servers[agent, SINCE] = MOVING, next_number(state)
    state.servers[agent, TARGET], state.servers[agent, MOVED] = task, now
    state.agents[agent, UNTIL] = now + problem.flags[MOVING_DELAY]
    state.agents[agent, FREE] = state.agents[agent, UNTIL]
    state.stages[task, MOVING_TO] += 1
    state.pools[problem.tasks[task, JOB], COMING] += 1


@jit
def _arrive(problem: Problem, state: State, agent: int) -> None:
    """A move is over; its job may be, too."""
    task = state.servers[agent, TARGET]
    state.servers[agent, TARGET] = NONE
    if task == NONE:
        _find_work(problem, state, agent)
        return
    job = problem.tasks[task, JOB]
    state.stages[task, MOVING_TO] -= 1
    state.pools[job, COMING] -= 1
    bind(state, agent, job)
    if state.tasks[task, PIECES_LEFT] > 0:
        _start_or_wait(problem, state, agent, task)
    else:
        _find_work(problem, state, agent)


@jit
def _find_work(problem: Problem, state: State, agent: int) -> None:
    """Without an order: a stage of the own job that can start, else the first candidate, else the pool."""
    job, best = state.agents[agent, BOUND], NONE
    if job != NONE:
        for slot in range(problem.jobs[job, TASK_LO], problem.jobs[job, TASK_HI]):
            task = problem.job_tasks[slot]
            is_first = best == NONE or state.stages[task, RUNNABLE] < state.stages[best, RUNNABLE]
            if state.stages[task, PREDS_UNENDED] == 0 and demand(state, task) > 0 and is_first:
                best = task
    if best != NONE:
        _start(problem, state, agent, best)
        return
    best = first_candidate(problem, state)
    if best != NONE:
        _move(problem, state, agent, best)
    else:
        _join_pool(state, agent, job)
