"""Tabu search as a solver: good starts, searches from them, and searches from between the best plans found."""

from __future__ import annotations

import time
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
from problems.lower_bounds import lower_bound
from problems.measure import in_source_unit
from problems.schedule import Schedule
from problems.simulator import replay
from solvers.budget import Budget
from solvers.local_search.elite import SIZE, Elite
from solvers.local_search.shop import Shop, Sketch, compile_shop, sequences, sketch_of
from solvers.local_search.tabu import Searcher
from solvers.registry import get_solver
from solvers.result import LogEntry, Result, finish

ITERATIONS = 12_500
"""Moves of one tabu search."""

MOVES_BETWEEN_LOOKS = 200_000
"""Moves times operations between two looks at the clock: some milliseconds."""

ROUND = 4
"""Searches between two updates of the elite; their number, not that of the workers, decides what comes out."""

SAMPLES = 16
"""Samples of which the best is a start."""

SHARE_OF_STARTS = 0.1
"""Part of the time limit that goes to making starts."""

SAMPLERS = ("tuned", "pair")
"""Who makes starts: a policy, and the rule that takes over where it has no weights."""


class Found(NamedTuple):
    """What one search found, with the times of its improvements."""

    makespan: int
    sketch: Sketch
    log: list[tuple[float, int]]


class Clock:
    """Seconds since the start of a run, and whether its limit is over."""

    def __init__(self, limit: float | None) -> None:
        self._started, self._limit = time.perf_counter(), limit
        self.limited = limit is not None

    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    def over(self, share: float = 1.0) -> bool:
        """Whether that share of the time limit has passed."""
        return self._limit is not None and self.seconds() >= share * self._limit


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
    """

    def __init__(self, shop: Shop, workers: int, seed: int, target: int, clock: Clock) -> None:
        self.seed, self._target, self._clock = seed, target, clock
        self._workers = min(workers, ROUND)
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
        found = Found(searcher.makespan, searcher.best(), log)
        self._free.put(searcher)
        return found


def solve_local_search(
    instance: Instance, budget: Budget, seed: int, *, starts: Sequence[Schedule] = (), name: str = "local-search"
) -> Result:
    """Minimise the makespan of a job shop or a flexible one by tabu search on the critical path.

    Without a time limit ``budget.samples`` tabu searches are made, and the same seed gives the same schedule for any
    number of workers. With a time limit there are as many as it allows, so what is found depends on the machine.

    Parameters
    ----------
    instance
        A shop with chains of operations: dedicated or alternative machines, releases, no changeovers or resources.
    budget
        Limits; each worker is a thread.
    seed
        Of the starts and all searches.
    starts
        Schedules to start from, before those that are sampled.
    name
        Name of the solver in the result.

    Raises
    ------
    UnsupportedError
        If the instance has features that the search does not know; the message names them.
    """
    clock = Clock(budget.time_limit)
    shop, bound = compile_shop(instance), lower_bound(instance)
    if instance.num_tasks == 0:
        schedule = replay(instance, [[] for _ in range(instance.num_agents)])
        return finish(instance, name, seed, clock.seconds(), schedule, bound)
    team = Team(shop, budget.workers, seed, bound, clock)
    given = [sketch_of(schedule, instance) for schedule in starts]
    sketches = chain(given, _samples(instance, budget, seed, clock, least=0 if given else 1))
    elite, log = _search(team, sketches, None if clock.limited else budget.samples)
    schedule = replay(instance, sequences(elite.best[1], instance.num_agents))
    entries = [LogEntry(s, in_source_unit(instance, value), in_source_unit(instance, bound)) for s, value in log]
    return finish(instance, name, seed, clock.seconds(), schedule, bound, log=entries)


def _search(team: Team, starts: Iterator[Sketch], most: int | None) -> tuple[Elite, list[tuple[float, int]]]:
    """Search from the starts, then from between the best; ``most`` is the number of searches, if it is limited."""
    elite, log, number = Elite(), list[tuple[float, int]](), 0
    random = np.random.default_rng(team.seed)
    while number != most and not (elite.members and team.done(elite.best[0])):
        size = ROUND if most is None else min(ROUND, most - number)
        for found in team.run(_begins(starts, elite, size, random), number):
            elite.add(found.makespan, found.sketch)
            log.extend(found.log)
        number += size
    return elite, improvements(log)


def improvements(log: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The entries (seconds, value), in order of time, that are better than all before them."""
    kept: list[tuple[float, int]] = []
    for entry in sorted(log):
        if not kept or entry[1] < kept[-1][1]:
            kept.append(entry)
    return kept


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
