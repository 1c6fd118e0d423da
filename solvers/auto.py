"""The default with a time limit: sample first, then prove.

The best of many `tuned` samples, for about a tenth of the time, becomes the hint of CP-SAT, which has the rest. The
better of the two schedules is returned, with CP-SAT's bound.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from problems.errors import UnknownNameError, UnsupportedError
from problems.instance import Instance
from problems.measure import objective_value
from solvers.budget import Budget
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.cpsat.solve import solve_cpsat
from solvers.registry import get_solver
from solvers.result import LogEntry, Result

SHARE_OF_SAMPLES = 0.1
"""Part of the time limit that goes to sampling."""

LEAST_SAMPLES = 512
"""Samples where there is no time limit."""

MOST_SAMPLES = 10**9
"""Stands for as many samples as the time allows."""

SAMPLERS = {
    ModelKind.INTERVALS: ("tuned", "spt-twkr"),
    ModelKind.LOADS: ("tuned", "spt"),
    ModelKind.PIECES: ("tuned", "spt-twkr"),
    ModelKind.ROUTES: ("tuned", "insertion"),
}
"""Who samples, by the model that CP-SAT will use: a policy, and the rule that takes over where it has no weights."""

BOTH = frozenset({ModelKind.ROUTES})
"""Where the rule samples too, half of the time each: on routes it is the stronger one."""


def solve_auto(instance: Instance, budget: Budget, seed: int) -> Result:
    """Sample, then prove.

    Raises
    ------
    UnsupportedError
        If CP-SAT has no model for the instance; a rule or a policy may still solve it.
    InstanceError, SolverError
        As `solvers.cpsat.solve.solve_cpsat`.
    """
    started = time.perf_counter()
    sampled = _sample(instance, choose_model(instance), budget, seed)
    schedules = [result.schedule for result in sampled if result.schedule is not None]
    hint = min(schedules, key=lambda schedule: objective_value(instance, schedule), default=None)
    first = [entry for result in sampled for entry in result.log]
    spent = time.perf_counter() - started
    rest = None if budget.time_limit is None else max(0.0, budget.time_limit - spent)
    result = solve_cpsat(instance, replace(budget, time_limit=rest), seed, hint=hint, polish=True, name="auto")
    log = merged(first, [entry._replace(seconds=entry.seconds + spent) for entry in result.log])
    return replace(result, runtime_s=time.perf_counter() - started, log=log)


def _sample(instance: Instance, kind: ModelKind, budget: Budget, seed: int) -> list[Result]:
    """Results of the samplers one after the other, with their logs on one clock."""
    started = time.perf_counter()
    results: list[Result] = []
    for name in SAMPLERS[kind]:
        offset = time.perf_counter() - started
        result = None if results and kind not in BOTH else _try(instance, name, _share(budget, kind), seed)
        if result is not None and result.schedule is not None:
            log = tuple(entry._replace(seconds=entry.seconds + offset) for entry in result.log)
            results.append(replace(result, log=log))
    return results


def _share(budget: Budget, kind: ModelKind) -> Budget:
    """What one sampler may spend."""
    if budget.time_limit is None:
        return replace(budget, samples=max(budget.samples, LEAST_SAMPLES))
    limit = budget.time_limit * SHARE_OF_SAMPLES / (len(SAMPLERS[kind]) if kind in BOTH else 1)
    return replace(budget, samples=MOST_SAMPLES, time_limit=limit)


def _try(instance: Instance, name: str, budget: Budget, seed: int) -> Result | None:
    """Result of one sampler; None where it has no weights for the family or does not support the instance."""
    try:
        return get_solver(name)(instance, budget, seed)
    except (UnknownNameError, UnsupportedError):
        return None


def merged(*logs: Iterable[LogEntry]) -> tuple[LogEntry, ...]:
    """One log of several, in order of time, that keeps only improvements."""
    entries: Sequence[LogEntry] = sorted((entry for log in logs for entry in log), key=lambda entry: entry.seconds)
    kept: list[LogEntry] = []
    objective = bound = None
    for entry in entries:
        better = [value for value in (objective, entry.objective) if value is not None]
        higher = [value for value in (bound, entry.bound) if value is not None]
        known = (min(better, default=None), max(higher, default=None))
        if known != (objective, bound):
            objective, bound = known
            kept.append(LogEntry(round(entry.seconds, 4), objective, bound))
    return tuple(kept)
