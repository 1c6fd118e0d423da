"""Search of a shop: good starts, tabu searches from them, and from between the best plans found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from problems.errors import UnknownNameError, UnsupportedError
from problems.instance import Instance
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.local_search.clock import Clock, Plan
from solvers.local_search.elite import SIZE, Elite
from solvers.local_search.shop import Shop, Sketch, compile_shop, sequences, sketch_of
from solvers.local_search.tabu import Searcher
from solvers.registry import get_solver

ITERATIONS = 12_500
"""Moves of one tabu search."""

MOVES_BETWEEN_LOOKS = 200_000
"""Moves times operations between two looks at the clock: some milliseconds."""

ROUND = 4
"""Searches between two updates of the elite: without a time limit it is this number, not that of the workers, that
decides what comes out; with one there are as many as workers where those are more."""

SAMPLES = 16
"""Samples of which the best is a start."""

SHARE_OF_STARTS = 0.1
"""Part of the time limit that goes to making starts."""

SAMPLERS = ("tuned", "pair")
"""Who makes starts: a policy, and the rule that takes over where it has no weights."""


class Found(NamedTuple):
    """What one search found, whether it ended without a move to make, and when it improved."""

    makespan: int
    sketch: Sketch
    stuck: bool
    log: list[tuple[float, int]]


class Team:
    """Searches side by side, one thread each.

    Parameters
    ----------
    shop
        The compiled instance.
    workers
        Number of threads.
    seed
        Of all searches.
    target
        Makespan that ends them all.
    clock
        Tells when to stop.

    Attributes
    ----------
    round : int
        Number of searches between two updates of the elite.
    """

    def __init__(self, shop: Shop, workers: int, seed: int, target: int, clock: Clock) -> None:
        self.seed, self._target, self._clock = seed, target, clock
        self.round = max(ROUND, workers) if clock.limited else ROUND
        self._workers = min(workers, self.round)
        self._free = SimpleQueue[Searcher]()
        for _ in range(self._workers):
            self._free.put(Searcher(shop))
        self._stride = max(1, MOVES_BETWEEN_LOOKS // len(shop.job_before))

    def done(self, makespan: int) -> bool:
        """Whether there is no reason to go on."""
        return makespan <= self._target or self._clock.over()

    def run(self, starts: Sequence[Sketch], number: int) -> list[Found]:
        """What searches ``number``, ``number`` + 1, ... find, one from each start."""
        with ThreadPoolExecutor(self._workers) as pool:
            return list(pool.map(self._run_one, starts, range(number, number + len(starts))))

    def _run_one(self, start: Sketch, number: int) -> Found:
        searcher, log = self._free.get(), list[tuple[float, int]]()
        searcher.begin(start, self.seed, number)
        log.append((self._clock.seconds(), searcher.makespan))
        for done in range(0, ITERATIONS, self._stride):
            if self.done(searcher.makespan) or searcher.stuck:
                break
            searcher.run(min(self._stride, ITERATIONS - done), self._target)
            log.append((self._clock.seconds(), searcher.makespan))
        found = Found(searcher.makespan, searcher.best(), searcher.stuck, log)
        self._free.put(searcher)
        return found


def search_shop(
    instance: Instance, budget: Budget, seed: int, starts: Sequence[Schedule], bound: int, clock: Clock
) -> tuple[Plan, list[tuple[float, int]]]:
    """The best plan of many tabu searches, and when it became so good; see `solvers.local_search.solve`."""
    team = Team(compile_shop(instance), budget.workers, seed, bound, clock)
    given = [sketch_of(schedule, instance) for schedule in starts]
    sketches = chain(given, _samples(instance, budget, seed, clock, least=0 if given else 1))
    elite, log = _search(team, sketches, None if clock.limited else budget.samples)
    return sequences(elite.best[1], instance.num_agents), log


def _search(team: Team, starts: Iterator[Sketch], most: int | None) -> tuple[Elite, list[tuple[float, int]]]:
    """Search from the starts, then from between the best; ``most`` is the number of searches, if it is limited.

    A round in which every search ends without a move is the last: what lies between such plans is like them.
    """
    elite, log, number, stuck = Elite(), list[tuple[float, int]](), 0, False
    random = np.random.default_rng(team.seed)
    while number != most and not stuck and not (elite.members and team.done(elite.best[0])):
        size = team.round if most is None else min(team.round, most - number)
        results = team.run(_begins(starts, elite, size, random), number)
        for found in results:
            elite.add(found.makespan, found.sketch)
            log.extend(found.log)
        stuck = all(found.stuck for found in results)
        number += size
    return elite, log


def _begins(starts: Iterator[Sketch], elite: Elite, size: int, random: np.random.Generator) -> list[Sketch]:
    """The next ``size`` starts; where there are no more, plans between two of the elite."""
    fresh = list(islice(starts, size))
    return fresh + [elite.between(random) if elite.members else fresh[0] for _ in range(size - len(fresh))]


def _samples(instance: Instance, budget: Budget, seed: int, clock: Clock, least: int) -> Iterator[Sketch]:
    """Samples of different seeds, until there are enough or, from the number ``least`` on, until their time is over."""
    for number in range(SIZE):
        if number >= least and clock.over(SHARE_OF_STARTS):
            return
        yield sketch_of(_sample(instance, replace(budget, samples=SAMPLES), seed + number), instance)


def _sample(instance: Instance, budget: Budget, seed: int) -> Schedule:
    for name in SAMPLERS[:-1]:
        with suppress(UnknownNameError, UnsupportedError):
            schedule = get_solver(name)(instance, budget, seed).schedule
            if schedule is not None:
                return schedule
    schedule = get_solver(SAMPLERS[-1])(instance, budget, seed).schedule
    assert schedule is not None  # what local search supports has no deadlines to miss
    return schedule
