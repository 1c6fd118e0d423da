"""What a policy sees of a candidate: one compiled row per (agent, task) pair, for every family.

Notation: t the present instant; for the pair, p its duration, s its start, e its end, b = s less changeover; m the
agent, k the fastest agent of the next task on the job's longest path; rem the shortest work of the job from this
task on; load_m the work that m may still get; P the mean duration plus changeover of the instance; lb a lower bound
on the time the open work still takes. Columns are named in `graphs.schema`.
"""

from __future__ import annotations

import numpy as np

from graphs.context import BOUND, JOBS_PRESENT, MEAN_WEIGHT, MEAN_WORK, REMOTEST, TARGET, TINY, Context
from problems.instance import FloatArray
from problems.simulator.arrays import (
    ARE_ALIKE,
    DUE,
    FREE,
    HAS_CHANGEOVER,
    HAS_MANY_SIDES,
    HAS_PRECEDENCE,
    HAS_WAVES,
    HEAD,
    IS_DEDICATED,
    JOB,
    LAST,
    LENGTH,
    LOAD,
    LONGEST_ROUTE,
    MOVING_DELAY,
    NEAREST,
    NONE,
    NOW,
    NUM_OPEN,
    OBJECTIVE,
    PAIR_AGENT,
    PAIR_HI,
    PAIR_LO,
    PIECES_LEFT,
    READY,
    RELEASE,
    SERVES_STAGE,
    SHORTEST,
    SHORTEST_AGENT,
    TAIL,
    TAIL_NEXT,
    TAIL_TASKS,
    TASK_HI,
    TASK_LO,
    UNIT,
    WEIGHT,
    WORK_LEFT,
    Problem,
    State,
)
from problems.simulator.arrays import BOUND as BOUND_TO
from problems.simulator.candidates import AGENT, BEGIN, END, FAR, START, TASK, Candidates, known_event
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.changeover import changeover_time, return_time
from problems.simulator.switches.opens import is_revealed
from problems.simulator.switches.placement import earliest_end
from problems.simulator.switches.service import demand, other_executors
from problems.simulator.waves import REST


@jit
def fill_row(problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray) -> None:
    """Write the features of candidate ``row`` to ``out`` (float64 [F])."""
    out[:] = 0.0
    _fill_job(problem, state, found, row, context, out)
    if problem.flags[HAS_PRECEDENCE]:
        _fill_next(problem, state, found, row, context, out)
        _fill_route_ahead(problem, state, found, row, context, out)
    if problem.flags[HAS_CHANGEOVER]:
        _fill_changeover(problem, state, found, row, context, out)
    if problem.flags[HAS_MANY_SIDES]:
        _fill_sides(problem, state, found, row, context, out)
    out[39] = np.log(max(state.clock[NUM_OPEN], 1) / len(state.agents))
    if problem.flags[ARE_ALIKE]:
        return
    if problem.flags[HAS_PRECEDENCE]:
        _fill_bounds(problem, state, found, row, context, out)
    if not problem.flags[IS_DEDICATED]:
        _fill_alternatives(problem, state, found, row, context, out)


@jit
def fill_wait_row(problem: Problem, state: State, agent: int, context: Context, out: FloatArray) -> None:
    """Write the features of "``agent`` waits" to ``out`` (float64 [F])."""
    now, unit = state.clock[NOW], problem.means[UNIT]
    out[:] = 0.0
    out[3] = state.agents[agent, LOAD] / context.numbers[BOUND]
    out[14] = np.log(max(context.startable[agent], 1))
    if problem.flags[HAS_CHANGEOVER]:
        out[30] = context.closing[agent] / context.numbers[TARGET]
        out[31] = out[30]
    out[39] = np.log(max(state.clock[NUM_OPEN], 1) / len(state.agents))
    out[42] = 1.0
    event = known_event(state)
    if event < FAR:
        out[43] = (event - now) / unit


@inlined
def _fill_job(problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray) -> None:
    agent, task = found.table[row, AGENT], found.table[row, TASK]
    now, unit, bound = state.clock[NOW], problem.means[UNIT], context.numbers[BOUND]
    duration = float(found.table[row, END] - found.table[row, START])
    work = float(problem.tasks[task, TAIL]) + duration
    load = state.agents[agent, LOAD] / bound
    out[0] = np.log(max(duration / unit, TINY))
    out[1] = np.log(max(work / unit, TINY))
    out[2] = work / bound
    out[3] = load
    out[4] = np.log(problem.tasks[task, TAIL_TASKS] + 1.0)
    out[5] = max(now - state.tasks[task, READY], 0) / unit
    out[11] = duration / unit
    out[12] = work / context.numbers[MEAN_WORK] - 1.0
    out[13] = out[2] * load
    out[14] = np.log(max(context.startable[agent], 1))
    out[15] = 1.0 if problem.tasks[task, TAIL_NEXT] == NONE else 0.0
    delay = found.table[row, BEGIN] - now
    out[16] = 1.0 if delay > 0 else 0.0
    out[17] = delay / unit


