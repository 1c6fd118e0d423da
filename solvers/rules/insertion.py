"""Greedy insertion: a plan rule for minmax routes, and for the makespan of agents that never wait.

Tasks are inserted one by one, each where the sum of the squared lengths of all routes (or loads) grows least: on routes
the nearest to the depot first, on loads those that take long. Then each task in turn is taken out and put back at its
best place, until none moves. In the last passes a task goes where the route that takes it becomes shortest: every task
where agents are alike, those of the longest route where they are not. Further samples insert in random orders.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import Instance, IntArray
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from problems.objective import Objective
from problems.simulator import jit, replay
from problems.simulator.random import seed_stream, uniform
from solvers.budget import Budget
from solvers.legs import leg_lengths, load_legs, unlike_loads, unlike_routes
from solvers.result import LogEntry, Result, finish

_MOST_PASSES = 100
"""Passes of taking out and putting back; each shortens a route or is the last."""


class Legs(NamedTuple):
    """Lengths between tasks and home.

    Attributes
    ----------
    lengths : int64 [K, T + 1, T + 1]
        From row to column, home first; negative to a task that an agent cannot do.
    matrix : int64 [M]
        The lengths that each agent uses.
    """

    lengths: IntArray
    matrix: IntArray


class Routes(NamedTuple):
    """Routes as rings through the tasks; route k starts and ends in node T + k.

    Attributes
    ----------
    after, before : int64 [T + M]
        Neighbours of each node in its route.
    route : int64 [T + M]
        The route that each node lies on.
    length : int64 [M]
        Length of each route, the way home included.
    """

    after: IntArray
    before: IntArray
    route: IntArray
    length: IntArray


@jit
def _leg(legs: Legs, k: int, i: int, j: int) -> int:
    """Length between two nodes on route k; all nodes from T on are the depot, which is row 0."""
    num_tasks = legs.lengths.shape[1] - 1
    return legs.lengths[legs.matrix[k], i + 1 if i < num_tasks else 0, j + 1 if j < num_tasks else 0]


@jit
def _clear(routes: Routes) -> None:
    num_tasks = len(routes.after) - len(routes.length)
    for k in range(len(routes.length)):
        depot = num_tasks + k
        routes.after[depot] = routes.before[depot] = depot
        routes.route[depot] = k
        routes.length[k] = 0


@jit
def _insert(legs: Legs, routes: Routes, task: int, even: bool) -> None:
    """Put ``task`` where the sum of squared lengths grows least, or, if ``even``, where its route becomes shortest."""
    num_tasks = len(routes.after) - len(routes.length)
    best_cost, best_detour, best_node = 0, 0, -1
    for k in range(len(routes.length)):
        node, length = num_tasks + k, routes.length[k]
        if _leg(legs, k, node, task) < 0:
            continue
        while True:
            after = routes.after[node]
            detour = _leg(legs, k, node, task) + _leg(legs, k, task, after) - _leg(legs, k, node, after)
            cost = length + detour if even else detour * (2 * length + detour)
            if best_node < 0 or cost < best_cost or (cost == best_cost and detour < best_detour):
                best_cost, best_detour, best_node = cost, detour, node
            node = after
            if node >= num_tasks:
                break
    after, k = routes.after[best_node], routes.route[best_node]
    routes.after[best_node], routes.before[after] = task, task
    routes.before[task], routes.after[task] = best_node, after
    routes.route[task] = k
    routes.length[k] += best_detour


@jit
def _remove(legs: Legs, routes: Routes, task: int) -> None:
    before, after, k = routes.before[task], routes.after[task], routes.route[task]
    routes.after[before], routes.before[after] = after, before
    routes.length[k] -= _leg(legs, k, before, task) + _leg(legs, k, task, after) - _leg(legs, k, before, after)


@jit
def _longest(routes: Routes) -> int:
    longest = 0
    for k in range(len(routes.length)):
        longest = max(longest, routes.length[k])
    return longest


@jit
def _put_back(legs: Legs, routes: Routes, order: IntArray, even: bool) -> bool:
    """Take out tasks and insert each again; whether any went elsewhere."""
    moved, alike = False, len(legs.lengths) == 1
    for task in order:
        if even and not alike and routes.length[routes.route[task]] < _longest(routes):
            continue
        before = routes.before[task]
        _remove(legs, routes, task)
        _insert(legs, routes, task, even)
        moved |= routes.before[task] != before
    return moved


@jit
def _build(legs: Legs, routes: Routes, order: IntArray, passes: int) -> int:
    """Length of the longest route after inserting the tasks in ``order``."""
    _clear(routes)
    for task in order:
        _insert(legs, routes, task, False)
    for even in (False, True):
        for _ in range(passes):
            if not _put_back(legs, routes, order, even):
                break
    return _longest(routes)


@jit
def _shuffle(order: IntArray, stream: np.ndarray) -> None:
    for last in range(len(order) - 1, 0, -1):
        other = min(int(uniform(stream) * (last + 1)), last)
        order[last], order[other] = order[other], order[last]


@jit
def _sample(legs: Legs, routes: Routes, order: IntArray, stream: np.ndarray, seed: int, number: int) -> int:
    """Sample ``number`` of ``seed``; number 0 keeps the order it is given."""
    if number > 0:
        seed_stream(stream, seed, number)
        _shuffle(order, stream)
    return _build(legs, routes, order, _MOST_PASSES)


def solve_insertion(instance: Instance, budget: Budget, seed: int) -> Result:
    """Best of ``budget.samples`` greedy insertions, as many as the time limit allows, at least one.

    Raises
    ------
    UnsupportedError
        If the instance is neither minmax routes of like agents over free tasks, nor the makespan of agents that never
        wait for anything.
    """
    started = time.perf_counter()
    _refuse(instance)
    bound = lower_bound(instance)
    best, log = None, []
    for value, plan in _improvements(instance, budget, seed, started):
        best = plan
        seconds = round(time.perf_counter() - started, 4)
        log.append(LogEntry(seconds, in_source_unit(instance, value), in_source_unit(instance, bound)))
    schedule = None if best is None else replay(instance, best)
    return finish(instance, "insertion", seed, time.perf_counter() - started, schedule, bound, log=log)


def _refuse(instance: Instance) -> None:
    features = unlike_routes(instance) if _is_routes(instance) else unlike_loads(instance)
    if (instance.task_pieces > 1).any():
        features.append("tasks of several pieces (task_pieces)")
    if features:
        raise UnsupportedError(f"insertion does not support {', '.join(features)}: '{instance.name}'")


def _is_routes(instance: Instance) -> bool:
    return instance.objective is Objective.LONGEST_ROUTE


def legs_of(instance: Instance) -> Legs:
    """Lengths of the sequences of an instance that insertion supports."""
    if _is_routes(instance):
        return Legs(leg_lengths(instance)[None], np.zeros(instance.num_agents, np.int64))
    return Legs(load_legs(instance), np.arange(instance.num_agents))


def first_order(instance: Instance, legs: Legs) -> IntArray:
    """The order in which tasks are inserted first, int64 [T]."""
    if _is_routes(instance):
        return np.argsort(legs.lengths[0, 0, 1:] + legs.lengths[0, 1:, 0], kind="stable")
    shortest = np.where(instance.durations < 0, np.iinfo(np.int64).max, instance.durations).min(axis=1)
    return np.argsort(-shortest, kind="stable")


def _improvements(
    instance: Instance, budget: Budget, seed: int, started: float
) -> Iterator[tuple[int, list[list[int]]]]:
    """Each sample that is better than all before it, as its longest route and its plan."""
    legs = legs_of(instance)
    routes, order = new_routes(instance), first_order(instance, legs)
    stream, best = np.zeros(1, np.uint64), None
    for number in range(budget.samples):
        value = int(_sample(legs, routes, order, stream, seed, number))
        if best is None or value < best:
            best = value
            yield value, _plan(routes)
        if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
            return


def new_routes(instance: Instance) -> Routes:
    """Room for routes."""
    after, before, route = np.zeros((3, instance.num_tasks + instance.num_agents), np.int64)
    return Routes(after, before, route, np.zeros(instance.num_agents, np.int64))


def _plan(routes: Routes) -> list[list[int]]:
    num_agents = len(routes.length)
    num_tasks = len(routes.after) - num_agents
    plan: list[list[int]] = [[] for _ in range(num_agents)]
    for k, order in enumerate(plan):
        node = int(routes.after[num_tasks + k])
        while node < num_tasks:
            order.append(node)
            node = int(routes.after[node])
    return plan
