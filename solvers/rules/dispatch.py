"""Dispatching rules: the best candidate by a priority goes first."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from problems.instance import Instance, IntArray
from problems.lower_bounds import lower_bound
from problems.measure import objective_value
from problems.simulator import compile_problem
from problems.simulator.arrays import SERVES_STAGE
from problems.simulator.candidates import FAR
from problems.simulator.simulator import schedule_from_rows
from solvers.budget import Budget
from solvers.guided import rows_of, sample_after
from solvers.kinds import Kind
from solvers.priority import Priority
from solvers.result import LogEntry, Result, finish
from solvers.rollout import MISSED, Runner

RULE_TEMPERATURE = 0.3
"""Gumbel noise on the logarithm of a rule's value in randomized repetitions."""

BATCH = 64
"""Most free rollouts of a worker between two looks at the clock."""

FREE = 64
"""The first so many rollouts are independent of each other. A fixed number: more samples begin like fewer of them."""

COOLING = 0.6
"""Temperature of the others, as a part of that of free ones."""

GENERATION = 8
"""Rollouts that keep a beginning of the same schedule."""

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

    The first `FREE` are independent of each other. The others keep a beginning of the best one before them, in
    generations of `GENERATION` (docs/decisions/0014), unless agents serve a stage. Where durations or jobs are revealed
    as time goes on, all are independent, the best of several is clairvoyant, and the result says so. Without a time
    limit the schedule is the same for any number of workers, and more samples are never worse.

    Raises
    ------
    UnsupportedError
        If the simulator does not know a feature of the instance.
    """
    started = time.perf_counter()
    problem = compile_problem(instance)
    free = budget.samples if instance.is_online or problem.flags[SERVES_STAGE] else FREE
    runners = [Runner(problem) for _ in range(min(budget.workers, budget.samples))]
    best: IntArray | None = None
    best_value, log, done = FAR, list[LogEntry](), 0
    with ThreadPoolExecutor(len(runners)) as pool:
        while done < budget.samples:
            plan = best if done >= free else None

            def sample(runner: Runner, numbers: range, plan: IntArray | None = plan) -> int:
                if plan is None:
                    return int(runner.sample(priority, len(numbers), seed, temperature, numbers.start).min())
                return sample_after(runner, priority, plan, numbers, seed, COOLING * temperature)

            batches = _batches(budget, done, free, time.perf_counter() - started)
            for runner, value in zip(runners, pool.map(sample, runners, batches), strict=False):
                if value < best_value:
                    best_value, best = value, rows_of(runner.best)
                    if value < MISSED:
                        objective = objective_value(instance, schedule_from_rows(best))
                        log.append(LogEntry(time.perf_counter() - started, objective, None))
            done = batches[-1].stop
            if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
                break
    seconds, clairvoyant = time.perf_counter() - started, instance.is_online and done > 1
    schedule = None if best is None else schedule_from_rows(best)
    return finish(instance, solver, seed, seconds, schedule, lower_bound(instance), log=log, clairvoyant=clairvoyant)


def _batches(budget: Budget, done: int, free: int, spent: float) -> list[range]:
    """Numbers of the rollouts that each worker makes next; the first, greedy one alone.

    The numbers rise from worker to worker, so the first best rollout is the same for any number of workers.
    """
    if done == 0:
        return [range(1)]
    if done < free:
        size, end = _size(budget, done, spent), min(free, budget.samples)
        end = min(done + size * budget.workers, end)
    else:
        size, end = -(-GENERATION // budget.workers), min(done + GENERATION, budget.samples)
    return [range(start, min(start + size, end)) for start in range(done, end, size)]


def _size(budget: Budget, done: int, spent: float) -> int:
    """Free rollouts of each worker until the next look at the clock: as many as the time still allows."""
    if budget.time_limit is None:
        return BATCH
    left = (budget.time_limit - spent) * done / max(spent, 1e-9)
    return max(1, min(BATCH, int(left) // max(budget.workers, 1)))