@inlined
def _fill_next(problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray) -> None:
    """The next task of the job, and whether its agent will be waiting for it."""
    after = problem.tasks[found.table[row, TASK], TAIL_NEXT]
    if after == NONE:
        return
    unit, end = problem.means[UNIT], found.table[row, END]
    agent = problem.tasks[after, SHORTEST_AGENT]
    free = max(state.agents[agent, FREE], state.clock[NOW])
    out[6] = np.log(max(problem.tasks[after, SHORTEST] / unit, TINY))
    out[7] = state.agents[agent, LOAD] / context.numbers[BOUND]
    out[8] = max(free - end, 0) / unit
    out[9] = max(end - free, 0) / unit
    out[10] = context.queue[agent] / unit


@inlined
def _fill_route_ahead(
    problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray
) -> None:
    """Loads of the agents along the rest of the job's longest path."""
    unit, bound = problem.means[UNIT], context.numbers[BOUND]
    congestion, largest = 0.0, 0.0
    before, until, total = 0.0, 0.0, 0.0
    task = problem.tasks[found.table[row, TASK], TAIL_NEXT]
    while task != NONE:
        duration = float(problem.tasks[task, SHORTEST])
        load = state.agents[problem.tasks[task, SHORTEST_AGENT], LOAD] / bound
        congestion += duration * load * load
        if load > largest:
            largest, until = load, before
        before += duration
        task = problem.tasks[task, TAIL_NEXT]
    total = before
    out[18] = congestion / bound
    out[19] = largest
    out[20] = until / unit
    out[21] = (total - until) / bound


@inlined
def _fill_bounds(
    problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray
) -> None:
    """One-machine bounds after the choice, on this agent and on the next one."""
    agent, task = found.table[row, AGENT], found.table[row, TASK]
    now, unit, bound = state.clock[NOW], problem.means[UNIT], context.numbers[BOUND]
    start, end = found.table[row, START], found.table[row, END]
    worst, shortest_tail, competitors, early = 0, FAR, 0, 0
    for slot in range(problem.agent_ptr[agent], problem.agent_ptr[agent + 1]):
        other = problem.agent_tasks[slot]
        is_known = is_revealed(problem, state, problem.tasks[other, JOB])
        if other == task or state.tasks[other, PIECES_LEFT] == 0 or not is_known:
            continue
        head = max(context.job_base[problem.tasks[other, JOB]] + problem.tasks[other, HEAD], now)
        tail, duration = problem.tasks[other, TAIL], problem.tasks[other, SHORTEST]
        worst = max(worst, max(end, head) + duration + tail - now)
        shortest_tail = min(shortest_tail, tail)
        competitors += 1
        if head < end:
            early += duration
    out[22] = worst / bound
    out[23] = (end + problem.tasks[task, TAIL] - now) / bound
    if competitors > 0:
        load = state.agents[agent, LOAD] - (end - start)
        out[24] = (end + load + shortest_tail - now) / bound
        out[25] = np.log(1.0 + competitors)
        out[26] = early / unit
    out[27] = _next_agent_bound(problem, state, task, end, context) / bound


@inlined
def _next_agent_bound(problem: Problem, state: State, task: int, end: int, context: Context) -> int:
    """Bound of the next task's agent if it serves this job right after ``end``."""
    after = problem.tasks[task, TAIL_NEXT]
    if after == NONE:
        return 0
    now, agent, worst = state.clock[NOW], problem.tasks[after, SHORTEST_AGENT], 0
    busy_until = max(end, state.agents[agent, FREE]) + problem.tasks[after, SHORTEST]
    for slot in range(problem.agent_ptr[agent], problem.agent_ptr[agent + 1]):
        other = problem.agent_tasks[slot]
        is_known = is_revealed(problem, state, problem.tasks[other, JOB])
        if other == after or state.tasks[other, PIECES_LEFT] == 0 or not is_known:
            continue
        head = max(context.job_base[problem.tasks[other, JOB]] + problem.tasks[other, HEAD], now)
        path = problem.tasks[other, SHORTEST] + problem.tasks[other, TAIL]
        worst = max(worst, max(busy_until, head) + path - now)
    return worst


@inlined
def _fill_changeover(
    problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray
) -> None:
    """The way to the task and home again, against the routes of all agents."""
    agent, task = found.table[row, AGENT], found.table[row, TASK]
    unit, target = problem.means[UNIT], context.numbers[TARGET]
    way, home = changeover_time(problem, state, agent, task), return_time(problem, agent, task)
    by_time = problem.flags[OBJECTIVE] != LONGEST_ROUTE
    closing = found.table[row, END] + home if by_time else state.agents[agent, LENGTH] + way + home
    out[28] = way / unit
    out[29] = home / unit
    out[30] = closing / target
    out[31] = context.closing[agent] / target
    other_closing = FAR
    for pair in range(problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]):
        other = problem.pairs[pair, PAIR_AGENT]
        if other != agent:
            if by_time:
                length = earliest_end(problem, state, other, task)
            else:
                length = state.agents[other, LENGTH] + changeover_time(problem, state, other, task)
            other_closing = min(other_closing, length + return_time(problem, other, task))
    if other_closing < FAR:
        out[33] = (other_closing - closing) / target
    for column in range(3):
        out[35 + column] = context.neighbours[task, column] / unit
    out[38] = (way - context.shortest_way[agent]) / unit
    out[41] = home / context.numbers[REMOTEST]
    duration = found.table[row, END] - found.table[row, START]
    out[44] = (duration + way - problem.tasks[task, SHORTEST] - problem.tasks[task, NEAREST]) / unit


