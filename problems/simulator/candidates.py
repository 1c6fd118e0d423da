"""Who is asked at an instant, and for what; how time goes on when nobody is."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from problems.instance import IntArray
from problems.simulator.arrays import (
    ASKS_ONE,
    BOUND,
    FREE,
    HAS_WAVES,
    IS_BELIEF,
    JOB,
    LAST,
    LEFT,
    MOVING_DELAY,
    NONE,
    NOW,
    NUM_OPEN,
    NUM_REVEALED,
    NUM_USES,
    NUM_WAITED,
    QUEUE_READY,
    QUEUE_TASK,
    QUEUED,
    READY,
    REVEAL,
    RIPE,
    ROUND_LEFT,
    SERVES_STAGE,
    TASK_HI,
    TASK_LO,
    TASKS_LEFT,
    UNTIL,
    USE_END,
    WAITED,
    Problem,
    State,
)
from problems.simulator.engine import forget_waits
from problems.simulator.jit import inlined, jit
from problems.simulator.pieces import advance
from problems.simulator.rounds import dismiss, run_on
from problems.simulator.switches.changeover import changeover_time
from problems.simulator.switches.duration import duration_of
from problems.simulator.switches.opens import is_ripe
from problems.simulator.switches.placement import placement
from problems.simulator.switches.service import asked_agent, has_orders, is_candidate

FAR = 2**62
"""Later than any time of a valid instance."""

# Candidates.table
AGENT, TASK, BEGIN, START, END = range(5)


class Filter(IntEnum):
    """Which of its tasks a free agent may choose.

    ``NON_DELAY``  those it can begin now
    ``ACTIVE``     those it can begin before the earliest end among its candidates, if it can begin one now
    ``FULL``       all whose predecessors are committed
    """

    NON_DELAY = 0
    ACTIVE = 1
    FULL = 2


NON_DELAY, ACTIVE, FULL = int(Filter.NON_DELAY), int(Filter.ACTIVE), int(Filter.FULL)


class Candidates(NamedTuple):
    """Work space for the pairs that are asked about at an instant.

    Attributes
    ----------
    table : int64 [E, 5]
        Agent, task, begin, start, end of each pair. Begin is the start less the changeover: from then on the
        agent is needed.
    first_begin, first_end : int64 [A]
        Earliest begin and end among an agent's candidates; first begin is ``FAR`` where the agent is not asked.
    next : int64 [1]
        No agent that is not asked now will be asked before this instant, unless it waited.
    seen : int64 [T + 2]
        Where agents are alike: the last collection in which an agent was asked whose last task this is (T: none, or
        of a job that has none left); and the number of the last collection.
    """

    table: IntArray
    first_begin: IntArray
    first_end: IntArray
    next: IntArray
    seen: IntArray


def new_candidates(problem: Problem) -> Candidates:
    """Empty work space for ``problem``."""
    num_agents = problem.durations.shape[1]
    return Candidates(
        table=np.zeros((len(problem.pairs), 5), np.int64),
        first_begin=np.zeros(num_agents, np.int64),
        first_end=np.zeros(num_agents, np.int64),
        next=np.zeros(1, np.int64),
        seen=np.zeros(len(problem.tasks) + 2, np.int64),
    )


@inlined
def collect(problem: Problem, state: State, candidate_filter: int, found: Candidates) -> int:
    """Write the candidates of all agents that are asked now to ``found``; returns their number.

    Of agents that are alike and have done the same, the first one is asked.
    """
    if problem.flags[SERVES_STAGE]:
        return _collect_round(problem, state, found)
    now = state.clock[NOW]
    count, later = 0, next_reveal(problem, state)
    found.seen[-1] += 1
    for agent in range(len(state.agents)):
        found.first_begin[agent] = FAR
        if state.agents[agent, QUEUED] == 0:
            continue
        if state.agents[agent, FREE] > now:
            later = min(later, state.agents[agent, UNTIL])
        elif not state.agents[agent, WAITED] and not (
            problem.flags[ASKS_ONE] and _is_seen(problem, state, agent, found)
        ):
            first = count
            count, later = _collect_agent(problem, state, agent, found, count, later)
            if candidate_filter != FULL and count > first:
                count = _keep(now, candidate_filter, found, first, count)
    found.next[0] = later
    return count


@inlined
def _is_seen(problem: Problem, state: State, agent: int, found: Candidates) -> bool:
    """Whether an agent that has done the same is asked already; if not, ``agent`` is the one."""
    last = state.agents[agent, LAST]
    if last == NONE or state.jobs[problem.tasks[last, JOB], LEFT] == 0:
        last = len(state.tasks)
    is_seen = found.seen[last] == found.seen[-1]
    found.seen[last] = found.seen[-1]
    return is_seen


@inlined
def _collect_agent(
    problem: Problem, state: State, agent: int, found: Candidates, count: int, later: int
) -> tuple[int, int]:
    """Append all tasks in the queue of a free agent; returns the new count and the next later instant."""
    now = state.clock[NOW]
    first_begin, first_end = FAR, FAR
    low = problem.agent_ptr[agent]
    for slot in range(low, low + state.agents[agent, QUEUED]):
        task, ready = state.queue[slot, QUEUE_TASK], state.queue[slot, QUEUE_READY]
        if problem.flags[HAS_WAVES]:
            if not is_ripe(problem, state, task):
                later = min(later, state.tasks[task, RIPE])
                continue
            ready = state.tasks[task, READY]
        time = changeover_time(problem, state, agent, task)
        _, start, _ = placement(problem, state, agent, task, ready, time)
        begin, end = start - time, start + duration_of(problem, state, agent, task)
        if begin > now:
            later = min(later, begin)
        first_begin, first_end = min(first_begin, begin), min(first_end, end)
        _write(found, count, agent, task, begin, start, end)
        count += 1
    found.first_begin[agent], found.first_end[agent] = first_begin, first_end
    return count, later


@inlined
def _write(found: Candidates, row: int, agent: int, task: int, begin: int, start: int, end: int) -> None:
    found.table[row, AGENT], found.table[row, TASK] = agent, task
    found.table[row, BEGIN], found.table[row, START], found.table[row, END] = begin, start, end


@jit
def _collect_round(problem: Problem, state: State, found: Candidates) -> int:
    """Write what the next agent of a round of orders can be ordered to: all may begin as soon as it is free."""
    found.first_begin[:] = FAR
    agent = asked_agent(state) if state.clock[ROUND_LEFT] > 0 else NONE
    if agent == NONE or state.agents[agent, WAITED]:
        return 0
    count, free = 0, max(state.agents[agent, FREE], state.clock[NOW])
    found.first_begin[agent], found.first_end[agent] = free, FAR
    for number in range(state.clock[NUM_REVEALED]):
        job = problem.reveals[number]
        if state.jobs[job, LEFT] == 0:
            continue
        for slot in range(problem.jobs[job, TASK_LO], problem.jobs[job, TASK_HI]):
            task = problem.job_tasks[slot]
            if is_candidate(problem, state, task):
                move = problem.flags[MOVING_DELAY] if state.agents[agent, BOUND] != job else 0
                start = max(free + move, state.tasks[task, READY])
                end = start + duration_of(problem, state, agent, task)
                _write(found, count, agent, task, free, start, end)
                found.first_end[agent] = min(found.first_end[agent], end)
                count += 1
    return count


@inlined
def _keep(now: int, candidate_filter: int, found: Candidates, first: int, count: int) -> int:
    """Drop the pairs of one agent, from row ``first`` on, that the filter does not allow; returns the new count."""
    kept = first
    for row in range(first, count):
        agent, begin = found.table[row, AGENT], found.table[row, BEGIN]
        allowed = begin <= now
        if candidate_filter == ACTIVE and not allowed:
            allowed = found.first_begin[agent] <= now and begin < found.first_end[agent]
        if allowed:
            for column in range(5):
                found.table[kept, column] = found.table[row, column]
            kept += 1
    if kept == first:
        found.first_begin[found.table[first, AGENT]] = FAR
    return kept


@jit
def next_event(problem: Problem, state: State) -> int:
    """Earliest instant after the present one at which something changes; ``FAR`` if nothing will."""
    return min(known_event(state), next_reveal(problem, state))


@jit
def known_event(state: State) -> int:
    """Earliest later instant at which something changes that agents know of: no reveal; ``FAR`` if there is none."""
    now, event = state.clock[NOW], FAR
    for agent in range(len(state.agents)):
        free = state.agents[agent, FREE]
        if now < free < event:
            event = free
    for slot in range(state.clock[NUM_OPEN]):
        ready = state.tasks[state.open[slot], READY]
        if now < ready < event:
            event = ready
    for number in range(state.clock[NUM_USES]):
        end = state.uses[number, USE_END]
        if now < end < event:
            event = end
    return event


@jit
def _next_change(problem: Problem, state: State) -> int:
    """Earliest instant after the present one at which something will change; ``FAR`` if nothing will."""
    now, change = state.clock[NOW], FAR
    for agent in range(len(state.agents)):
        until = state.agents[agent, UNTIL]
        if now < until < change:
            change = until
    for slot in range(state.clock[NUM_OPEN]):
        ripe = state.tasks[state.open[slot], RIPE]
        if now < ripe < change:
            change = ripe
    for number in range(state.clock[NUM_USES]):
        end = state.uses[number, USE_END]
        if now < end < change:
            change = end
    return min(change, next_reveal(problem, state))


@inlined
def next_reveal(problem: Problem, state: State) -> int:
    """When the next unknown job is revealed; ``FAR`` if all are known."""
    if problem.flags[IS_BELIEF] or state.clock[NUM_REVEALED] == len(problem.reveals):
        return FAR
    return problem.jobs[problem.reveals[state.clock[NUM_REVEALED]], REVEAL]


@jit
def next_decision(problem: Problem, state: State, candidate_filter: int, found: Candidates) -> int:
    """Move the clock until some agent is asked; returns the number of candidates, 0 when all tasks are done.

    Where nobody waited and tasks must begin at once, instants at which no pair can begin are skipped. That is
    only a matter of speed, as nobody would be asked there.
    """
    while state.clock[TASKS_LEFT] > 0:
        count = collect(problem, state, candidate_filter, found)
        if count > 0:
            return count
        if problem.flags[SERVES_STAGE]:
            if state.clock[ROUND_LEFT] == 0:
                return 0
            forget_waits(state)
            dismiss(problem, state)
            run_on(problem, state)
            continue
        event = found.next[0]
        if candidate_filter == FULL or state.clock[NUM_WAITED] > 0:
            event = _next_change(problem, state)
        if event == FAR:
            return 0
        if problem.flags[HAS_WAVES] or next_reveal(problem, state) <= event:
            advance(problem, state, event)
        state.clock[NOW] = event
        forget_waits(state)
    return 0


@jit
def may_wait(problem: Problem, state: State, found: Candidates, count: int, agent: int) -> bool:
    """Whether something can still change if ``agent`` waits: another agent is asked too, or an event will come.

    ``found`` holds the candidates of all agents that are asked now and have not waited.
    """
    for row in range(count):
        if found.table[row, AGENT] != agent:
            return True
    return next_event(problem, state) < FAR or has_orders(state)
