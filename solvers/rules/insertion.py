"""Greedy insertion: a plan rule for minmax routes.

Tasks are inserted one by one, the nearest to the depot first, each where the route that takes it becomes shortest. Then
each task in turn is taken out and put back at its best place, until none moves (this halves the gap). Further samples
insert in random orders.
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
from solvers.legs import leg_lengths, unlike_routes
from solvers.result import LogEntry, Result, finish

_MOST_PASSES = 100
"""Passes of taking out and putting back; each shortens a route or is the last."""


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
def _leg(lengths: IntArray, i: int, j: int) -> int:
    """Length between two nodes; all nodes from T on are the depot, which is row 0."""
    num_tasks = len(lengths) - 1
    return lengths[i + 1 if i < num_tasks else 0, j + 1 if j < num_tasks else 0]


@jit
def _clear(routes: Routes) -> None:
    num_tasks = len(routes.after) - len(routes.length)
    for k in range(len(routes.length)):
        depot = num_tasks + k
        routes.after[depot] = routes.before[depot] = depot
        routes.route[depot] = k
        routes.length[k] = 0


@jit
def _insert(lengths: IntArray, routes: Routes, task: int) -> None:
    """Put ``task`` where its route becomes shortest; where several do, the detour decides."""
    num_tasks = len(routes.after) - len(routes.length)
    best_length, best_detour, best_node = -1, 0, -1
    for k in range(len(routes.length)):
        node = num_tasks + k
        while True:
            after = routes.after[node]
            detour = _leg(lengths, node, task) + _leg(lengths, task, after) - _leg(lengths, node, after)
            length = routes.length[k] + detour
            if best_node < 0 or length < best_length or (length == best_length and detour < best_detour):
                best_length, best_detour, best_node = length, detour, node
            node = after
            if node >= num_tasks:
                break
    after, k = routes.after[best_node], routes.route[best_node]
    routes.after[best_node], routes.before[after] = task, task
    routes.before[task], routes.after[task] = best_node, after
    routes.route[task] = k
    routes.length[k] = best_length


@jit
def _remove(lengths: IntArray, routes: Routes, task: int) -> None:
    before, after = routes.before[task], routes.after[task]
    routes.after[before], routes.before[after] = after, before
    routes.length[routes.route[task]] -= (
        _leg(lengths, before, task) + _leg(lengths, task, after) - _leg(lengths, before, after)
    )


@jit
def _put_back(lengths: IntArray, routes: Routes, order: IntArray) -> bool:
    """Take out each task and insert it again; whether any went elsewhere."""
    moved = False
    for task in order:
        before = routes.before[task]
        _remove(lengths, routes, task)
        _insert(lengths, routes, task)
        moved |= routes.before[task] != before
    return moved


@jit
def _build(lengths: IntArray, routes: Routes, order: IntArray, passes: int) -> int:
    """Length of the longest route after inserting the tasks in ``order``."""
    _clear(routes)
    for task in order:
        _insert(lengths, routes, task)
    for _ in range(passes):
        if not _put_back(lengths, routes, order):
            break
    longest = 0
    for k in range(len(routes.length)):
        longest = max(longest, routes.length[k])
    return longest


@jit
def _shuffle(order: IntArray, stream: np.ndarray) -> None:
    for last in range(len(order) - 1, 0, -1):
        other = min(int(uniform(stream) * (last + 1)), last)
        order[last], order[other] = order[other], order[last]


@jit
def _sample(lengths: IntArray, routes: Routes, order: IntArray, stream: np.ndarray, seed: int, number: int) -> int:
    """Sample ``number`` of ``seed``; number 0 keeps the order it is given."""
    if number > 0:
        seed_stream(stream, seed, number)
        _shuffle(order, stream)
    return _build(lengths, routes, order, _MOST_PASSES)


def solve_insertion(instance: Instance, budget: Budget, seed: int) -> Result:
    """Best of ``budget.samples`` greedy insertions, as many as the time limit allows, at least one.

    Raises
    ------
    UnsupportedError
        If the instance is not minmax routes of like agents over free tasks.
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
    features = unlike_routes(instance)
    if instance.objective is not Objective.LONGEST_ROUTE:
        features = [f"the objective {instance.objective}"]
    if (instance.task_pieces > 1).any():
        features.append("tasks of several pieces (task_pieces)")
    if features:
        raise UnsupportedError(f"insertion does not support {', '.join(features)}: '{instance.name}'")


def _improvements(
    instance: Instance, budget: Budget, seed: int, started: float
) -> Iterator[tuple[int, list[list[int]]]]:
    """Each sample that is better than all before it, as its longest route and its plan."""
    lengths = leg_lengths(instance)
    size = instance.num_tasks + instance.num_agents
    after, before, route = np.zeros((3, size), np.int64)
    routes = Routes(after, before, route, np.zeros(instance.num_agents, np.int64))
    order = np.argsort(lengths[0, 1:] + lengths[1:, 0], kind="stable")
    stream, best = np.zeros(1, np.uint64), None
    for number in range(budget.samples):
        value = int(_sample(lengths, routes, order, stream, seed, number))
        if best is None or value < best:
            best = value
            yield value, _plan(routes)
        if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
            return


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
