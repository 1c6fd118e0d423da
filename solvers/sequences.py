"""Sequences of tasks under insertion and removal: minmax routes, and loads of agents that never wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from problems.errors import UnsupportedError
from problems.instance import Instance, IntArray
from problems.objective import Objective
from problems.simulator.jit import jit
from solvers.legs import leg_lengths, load_legs, unlike_loads, unlike_routes


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
def leg(legs: Legs, k: int, i: int, j: int) -> int:
    """Length between two nodes on route k; all nodes from T on are the depot, which is row 0."""
    num_tasks = legs.lengths.shape[1] - 1
    return legs.lengths[legs.matrix[k], i + 1 if i < num_tasks else 0, j + 1 if j < num_tasks else 0]


@jit
def clear(legs: Legs, routes: Routes) -> None:
    """Leave all agents at home; a leg from home to home is what an agent has done already."""
    num_tasks = len(routes.after) - len(routes.length)
    for k in range(len(routes.length)):
        depot = num_tasks + k
        routes.after[depot] = routes.before[depot] = depot
        routes.route[depot] = k
        routes.length[k] = leg(legs, k, depot, depot)


@jit
def insert(legs: Legs, routes: Routes, task: int, even: bool) -> None:
    """Put ``task`` where the sum of squared lengths grows least, or, if ``even``, where its route becomes shortest."""
    num_tasks = len(routes.after) - len(routes.length)
    best_cost, best_detour, best_node = 0.0, 0, -1
    for k in range(len(routes.length)):
        node, length = num_tasks + k, routes.length[k]
        if leg(legs, k, node, task) < 0:
            continue
        while True:
            after = routes.after[node]
            detour = leg(legs, k, node, task) + leg(legs, k, task, after) - leg(legs, k, node, after)
            cost = float(length + detour) if even else float(detour) * (2 * length + detour)
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
def remove(legs: Legs, routes: Routes, task: int) -> None:
    """Take ``task`` out of its route."""
    before, after, k = routes.before[task], routes.after[task], routes.route[task]
    routes.after[before], routes.before[after] = after, before
    routes.length[k] -= leg(legs, k, before, task) + leg(legs, k, task, after) - leg(legs, k, before, after)


@jit
def longest_of(routes: Routes) -> int:
    """Length of the longest route."""
    longest = 0
    for k in range(len(routes.length)):
        longest = max(longest, routes.length[k])
    return longest


def unlike_sequences(instance: Instance) -> list[str]:
    """What keeps ``instance`` from being judged by the longest sequence of an agent, in words."""
    features = unlike_routes(instance) if is_routes(instance) else unlike_loads(instance)
    if (instance.task_pieces > 1).any():
        features.append("tasks of several pieces (task_pieces)")
    return features


def refuse_all_but_sequences(instance: Instance, solver: str) -> None:
    """Refuse an instance that is neither minmax routes of like agents nor loads of agents that never wait.

    Raises
    ------
    UnsupportedError
        The message names the features that the solver does not support.
    """
    features = unlike_sequences(instance)
    if features:
        raise UnsupportedError(f"{solver} does not support {', '.join(features)}: '{instance.name}'")


def is_routes(instance: Instance) -> bool:
    """Whether lengths of routes count, and not loads."""
    return instance.objective is Objective.LONGEST_ROUTE


def legs_of(instance: Instance) -> Legs:
    """Lengths of the sequences of an instance that are judged by the longest."""
    if is_routes(instance):
        return Legs(leg_lengths(instance)[None], np.zeros(instance.num_agents, np.int64))
    return Legs(load_legs(instance), np.arange(instance.num_agents))


def new_routes(num_tasks: int, num_agents: int) -> Routes:
    """Room for routes."""
    after, before, route = np.zeros((3, num_tasks + num_agents), np.int64)
    return Routes(after, before, route, np.zeros(num_agents, np.int64))


def plan_of(routes: Routes) -> list[list[int]]:
    """Task order of each agent."""
    num_agents = len(routes.length)
    num_tasks = len(routes.after) - num_agents
    plan: list[list[int]] = [[] for _ in range(num_agents)]
    for k, order in enumerate(plan):
        node = int(routes.after[num_tasks + k])
        while node < num_tasks:
            order.append(node)
            node = int(routes.after[node])
    return plan


def load_routes(legs: Legs, routes: Routes, plan: Sequence[Sequence[int]]) -> None:
    """Make ``routes`` those of ``plan``."""
    clear(legs, routes)
    num_tasks = len(routes.after) - len(routes.length)
    for k, order in enumerate(plan):
        for task in order:
            append(legs, routes, task, num_tasks + k)


@jit
def append(legs: Legs, routes: Routes, task: int, depot: int) -> None:
    """Put ``task`` at the end of the route of a depot."""
    last, k = routes.before[depot], routes.route[depot]
    routes.length[k] += leg(legs, k, last, task) + leg(legs, k, task, depot) - leg(legs, k, last, depot)
    routes.after[last] = routes.before[depot] = task
    routes.before[task], routes.after[task] = last, depot
    routes.route[task] = k
