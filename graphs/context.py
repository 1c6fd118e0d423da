"""What all feature rows of a decision share: bounds, loads, routes so far, and jobs that are present.

Notation as in `graphs.features`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import (
    FREE,
    HAS_CHANGEOVER,
    HAS_MANY_SIDES,
    HEAD,
    JOB,
    LAST,
    LEFT,
    LENGTH,
    LOAD,
    LONGEST_ROUTE,
    NEAREST,
    NOW,
    NUM_OPEN,
    NUM_REVEALED,
    OBJECTIVE,
    PAIR_AGENT,
    PAIR_LO,
    PLACE,
    READY,
    SHORTEST,
    SHORTEST_AGENT,
    TAIL,
    UNIT,
    WEIGHT,
    Problem,
    State,
)
from problems.simulator.candidates import AGENT, BEGIN, FAR, TASK, Candidates
from problems.simulator.jit import inlined, jit
from problems.simulator.switches.changeover import changeover_time, return_time

# Context.numbers
BOUND, MEAN_WORK, TARGET, REMOTEST, JOBS_PRESENT, MEAN_WEIGHT = range(6)
TINY = 1e-3
"""Durations below this share of the mean are taken as this share in logarithms."""

MAX_HIDDEN = 256
"""Largest number of hidden units of the small network."""


class Context(NamedTuple):
    """What all rows of a decision share.

    Attributes
    ----------
    numbers : float64 [6]
        lb; mean remaining work of jobs with an open task; expected longest route, or makespan; largest way home of an
        open task; jobs that are known and not done, and their mean weight.
    queue : int64 [A]
        Work of the open tasks whose fastest agent this is.
    startable : int64 [A]
        Candidates that the agent can begin now.
    shortest_way : int64 [A]
        Shortest changeover among the agent's candidates.
    closing : float64 [A]
        Route length of the agent if it went home now; where routes are not the objective, when it would be there.
    job_base : int64 [J]
        Earliest start of the job's open tasks less the shortest work before them.
    neighbours : float64 [T, 3]
        Shortest, second shortest and mean changeover from an open task to the other open ones.
    wait_score : float64 [A]
        Room for the score of waiting of each asked agent.
    hidden : float64 [MAX_HIDDEN]
        Room for the hidden units of a small network.
    """

    numbers: FloatArray
    queue: IntArray
    startable: IntArray
    shortest_way: IntArray
    closing: FloatArray
    job_base: IntArray
    neighbours: FloatArray
    wait_score: FloatArray
    hidden: FloatArray


def new_context(problem: Problem) -> Context:
    """Empty context for ``problem``."""
    num_agents = problem.durations.shape[1]
    return Context(
        numbers=np.zeros(6),
        queue=np.zeros(num_agents, np.int64),
        startable=np.zeros(num_agents, np.int64),
        shortest_way=np.zeros(num_agents, np.int64),
        closing=np.zeros(num_agents),
        job_base=np.zeros(len(problem.jobs), np.int64),
        neighbours=np.zeros((len(problem.tasks), 3)),
        wait_score=np.zeros(num_agents),
        hidden=np.zeros(MAX_HIDDEN),
    )


@jit
def prepare(problem: Problem, state: State, found: Candidates, count: int, context: Context) -> None:
    """Fill ``context`` for the present decision."""
    now, unit = state.clock[NOW], problem.means[UNIT]
    bound, total_work = 0, 0
    context.queue[:] = 0
    for slot in range(state.clock[NUM_OPEN]):
        task = state.open[slot]
        ready = max(state.tasks[task, READY], now)
        work = problem.tasks[task, SHORTEST] + problem.tasks[task, TAIL]
        bound = max(bound, ready - now + work)
        total_work += work
        context.queue[problem.tasks[task, SHORTEST_AGENT]] += problem.tasks[task, SHORTEST]
        context.job_base[problem.tasks[task, JOB]] = ready - problem.tasks[task, HEAD]
    for agent in range(len(state.agents)):
        load = state.agents[agent, LOAD]
        if load > 0:
            bound = max(bound, max(state.agents[agent, FREE], now) - now + load)
    context.numbers[BOUND] = max(float(bound), unit)
    context.numbers[MEAN_WORK] = max(total_work / max(state.clock[NUM_OPEN], 1), TINY * unit)
    context.startable[:] = 0
    for row in range(count):
        if found.table[row, BEGIN] <= now:
            context.startable[found.table[row, AGENT]] += 1
    if problem.flags[HAS_MANY_SIDES]:
        _prepare_jobs(problem, state, context)
    if problem.flags[HAS_CHANGEOVER]:
        _prepare_routes(problem, state, found, count, context)
        _prepare_neighbours(problem, state, context)


@inlined
def _prepare_jobs(problem: Problem, state: State, context: Context) -> None:
    """How many jobs are known and not done, and what they weigh."""
    present, weight = 0, 0
    for place in range(state.clock[NUM_REVEALED]):
        job = problem.reveals[place]
        if state.jobs[job, LEFT] > 0:
            present += 1
            weight += problem.jobs[job, WEIGHT]
    context.numbers[JOBS_PRESENT] = max(present, 1)
    context.numbers[MEAN_WEIGHT] = max(weight / max(present, 1), TINY)


@inlined
def _route_end(problem: Problem, state: State, agent: int) -> int:
    """Length of the agent's route so far; where routes are not the objective, when it is free."""
    if problem.flags[OBJECTIVE] == LONGEST_ROUTE:
        return state.agents[agent, LENGTH]
    return max(state.agents[agent, FREE], state.clock[NOW])


