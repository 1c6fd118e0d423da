"""The default with a time limit: sample first, search from there, then prove.

The best of many `tuned` samples, for about a tenth of the time, is improved by local search where that knows the kind
of problem (docs/decisions/0012), and becomes the hint of CP-SAT, which has the rest: to raise the bound where local
search has been, else mostly to improve the hint. The best schedule is returned, with CP-SAT's bound.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from problems.errors import UnknownNameError, UnsupportedError
from problems.instance import Instance
from problems.measure import objective_value
from problems.schedule import Schedule
from solvers.budget import Budget
from solvers.cpsat.choose import ModelKind, choose_model
from solvers.cpsat.solve import solve_cpsat
from solvers.local_search.solve import is_supported, solve_local_search
from solvers.registry import get_solver
from solvers.result import LogEntry, Result

SHARE_OF_SAMPLES = 0.1
"""Part of the time limit that goes to sampling."""

LEAST_SAMPLES = 512
"""Samples where there is no time limit."""

SHARE_OF_SEARCH = 0.6
"""Part of the time limit that goes to local search."""

SEARCH_SECONDS_PER_TASK = 0.02
"""Local search gets no more: CP-SAT proves small shops before it would end."""

SEARCHES = 32
"""Tabu searches where there is no time limit."""

MOST_SAMPLES = 10**9
"""Stands for as many samples as the time allows."""

SAMPLERS = {
    ModelKind.INTERVALS: ("tuned", "spt-twkr"),
    ModelKind.LOADS: ("tuned", "insertion"),
    ModelKind.PIECES: ("tuned", "spt-twkr"),
    ModelKind.ROUTES: ("tuned", "insertion"),
    ModelKind.STAGES: ("tuned", "spt-twkr"),
}
"""Who samples, by the model that CP-SAT will use: a policy, and the rule that takes over where it has no weights."""

BOTH = frozenset({ModelKind.LOADS, ModelKind.ROUTES})
"""Where the rule samples too, half of the time each: there it is often the stronger one."""


def solve_auto(instance: Instance, budget: Budget, seed: int) -> Result:
    """Sample, search, then prove.

    Raises
    ------
    UnsupportedError
        If CP-SAT has no model for the instance; a rule or a policy may still solve it.
    InstanceError, SolverError
        As `solvers.cpsat.solve.solve_cpsat`.
    """
    started = time.perf_counter()
    results = _sample(instance, choose_model(instance), budget, seed)
    hint = _best(instance, results)
    searches = is_supported(instance)
    if searches and hint is not None:
        results.append(_search(instance, budget, seed, hint, started))
        hint = _best(instance, results)
    spent = time.perf_counter() - started
    rest = None if budget.time_limit is None else max(0.0, budget.time_limit - spent)
    exact = solve_cpsat(instance, replace(budget, time_limit=rest), seed, hint=hint, polish=not searches, name="auto")
    log = merged(*(result.log for result in results), _later(exact, spent).log)
    return replace(exact, runtime_s=time.perf_counter() - started, log=log)


def _best(instance: Instance, results: Iterable[Result]) -> Schedule | None:
    """The best schedule of the results, None where there is none."""
    schedules = [result.schedule for result in results if result.schedule is not None]
    return min(schedules, key=lambda schedule: objective_value(instance, schedule), default=None)


def _later(result: Result, seconds: float) -> Result:
    """``result`` with its log on a clock that had run for some seconds when it began."""
    return replace(result, log=tuple(entry._replace(seconds=entry.seconds + seconds) for entry in result.log))


def _search(instance: Instance, budget: Budget, seed: int, start: Schedule, started: float) -> Result:
    """Local search from ``start``, its log on the clock that began at ``started``."""
    spent = time.perf_counter() - started
    if budget.time_limit is None:
        limits = replace(budget, samples=SEARCHES)
    else:
        most = min(SHARE_OF_SEARCH * budget.time_limit, SEARCH_SECONDS_PER_TASK * instance.num_tasks)
        limits = replace(budget, time_limit=max(0.0, min(most, budget.time_limit - spent)))
    return _later(solve_local_search(instance, limits, seed, starts=[start]), spent)


def _sample(instance: Instance, kind: ModelKind, budget: Budget, seed: int) -> list[Result]:
    """Results of the samplers one after the other, with their logs on one clock."""
    started = time.perf_counter()
    results: list[Result] = []
    for name in SAMPLERS[kind]:
        offset = time.perf_counter() - started
        result = None if results and kind not in BOTH else _try(instance, name, _share(budget, kind), seed)
        if result is not None and result.schedule is not None:
            results.append(_later(result, offset))
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
