"""Travelling salesmen: insertion and the learned policies on mTSPLib, CP-SAT on small maps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, at_least, at_most, holds, reported
from problems.bounds import best_known
from problems.formats import read_instance
from problems.generators import random_multiple_tsp
from solvers.budget import Budget
from solvers.registry import get_solver

MAPS = ("eil51", "berlin52", "eil76", "rat99")
SALESMEN = (2, 3, 5, 7)
LEARNED = ("tuned", "policy", "auction")
ONE_PASS = ("nearest", "pilot", "insertion", *LEARNED)
SAMPLED = ("insertion", "tuned", "auction")
RUNS = [(solver, 1) for solver in ONE_PASS] + [(solver, samples) for samples in (128, 512) for solver in SAMPLED]
"""Solvers with the number of their samples."""


def library(shared: Path) -> Iterator[Row]:
    """Mean gap on the 16 cases of mTSPLib, one pass."""
    folder = shared / "bench/mtsp"
    means = {}
    for solver, samples in RUNS:
        gaps = [_gap(folder / f"{name}.tsp", agents, solver, samples) for name in MAPS for agents in SALESMEN]
        means[solver, samples] = float(np.mean(gaps))
        passes = "one pass" if samples == 1 else f"best of {samples}"
        what, key = f"{solver}: mean gap on mTSPLib, 16 cases, {passes}, %", f"mtsplib {solver} {samples}"
        yield reported(what, means[solver, samples], _evaluate(solver, samples), key)
    best = min(means[solver, 1] for solver in LEARNED)
    command = _evaluate(",".join(LEARNED), 1)
    yield at_most("best learned: mean gap on mTSPLib, 16 cases, one pass, %", best, 16.0, command)


def _gap(path: Path, agents: int, solver: str, samples: int) -> float:
    instance = read_instance(path, family="mtsp", agents=agents)
    result = get_solver(solver)(instance, Budget(samples=samples, workers=2), 1)
    best = best_known(instance, folders=[path.parent], path=path)
    assert best is not None and best.upper is not None
    assert result.objective is not None
    return 100 * (result.objective / best.upper - 1)


def proofs(shared: Path) -> Iterator[Row]:
    """How many small maps are proved, and whether the bound on eil51 is valid."""
    results = [get_solver("cp-sat")(random_multiple_tsp(12, 3, seed), Budget(30.0, workers=2), 1) for seed in range(10)]
    proved = sum(result.status == "optimal" for result in results)
    slowest = max(result.runtime_s for result in results)
    command = "python -m training generate mtsp --count 10 --seed 0 --cities 12 --salesmen 3 --out DIR"
    yield at_least(
        f"cp-sat: proved of 10 maps with 12 cities, 3 salesmen (slowest {slowest:.1f} s)", proved, 9, command
    )
    path = shared / "bench/mtsp/eil51.tsp"
    for agents in SALESMEN:
        instance = read_instance(path, family="mtsp", agents=agents)
        result = get_solver("cp-sat")(instance, Budget(15.0, workers=2), 1)
        best = best_known(instance, folders=[path.parent], path=path)
        assert best is not None
        valid = result.lower_bound is not None and 0 < result.lower_bound <= best.upper
        command = f"python -m training solve eil51.tsp --agents {agents} --solver cp-sat --time-limit 15"
        asked = f"<= best known {best.upper:.2f}"
        yield holds(f"cp-sat: lower bound on eil51, m = {agents}", f"{result.lower_bound:.2f}", asked, valid, command)


def _evaluate(solvers: str, samples: int) -> str:
    maps = " ".join(f"{name}.tsp" for name in MAPS)
    options = f"--agents 2,3,5,7 --solvers {solvers} --samples {samples} --out DIR"
    return f"python -m training evaluate --family mtsp --instances {maps} {options}"
