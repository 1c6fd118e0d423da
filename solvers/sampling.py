"""The best of many episodes of one priority: free ones, then such as learn from the best, forwards and backwards."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from problems.instance import Instance, IntArray
from problems.lower_bounds import lower_bound
from problems.measure import objective_value
from problems.reversal import is_reversible, reversed_instance
from problems.simulator import compile_problem
from problems.simulator.arrays import SERVES_STAGE
from problems.simulator.candidates import FAR
from problems.simulator.simulator import schedule_from_rows
from solvers.budget import Budget
from solvers.guided import play_backwards, rows_of, sample_after
from solvers.priority import Priority
from solvers.result import LogEntry, Result, finish
from solvers.rollout import MISSED, Runner

BATCH = 64
"""Most free rollouts of a worker between two looks at the clock."""

FREE = 64
"""The first so many rollouts are independent of each other. A fixed number: more samples begin like fewer of them."""

COOLING = 0.6
"""Temperature of the others, as a part of that of free ones."""

GENERATION = 8
"""Rollouts that keep a beginning of the same schedule."""


class _Direction:
    """A direction of time: episodes of the instance, or of the reversed one.

    Attributes
    ----------
    runners
        One for each worker.
    plan : int64 [N, 7] or None
        The best schedule so far, as one of this direction.
    """

    def __init__(self, instance: Instance, workers: int) -> None:
        problem = compile_problem(instance)
        self.serves_stage = bool(problem.flags[SERVES_STAGE])
        self.runners = [Runner(problem) for _ in range(workers)]
        self.plan: IntArray | None = None


class _Search:
    """Samples of one priority on one instance, and the best one.

    Parameters
    ----------
    instance, priority, temperature, seed
        What is sampled.
    budget
        Samples and workers.
    """

    def __init__(self, instance: Instance, priority: Priority, temperature: float, seed: int, budget: Budget) -> None:
        self.priority, self.temperature, self.seed = priority, temperature, seed
        workers = min(budget.workers, budget.samples)
        turned = [reversed_instance(instance)] if budget.samples > 1 and is_reversible(instance) else []
        self.directions = [_Direction(each, workers) for each in (instance, *turned)]
        stays_free = instance.is_online or self.directions[0].serves_stage
        self.free = budget.samples if stays_free else FREE
        self.best = FAR

    @property
    def plan(self) -> IntArray | None:
        """The best schedule so far, int64 [N, 7]."""
        return self.directions[0].plan

    def run(self, pool: ThreadPoolExecutor, batches: Sequence[range]) -> bool:
        """Make the rollouts of some numbers, a batch for each worker; whether one of them is the best so far."""
        best = self.best
        if batches[0].start < self.free:
            for number in range(len(self.directions)):
                self._take(number, pool, [self._own(batch, number) for batch in batches], guided=False)
        else:
            turn = batches[0].start // GENERATION % len(self.directions)
            self._take(turn, pool, batches, guided=True)
        return self.best < best

    def _own(self, numbers: range, direction: int) -> range:
        """The part of ``numbers`` that falls to a direction, in its own count: the directions take turns."""
        turns = len(self.directions)
        return range((numbers.start - direction + turns - 1) // turns, (numbers.stop - direction + turns - 1) // turns)

    def _take(self, number: int, pool: ThreadPoolExecutor, batches: Sequence[range], guided: bool) -> None:
        """Let the workers sample in a direction, and keep the first best."""
        direction = self.directions[number]
        plan = direction.plan if guided else None

        def sample(runner: Runner, numbers: range) -> int:
            if not numbers:
                return FAR
            if plan is not None:
                return sample_after(runner, self.priority, plan, numbers, self.seed, COOLING * self.temperature)
            return int(runner.sample(self.priority, len(numbers), self.seed, self.temperature, numbers.start).min())

        for runner, value in zip(direction.runners, pool.map(sample, direction.runners, batches), strict=False):
            if value < self.best:
                self._keep(number, value, rows_of(runner.best))

    def _keep(self, number: int, value: int, rows: IntArray) -> None:
        """Make a schedule the plan of all directions. Read backwards it may be shorter, and again so."""
        self.best, self.directions[number].plan = value, rows
        if len(self.directions) > 1:
            other = self.directions[1 - number]
            value, rows = play_backwards(other.runners[0], self.priority, rows)
            if value < self.best:
                self._keep(1 - number, value, rows)
            else:
                other.plan = rows


def solve_by_samples(
    instance: Instance, budget: Budget, seed: int, solver: str, priority: Priority, temperature: float
) -> Result:
    """Best of ``budget.samples`` episodes of ``priority`` (the first is greedy), within ``budget.time_limit``.

    The first `FREE` are independent of each other. The others keep a beginning of the best one before them, in
    generations of `GENERATION` (docs/decisions/0014), unless agents serve a stage. Where an instance can be reversed,
    every other episode, or generation, builds the schedule from its end (docs/decisions/0015). Where durations or jobs
    are revealed as time goes on, all are independent, the best of several is clairvoyant, and the result says so.
    Without a time limit the schedule is the same for any number of workers, and more samples are never worse.

    Raises
    ------
    UnsupportedError
        If the simulator does not know a feature of the instance.
    """
    started = time.perf_counter()
    search = _Search(instance, priority, temperature, seed, budget)
    log, done = list[LogEntry](), 0
    with ThreadPoolExecutor(min(budget.workers, budget.samples)) as pool:
        while done < budget.samples:
            batches = _batches(budget, done, search.free, time.perf_counter() - started)
            is_better = search.run(pool, batches)
            if is_better and search.plan is not None and search.best < MISSED:
                objective = objective_value(instance, schedule_from_rows(search.plan))
                log.append(LogEntry(time.perf_counter() - started, objective, None))
            done = batches[-1].stop
            if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
                break
    seconds, clairvoyant = time.perf_counter() - started, instance.is_online and done > 1
    schedule = None if search.plan is None else schedule_from_rows(search.plan)
    return finish(instance, solver, seed, seconds, schedule, lower_bound(instance), log=log, clairvoyant=clairvoyant)


def _batches(budget: Budget, done: int, free: int, spent: float) -> list[range]:
    """Numbers of the rollouts that each worker makes next; the first, greedy one alone.

    The numbers rise from worker to worker, so the first best rollout is the same for any number of workers.
    """
    if done == 0:
        return [range(1)]
    if done < free:
        left = min(free, budget.samples) - done
        size = min(_size(budget, done, spent), -(-left // budget.workers))
        end = min(done + size * budget.workers, done + left)
    else:
        size, end = -(-GENERATION // budget.workers), min(done + GENERATION, budget.samples)
    return [range(start, min(start + size, end)) for start in range(done, end, size)]


def _size(budget: Budget, done: int, spent: float) -> int:
    """Free rollouts of each worker until the next look at the clock: as many as the time still allows."""
    if budget.time_limit is None:
        return BATCH
    left = (budget.time_limit - spent) * done / max(spent, 1e-9)
    return max(1, min(BATCH, int(left) // max(budget.workers, 1)))
