"""Job shops: rules, pilot, the learned policies and CP-SAT on Taillard's instances."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.library import median_seconds
from benchmarks.rows import Row, at_least, at_most, holds, reported, within
from marl.policies.shipped import shipped_priority
from problems.bounds import best_known
from problems.formats import read_instance
from problems.generators import taillard, taillard_names
from problems.simulator import compile_problem
from solvers.budget import Budget
from solvers.registry import get_solver
from solvers.rollout import Runner
from solvers.rules.dispatch import rule_priority

RULE_BARS = {"spt-twkr": 14.4, "mwkr": 19.6, "spt": 27.5}
AUTO_INSTANCES = ("ta01", "ta11", "ta21", "ta31", "ta41", "ta51", "ta61", "ta71")


@cache
def runner_of(name: str) -> Runner:
    """Room for episodes of a built-in instance."""
    return Runner(compile_problem(taillard(name)))


def gap_to_best_known(name: str, objective: float) -> float:
    """Gap to the best-known makespan in percent."""
    best = best_known(name)
    assert best is not None and best.upper is not None
    return 100 * (objective / best.upper - 1)


def mean_gap(solver: str, samples: int = 1, names: list[str] | None = None) -> tuple[float, list[float]]:
    """Mean gap in percent over Taillard's instances, and the mean of each group of ten."""

    def solve(name: str) -> float:
        objective = get_solver(solver)(taillard(name), Budget(samples=samples), 1).objective
        assert objective is not None
        return gap_to_best_known(name, objective)

    with ThreadPoolExecutor(2) as pool:
        gaps = list(pool.map(solve, names or taillard_names()))
    return float(np.mean(gaps)), [round(float(np.mean(gaps[k : k + 10])), 2) for k in range(0, len(gaps), 10)]


def rules() -> Iterator[Row]:
    """Dispatching rules and pilot against published gaps."""
    for rule, bar in RULE_BARS.items():
        gap, groups = mean_gap(rule)
        yield within(
            f"{rule}: mean gap on ta01-80, % (groups {groups})", gap, bar, 0.3, _evaluate(rule), f"taillard {rule}"
        )
    priority = rule_priority("spt-twkr")
    gaps = [gap_to_best_known(name, runner_of(name).pilot(priority)) for name in taillard_names()]
    yield within("pilot: mean gap on ta01-80, %", float(np.mean(gaps)), 8.95, 0.3, _evaluate("pilot"), "taillard pilot")
    for name, bar in (("ta41", 0.1), ("ta71", 8.0)):
        seconds, spread = median_seconds(lambda name=name: runner_of(name).pilot(priority), 3)
        what = f"pilot: seconds on {name}, one core (spread {spread:.3f})"
        yield at_most(what, seconds, bar, f"python -m training solve {name} --solver pilot")


def learned() -> Iterator[Row]:
    """The learned policies, greedy and sampled, and how fast they are."""
    for name, priority in (("tuned", shipped_priority("tuned", "jsp")), ("policy", shipped_priority("policy", "jsp"))):
        gap, groups = mean_gap(name)
        what = f"{name}: mean gap on ta01-80, greedy, % (groups {groups})"
        key, command = f"taillard {name}", _evaluate(name)
        yield at_most(what, gap, 11.0, command, key) if name == "tuned" else reported(what, gap, command, key)
        seconds, spread = median_seconds(lambda priority=priority: runner_of("ta01").sample(priority, 50))
        what = f"{name}: rollouts per second on 15x15, one core (spread {100 * spread / seconds:.0f} %)"
        command = "python -m benchmarks --shared DIR --only learned"
        yield at_least(what, 50 / seconds, 500, command) if name == "tuned" else reported(what, 50 / seconds, command)
    for samples in (128, 512):
        gap, groups = mean_gap("tuned", samples)
        what, command = f"tuned: mean gap on ta01-80, best of {samples}, % (groups {groups})", _evaluate("tuned")
        key, command = f"taillard tuned {samples}", f"{command} --samples {samples}"
        yield at_most(what, gap, 7.0, command, key) if samples == 512 else reported(what, gap, command, key)
    yield from large_instance()


def large_instance() -> Iterator[Row]:
    """Time and memory of the attention network on 100x20."""
    priority = shipped_priority("policy", "jsp")
    seconds, spread = median_seconds(lambda: runner_of("ta71").sample(priority), 3)
    command = "python -m training solve ta71 --solver policy"
    yield at_most(f"policy: seconds on ta71, greedy, one core (spread {spread:.2f})", seconds, 5.0, command)
    subprocess.run([sys.executable, "-m", *command.split()[2:], "--json"], check=True, capture_output=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    yield at_most("policy: memory on ta71, GB (largest child process)", peak, 1.0, command)


def proofs(shared: Path) -> Iterator[Row]:
    """Known optima, proved."""
    for name, optimum in (("ft06", 55), ("la01", 666)):
        result = get_solver("cp-sat")(read_instance(shared / "bench/jsp" / f"{name}.txt"), Budget(60, workers=2), 1)
        proved = result.status == "optimal" and result.objective == optimum
        what = f"cp-sat: {name} proved, {result.runtime_s:.2f} s"
        yield holds(what, result.objective, f"{optimum} proved", proved, f"python -m training solve {name}.txt")


def generated(shared: Path) -> Iterator[Row]:
    """Taillard's generator against the public files."""

    def same(name: str) -> bool:
        public = read_instance(shared / "bench/jsp" / f"{name}.txt").replace(name=name)
        built = taillard(name)
        return all(
            np.array_equal(getattr(public, field), getattr(built, field))
            for field in ("eligible_agent", "eligible_duration", "task_job")
        )

    equal = sum(same(name) for name in taillard_names())
    yield holds("ta01-80 generated equal to the public files", equal, "80", equal == 80, "make test SHARED=DIR")


def auto() -> Iterator[Row]:
    """``auto`` against CP-SAT alone, 10 s and two workers each."""
    gaps = {}
    for solver in ("cp-sat", "auto"):
        results = [get_solver(solver)(taillard(name), Budget(10.0, workers=2), 1) for name in AUTO_INSTANCES]
        pairs = zip(AUTO_INSTANCES, results, strict=True)
        gaps[solver] = float(np.mean([gap_to_best_known(name, result.objective) for name, result in pairs]))
    command = f"python -m training evaluate --instances {','.join(AUTO_INSTANCES)} --solvers cp-sat,auto"
    command = f"{command} --time-limit 10 --workers 2 --out DIR"
    yield reported("cp-sat alone: mean gap at 10 s, 8 instances, %", gaps["cp-sat"], command)
    yield at_most("auto: mean gap at 10 s as a share of cp-sat's", gaps["auto"] / gaps["cp-sat"], 0.5, command)
    yield reported("auto: mean gap at 10 s, 8 instances, %", gaps["auto"], command)


def _evaluate(solver: str) -> str:
    return f"python -m training evaluate --family jsp --instances ta01-ta80 --solvers {solver} --out DIR"