@inlined
def _fill_sides(problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray) -> None:
    """The job among all jobs present: what is left of it, the agents it has, its age, due date and weight."""
    agent, task = found.table[row, AGENT], found.table[row, TASK]
    job, last, unit = problem.tasks[task, JOB], state.agents[agent, LAST], problem.means[UNIT]
    num_agents = len(state.agents)
    is_same = state.agents[agent, BOUND_TO] == job
    if problem.flags[SERVES_STAGE]:
        pieces = demand(state, task)
        out[28] = 0.0 if is_same else problem.flags[MOVING_DELAY] / unit
        idle = max(state.tasks[task, READY] - max(state.agents[agent, FREE], state.clock[NOW]), 0)
        out[16] = 1.0 if idle > 0 else 0.0
        out[17] = idle / unit
    else:
        pieces = state.tasks[task, PIECES_LEFT]
        out[28] = changeover_time(problem, state, agent, task) / unit
    others = max(other_executors(problem, state, agent, job), 0)  # one that was ordered away is not local
    work = max(state.jobs[job, WORK_LEFT] / unit, TINY)
    out[45] = np.log(work)
    out[46] = np.log(work / (others + 1.0))
    out[47] = others / num_agents
    out[48] = np.log((others + 1.0) * context.numbers[JOBS_PRESENT] / num_agents)
    out[49] = 1.0 if is_same else 0.0
    out[50] = 1.0 if last == task else 0.0
    out[51] = np.log(max(pieces, 1.0))
    out[52] = np.log1p(max(state.clock[NOW] - problem.jobs[job, RELEASE], 0) / unit)
    out[53] = np.log(context.numbers[JOBS_PRESENT])
    if problem.jobs[job, DUE] != NONE:
        slack = (problem.jobs[job, DUE] - found.table[row, END] - problem.tasks[task, TAIL]) / unit
        out[54] = slack / (1.0 + abs(slack))
        out[55] = 1.0
    out[56] = np.log(max(problem.jobs[job, WEIGHT] / context.numbers[MEAN_WEIGHT], TINY))
    if problem.flags[HAS_WAVES]:
        _fill_slowdown(problem, state, job, task, others, out)


@inlined
def _fill_slowdown(problem: Problem, state: State, job: int, task: int, others: int, out: FloatArray) -> None:
    """How much slower pieces are among the executors that the job would have, and what the last of these adds.

    One more is of full use (1) if the job's work left takes as long as before, of none (0) if it would end no earlier.
    """
    most = problem.expected.shape[2] - 1
    before, after = min(max(others, 1), most), min(others + 1, most)
    alone, with_others, with_one_more = 0, 0, 0
    for slot in range(problem.jobs[job, TASK_LO], problem.jobs[job, TASK_HI]):
        other = problem.job_tasks[slot]
        pieces = state.tasks[other, PIECES_LEFT]
        alone += pieces * problem.expected[other, REST, 1]
        with_others += pieces * problem.expected[other, REST, before]
        with_one_more += pieces * problem.expected[other, REST, after]
    out[57] = np.log(max(problem.expected[task, REST, after], 1) / max(problem.expected[task, REST, 1], 1))
    out[58] = np.log(max(with_one_more, 1) / max(alone, 1))
    out[59] = max((others + 1) - others * with_one_more / max(with_others, 1), -1.0)


@inlined
def _fill_alternatives(
    problem: Problem, state: State, found: Candidates, row: int, context: Context, out: FloatArray
) -> None:
    """What the other eligible agents could do for the task."""
    agent, task, end = found.table[row, AGENT], found.table[row, TASK], found.table[row, END]
    low, high = problem.tasks[task, PAIR_LO], problem.tasks[task, PAIR_HI]
    if high - low == 1:
        return
    other_end = FAR
    for pair in range(low, high):
        other = problem.pairs[pair, PAIR_AGENT]
        if other != agent:
            other_end = min(other_end, earliest_end(problem, state, other, task))
    unit = problem.means[UNIT]
    out[32] = (other_end - end) / unit
    duration = max((end - found.table[row, START]) / unit, TINY)
    out[34] = np.log(duration / max(problem.tasks[task, SHORTEST] / unit, TINY))
    out[40] = 1.0 if end <= other_end else 0.0
