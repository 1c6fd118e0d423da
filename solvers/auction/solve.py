"""The auction as a solver: plans without noise and with, and samples that go on from the best plan so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from problems.instance import FloatArray, Instance, IntArray
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from problems.simulator import replay
from solvers.auction.market import new_market
from solvers.auction.rounds import evaluate_points, sample, sample_from
from solvers.budget import Budget
from solvers.local_search.ruin import copy_routes, new_ruin_memory
from solvers.result import LogEntry, Result, finish
from solvers.rules.insertion import first_order
from solvers.sequences import Routes, legs_of, new_routes, plan_of, refuse_all_but_sequences

FEWEST_ROUNDS, ROUNDS_PER_PAIR = 6000, 108
"""Rounds of one sample, and more of them for each pair of a task and an agent."""

PATIENCE = 0.03
"""How much worse a plan may become in the first rounds of a sample, as a share of its cost."""

FREE = 16
"""Samples that start anew; all others start from the best plan before their generation."""

GENERATION = 8
"""Samples that do not know of each other, whatever the number of workers."""


class Auctioneer:
    """Auctions of one instance, one at a time.

    Parameters
    ----------
    instance
        Minmax routes of like agents, or loads of agents that never wait.
    rounds
        Rounds after each construction; None for as many as solving makes.
    patience
        How much worse a plan may become in the first rounds, as a share of its cost.
    """

    def __init__(self, instance: Instance, rounds: int | None = None, patience: float = PATIENCE) -> None:
        legs, tasks, agents = legs_of(instance), instance.num_tasks, instance.num_agents
        market = new_market(legs, first_order(instance, legs))
        self.memory = new_ruin_memory(tasks, agents)
        rounds = FEWEST_ROUNDS + ROUNDS_PER_PAIR * tasks * agents if rounds is None else rounds
        self._room = (legs, self.memory, market)
        self._effort = (rounds, patience)

    @property
    def routes(self) -> Routes:
        """The plan made last."""
        return self.memory.routes

    def sample(self, parameters: FloatArray, temperature: float = 0.0, seed: int = 0, number: int = 0) -> int:
        """Longest length of a plan made from nothing; number 0 begins without noise and is the same for every seed."""
        return int(sample(*self._room, *self._effort, parameters, temperature, seed, number))

    def sample_from(self, start: Routes, parameters: FloatArray, temperature: float, seed: int, number: int) -> int:
        """Longest length of a plan that is no worse than ``start``."""
        return int(sample_from(*self._room, start, *self._effort, parameters, temperature, seed, number))

    def evaluate(self, points: FloatArray) -> IntArray:
        """Longest length of the plan without noise under each network (float64 [N, *]); int64 [N]."""
        values = np.zeros(len(points), np.int64)
        evaluate_points(*self._room, *self._effort, points, values)
        return values


def solve_by_auction(
    instance: Instance, budget: Budget, seed: int, solver: str, parameters: FloatArray, temperature: float
) -> Result:
    """Best of ``budget.samples`` auctions, as many as the time limit allows, at least one.

    The same for any number of workers unless time is limited.

    Parameters
    ----------
    instance, budget, seed
        As every solver takes them; each worker is a thread.
    solver
        Name in the result.
    parameters : float64 [*]
        The network that bids.
    temperature
        Size of the noise on bids; the first plan is constructed without.

    Raises
    ------
    UnsupportedError
        As `refuse_all_but_sequences`.
    """
    started = time.perf_counter()
    refuse_all_but_sequences(instance, solver)
    bound = lower_bound(instance)
    if instance.num_tasks == 0:
        schedule = replay(instance, [[] for _ in range(instance.num_agents)])
        return finish(instance, solver, seed, time.perf_counter() - started, schedule, bound)
    log, plan = [], []
    for value, best in _improvements(instance, budget, seed, parameters, temperature, started):
        plan, seconds = plan_of(best), round(time.perf_counter() - started, 4)
        log.append(LogEntry(seconds, in_source_unit(instance, value), in_source_unit(instance, bound)))
    schedule = replay(instance, plan)
    return finish(instance, solver, seed, time.perf_counter() - started, schedule, bound, log=log)


def _improvements(
    instance: Instance, budget: Budget, seed: int, parameters: FloatArray, temperature: float, started: float
) -> Iterator[tuple[int, Routes]]:
    """The first plan, and the best of each generation that is better than all before it, with its longest length."""
    rooms = [Auctioneer(instance) for _ in range(min(GENERATION, budget.samples))]
    best, start = new_routes(instance.num_tasks, instance.num_agents), None
    least = rooms[0].sample(parameters, temperature)
    copy_routes(rooms[0].routes, best)
    yield least, best

    def one(number: int, start: Routes | None) -> int | None:
        if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
            return None
        room = rooms[number % len(rooms)]
        if start is None:
            return room.sample(parameters, temperature, seed, number)
        return room.sample_from(start, parameters, temperature, seed, number)

    with ThreadPoolExecutor(budget.workers) as pool:
        for numbers in _generations(budget.samples):
            start = best if numbers.start >= FREE else None
            values = list(pool.map(partial(one, start=start), numbers))
            made = [(value, number) for value, number in zip(values, numbers, strict=True) if value is not None]
            if made and min(made)[0] < least:
                least, number = min(made)
                copy_routes(rooms[number % len(rooms)].routes, best)
                yield least, best
            if len(made) < len(numbers):
                return


def _generations(samples: int) -> Iterator[range]:
    """Numbers of the samples after the first, in generations; more samples begin with the same ones."""
    for first in range(0, samples, GENERATION):
        yield range(max(first, 1), min(first + GENERATION, samples))
