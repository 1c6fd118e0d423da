"""Dispatching rules: the best candidate by a priority goes first."""

from __future__ import annotations

import time

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
"""Rollouts between two looks at the clock."""


def rule_priority(rule: str) -> Priority:
    """Priority of a dispatching rule by its name."""
    return Priority(Kind[rule.upper().replace("-", "_")])


def solve_dispatch(instance: Instance, budget: Budget, seed: int, rule: str) -> Result:
    """Schedule by ``rule``: once, or the best of ``budget.samples`` randomized repetitions.

    The first repetition is the rule itself, without noise.
    """
    return solve_by_samples(instance, budget, seed, rule, rule_priority(rule), RULE_TEMPERATURE)


def solve_by_samples(
    instance: Instance, budget: Budget, seed: int, solver: str, priority: Priority, temperature: float
) -> Result:
    """Best of ``budget.samples`` episodes of ``priority`` (the first is greedy), within ``budget.time_limit``.

    Raises
    ------
    UnsupportedError
        If the simulator does not know a feature of the instance.
    """
    started = time.perf_counter()
    runner = Runner(compile_problem(instance))
    best, best_value, log = None, None, list[LogEntry]()
    done = 0
    while done < budget.samples:
        count = min(BATCH, budget.samples - done) if done else 1
        value = int(runner.sample(priority, count, seed, temperature, first=done).min())
        done += count
        if best_value is None or value < best_value:
            best_value, best = value, schedule_of(runner.best)
            log.append(LogEntry(time.perf_counter() - started, objective_value(instance, best), None))
        if budget.time_limit is not None and time.perf_counter() - started >= budget.time_limit:
            break
    return finish(instance, solver, seed, time.perf_counter() - started, best, lower_bound(instance), log=log)
