"""Who is asked at an instant, and for what; how time goes on when nobody is."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from problems.instance import IntArray
from problems.simulator.arrays import (
    FREE,
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
    TASKS_LEFT,
    USE_END,
    WAITED,
    Problem,
    State,
)
from problems.simulator.engine import advance, forget_waits
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.changeover import changeover_time
from problems.simulator.switches.duration import duration_of
from problems.simulator.switches.placement import placement

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
    """

    table: IntArray
    first_begin: IntArray
    first_end: IntArray
    next: IntArray


def new_candidates(problem: Problem) -> Candidates:
    """Empty work space for ``problem``."""
    num_agents = problem.durations.shape[1]
    return Candidates(
        table=np.zeros((len(problem.pairs), 5), np.int64),
        first_begin=np.zeros(num_agents, np.int64),
        first_end=np.zeros(num_agents, np.int64),
        next=np.zeros(1, np.int64),
    )


@inlined
def collect(problem: Problem, state: State, candidate_filter: int, found: Candidates) -> int:
    """Write the candidates of all agents that are asked now to ``found``; returns their number."""
    now = state.clock[NOW]
    count, later = 0, next_reveal(problem, state)
    for agent in range(len(state.agents)):
        found.first_begin[agent] = FAR
        if state.agents[agent, QUEUED] == 0:
            continue
        if state.agents[agent, FREE] > now:
            later = min(later, state.agents[agent, FREE])
        elif not state.agents[agent, WAITED]:
            first = count
            count, later = _collect_agent(problem, state, agent, found, count, later)
            if candidate_filter != FULL:
                count = _keep(now, candidate_filter, found, first, count)
    found.next[0] = later
    return count


@inlined
def _collect_agent(
    problem: Problem, state: State, agent: int, found: Candidates, count: int, later: int
) -> tuple[int, int]:
    """Append all tasks in the queue of a free agent; returns the new count and the next later instant."""
    now = state.clock[NOW]
    first_begin, first_end = FAR, FAR
    low = problem.agent_ptr[agent]
    for slot in range(low, low + state.agents[agent, QUEUED]):
        task = state.queue[slot, QUEUE_TASK]
        time = changeover_time(problem, state, agent, task)
        _, start, _ = placement(problem, state, agent, task, state.queue[slot, QUEUE_READY], time)
        begin, end = start - time, start + duration_of(problem, agent, task)
        if begin > now:
            later = min(later, begin)
        first_begin, first_end = min(first_begin, begin), min(first_end, end)
        found.table[count, AGENT], found.table[count, TASK] = agent, task
        found.table[count, BEGIN], found.table[count, START], found.table[count, END] = begin, start, end
        count += 1
    found.first_begin[agent], found.first_end[agent] = first_begin, first_end
    return count, later


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


@inlined
def next_reveal(problem: Problem, state: State) -> int:
    """When the next unknown job is revealed; ``FAR`` if all are known."""
    if state.clock[NUM_REVEALED] == len(problem.reveals):
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
        event = found.next[0]
        if candidate_filter == FULL or state.clock[NUM_WAITED] > 0:
            event = next_event(problem, state)
        if event == FAR:
            return 0
        advance(problem, state, event)
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
    return next_event(problem, state) < FAR
