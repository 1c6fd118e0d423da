"""Greedy insertion: a plan rule for minmax routes, and for the makespan of agents that never wait.

Tasks are inserted one by one, each where the sum of the squared lengths of all routes (or loads) grows least: on routes
the nearest to the depot first, on loads those that take long. Then each task in turn is taken out and put back at its
best place, until none moves. In the last passes a task goes where the route that takes it becomes shortest: every task
where agents are alike, those of the longest route where they are not. Further samples insert in random orders.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from problems.instance import Instance, IntArray
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from problems.simulator import replay
from problems.simulator.jit import jit
from problems.simulator.random import seed_stream, uniform
from solvers.budget import Budget
from solvers.result import LogEntry, Result, finish
from solvers.sequences import (
    Legs,
    Routes,
    clear,
    insert,
    is_routes,
    legs_of,
    longest_of,
    new_routes,
    plan_of,
    refuse_all_but_sequences,
    remove,
)

MOST_PASSES = 100
"""Passes of taking out and putting back; each shortens a route or is the last."""


@jit
def put_back(legs: Legs, routes: Routes, order: IntArray, even: bool) -> bool:
    """Take out tasks and insert each again; whether any went elsewhere."""
    moved, alike = False, len(legs.lengths) == 1
    for task in order:
        if even and not alike and routes.length[routes.route[task]] < longest_of(routes):
            continue
        before = routes.before[task]
        remove(legs, routes, task)
        insert(legs, routes, task, even)
        moved |= routes.before[task] != before
    return moved


@jit
def _build(legs: Legs, routes: Routes, order: IntArray, passes: int) -> int:
    """Length of the longest route after inserting the tasks in ``order``."""
    clear(legs, routes)
    for task in order:
        insert(legs, routes, task, False)
    for even in (False, True):
        for _ in range(passes):
            if not put_back(legs, routes, order, even):
                break
    return longest_of(routes)


@jit
def shuffle(order: IntArray, stream: np.ndarray) -> None:
    """Put ``order`` into random order."""
    for last in range(len(order) - 1, 0, -1):
        other = min(int(uniform(stream) * (last + 1)), last)
        order[last], order[other] = order[other], order[last]


@jit
def _sample(legs: Legs, routes: Routes, order: IntArray, stream: np.ndarray, seed: int, number: int) -> int:
    """Sample ``number`` of ``seed``; number 0 keeps the order it is given."""
    if number > 0:
        seed_stream(stream, seed, number)
        shuffle(order, stream)
    return _build(legs, routes, order, MOST_PASSES)


def solve_insertion(instance: Instance, budget: Budget, seed: int) -> Result:
    """Best of ``budget.samples`` greedy insertions, as many as the time limit allows, at least one.

    Raises
    ------
    UnsupportedError
        If the instance is neither minmax routes of like agents over free tasks, nor the makespan of agents that never
        wait for anything.
    """
    started = time.perf_counter()
    refuse_all_but_sequences(instance, "insertion")
    bound = lower_bound(instance)
    best, log = None, []
    for value, plan in _improvements(instance, budget, seed, started):
        best = plan
        seconds = round(time.perf_counter() - started, 4)
        log.append(LogEntry(seconds, in_source_unit(instance, value), in_source_unit(instance, bound)))
    schedule = None if best is None else replay(instance, best)
    return finish(instance, "insertion", seed, time.perf_counter() - started, schedule, bound, log=log)


def first_order(instance: Instance, legs: Legs) -> IntArray:
    """The order in which tasks are inserted first, int64 [T]."""
    if is_routes(instance):
        return np.argsort(legs.lengths[0, 0, 1:] + legs.lengths[0, 1:, 0], kind="stable")
    shortest = np.where(instance.durations < 0, np.iinfo(np.int64).max, instance.durations).min(axis=1)
    return np.argsort(-shortest, kind="stable")


def _improvements(
    instance: Instance, budget: Budget, seed: int, started: float
) -> Iterator[tuple[int, list[list[int]]]]:
    """Each sample that is better than all before it, as its longest route and its plan."""
    legs = legs_of(instance)
    routes, order = new_routes(instance.num_tasks, instance.num_agents), first_order(instance, legs)
    stream, best = np.zeros(1, np.uint64), None
    for number in range(budget.samples):
        value = int(_sample(legs, routes, order, stream, seed, number))
        if best is None or value < best:
            best = value
            yield value, plan_of(routes)
        if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
            return
