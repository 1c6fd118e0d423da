"""The auction itself, compiled: quote the best place of a task in each plan, bid, award, until no task is open."""

from __future__ import annotations

import numpy as np

from problems.instance import FloatArray, IntArray
from problems.simulator.candidates import FAR
from problems.simulator.jit import jit
from problems.simulator.random import gumbel
from solvers.auction.market import (
    FEATURES,
    LEAST_DETOUR,
    LEAST_GROWTH,
    LONGEST,
    MEAN,
    MOST_TIMES,
    NEXT_DETOUR,
    NEXT_GROWTH,
    SHARE_OPEN,
    TARGET,
    UNIT,
    Market,
)
from solvers.priority import network_score
from solvers.sequences import Legs, Routes, leg

(
    DETOUR,
    DETOUR_OVER_RIVAL,
    SECOND_PLACE,
    LENGTH,
    LENGTH_AFTER,
    GROWTH_OF_LONGEST,
    BECOMES_LONGEST,
    IS_EMPTY,
    LENGTH_OVER_MEAN,
    MEAN_LENGTH,
    GROWTH_OF_SQUARES,
    GROWTH_OVER_RIVAL,
    LEG,
    LEG_OVER_CHEAPEST,
    CHEAPEST_LEG,
    REMOTENESS,
    OPEN,
    PER_AGENT,
    TASKS_PER_AGENT,
) = range(len(FEATURES))


@jit
def quote(legs: Legs, routes: Routes, market: Market, task: int, k: int, limit: float) -> None:
    """Find the best place of ``task`` in the plan of agent ``k``, which is not to become longer than ``limit``."""
    num_tasks = len(routes.after) - len(routes.length)
    node, best, second, place = num_tasks + k, FAR, FAR, -1
    if leg(legs, k, node, task) >= 0:
        while True:
            after = routes.after[node]
            detour = leg(legs, k, node, task) + leg(legs, k, task, after) - leg(legs, k, node, after)
            if detour < best:
                second = best
                best, place = detour, node
            elif detour < second:
                second = detour
            node = after
            if node >= num_tasks:
                break
    if routes.length[k] + best > limit:
        place = -1
    market.place[task, k], market.detour[task, k], market.second[task, k] = place, best, second


@jit
def _put(routes: Routes, market: Market, task: int, k: int) -> None:
    """Give ``task`` to agent ``k`` at the place quoted."""
    node = market.place[task, k]
    after = routes.after[node]
    routes.after[node] = routes.before[after] = task
    routes.before[task], routes.after[task], routes.route[task] = node, after, k
    routes.length[k] += market.detour[task, k]


@jit
def _look(routes: Routes, market: Market, still_open: int) -> None:
    """Note what all bids of this award share."""
    total, longest = 0.0, 0
    for k in range(len(routes.length)):
        total += routes.length[k]
        longest = max(longest, routes.length[k])
    market.now[MEAN] = total / len(routes.length)
    market.now[LONGEST] = longest
    market.now[SHARE_OPEN] = still_open / len(market.order)


@jit
def _look_at_rivals(routes: Routes, market: Market, task: int) -> None:
    """Note the lowest and second lowest detour and growth of the squares for ``task``."""
    now = market.now
    now[LEAST_DETOUR] = now[NEXT_DETOUR] = now[LEAST_GROWTH] = now[NEXT_GROWTH] = np.inf
    for k in range(len(routes.length)):
        if market.place[task, k] < 0:
            continue
        detour = float(market.detour[task, k])
        growth = detour * (2.0 * routes.length[k] + detour)
        now[NEXT_DETOUR] = min(now[NEXT_DETOUR], max(now[LEAST_DETOUR], detour))
        now[LEAST_DETOUR] = min(now[LEAST_DETOUR], detour)
        now[NEXT_GROWTH] = min(now[NEXT_GROWTH], max(now[LEAST_GROWTH], growth))
        now[LEAST_GROWTH] = min(now[LEAST_GROWTH], growth)


@jit
def _over(value: float, least: float, following: float, scale: float) -> float:
    """How far ``value`` lies above the lowest of the others, of which the lowest and second lowest are known."""
    rival = following if value <= least else least
    return min(max((value - rival) / scale, -MOST_TIMES), MOST_TIMES)