@inlined
def _prepare_neighbours(problem: Problem, state: State, context: Context) -> None:
    """How near the open tasks are to each other, under the first changeover matrix."""
    num_open = state.clock[NUM_OPEN]
    for slot in range(num_open):
        task = state.open[slot]
        place = problem.tasks[task, PLACE]
        nearest, second, total = FAR, FAR, 0
        for other_slot in range(num_open):
            if other_slot == slot:
                continue
            way = problem.changeover[0, place, problem.tasks[state.open[other_slot], PLACE]]
            if way < nearest:
                nearest, second = way, nearest
            elif way < second:
                second = way
            total += way
        if num_open == 1:
            nearest, second = 0, 0
        elif num_open == 2:
            second = nearest
        context.neighbours[task, 0], context.neighbours[task, 1] = nearest, second
        context.neighbours[task, 2] = total / max(num_open - 1, 1)


@inlined
def _prepare_routes(problem: Problem, state: State, found: Candidates, count: int, context: Context) -> None:
    """Lengths of the routes so far, and the length that the longest one can be expected to reach."""
    total, longest, remotest = 0.0, 0.0, 0
    by_time = problem.flags[OBJECTIVE] != LONGEST_ROUTE
    for agent in range(len(state.agents)):
        home = return_time(problem, agent, state.agents[agent, LAST])
        length = float(_route_end(problem, state, agent) + home)
        context.closing[agent] = length
        total += length
        longest = max(longest, length)
    for slot in range(state.clock[NUM_OPEN]):
        task = state.open[slot]
        total += problem.tasks[task, NEAREST]
        if by_time:
            total += problem.tasks[task, SHORTEST]
        remotest = max(remotest, return_time(problem, problem.pairs[problem.tasks[task, PAIR_LO], PAIR_AGENT], task))
    context.numbers[TARGET] = max(longest, total / len(state.agents), 2.0 * remotest, problem.means[UNIT])
    context.numbers[REMOTEST] = max(float(remotest), problem.means[UNIT])
    context.shortest_way[:] = FAR
    for row in range(count):
        agent, task = found.table[row, AGENT], found.table[row, TASK]
        way = changeover_time(problem, state, agent, task)
        context.shortest_way[agent] = min(context.shortest_way[agent], way)
