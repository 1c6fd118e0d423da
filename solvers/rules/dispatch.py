"""Dispatching rules: the best candidate by a priority goes first."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from problems.instance import Instance
from problems.lower_bounds import lower_bound
from problems.measure import objective_value
from problems.simulator import compile_problem, schedule_of
from solvers.budget import Budget
from solvers.priority import Kind, Priority
from solvers.result import LogEntry, Result, finish
from solvers.rollout import Runner

RULE_TEMPERATURE = 0.3
"""Gumbel noise on the logarithm of a rule's value in randomized repetitions."""

BATCH = 64
"""Most rollouts of a worker between two looks at the clock."""


SHARES = {"fair": 0.0, "naive-weighted-fair": 1.0, "weighted-fair": -1.0}
"""Power of a job's work that its share of the agents goes with, by rule, where the rule's name does not say it."""


def rule_priority(rule: str) -> Priority:
    """Priority of a dispatching rule by its name, which may hold a number, as in ``weighted-fair:-0.5``."""
    base, _, alpha = rule.partition(":")
    if base in SHARES:
        return Priority(Kind.WEIGHTED_FAIR, np.array([float(alpha) if alpha else SHARES[base]]))
    return Priority(Kind[base.upper().replace("-", "_")])


def solve_dispatch(instance: Instance, budget: Budget, seed: int, rule: str) -> Result:
    """Schedule by ``rule``: once, or the best of ``budget.samples`` randomized repetitions.

    The first repetition is the rule itself, without noise.
    """
    return solve_by_samples(instance, budget, seed, rule, rule_priority(rule), RULE_TEMPERATURE)


def solve_by_samples(
    instance: Instance, budget: Budget, seed: int, solver: str, priority: Priority, temperature: float
) -> Result:
    """Best of ``budget.samples`` episodes of ``priority`` (the first is greedy), within ``budget.time_limit``.

    Without a time limit the schedule is the same for any number of workers. Where durations or jobs are revealed as
    time goes on, the best of several episodes is clairvoyant, and the result says so.

    Raises
    ------
    UnsupportedError
        If the simulator does not know a feature of the instance.
    """
    started = time.perf_counter()
    problem = compile_problem(instance)
    runners = [Runner(problem) for _ in range(min(budget.workers, budget.samples))]
    best, best_value, log = None, None, list[LogEntry]()
    done = 0
    with ThreadPoolExecutor(len(runners)) as pool:
        while done < budget.samples:

            def sample(runner: Runner, numbers: range) -> int:
                return int(runner.sample(priority, len(numbers), seed, temperature, first=numbers.start).min())

            size = _batch(budget, done, time.perf_counter() - started)
            batches = _batches(done, budget.samples, len(runners), size)
            for runner, value in zip(runners, pool.map(sample, runners, batches), strict=False):
                if best_value is None or value < best_value:
                    best_value, best = value, schedule_of(runner.best)
                    log.append(LogEntry(time.perf_counter() - started, objective_value(instance, best), None))
            done = batches[-1].stop
            if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
                break
    seconds, clairvoyant = time.perf_counter() - started, instance.is_online and done > 1
    return finish(instance, solver, seed, seconds, best, lower_bound(instance), log=log, clairvoyant=clairvoyant)


def _batch(budget: Budget, done: int, spent: float) -> int:
    """Rollouts of each worker until the next look at the clock: as many as the time still allows, so far as known."""
    if budget.time_limit is None or done == 0:
        return BATCH
    left = (budget.time_limit - spent) * done / max(spent, 1e-9)
    return max(1, min(BATCH, int(left) // max(budget.workers, 1)))


def _batches(done: int, samples: int, workers: int, size: int) -> list[range]:
    """Numbers of the rollouts that each worker makes next; the first, greedy one alone.

    The numbers rise from worker to worker, so the first best rollout is the same for any number of workers.
    """
    if done == 0:
        return [range(1)]
    starts = range(done, min(done + size * workers, samples), size)
    return [range(start, min(start + size, samples)) for start in starts]