@jit
def _fill(legs: Legs, routes: Routes, market: Market, task: int, k: int) -> None:
    """Write the features of the bid of agent ``k`` for ``task``."""
    row, now, unit, target = market.row, market.now, market.scale[UNIT], market.scale[TARGET]
    detour, length = float(market.detour[task, k]), float(routes.length[k])
    growth = detour * (2.0 * length + detour)
    into = leg(legs, k, market.place[task, k], task) / unit
    row[DETOUR] = detour / unit
    row[DETOUR_OVER_RIVAL] = _over(detour, now[LEAST_DETOUR], now[NEXT_DETOUR], unit)
    row[SECOND_PLACE] = min((market.second[task, k] - detour) / unit, MOST_TIMES)
    row[LENGTH] = length / target
    row[LENGTH_AFTER] = (length + detour) / target
    row[GROWTH_OF_LONGEST] = max(length + detour - now[LONGEST], 0.0) / unit
    row[BECOMES_LONGEST] = 1.0 if length + detour >= now[LONGEST] else 0.0
    row[IS_EMPTY] = 1.0 if routes.after[len(market.order) + k] >= len(market.order) else 0.0
    row[LENGTH_OVER_MEAN] = (length - now[MEAN]) / target
    row[MEAN_LENGTH] = now[MEAN] / target
    row[GROWTH_OF_SQUARES] = growth / (unit * target)
    row[GROWTH_OVER_RIVAL] = _over(growth, now[LEAST_GROWTH], now[NEXT_GROWTH], unit * target)
    row[LEG], row[LEG_OVER_CHEAPEST] = into, into - market.cheapest[task]
    row[CHEAPEST_LEG], row[REMOTENESS] = market.cheapest[task], market.remoteness[task]
    row[OPEN] = now[SHARE_OPEN]
    row[PER_AGENT] = 1.0 / len(routes.length)
    row[TASKS_PER_AGENT] = len(market.order) / (20.0 * len(routes.length))


@jit
def _highest(
    legs: Legs,
    routes: Routes,
    market: Market,
    count: int,
    parameters: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> tuple[int, int]:
    """Index of the open task and agent of the highest bid; the first of equal ones."""
    best, agent, index = -np.inf, -1, -1
    for i in range(count):
        task = market.open[i]
        _look_at_rivals(routes, market, task)
        for k in range(len(routes.length)):
            if market.place[task, k] < 0:
                continue
            _fill(legs, routes, market, task, k)
            bid = network_score(parameters, market.row, market.hidden)
            if temperature > 0.0:
                bid += temperature * gumbel(stream)
            if bid > best:
                best, agent, index = bid, k, i
    return index, agent


@jit
def award(
    legs: Legs,
    routes: Routes,
    market: Market,
    tasks: IntArray,
    count: int,
    window: int,
    limit: float,
    parameters: FloatArray,
    temperature: float,
    stream: np.ndarray,
) -> bool:
    """Award the first ``count`` of ``tasks``, which come to the market in that order; False if one finds no agent.

    Parameters
    ----------
    legs, routes, market
        Lengths, the plans that grow, and room.
    tasks : int64 [*]
        Tasks that are in no plan.
    count
        How many of them.
    window
        Most tasks that are bid for at the same time; the next one comes to the market when one is awarded.
    limit
        No agent bids for a task that would make its plan longer.
    parameters : float64 [*]
        The network that bids; see `solvers.priority.pack_network`.
    temperature
        Size of the Gumbel noise on bids.
    stream : uint64 [1]
        Random numbers.
    """
    seen = waiting = 0
    while seen < count or waiting > 0:
        while waiting < window and seen < count:
            market.open[waiting] = tasks[seen]
            for k in range(len(routes.length)):
                quote(legs, routes, market, tasks[seen], k, limit)
            waiting += 1
            seen += 1
        _look(routes, market, waiting + count - seen)
        index, agent = _highest(legs, routes, market, waiting, parameters, temperature, stream)
        if agent < 0:
            return False
        _put(routes, market, market.open[index], agent)
        waiting -= 1
        market.open[index] = market.open[waiting]
        for i in range(waiting):
            quote(legs, routes, market, market.open[i], agent, limit)
    return True
