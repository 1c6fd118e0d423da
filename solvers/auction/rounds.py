"""Plans made by an auction, and rounds in which agents give back parts of their plans to be awarded anew.

A round is a step of ruin and recreate (Schrimpf et al. 2000, doi:10.1006/jcph.1999.6413) whose second half is an
auction.
"""

from __future__ import annotations

import numpy as np

from problems.instance import FloatArray, IntArray
from problems.simulator.jit import jit
from problems.simulator.random import seed_stream, uniform
from solvers.auction.award import award
from solvers.auction.market import Market
from solvers.local_search.ruin import RuinMemory, below, copy_routes, cost_of, near, task_of_longest
from solvers.rules.insertion import MOST_PASSES, put_back, shuffle
from solvers.sequences import Legs, Routes, clear, longest_of, remove

WINDOW = 8
"""Most tasks that are bid for at the same time where all are awarded; in a round they come to the market one by one."""

MOST_PARTS, LONGEST_PART = 2, 3
"""Most agents that give back tasks in a round, and most tasks that each gives back."""

SHARE_OF_HOT, HOT = 0.3, 30.0
"""Part of the rounds in which the noise on bids is larger, and how many times."""

SHARE_FROM_LONGEST = 0.7
"""Part of the rounds in which an agent with a longest plan is the first to give back."""


@jit
def build(
    legs: Legs, routes: Routes, market: Market, parameters: FloatArray, temperature: float, stream: np.ndarray
) -> None:
    """Award all tasks, then let each in turn change places while that helps, as insertion does."""
    clear(legs, routes)
    award(legs, routes, market, market.order, len(market.order), WINDOW, np.inf, parameters, temperature, stream)
    for even in (False, True):
        for _ in range(MOST_PASSES):
            if not put_back(legs, routes, market.order, even):
                break


@jit
def _give_back(legs: Legs, memory: RuinMemory) -> int:
    """Take strings of neighbours out of some plans; returns how many tasks are out.

    The next string is one nearby where places have a distance that is the same for all, else any.
    """
    routes, stream, num_tasks, count = memory.routes, memory.stream, len(memory.removed), 0
    from_longest = uniform(stream) < SHARE_FROM_LONGEST
    first = task_of_longest(routes, stream) if from_longest else below(stream, num_tasks)
    task = first
    for _ in range(1 + below(stream, MOST_PARTS)):
        for _ in range(1 + below(stream, LONGEST_PART)):
            following = routes.after[task]
            remove(legs, routes, task)
            routes.route[task] = -1
            memory.removed[count] = task
            count += 1
            if following >= num_tasks:
                break
            task = following
        task = near(legs, first, num_tasks, stream) if len(legs.lengths) == 1 else below(stream, num_tasks)
        if routes.route[task] < 0:
            break
    return count


@jit
def run_rounds(
    legs: Legs,
    memory: RuinMemory,
    market: Market,
    rounds: int,
    patience: float,
    parameters: FloatArray,
    temperature: float,
) -> None:
    """Award parts of the plan in ``memory.routes`` anew ``rounds`` times, and leave the best plan there.

    As in simulated annealing a worse plan may be kept, at first one that is worse by about ``patience``, a share of the
    cost, at last none.
    """
    copy_routes(memory.routes, memory.kept)
    copy_routes(memory.routes, memory.best)
    cost = least = cost_of(memory.kept)
    allowed = patience * cost
    for number in range(rounds):
        count = _give_back(legs, memory)
        shuffle(memory.removed[:count], memory.stream)
        heat = temperature * (HOT if uniform(memory.stream) < SHARE_OF_HOT else 1.0)
        limit = cost - allowed * (1.0 - number / rounds) * np.log(uniform(memory.stream))
        done = award(legs, memory.routes, market, memory.removed, count, 1, limit, parameters, heat, memory.stream)
        if done and cost_of(memory.routes) <= limit:
            cost = cost_of(memory.routes)
            copy_routes(memory.routes, memory.kept)
            if cost < least:
                least = cost
                copy_routes(memory.routes, memory.best)
        else:
            copy_routes(memory.kept, memory.routes)
    copy_routes(memory.best, memory.routes)


@jit
def sample(
    legs: Legs,
    memory: RuinMemory,
    market: Market,
    rounds: int,
    patience: float,
    parameters: FloatArray,
    temperature: float,
    seed: int,
    number: int,
) -> int:
    """Longest length of the plan of sample ``number``, which is left in ``memory.routes``.

    Number 0 begins without noise on its bids and is the same for every seed.
    """
    seed_stream(memory.stream, seed if number > 0 else 0, number)
    build(legs, memory.routes, market, parameters, temperature if number > 0 else 0.0, memory.stream)
    run_rounds(legs, memory, market, rounds, patience, parameters, temperature)
    return longest_of(memory.routes)


@jit
def sample_from(
    legs: Legs,
    memory: RuinMemory,
    market: Market,
    start: Routes,
    rounds: int,
    patience: float,
    parameters: FloatArray,
    temperature: float,
    seed: int,
    number: int,
) -> int:
    """`sample`, but the rounds begin with the plan ``start``."""
    seed_stream(memory.stream, seed, number)
    copy_routes(start, memory.routes)
    run_rounds(legs, memory, market, rounds, patience, parameters, temperature)
    return longest_of(memory.routes)


@jit
def evaluate_points(
    legs: Legs,
    memory: RuinMemory,
    market: Market,
    rounds: int,
    patience: float,
    points: FloatArray,
    values: IntArray,
) -> None:
    """Longest length of the plan without noise under each of the networks ``points`` (float64 [N, *])."""
    for point in range(len(points)):
        values[point] = sample(legs, memory, market, rounds, patience, points[point], 0.0, 0, 0)
