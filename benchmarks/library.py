"""Files of a benchmark library: their gaps to the best-known values, and what a solver had found by a given second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from problems.bounds import best_known
from problems.errors import MakespanError
from problems.formats import read_instance
from problems.instance import Instance
from solvers.budget import Budget
from solvers.registry import get_solver
from solvers.result import Result


def read_family(path: Path, family: str) -> Instance:
    """Instance of a file that must be of ``family``."""
    return read_instance(path, family=family)


def best_upper(instance: Instance, path: Path) -> float:
    """Best-known objective of the instance in ``path``, from the reference files beside it or one folder up."""
    best = best_known(instance, folders=[path.parent], path=path)
    assert best is not None and best.upper is not None
    return float(best.upper)


def gap_of(objective: float, best: float) -> float:
    """Gap to the best-known value in percent."""
    return 100 * (objective / best - 1)


def mean_gap(paths: Sequence[Path], family: str, solver: str, budget: Budget) -> float:
    """Mean gap in percent of a solver."""
    return float(np.mean([_gap(path, family, solver, budget) for path in paths]))


def _gap(path: Path, family: str, solver: str, budget: Budget) -> float:
    instance = read_family(path, family)
    result = get_solver(solver)(instance, budget, 1)
    assert result.objective is not None
    return gap_of(result.objective, best_upper(instance, path))


def learned_solvers(instance: Instance) -> list[str]:
    """Those of `tuned`, `policy` and `auction` that have weights for the family of ``instance``."""

    def answers(solver: str) -> bool:
        try:
            get_solver(solver)(instance, Budget(), 0)
        except MakespanError:
            return False
        return True

    return [solver for solver in ("tuned", "policy", "auction") if answers(solver)]


def objective_at(result: Result, seconds: float) -> float | None:
    """Best objective that a run had found after ``seconds``; None if it had none."""
    found = [objective for time, objective, _ in result.log if objective is not None and time <= seconds]
    if result.objective is not None and result.runtime_s <= seconds:
        found.append(result.objective)
    return min(found, default=None)


def median_seconds(action: Callable[[], object], repeats: int = 5) -> tuple[float, float]:
    """Median wall time of ``action`` after one warm-up, and the spread between slowest and fastest."""
    action()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return float(np.median(times)), max(times) - min(times)
