"""Unrelated parallel machines with setups: rules, pilot and CP-SAT on the instances of Vallada and Ruiz."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.library import best_upper, gap_of, learned_solvers, mean_gap, read_family
from benchmarks.rows import Row, at_least, holds, reported
from problems.instance import Instance
from solvers.budget import Budget
from solvers.registry import get_solver
from solvers.result import Result

FAMILY = "upms"
SETS = {"sdst_small": "small instances, 6 to 12 jobs", "sdst_large": "large instances, 50 to 200 jobs"}
SOLVERS = ("eft", "sst", "atcs", "insertion", "pilot")
PILOT_SECONDS = {"sdst_large": 10.0}
"""Time limit of pilot on each instance of a set; after it the rule makes the decisions that are left."""

SAMPLES = {
    "sdst_small": {"insertion": (100, 512), "tuned": (100, 512), "policy": (100,), "auction": (100, 512)},
    "sdst_large": {"insertion": (100,), "tuned": (100,), "auction": (100,)},
}
"""How many samples are measured, by set and solver; a hundred of `auction` take half a minute on the large ones."""

PROOF_SECONDS, PATIENCE = 30.0, 600.0
"""Seconds within which most small instances are to be proved, and after which the others are given up."""

PROVED_IN_TIME = 120
COMPARED = ("I_50_10_S_1-9_1", "I_50_10_S_1-49_1")
COMPARED_SECONDS = 60.0


def files(shared: Path, name: str) -> list[Path]:
    """Instance files of a set."""
    return sorted((shared / "bench/upms" / name).glob("*.txt"))


def exact(shared: Path, long: bool) -> Iterator[Row]:
    """CP-SAT on parallel machines; ``long`` proves all small instances instead of one of each size."""
    yield from proofs(files(shared, "sdst_small"), long)
    yield from models(shared)


def heuristics(shared: Path) -> Iterator[Row]:
    """Rules, pilot and the learned policies: mean gaps on both sets."""
    learned = learned_solvers(read_family(files(shared, "sdst_small")[0], FAMILY))
    for name, title in SETS.items():
        for solver in (*SOLVERS, *learned):
            yield _gap_row(shared, name, title, solver, 1)
        for solver, counts in SAMPLES[name].items():
            for samples in counts:
                if solver in (*SOLVERS, *learned):
                    yield _gap_row(shared, name, title, solver, samples)


def _gap_row(shared: Path, name: str, title: str, solver: str, samples: int) -> Row:
    seconds = PILOT_SECONDS.get(name) if solver == "pilot" else None
    gap = mean_gap(files(shared, name), FAMILY, solver, Budget(seconds, samples))
    passes = "one pass" if samples == 1 else f"best of {samples}"
    command = f"python -m training evaluate --family upms --instances DIR/{name} --solvers {solver} --samples {samples}"
    if seconds is not None:
        passes, command = f"{passes}, at most {seconds:g} s each", f"{command} --time-limit {seconds:g}"
    what = f"{solver}: mean gap on {title}, {passes}, %"
    return reported(what, gap, f"{command} --out DIR", f"{name} {solver} {samples}")


def proofs(paths: list[Path], long: bool) -> Iterator[Row]:
    """Small instances proved with two workers: all of them, or the first of each size."""
    chosen = paths if long else _first_of_each_size(paths)
    results = {path: get_solver("cp-sat")(read_family(path, FAMILY), Budget(PATIENCE, workers=2), 1) for path in chosen}
    right = {path: result for path, result in results.items() if _is_right(path, result)}
    slowest = max(result.runtime_s for result in results.values())
    command = f"python -m benchmarks --shared DIR --only upms-proofs{' --long' if long else ''}"
    part = "" if long else ", one of each size"
    what = f"cp-sat: small instances proved and equal to the best-known value{part} (slowest {slowest:.1f} s)"
    yield holds(what, len(right), f"{len(chosen)}", len(right) == len(chosen) > 0, command)
    quick = sum(result.runtime_s <= PROOF_SECONDS for result in right.values())
    what, key = f"cp-sat: the same within {PROOF_SECONDS:g} s, 2 workers{part}", "sdst_small cp-sat proved"
    yield at_least(what, quick, PROVED_IN_TIME, command, key) if long else reported(what, quick, command)


def _first_of_each_size(paths: list[Path]) -> list[Path]:
    sizes: dict[str, Path] = {}
    for path in paths:
        sizes.setdefault(path.name.partition("_S_")[0], path)
    return list(sizes.values())


def _is_right(path: Path, result: Result) -> bool:
    return result.status == "optimal" and result.objective == best_upper(read_family(path, FAMILY), path)


def models(shared: Path) -> Iterator[Row]:
    """The model of loads against one of intervals, on 50 jobs and 10 machines."""
    gaps: dict[str, list[float]] = {"loads": [], "intervals": []}
    values: dict[str, list[float]] = {"loads": [], "intervals": []}
    for name in COMPARED:
        path = shared / "bench/upms/sdst_large" / f"{name}.txt"
        instance = read_family(path, FAMILY)
        for kind, given in (("loads", instance), ("intervals", with_times(instance))):
            result = get_solver("cp-sat")(given, Budget(COMPARED_SECONDS, workers=2), 1)
            assert result.objective is not None
            values[kind].append(result.objective)
            gaps[kind].append(gap_of(result.objective, best_upper(instance, path)))
    command = (
        f"python -m training solve {COMPARED[0]}.txt --solver cp-sat --time-limit {COMPARED_SECONDS:g} --workers 2"
    )
    for kind, found in gaps.items():
        what = f"cp-sat, model of {kind}: mean gap on 50x10 at {COMPARED_SECONDS:g} s, 2 workers, %"
        yield reported(what, float(np.mean(found)), command, f"upms {kind}")
    better = all(load < other for load, other in zip(values["loads"], values["intervals"], strict=True))
    what = f"cp-sat on 50x10: makespans of the model of loads and of the one of intervals, {', '.join(COMPARED)}"
    shown = f"{values['loads']} and {values['intervals']}"
    yield holds(what, shown, "loads better on each", better, "python -m benchmarks --shared DIR --only upms-proofs")


def with_times(instance: Instance) -> Instance:
    """The same problem with a deadline that no schedule misses: CP-SAT then needs to know when tasks start."""
    assert instance.changeover is not None
    longest = int(instance.eligible_duration.max() + instance.changeover.times.max())
    return instance.replace(job_deadline=np.full(instance.num_jobs, instance.num_tasks * longest))
