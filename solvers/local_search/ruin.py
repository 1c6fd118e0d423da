"""Ruin and recreate: take strings of tasks out of some routes, put them back greedily, keep what is good enough.

The idea is that of Schrimpf et al. (2000, doi:10.1006/jcph.1999.6413), with strings of neighbours as in Christiaens and
Vanden Berghe (2020, doi:10.1287/trsc.2019.0914). A worse plan is accepted with the probability of simulated annealing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from problems.instance import FloatArray, IntArray
from problems.simulator.jit import jit
from problems.simulator.random import seed_stream, uniform
from solvers.sequences import Legs, Routes, insert, leg, longest_of, new_routes, remove

LONGEST_STRING = 8
"""Most neighbours that leave a route at once."""

SHARE_OF_MEAN = 0.05
"""Weight of the mean length beside the longest: among equal plans those with less work in all are better."""


class RuinMemory(NamedTuple):
    """Room for ruin and recreate.

    Attributes
    ----------
    routes, kept, best : Routes
        The plan that is being changed, the one before the change, and the best one.
    removed : int64 [T]
        Tasks that are out.
    stream : uint64 [1]
        Random numbers.
    """

    routes: Routes
    kept: Routes
    best: Routes
    removed: IntArray
    stream: np.ndarray


def new_ruin_memory(num_tasks: int, num_agents: int) -> RuinMemory:
    """Room for plans of that size."""
    routes, kept, best = (new_routes(num_tasks, num_agents) for _ in range(3))
    return RuinMemory(routes, kept, best, np.zeros(num_tasks, np.int64), np.zeros(1, np.uint64))


@jit
def copy_routes(source: Routes, target: Routes) -> None:
    """Make ``target`` equal to ``source``."""
    for node in range(len(source.after)):
        target.after[node], target.before[node] = source.after[node], source.before[node]
        target.route[node] = source.route[node]
    for k in range(len(source.length)):
        target.length[k] = source.length[k]


@jit
def cost_of(routes: Routes) -> float:
    """The longest length, and a little of the mean."""
    total = 0.0
    for k in range(len(routes.length)):
        total += routes.length[k]
    return longest_of(routes) + SHARE_OF_MEAN * total / len(routes.length)


@jit
def below(stream: np.ndarray, count: int) -> int:
    """A random number from 0 to ``count`` - 1."""
    return min(int(uniform(stream) * count), count - 1)


@jit
def task_of_longest(routes: Routes, stream: np.ndarray) -> int:
    """A random task of a longest route."""
    num_tasks, longest, chosen, seen = len(routes.after) - len(routes.length), longest_of(routes), 0, 0
    for task in range(num_tasks):
        if routes.length[routes.route[task]] == longest:
            seen += 1
            if uniform(stream) * seen < 1.0:
                chosen = task
    return chosen


@jit
def near(legs: Legs, task: int, num_tasks: int, stream: np.ndarray) -> int:
    """The nearest of a few random tasks: some other routes pass by there."""
    chosen, shortest = task, 0
    for _ in range(6):
        other = below(stream, num_tasks)
        length = leg(legs, 0, task, other) if other != task else 0
        if length >= 0 and other != task and (chosen == task or length < shortest):
            chosen, shortest = other, length
    return chosen


@jit
def _ruin(legs: Legs, memory: RuinMemory) -> int:
    """Take out a string of a longest route and strings of others; returns how many tasks are out."""
    routes, removed, stream = memory.routes, memory.removed, memory.stream
    num_tasks, count = len(removed), 0
    seed = task_of_longest(routes, stream) if uniform(stream) < 0.7 else below(stream, num_tasks)
    task = seed
    for _ in range(1 + below(stream, 3)):
        for _ in range(1 + below(stream, LONGEST_STRING)):
            following = routes.after[task]
            remove(legs, routes, task)
            routes.route[task] = -1
            removed[count] = task
            count += 1
            if following >= num_tasks:
                break
            task = following
        task = near(legs, seed, num_tasks, stream)
        if routes.route[task] < 0:
            break
    return count


@jit
def _recreate(legs: Legs, memory: RuinMemory, count: int) -> None:
    """Insert what is out in random order."""
    even = uniform(memory.stream) < 0.5
    for last in range(count - 1, -1, -1):
        index = below(memory.stream, last + 1)
        task = memory.removed[index]
        memory.removed[index] = memory.removed[last]
        insert(legs, memory.routes, task, even)


@jit
def begin_ruin(memory: RuinMemory, costs: FloatArray, seed: int, number: int) -> None:
    """Start search ``number`` of ``seed`` from the plan in ``memory.routes``; ``costs`` is float64 [2]."""
    seed_stream(memory.stream, seed, number)
    copy_routes(memory.routes, memory.kept)
    copy_routes(memory.routes, memory.best)
    costs[0] = costs[1] = cost_of(memory.routes)


@jit
def ruin_and_recreate(legs: Legs, memory: RuinMemory, costs: FloatArray, iterations: int, temperature: float) -> None:
    """Change the plan ``iterations`` times; ``costs`` (float64 [2]) are those of the present and the best plan."""
    for _ in range(iterations):
        _recreate(legs, memory, _ruin(legs, memory))
        cost = cost_of(memory.routes)
        if cost < costs[0] - temperature * np.log(uniform(memory.stream)):
            costs[0] = cost
            copy_routes(memory.routes, memory.kept)
            if cost < costs[1]:
                costs[1] = cost
                copy_routes(memory.routes, memory.best)
        else:
            copy_routes(memory.kept, memory.routes)
