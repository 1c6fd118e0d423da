"""The tabu search itself: one move after the other, the best plan kept."""

from __future__ import annotations

import numpy as np

from problems.instance import IntArray
from problems.simulator.jit import jit
from problems.simulator.random import seed_stream, uniform
from solvers.local_search.moves import NODE, TASK, Memory, choose_move, new_memory, slot
from solvers.local_search.shop import Plan, Shop, Sketch, new_plan
from solvers.local_search.times import load_plan, move

# The counters of a search.
ITERATION, MAKESPAN, BEST, STUCK = range(4)


@jit
def _forbid(plan: Plan, memory: Memory, task: int, node: int, num_tasks: int, until: int) -> None:
    """Forbid to undo the move of ``task`` to behind ``node``, which is about to be made."""
    if plan.machine[node] != plan.machine[task]:
        memory.tabu[slot(plan, task, num_tasks + plan.machine[task])] = until
    elif node < num_tasks and plan.position[node] > plan.position[task]:
        other = task
        while other != node:
            other = plan.after[other]
            memory.tabu[slot(plan, task, other)] = until
    else:
        other = plan.before[task]
        while other != node:
            memory.tabu[slot(plan, other, task)] = until
            other = plan.before[other]


@jit
def search(
    shop: Shop,
    plan: Plan,
    memory: Memory,
    counters: IntArray,
    best: IntArray,
    iterations: int,
    tenure: float,
    target: int,
) -> None:
    """Make ``iterations`` moves, or fewer if the best makespan reaches ``target``.

    ``counters`` (int64 [4]) goes on from call to call; ``best`` (int64 [2, T]) keeps the best order and machines.
    A pair of operations that changed places stays so for ``tenure`` to twice as many iterations.
    """
    num_tasks = len(shop.job_before)
    for _ in range(iterations):
        if counters[BEST] <= target:
            return
        iteration = counters[ITERATION] + 1
        counters[ITERATION] = iteration
        if not choose_move(shop, plan, memory, counters[MAKESPAN], iteration, counters[BEST]):
            counters[STUCK] = 1
            return
        task, node = memory.choice[TASK], memory.choice[NODE]
        until = iteration + int(tenure * (1.0 + uniform(memory.stream)))
        _forbid(plan, memory, task, node, num_tasks, until)
        counters[MAKESPAN] = move(shop, plan, task, node, memory.room)
        if counters[MAKESPAN] < counters[BEST]:
            counters[BEST] = counters[MAKESPAN]
            for index in range(num_tasks):
                best[0, index] = plan.order[index]
                best[1, index] = plan.machine[index]


@jit
def begin(shop: Shop, plan: Plan, memory: Memory, counters: IntArray, best: IntArray, seed: int, number: int) -> None:
    """Start search ``number`` of ``seed`` from the plan in ``best``; nothing is tabu."""
    seed_stream(memory.stream, seed, number)
    memory.tabu[:] = 0
    counters[ITERATION] = counters[STUCK] = 0
    counters[MAKESPAN] = counters[BEST] = load_plan(shop, plan, best[0], best[1])


class Searcher:
    """Runs tabu searches on one shop, reusing its room.

    Parameters
    ----------
    shop
        The compiled instance.
    """

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.plan, self.memory = new_plan(shop), new_memory(shop)
        self._counters = np.zeros(4, np.int64)
        self._best = np.zeros((2, len(shop.job_before)), np.int64)
        self.tenure = shortest_tenure(shop)

    @property
    def makespan(self) -> int:
        """Makespan of the best plan so far."""
        return int(self._counters[BEST])

    @property
    def stuck(self) -> bool:
        """Whether the critical path leaves no move to make."""
        return bool(self._counters[STUCK])

    def begin(self, sketch: Sketch, seed: int, number: int) -> None:
        """Start search ``number`` of ``seed`` from a plan, with nothing tabu."""
        self._best[0], self._best[1] = sketch.order, sketch.machine
        begin(self.shop, self.plan, self.memory, self._counters, self._best, seed, number)

    def run(self, iterations: int, target: int) -> None:
        """Make ``iterations`` moves, fewer if the makespan reaches ``target`` or no move is left."""
        search(self.shop, self.plan, self.memory, self._counters, self._best, iterations, self.tenure, target)

    def best(self) -> Sketch:
        """The best plan so far; the search cannot go on from where it was."""
        load_plan(self.shop, self.plan, self._best[0], self._best[1])
        num_tasks = self._best.shape[1]
        start = self.plan.end[:num_tasks] - self.plan.duration[:num_tasks]
        return Sketch(self._best[0].copy(), self._best[1].copy(), start)


def shortest_tenure(shop: Shop) -> float:
    """Iterations for which a move cannot be undone, at least: more where more jobs share a machine."""
    return 10.0 + len(shop.release) / max(1, len(shop.available))
